"""The resumability harness: a clerk is compacted at every step, and a loss is found at the step where it happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.simulator.clerk import IDENTIFIERS, SOURCES, STOPS, Clerk, script, tools, without_results
from tests.simulator.summarisers import lossy

from reticent.history import compact
from reticent.history.fold import Request, fold
from reticent.history.harness import Compacting, Played, RecordedTools, Script, Sweep, play, sweep
from reticent.history.keeping import Keeping, compact_with_scratchpad
from reticent.history.scratchpad import Scratchpad
from reticent.history.summaries import MemoryPins
from reticent.pytest_plugin import assert_resumable

ORDERS = ["prepare ORD-1 ORD-2 ORD-3", "report ORD-1 ORD-2 ORD-3 ORD-4"]
PROFILE: dict[str, Any] = {"profile": "anthropic-keep-all"}


def swept(
    compacting: Compacting, requests: list[str] = ORDERS, dialect: str = "anthropic-messages", **more: Any
) -> Sweep:
    """A sweep over every step."""
    return asyncio.run(sweep(script(requests, dialect), compacting, identifiers=IDENTIFIERS, **more))


async def with_scratchpad(history: list[Any], dialect: str = "anthropic-messages") -> list[Any]:
    """Ours: what tools returned goes to the scratchpad before settled units are reduced."""
    keeping = Keeping(sources=SOURCES)
    kept = await compact_with_scratchpad(
        history, Scratchpad(), keeping, dialect=dialect, operations=["reduce"], **PROFILE
    )
    return list(kept.compaction.history)


async def with_fold(history: list[Any], dialect: str = "anthropic-messages") -> list[Any]:
    """Ours: a fold by a summariser that keeps nothing."""
    keeping = Keeping(sources=SOURCES, summariser=lossy(), pins=MemoryPins())
    given_in = Request(messages=history, tools=[{"name": "get_order"}])
    done = await fold(given_in, Scratchpad(), keeping, keep=1, dialect=dialect, **PROFILE)
    return list(done.request.messages)


@pytest.mark.parametrize("dialect", sorted(STOPS))
@pytest.mark.parametrize("ours", [with_scratchpad, with_fold])
def test_a_run_goes_on_wherever_it_is_compacted(ours: Callable[..., Any], dialect: str) -> None:
    """R-RT-01, R-RT-02, R-RT-03, P-47: at rest and mid-task: equal outcome, tools and identifiers, and no loop."""
    found = swept(partial(ours, dialect=dialect), dialect=dialect)
    assert_resumable(found)
    assert found.whole.steps == len(found.points)
    assert any(point.changed for point in found.points)
    assert "ORD-4/T-1004" in found.whole.reply


def test_a_live_task_is_not_changed_at_any_step() -> None:
    """R-RT-03, R-TB-04: inside the only task there is, every point leaves the history as it is."""
    found = swept(with_scratchpad, ["report ORD-1 ORD-2 ORD-3 ORD-4 ORD-5"])
    assert [False] * 6 == [point.changed for point in found.points]
    assert () == found.broken


def test_a_lossy_compaction_is_found_where_it_loses() -> None:
    """R-RT-02, R-LS-01, R-KD-04: clearing live results is harmless at first, and breaks the run from the second on."""
    found = swept(partial(without_results, keep=1), ["report ORD-1 ORD-2 ORD-3 ORD-4"])
    assert [2, 3, 4] == [point.at for point in found.broken]
    assert all(point.loops and not point.tools for point in found.broken)
    assert [(2, 0)] == [(loop.compactions[0], loop.first - 1) for loop in found.broken[0].loops]
    with pytest.raises(AssertionError, match=r"at 2: tools, loop\nat 3: tools, loop\nat 4: tools, loop$"):
        assert_resumable(found)


def test_a_reduced_task_without_a_scratchpad_repeats_its_work() -> None:
    """R-SP-02, R-KD-06: the same compaction without flushing loses what the first task found out, at rest points."""

    def plain(history: list[Any]) -> list[Any]:
        return list(compact(history, dialect="anthropic-messages", operations=["reduce"], **PROFILE).history)

    found = swept(plain)
    assert found.broken
    assert all(not point.tools for point in found.broken)
    assert {4, 5} == {point.at for point in found.broken}


def test_an_identifier_that_is_blurred_is_found() -> None:
    """R-RT-02, R-KD-05: a compaction that turns values into prose changes the identifiers in the reply."""

    def blurs(history: list[Any]) -> list[Any]:
        text = str.replace
        return [
            {
                **entry,
                "content": [
                    {**b, "content": text(b["content"], "T-1001", "T-9999")} if "content" in b else b
                    for b in entry["content"]
                ],
            }
            for entry in history
        ]

    found = swept(blurs, ["report ORD-1 ORD-2"])
    assert [(1, False), (2, False)] == [(point.at, point.identifiers) for point in found.broken]


def test_the_outcome_is_judged_by_the_goal() -> None:
    """R-SY-05, R-SY-07: the caller's own check decides; an agent that says it is done has not passed by that."""

    def closes(played: Played) -> bool:
        return "ORD-2/T-1002" in played.reply

    def gives_up(history: list[Any]) -> list[Any]:
        del history
        return [{"role": "user", "content": [{"type": "text", "text": "report ORD-1"}]}]

    found = swept(gives_up, ["report ORD-1 ORD-2"], accept=closes)
    assert all(not point.outcome for point in found.points)
    assert all(played_on.whole.finished for played_on in [found])


def test_a_run_that_never_ends_is_not_finished() -> None:
    """R-SY-07: the limit counts model calls, and a run that reaches it has no outcome to be equal."""
    endless = asyncio.run(play(script(["report ORD-1 ORD-2 ORD-3"], limit=2)))
    assert (False, 2, "") == (endless.finished, endless.steps, endless.reply)


def test_a_recorded_run_answers_for_its_tools() -> None:
    """R-RT-01: results come from the recording by tool and arguments; a call it does not hold is counted."""
    recorded = asyncio.run(play(script(["report ORD-1 ORD-2"])))
    replayed = RecordedTools(recorded.history, dialect="anthropic-messages")
    again = Script(
        opening=[],
        requests=["report ORD-1 ORD-2"],
        agent=Clerk("anthropic-messages"),
        tools=replayed,
        dialect="anthropic-messages",
    )
    assert recorded.reply == asyncio.run(play(again)).reply
    assert 0 == replayed.misses
    assert "not recorded" == replayed("get_order", {"id": "ORD-9"})
    assert 1 == replayed.misses
    assert tools("get_order", {"id": "ORD-1"}) == replayed("get_order", '{"id":"ORD-1"}')
    assert "T-1001" not in repr(recorded) + repr(again)
