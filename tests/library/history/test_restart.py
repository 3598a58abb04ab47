"""A running task that is started again in a fresh window: no call, no result and no reasoning goes along."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.simulator.folds import BODY, TOOLS
from tests.simulator.messages import asked
from tests.simulator.orders import SOURCES, Order, use
from tests.simulator.providers import accept
from tests.simulator.summarisers import HOSTILE, REJECTED, good

from reticent.history.fold import FoldOutcome, Request, start_again
from reticent.history.keeping import Keeping
from reticent.history.scratchpad import Scratchpad, literals_in
from reticent.history.summaries import MemoryPins


def running(*more: dict[str, Any]) -> list[dict[str, Any]]:
    """A task that is in the middle of its work."""
    history = [asked("audit order 4921")]
    for number in range(5):
        step = use(f"c{number}", "get_order", BODY, n=number)
        step[0]["content"].insert(0, {"type": "thinking", "thinking": "CANARY", "signature": "CANARY"})
        history += step
    return [*history, *more]


def started(
    history: list[dict[str, Any]], model: Any = None, pad: Scratchpad | None = None, **more: Any
) -> FoldOutcome:
    """The task, taken up again."""
    keeping = Keeping(sources=SOURCES, schema=Order, summariser=model or good(), **more)
    given_in = Request(messages=history, tools=TOOLS)
    return asyncio.run(
        start_again(given_in, pad or Scratchpad(), keeping, instruction="Go on.", dialect="anthropic-messages")
    )


def test_a_fresh_window_replays_nothing() -> None:
    """R-SP-07: the user's words, a summary, the facts and the instruction in one user entry that a provider takes."""
    pins = MemoryPins()
    model = good()
    outcome = started(running(), model, pins=pins)
    assert "restarted" == outcome.report.status, outcome.report.render()
    sent = list(outcome.request.messages)
    texts = [block["text"] for block in sent[0]["content"]]
    assert 1 == len(sent)
    assert {"text"} == {block["type"] for block in sent[0]["content"]}
    assert ["audit order 4921", "Go on."] == [texts[1], texts[-1]]
    assert set(outcome.pad.literals) == literals_in(texts[-2]) >= {"ORD-4921", "1845.00"}
    accept("anthropic-keep-all", "anthropic-messages", sent, running())
    assert 1 == len(pins)
    assert "CANARY" not in json.dumps(sent) + model.seen[0] + repr(outcome)
    assert outcome.report.size_after < outcome.report.size_before


@pytest.mark.parametrize("how", sorted(REJECTED))
def test_a_bad_summary_starts_nothing(how: str) -> None:
    """R-SQ-10: request and scratchpad are the ones that came in."""
    history, pad = running(), Scratchpad()
    outcome = started(history, HOSTILE[how](), pad)
    assert outcome.request.messages is history
    assert outcome.pad is pad
    assert ("refused", REJECTED[how]) == (outcome.report.status, outcome.report.reason)


def test_an_open_call_is_not_left_behind() -> None:
    """R-HZ-03: while a result is due, or an identifier would be lost, nothing starts and nobody is asked."""
    model = good()
    assert "open-call" == started([*running(), use("z", "get_order", BODY)[0]], model).report.reason
    assert "unflushed-identifier" == started(running(*use("z", "new_tool", "ORD-77")), model).report.reason
    assert [] == model.seen
