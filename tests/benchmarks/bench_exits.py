"""What exits to people and stores cost: ``python tests/benchmarks/bench_exits.py``.

Streams: microseconds that the ASGI middleware adds to one event, over the same application without it. Columns:
microseconds that ``ReticentJSON`` adds to one bound value, over ``JSON``. Processor time, the fastest of rounds that
take turns.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from bench_serializers import measure
from sqlalchemy import JSON
from sqlalchemy.dialects import sqlite

from reticent.integrations.asgi import ReticentMiddleware
from reticent.integrations.sqlalchemy import ReticentJSON

_EVENTS = 200


def frames(kind: str) -> list[bytes]:
    """Events of a stream of the AI SDK, all of one kind."""
    delta = "some words of an answer"
    return [
        b"data: " + json.dumps({"type": kind, "id": "1", "delta": f"{delta} {number}"}).encode() + b"\n\n"
        for number in range(_EVENTS)
    ]


def application(chunks: list[bytes]) -> Any:
    """An application that streams ``chunks``."""

    async def answer(_scope: Any, _receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for chunk in chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return answer


def served(app: Any) -> Callable[[], Any]:
    """A call that asks the application once."""

    async def send(_message: Any) -> None:
        """Take a message and forget it."""

    return lambda: asyncio.run(app({"type": "http", "method": "GET", "path": "/", "headers": []}, None, send))


def streams() -> None:
    """Print the added time per event."""
    sys.stdout.write("added to one streamed event, microseconds\n")
    for title, kind in (("text that is shown", "text-delta"), ("reasoning that goes", "reasoning-delta")):
        app = application(frames(kind))
        times = measure(
            {"plain": served(app), "guarded": served(ReticentMiddleware(app, "browser_stream"))}, budget=0.05
        )
        sys.stdout.write(f"{title:24}{(times['guarded'] - times['plain']) / _EVENTS * 1e6:10.1f}\n")


def columns() -> None:
    """Print the added time per bound value."""
    sys.stdout.write("\nadded to one bound value, microseconds\n")
    dialect: Any = sqlite.dialect()
    kinds: dict[str, Any] = {"plain": JSON().dialect_impl(dialect), "guarded": ReticentJSON("conversation_db")}
    text = {"type": "text", "text": "some words of an answer " * 20}
    thinking = {"type": "thinking", "thinking": "some thoughts " * 40, "signature": "c2ln" * 60}
    for title, blocks in (("without reasoning", [text]), ("with reasoning", [thinking, text])):
        value = {"role": "assistant", "content": blocks}
        times = measure(
            {name: partial(kind.bind_processor(dialect), value) for name, kind in kinds.items()}, budget=0.004
        )
        sys.stdout.write(f"{title:24}{(times['guarded'] - times['plain']) * 1e6:10.1f}\n")


if __name__ == "__main__":
    streams()
    columns()
