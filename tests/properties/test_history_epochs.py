"""Epochs over growing conversations, and histories as bytes."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.simulator.dialects import RENDERERS, render
from tests.simulator.render import Signals
from tests.simulator.runs import Run, conversations

from reticent.errors import PrefixChanged
from reticent.history import Context, Epoch, Frozen, Window, advance, compact
from reticent.history.document import read_document

HARNESS = Context(nudges=True)
DIALECTS = st.sampled_from(sorted(RENDERERS))


@settings(max_examples=50)
@given(run=conversations(max_tasks=5), dialect=DIALECTS, window=st.integers(200, 3000))
def test_between_compactions_history_only_grows(run: Run, dialect: str, window: int) -> None:
    """P-17, P-16: each request begins with the one before it unless a compaction ran, and nothing comes back."""
    entries = render(run, dialect).entries
    epoch: Epoch | None = None
    sent: list[Any] = []
    gone: set[str] = set()
    for length in range(1, len(entries) + 1):
        budget = Window(tokens=window, least_gain=1, least_interval=0)
        step = advance(
            entries[:length], epoch, dialect=dialect, context=HARNESS, profile="anthropic-keep-all", budget=budget
        )
        if not step.compaction.removed:
            assert sent == step.history[: len(sent)]
        text = json.dumps(step.history)
        assert not any(thought in text for thought in gone)
        gone |= {w for w in _thoughts(sent) if w not in text}
        sent, epoch = step.history, step.epoch


def _thoughts(entries: list[Any]) -> set[str]:
    words = json.dumps(entries).replace('"', " ").split()
    return {word for word in words if word.startswith("thought0")}


@settings(max_examples=30)
@given(run=conversations(), data=st.data())
def test_a_rewritten_prefix_voids_the_epoch(run: Run, data: st.DataObject) -> None:
    """P-33: an epoch does not go on from a history that changed behind its back."""
    entries = render(run, "openai-chat").entries
    step = advance(entries, None, dialect="openai-chat", context=HARNESS, profile="openai-chat")
    if not step.compaction.removed:
        return
    changed = copy.deepcopy(entries)
    position = data.draw(st.integers(0, len(entries) - 1))
    changed[position]["content"] = "rewritten"
    with pytest.raises(PrefixChanged):
        advance(changed, step.epoch, dialect="openai-chat", context=HARNESS, profile="openai-chat")


@given(prefix=st.lists(st.integers(), max_size=6), later=st.lists(st.integers(), max_size=4), change=st.booleans())
def test_a_frozen_prefix_swaps_whole_or_not_at_all(prefix: list[int], later: list[int], change: bool) -> None:
    """P-33: work in the background drops exactly what it was given; entries that came meanwhile survive."""
    frozen = Frozen.of(prefix, len(prefix))
    now = [*prefix, *later]
    if change and prefix:
        now[0] += 1
        assert frozen.swap(now, ["summary"]) is None
    else:
        assert ["summary", *later] == frozen.swap(now, ["summary"])


INDENTS = st.sampled_from([None, 1, 4])


@settings(max_examples=80)
@given(run=conversations(), dialect=DIALECTS, indent=INDENTS, lines=st.booleans(), ascii_only=st.booleans())
def test_bytes_and_values_are_compacted_alike(
    run: Run, dialect: str, indent: int | None, lines: bool, ascii_only: bool
) -> None:
    """The document with the changes in it says what the compacted values say, whatever its spelling."""
    entries = render(run, dialect).entries
    if lines:
        data = "\n".join(json.dumps(entry, ensure_ascii=ascii_only) for entry in entries)
    else:
        data = json.dumps({"model": "m", "messages": entries, "stream": True}, indent=indent, ensure_ascii=ascii_only)
    read = read_document(data.encode())
    assert entries == read.entries
    done = compact(read.entries, dialect=dialect, context=HARNESS, profile="anthropic-keep-all")
    out = read.rewritten(done.removed)
    assert list(done.history) == read_document(out).entries
    if not done.removed:
        assert data.encode() == out


@settings(max_examples=60)
@given(run=conversations(), number=st.sampled_from(["1.00", "1e400", "12345678901234567890123", "-0.0"]))
def test_numbers_keep_their_spelling(run: Run, number: str) -> None:
    """P-09, P-48: what a call was given goes back in the digits it came in."""
    entries = render(run, "anthropic-messages", Signals()).entries
    data = json.dumps(entries).replace('"n": 1}', f'"n": {number}}}').encode()
    read = read_document(data)
    done = compact(read.entries, dialect="anthropic-messages", context=HARNESS, profile="anthropic-keep-all")
    out = read.rewritten(done.removed)
    calls = json.dumps(list(done.history)).count('"n": ')
    assert calls == out.count(f'"n": {number}}}'.encode())


def test_a_boundary_that_does_not_move_is_reported() -> None:
    """One orphan keeps everything alive; after a while that is said, and it stops being said when work settles."""
    orphan = {"role": "tool", "tool_call_id": "lost", "content": "x"}
    entries: list[Any] = [{"role": "user", "content": "a"}, orphan]
    epoch: Epoch | None = None
    stuck: list[bool] = []
    for _ in range(4):
        entries.append({"role": "user", "content": "more"})
        step = advance(entries, epoch, dialect="openai-chat", profile="openai-chat", stuck_after=3)
        stuck.append(step.stuck)
        epoch = step.epoch
    assert [False, False, True, True] == stuck
