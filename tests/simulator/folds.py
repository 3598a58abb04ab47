"""Requests to fold and folds of them, for tests."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.simulator.messages import KEEP_ALL, asked
from tests.simulator.orders import ORDER, SOURCES, Order, task, use
from tests.simulator.summarisers import good

from reticent.history.fold import FoldOutcome, Request, fold
from reticent.history.keeping import Keeping
from reticent.history.scratchpad import Scratchpad

TOOLS = [{"name": "get_order", "input_schema": {"type": "object"}}]
BODY = ORDER[:-1] + ', "lines": "' + "l" * 600 + '"}'


def work(tasks: int = 3, steps: int = 3) -> list[dict[str, Any]]:
    """Settled tasks of several large results each, and the next request."""
    history: list[dict[str, Any]] = []
    for number in range(tasks):
        history += task(*[use(f"c{number}{n}", "get_order", BODY, n=n) for n in range(steps)])[:-1]
    return [*history, asked("next")]


def request(history: list[dict[str, Any]] | None = None, tools: list[Any] | None = None, **more: Any) -> Request:
    """A request with tools."""
    return Request(messages=history or work(), tools=TOOLS if tools is None else tools, **more)


def folded(asked_for: Request, model: Any = None, *, pad: Scratchpad | None = None, **options: Any) -> FoldOutcome:
    """A fold of it."""
    own = {key: options.pop(key) for key in ("pins", "timeout", "room", "instructions") if key in options}
    keeping = Keeping(sources=SOURCES, schema=Order, summariser=model or good(), **own)
    given_in: Any = {"profile": KEEP_ALL, "dialect": "anthropic-messages", **options}
    return asyncio.run(fold(asked_for, pad or Scratchpad(), keeping, **given_in))
