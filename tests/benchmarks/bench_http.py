"""Requests per second and latency over real HTTP: the data path beside plain FastAPI echoes of the same body.

    python tests/benchmarks/bench_http.py [--seconds 5] [--rounds 3]

Every server runs on uvicorn with one worker, one at a time, so that they share nothing but the machine, and ``wrk``
makes the load. *echo* is a route that takes JSON and gives it back, as FastAPI's tutorial has it; *copy* gives the
bytes back that it got, and reads none of them. In each round all are measured in turn; a row is its best round, and
*to echo* compares within one round. Requests per second are what a client sees and suffer from whatever else runs on
the machine; *CPU* is the processor time that the server took for one request, and the second ratio compares that: it
is what the first would be on a machine with nothing else to do. The streams are made here: each sends an event, waits
for the answer, and rests for 50 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "bench-token"
EVENT = b'data: {"choices":[{"index":0,"delta":{"reasoning_content":"So it arrived broken."}}]}\n\n'
SHOWN = b'data: {"choices":[{"index":0,"delta":{"content":"On its way."}}]}\n\n'
ECHO = """
from fastapi import FastAPI, Request, Response
class Back(Response):
    async def __call__(self, scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        more = True
        while more:
            told = await receive()
            more = told.get("more_body", False)
            await send({"type": "http.response.body", "body": told.get("body", b""), "more_body": more})
app = FastAPI()
@app.post("/echo")
async def echo(body: dict) -> dict:
    return body
@app.post("/copy")
async def copy(request: Request):
    return Response(await request.body(), media_type="application/json")
@app.post("/stream")
async def stream():
    return Back()
"""


ECHO_APP, SERVICE = "echo_app:app", "reticent_service.app:create_app"
# Name, application, path. The first row is what the others are compared with.
ROWS = (
    ("echo", ECHO_APP, "/echo"),
    ("copy", ECHO_APP, "/copy"),
    ("filter, strip", SERVICE, "/v1/surfaces/logs/filter"),
    ("filter, pass", SERVICE, "/v1/surfaces/task_store/filter"),
)
SEPARATORS = {
    "compact": (",", ":"),  # as JavaScript, httpx and orjson write JSON
    "spaced": (", ", ": "),  # as Python's json does
}


@dataclass(frozen=True, slots=True)
class Round:
    """One measurement: requests per second, the slowest hundredth as ``wrk`` says it, and the server's microseconds."""

    rate: float
    tail: str
    cpu: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--streams", type=int, default=500)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "echo_app.py").write_text(ECHO, encoding="utf-8")
        for spelling, separators in SEPARATORS.items():
            body = payload(separators)
            rounds = [
                {row: _measured(app, path, folder, body, arguments.seconds) for row, app, path in ROWS}
                for _ in range(arguments.rounds)
            ]
            _print(f"{spelling}, {len(body)} B", rounds)
        for row, app, path in (
            ("echo", ECHO_APP, "/stream"),
            ("filter, strip", SERVICE, "/v1/surfaces/browser_stream/filter"),
        ):
            with _serving(app, folder) as (port, _):
                asyncio.run(_streams(port, path, arguments.streams, row))


def _print(title: str, rounds: list[dict[str, Round]]) -> None:
    print(f"{title:16} {'requests/s':>10} {'p99':>10} {'to echo':>8} {'CPU':>8} {'to echo':>8}")
    for row, _, _ in ROWS:
        best = max((told[row] for told in rounds), key=lambda one: one.rate)
        rate = median(told[row].rate / told[ROWS[0][0]].rate for told in rounds)
        cpu = median(told[ROWS[0][0]].cpu / told[row].cpu for told in rounds)
        least = min(told[row].cpu for told in rounds)
        print(f"{row:16} {best.rate:10.0f} {best.tail:>10} {rate:8.2f} {least:5.0f} us {cpu:8.2f}")


def payload(separators: tuple[str, str] = (", ", ": ")) -> bytes:
    """About 20 KB, 30 % of it reasoning."""
    turns: list[dict[str, object]] = []
    for number in range(30):
        turns.append({"role": "user", "content": f"Question {number}: " + "where is my parcel? " * 8})
        thought = {"type": "thinking", "thinking": "It arrived broken. " * 10, "signature": "EqoB" * 10}
        turns.append({"role": "assistant", "content": [thought, {"type": "text", "text": "It is on its way. " * 10}]})
    return json.dumps({"model": "m", "messages": turns}, separators=separators).encode()


def _measured(app: str, path: str, folder: Path, body: bytes, seconds: int) -> Round:
    wrk = shutil.which("wrk")
    if wrk is None:
        sys.exit("this benchmark needs wrk on the PATH")
    script = folder / "post.lua"
    script.write_text(
        f'wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\n'
        f'wrk.headers["authorization"] = "Bearer {TOKEN}"\nwrk.body = [==[{body.decode()}]==]\n',
        encoding="utf-8",
    )
    with _serving(app, folder) as (port, process):
        began = _cpu(process)
        command = [wrk, "-t1", "-c16", f"-d{seconds}s", "--latency", "-s", str(script)]
        command.append(f"http://127.0.0.1:{port}{path}")
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own
        spent = _cpu(process) - began
    if "Non-2xx" in out:
        sys.exit("some requests failed")
    rate, tail = re.search(r"Requests/sec:\s+([\d.]+)", out), re.search(r"99%\s+(\S+)", out)
    count = re.search(r"(\d+) requests in", out)
    if rate is None or tail is None or count is None:
        sys.exit("wrk says something else than it used to")
    return Round(float(rate[1]), tail[1], spent / int(count[1]) * 1e6)


def _cpu(process: int) -> float:
    """Seconds of processor time that a process took so far (proc(5), fields 14 and 15)."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _streams(port: int, path: str, count: int, row: str) -> None:
    began = time.perf_counter()
    streams = await asyncio.gather(*(_stream(port, path) for _ in range(count)))
    delays = sorted(delay for stream in streams for delay in stream)
    seconds = time.perf_counter() - began
    tail = delays[int(len(delays) * 0.99)] * 1000
    print(f"{count} streams at once, {row:14} {len(delays) / seconds:8.0f} events/s, p99 of one event {tail:.0f} ms")


async def _stream(port: int, path: str) -> list[float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: text/event-stream\r\n".encode()
        + f"authorization: Bearer {TOKEN}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    )
    delays: list[float] = []
    for _ in range(10):
        sent = time.perf_counter()
        piece = EVENT + SHOWN
        writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await reader.readuntil(b"On its way.")
        delays.append(time.perf_counter() - sent)
        await asyncio.sleep(0.05)
    writer.write(b"0\r\n\r\n")
    await reader.readuntil(b"0\r\n\r\n")
    writer.close()
    return delays


@contextlib.contextmanager
def _serving(app: str, folder: Path) -> Generator[tuple[int, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    from hashlib import sha256

    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "policy"), str(ROOT / "service"), str(folder)]),
        # Plugins that happen to be installed are not what is measured.
        "PYDANTIC_DISABLE_PLUGINS": "__all__",
        "RETICENT_SERVICE_OPERATOR_SHA256": sha256(TOKEN.encode()).hexdigest(),
    }
    command = [sys.executable, "-m", "uvicorn", app, "--port", str(port), "--log-level", "warning", "--no-access-log"]
    command += ["--factory"] if app.endswith("create_app") else []
    process = subprocess.Popen(command, env=env)  # noqa: S603 - our own
    try:
        _wait_for(port)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(timeout=40)


def _wait_for(port: int) -> None:
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    sys.exit("the server did not start")


if __name__ == "__main__":
    main()
