"""The summariser's rung: called once at most, believed only when its answer holds up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.simulator.messages import KEEP_ALL, asked, said, worked
from tests.simulator.summarisers import filled

from reticent.history import Compaction, Summary, Window, boundary_report, compact_with_summary
from reticent.history.entries import StopClass

LONG = "fact " * 400


def history() -> list[dict[str, Any]]:
    """Two settled tasks that hold long words of the model, and the next request."""
    return [asked("goal: order 4921"), said(LONG), *worked(LONG)[:-1], asked("next")]


def summarised(
    answer: Any, entries: list[dict[str, Any]] | None = None, **options: Any
) -> tuple[Compaction, list[str]]:
    """A compaction with a scripted summariser, and what it was shown."""
    seen: list[str] = []

    async def model(source: str) -> Any:
        seen.append(source)
        if isinstance(answer, BaseException):
            raise answer
        return filled(answer) if isinstance(answer, str) and answer.strip() else answer

    chosen: Any = {"profile": KEEP_ALL, "dialect": "anthropic-messages", **options}
    done = asyncio.run(compact_with_summary(entries or history(), model, **chosen))
    return done, seen


def test_a_summary_is_the_users_and_quotes_the_user() -> None:
    """One user entry stands for the range: marked, unsigned, with every word of a person as it was."""
    done, _ = summarised("order looked up")
    first = done.history[0]
    texts = [part["text"] for part in first["content"]]
    assert "user" == first["role"]
    assert texts[0].startswith("[reticent: summary of 6 entries, generation 1, sha256:")
    assert ["goal: order 4921", "order 7?"] == texts[1:]
    assert 2 == len(done.history)


def test_the_source_holds_no_reasoning() -> None:
    """P-46: what the model is shown has calls, results and words, and no thought."""
    _, seen = summarised("short")
    assert 1 == len(seen)
    assert "PRIV" not in seen[0]
    assert "tool_use" in seen[0]
    assert "order 7?" in seen[0]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "summary-blank"),
        ("  \n", "summary-blank"),
        (None, "summary-not-text"),
        (Summary("half a", StopClass.CONTINUE), "summary-cut-off"),
        ("x" * 100_000, "summary-not-shorter"),
        (TimeoutError("canary"), "summariser-timeout"),
        (RuntimeError("canary"), "summariser-failed"),
    ],
)
def test_a_bad_answer_changes_nothing(answer: Any, reason: str) -> None:
    """R-SQ-10: the history stays, and the refusal names the fault and never the text."""
    done, _ = summarised(answer)
    assert reason in {no.reason for no in done.report.refused}
    assert "canary" not in done.report.render()
    assert "reticent: summary" not in str(done.history)


def test_a_lost_literal_refuses_the_summary() -> None:
    """P-37: what has to survive as it is must stand in the summary."""
    done, _ = summarised("the customer's order", literals=["4921"])
    assert "literal-lost" in {no.reason for no in done.report.refused}
    kept, _ = summarised("order 4921", literals=["4921"])
    assert "order 4921" in str(kept.history)


def test_standing_instructions_are_not_copied() -> None:
    """R-HZ-06: a summary that repeats the system prompt is refused."""
    prompt = "You are a careful clerk and you never promise a refund before the manager has agreed to it in writing."
    done, _ = summarised(f"so: {prompt} ok", instructions=prompt)
    assert "instructions-restated" in {no.reason for no in done.report.refused}


def test_a_summary_is_not_summarised() -> None:
    """P-38: a range that holds a summary is refused before any model is called."""
    once, _ = summarised("short")
    again = [*once.history, said(LONG), asked("x")]
    done, seen = summarised("shorter", again)
    assert "earlier-summary" in {no.reason for no in done.report.refused}
    assert [] == seen


def test_no_model_is_called_when_nothing_is_due() -> None:
    """P-43: a false precondition costs no call."""
    _, seen = summarised("short", budget=Window(tokens=1_000_000))
    assert [] == seen
    _, seen = summarised("short", [asked("only this")])
    assert [] == seen


def test_no_model_is_called_when_a_cheaper_rung_suffices() -> None:
    """R-OP-02: results fill the window, so they are cleared, and nobody is asked to summarise."""
    entries = [*worked("r" * 30_000)[:-1], asked("next")]
    done, seen = summarised("short", entries, budget=Window(tokens=12_000))
    assert [] == seen
    assert {"clear"} == {change.op for change in done.removed}


def test_a_summary_carries_the_numbers_of_what_it_replaces() -> None:
    """R-NB-05: where entries have sequence numbers, a history with a summary in it can still be told to be in order."""
    numbered = [{**entry, "seq": index} for index, entry in enumerate(history())]
    done, _ = summarised("short", numbered)
    assert [0, 6] == [entry["seq"] for entry in done.history]
    assert () == boundary_report(done.history).anomalies


def test_a_profile_that_forbids_it_is_heard() -> None:
    """Nobody is asked to summarise what may not be replaced."""
    done, seen = summarised("short", profile="unknown")
    assert [] == seen
    assert "profile" in {no.reason for no in done.report.refused}


def test_where_roles_alternate_the_summary_is_answered() -> None:
    """Bedrock takes no two user messages in a row, so a marked reply of ours stands between."""
    entries = [
        {"role": "user", "content": [{"text": "a"}]},
        {"role": "assistant", "content": [{"text": LONG}], "stopReason": "end_turn"},
        {"role": "user", "content": [{"text": "b"}]},
    ]
    done, _ = summarised("short", entries, dialect="bedrock-converse")
    assert ["user", "assistant", "user"] == [entry["role"] for entry in done.history]
