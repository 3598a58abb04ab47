"""Requests per second and latency over real HTTP: the data path beside a plain FastAPI echo of the same body.

    python tests/benchmarks/bench_http.py [--seconds 5]

Both servers run on uvicorn with one worker, one after the other, so that they share nothing but the machine. ``wrk``
makes the load when it is on the PATH; the streams are made here. A ratio is the data path's requests per second to
the echo's.
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
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "bench-token"
EVENT = b'data: {"choices":[{"index":0,"delta":{"reasoning_content":"So it arrived broken."}}]}\n\n'
SHOWN = b'data: {"choices":[{"index":0,"delta":{"content":"On its way."}}]}\n\n'
ECHO = """
from fastapi import FastAPI, Request, Response
app = FastAPI()
@app.post("/v1/surfaces/logs/filter")
async def echo(request: Request):
    return Response(await request.body(), media_type="application/json")
@app.get("/livez")
async def livez():
    return {}
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--streams", type=int, default=500)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "echo_app.py").write_text(ECHO, encoding="utf-8")
        told = {
            name: _measured(app, Path(folder), arguments.seconds)
            for name, app in (("echo", "echo_app:app"), ("filter", "reticent_service.app:create_app"))
        }
        for name, (rate, tail) in told.items():
            print(f"{name:8}  20 KB, 30 % reasoning  {rate:10.0f} requests/s   p99 {tail}")
        if told["echo"][0]:
            print(f"ratio     {told['filter'][0] / told['echo'][0]:.2f} (aim: 0.80)")
        with _serving("reticent_service.app:create_app", Path(folder)) as port:
            asyncio.run(_streams(port, arguments.streams))


def payload() -> bytes:
    """About 20 KB, 30 % of it reasoning."""
    turns: list[dict[str, object]] = []
    for number in range(30):
        turns.append({"role": "user", "content": f"Question {number}: " + "where is my parcel? " * 8})
        thought = {"type": "thinking", "thinking": "It arrived broken. " * 10, "signature": "EqoB" * 10}
        turns.append({"role": "assistant", "content": [thought, {"type": "text", "text": "It is on its way. " * 10}]})
    return json.dumps({"model": "m", "messages": turns}).encode()


def _measured(app: str, folder: Path, seconds: int) -> tuple[float, str]:
    wrk = shutil.which("wrk")
    if wrk is None:
        sys.exit("this benchmark needs wrk on the PATH")
    script = folder / "post.lua"
    body = payload().decode()
    script.write_text(
        f'wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\n'
        f'wrk.headers["authorization"] = "Bearer {TOKEN}"\nwrk.body = [==[{body}]==]\n',
        encoding="utf-8",
    )
    with _serving(app, folder) as port:
        url = f"http://127.0.0.1:{port}/v1/surfaces/logs/filter"
        command = [wrk, "-t1", "-c16", f"-d{seconds}s", "--latency", "-s", str(script), url]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own
    if "Non-2xx" in out:
        sys.exit("some requests failed")
    rate, tail = re.search(r"Requests/sec:\s+([\d.]+)", out), re.search(r"99%\s+(\S+)", out)
    return float(rate[1]) if rate else 0.0, tail[1] if tail else "?"


async def _streams(port: int, count: int) -> None:
    began = time.perf_counter()
    streams = await asyncio.gather(*(_stream(port) for _ in range(count)))
    delays = sorted(delay for stream in streams for delay in stream)
    seconds = time.perf_counter() - began
    tail = delays[int(len(delays) * 0.99)] * 1000
    print(f"{count} concurrent streams  {len(delays) / seconds:10.0f} events/s     p99 {tail:.0f} ms for one event")


async def _stream(port: int) -> list[float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"POST /v1/surfaces/browser_stream/filter HTTP/1.1\r\nhost: x\r\ncontent-type: text/event-stream\r\n"
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
def _serving(app: str, folder: Path) -> Generator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    from hashlib import sha256

    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "policy"), str(ROOT / "service"), str(folder)]),
        "RETICENT_SERVICE_OPERATOR_SHA256": sha256(TOKEN.encode()).hexdigest(),
    }
    command = [sys.executable, "-m", "uvicorn", app, "--port", str(port), "--log-level", "warning", "--no-access-log"]
    command += ["--factory"] if app.endswith("create_app") else []
    process = subprocess.Popen(command, env=env)  # noqa: S603 - our own
    try:
        _wait_for(port)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=40)


def _wait_for(port: int) -> None:
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    sys.exit("the server did not start")


if __name__ == "__main__":
    main()
