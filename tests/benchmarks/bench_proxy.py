"""What the proxy costs for each streamed event, and for each turn, beside a proxy that only passes bytes on.

    python tests/benchmarks/bench_proxy.py [--rounds 5]

A provider sends streams of 4,000 events, one event per piece, from memory. *pass-through* is the shortest proxy there
is: Starlette in front of ``httpx.AsyncClient``, which copies each piece. Both run on uvicorn as processes of their own,
take turns in every round, and are judged by the processor time that they took, so that what else the machine does
matters less; the store is SQLite. What is left of a stream when its events are subtracted is the price of a turn:
finding the task, restoring, holding. It is measured with streams of ten events.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from statistics import median

import httpx
from bench_streams import anthropic, chat

from reticent.store import Keyset

ROOT = Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")
SHORT = 50
"""Turns of ten events in one measurement."""

PROVIDER = """
import pickle, os
streams = pickle.load(open(os.environ["BENCH_STREAMS"], "rb"))
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for piece in streams[dict(scope["headers"])[b"x-stream"].decode()]:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
"""
PASSING = """
import os, httpx
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route
client = httpx.AsyncClient(base_url=os.environ["BENCH_UPSTREAM"])
async def carry(request):
    named = {name: value for name, value in request.headers.items() if name not in ("host", "content-length")}
    asked = client.build_request("POST", request.url.path, headers=named, content=await request.body())
    answer = await client.send(asked, stream=True)
    async def pieces():
        async for piece in answer.aiter_raw():
            yield piece
        await answer.aclose()
    return StreamingResponse(pieces(), media_type=answer.headers["content-type"])
app = Starlette(routes=[Route("/{path:path}", carry, methods=["POST"])])
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as running:
        folder = Path(name)
        _write(folder)
        upstream, _ = running.enter_context(_serving("bench_provider:app", folder, {}))
        address = f"http://127.0.0.1:{upstream}"
        plain = running.enter_context(_serving("bench_passing:app", folder, {"BENCH_UPSTREAM": address}))
        ours = running.enter_context(
            _serving("reticent_service.proxy.app:create_proxy", folder, _settings(folder, address))
        )
        print(f"{'stream':34} {'pass-through':>14} {'reticent':>14} {'ratio':>6}")
        for stream, path in STREAMS.items():
            _row(f"{stream}, per event", stream, path, (plain, ours), rounds, 1)
        for stream, path in STREAMS.items():
            _row(f"{stream}, ten events, per turn", f"{stream}, short", path, (plain, ours), rounds, SHORT)


STREAMS = {
    "Anthropic, a third reasoning": "/v1/messages",
    "Anthropic, no reasoning": "/v1/messages",
    "Chat, a third reasoning": "/v1/chat/completions",
    "Chat, no reasoning": "/v1/chat/completions",
}


def _write(folder: Path) -> None:
    """The provider's streams, and the two applications."""
    import pickle

    made = {
        "Anthropic, a third reasoning": anthropic(reasoning=True),
        "Anthropic, no reasoning": anthropic(reasoning=False),
        "Chat, a third reasoning": chat(reasoning=True),
        "Chat, no reasoning": chat(reasoning=False),
    }
    streams = made | {f"{name}, short": [*pieces[:5], *pieces[-5:]] for name, pieces in made.items()}
    (folder / "streams").write_bytes(pickle.dumps(streams))
    (folder / "bench_provider.py").write_text(PROVIDER, encoding="utf-8")
    (folder / "bench_passing.py").write_text(PASSING, encoding="utf-8")


def _settings(folder: Path, upstream: str) -> dict[str, str]:
    Keyset.generate().save(folder / "keys.json")
    told = {"UPSTREAM": upstream, "STORE": f"sqlite:///{folder}/tasks.db", "KEYS": str(folder / "keys.json")}
    return {f"RETICENT_SERVICE_{name}": value for name, value in told.items()}


def _row(title: str, stream: str, path: str, servers: tuple[tuple[int, int], ...], rounds: int, turns: int) -> None:
    """One line: microseconds of processor time for an event, or for a turn."""
    taken: list[list[float]] = [[], []]
    events = 1
    for _ in range(rounds):
        for at, (port, pid) in enumerate(servers):
            before = _seconds(pid)
            for _ in range(turns):
                events = _asked(port, path, stream)
            taken[at].append((_seconds(pid) - before) / (events if turns == 1 else turns) * 1e6)
    plain, ours = map(median, taken)
    ratio = median(mine / theirs for theirs, mine in zip(*taken, strict=True) if theirs)
    print(f"{title:34} {plain:11.0f} us {ours:11.0f} us {ratio:6.2f}")


def _asked(port: int, path: str, stream: str) -> int:
    """Ask once and read to the end; how many events the provider sent."""
    headers = {"x-stream": stream, "x-api-key": "bench"}
    body = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": "Where is it?"}], "stream": True}
    with httpx.stream("POST", f"http://127.0.0.1:{port}{path}", headers=headers, content=json.dumps(body)) as answer:
        length = sum(map(len, answer.iter_raw()))
    if answer.status_code != 200 or not length:
        sys.exit(f"{stream}: {answer.status_code}")
    return 4000


def _seconds(pid: int) -> float:
    """Processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@contextlib.contextmanager
def _serving(app: str, folder: Path, settings: dict[str, str]) -> Generator[tuple[int, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = os.environ | settings
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT / "policy"), str(ROOT / "service"), str(folder)])
    env["BENCH_STREAMS"] = str(folder / "streams")
    command = [sys.executable, "-m", "uvicorn", app, "--port", str(port), "--log-level", "warning", "--no-access-log"]
    command += ["--factory"] if app.endswith("create_proxy") else []
    process = subprocess.Popen(command, env=env)  # noqa: S603 - our own
    try:
        _wait_for(port)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(timeout=40)


def _wait_for(port: int) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    sys.exit("the server did not start")


if __name__ == "__main__":
    main()
