"""Compaction over generated runs: every result is one that the provider's simulator takes back."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.simulator.dialects import render
from tests.simulator.providers import Refused, accept
from tests.simulator.render import Signals
from tests.simulator.runs import TERMINAL_TOOL, Run, Turn, conversations, interleavings

from reticent.history import Compaction, Context, Floor, apply, boundary_report, compact

if TYPE_CHECKING:
    from tests.simulator.render import Rendered

PROFILES = {
    "anthropic-messages": ["anthropic-last-turn", "anthropic-keep-all", "anthropic-prefix-bound", "unknown"],
    "openai-responses": ["openai-responses", "unknown"],
    "openai-chat": ["openai-chat", "deepseek-v4", "unknown"],
    "gemini": ["gemini-3", "gemini-3.5", "unknown"],
    "bedrock-converse": ["anthropic-last-turn", "anthropic-keep-all", "anthropic-prefix-bound", "unknown"],
}
PAIRS = st.sampled_from([(dialect, profile) for dialect, names in sorted(PROFILES.items()) for profile in names])
RUNGS = ("strip", "clear", "reduce", "drop", "truncate")
OPERATIONS = st.one_of(st.none(), st.lists(st.sampled_from(RUNGS), min_size=1, max_size=3, unique=True))
HARNESS = Context(nudges=True)


def request(run: Run, dialect: str, signals: Signals | None = None) -> tuple[list[dict[str, Any]], Rendered]:
    """A transcript as it is sent: it ends with what the model is to answer."""
    rendered = render(run, dialect, signals)
    entries = rendered.entries
    if isinstance(run.events[-1], Turn):
        entries = entries[: rendered.starts[-2]]
    return entries, rendered


def answer(entries: list[dict[str, Any]], pair: tuple[str, str], **options: Any) -> Compaction:
    """A compaction under the generator's harness."""
    return compact(entries, dialect=pair[0], profile=pair[1], context=HARNESS, **options)


def refused(entries: Any, pair: tuple[str, str], issued: list[dict[str, Any]]) -> str | None:
    """What the provider has against a history."""
    try:
        accept(pair[1], pair[0], list(entries), issued)
    except Refused as error:
        return str(error)
    return None


@settings(max_examples=200)
@given(run=conversations(), pair=PAIRS, operations=OPERATIONS, keep=st.integers(0, 6))
def test_provider_takes_the_result_back(
    run: Run, pair: tuple[str, str], operations: list[str] | None, keep: int
) -> None:
    """P-40, P-04, P-05, P-10: whatever was done, the simulator of the profile accepts the next request."""
    entries, rendered = request(run, pair[0])
    assert refused(entries, pair, rendered.entries) is None
    done = answer(entries, pair, operations=operations, keep_turns=keep)
    assert refused(done.history, pair, rendered.entries) is None
    assert [] == [no.detail for no in done.report.refused if no.reason == "check-failed"]


@settings(max_examples=80)
@given(run=conversations(terminal=True), pair=PAIRS, operations=OPERATIONS)
def test_provider_takes_answers_by_tool_back(run: Run, pair: tuple[str, str], operations: list[str] | None) -> None:
    """P-40: an answer that is a terminal tool's call stays a pair, with whatever its provider asks for beside it."""
    entries, rendered = request(run, pair[0])
    # Where roles alternate, a result and the next request cannot stand beside each other in the first place.
    assume(refused(entries, pair, rendered.entries) is None)
    context = Context(nudges=True, terminal_tools=frozenset({TERMINAL_TOOL}))
    done = compact(entries, dialect=pair[0], profile=pair[1], context=context, operations=operations)
    assert refused(done.history, pair, rendered.entries) is None
    assert [] == [no.detail for no in done.report.refused if no.reason == "check-failed"]


@settings(max_examples=80)
@given(run=interleavings(), pair=PAIRS, operations=OPERATIONS)
def test_interleaved_tasks_keep_their_pairs(run: Run, pair: tuple[str, str], operations: list[str] | None) -> None:
    """P-04, P-05, P-07: tasks that share a transcript are compacted without parting a call from its result."""
    rendered = render(run, pair[0], Signals(ids=True))
    context = Context(nudges=True, concurrency=3, tasks=run.states(len(run.events)))
    done = compact(rendered.entries, dialect=pair[0], profile=pair[1], context=context, operations=operations)
    after = boundary_report(done.history, dialect=pair[0], context=context)
    assert done.report.boundary.open == after.open
    assert () == after.anomalies
    live = done.report.boundary.live
    assert all(a is b for a, b in zip(rendered.entries[::-1][:live], list(done.history)[::-1][:live], strict=True))


@settings(max_examples=120)
@given(run=conversations(), pair=PAIRS, operations=OPERATIONS, keep=st.integers(0, 9))
def test_live_entries_are_the_same_objects(
    run: Run, pair: tuple[str, str], operations: list[str] | None, keep: int
) -> None:
    """P-01, P-15, P-41: the live span comes out as it went in, whatever the knobs, and the input is not altered."""
    entries, _ = request(run, pair[0])
    before = copy.deepcopy(entries)
    done = answer(entries, pair, operations=operations, keep=Floor(entries=keep))
    live = entries[done.report.boundary.boundary :]
    assert all(a is b for a, b in zip(reversed(live), reversed(list(done.history)), strict=False))
    assert len(done.history) >= len(live)
    assert before == entries


@settings(max_examples=120)
@given(run=conversations(), pair=PAIRS, operations=OPERATIONS)
def test_the_record_is_complete(run: Run, pair: tuple[str, str], operations: list[str] | None) -> None:
    """R-FD-01: replaying the changes on the input gives the output, and each names its rule."""
    entries, _ = request(run, pair[0])
    done = answer(entries, pair, operations=operations)
    boundary = done.report.boundary.boundary
    assert list(done.history) == apply(entries, done.removed, boundary=boundary)
    assert bool(done.removed) == (list(done.history) != entries)
    assert all(change.rule and change.op for change in done.removed)


@settings(max_examples=120)
@given(run=conversations(), pair=PAIRS, operations=OPERATIONS, keep=st.integers(0, 4))
def test_doing_it_twice_changes_nothing(
    run: Run, pair: tuple[str, str], operations: list[str] | None, keep: int
) -> None:
    """P-13, P-24: a compaction of a compaction is itself, and each is strictly smaller than what it came from."""
    entries, _ = request(run, pair[0])
    done = answer(entries, pair, operations=operations, keep_turns=keep)
    again = answer(list(done.history), pair, operations=operations, keep_turns=keep)
    assert () == again.removed
    if done.removed:
        assert len(json.dumps(list(done.history))) < len(json.dumps(entries))


def reasoning(dialect: str, entries: Any) -> list[str]:
    """Every thought in a transcript, in order, as canonical JSON."""
    from reticent.history.entries import PartKind
    from reticent.history.shapes import shape_of, value_at

    shape = shape_of(dialect)
    read = [shape.read(pos, raw, HARNESS) for pos, raw in enumerate(entries)]
    parts = [(entry, part) for entry in read for part in entry.parts if part.kind is PartKind.REASONING]
    return [json.dumps(value_at(entry.raw, part.path), sort_keys=True) for entry, part in parts]


@settings(max_examples=120)
@given(run=conversations(), pair=PAIRS, operations=OPERATIONS, keep=st.integers(0, 4))
def test_reasoning_goes_from_the_oldest_on(
    run: Run, pair: tuple[str, str], operations: list[str] | None, keep: int
) -> None:
    """P-08, P-09, P-16: what is left is an unaltered end of what was there."""
    assume(pair[1] != "deepseek-v4")
    entries, _ = request(run, pair[0])
    done = answer(entries, pair, operations=operations, keep_turns=keep)
    before, after = reasoning(pair[0], entries), reasoning(pair[0], done.history)
    assert after == before[len(before) - len(after) :]


@settings(max_examples=120)
@given(run=conversations(), pair=PAIRS, operations=st.sampled_from([None, ["strip"], ["reduce"], ["clear", "reduce"]]))
def test_user_words_and_unknown_parts_survive(run: Run, pair: tuple[str, str], operations: list[str] | None) -> None:
    """P-11, P-26: every word of a person, and every part nobody has listed, is still there."""
    entries, _ = request(run, pair[0])
    done = answer(entries, pair, operations=operations)
    text = json.dumps(list(done.history), ensure_ascii=False)
    for event in run.events:
        steer = getattr(event, "steer", "")
        if steer and steer in json.dumps(entries, ensure_ascii=False):
            assert steer in text
        strange = getattr(event, "strange", "")
        if strange and strange in json.dumps(entries, ensure_ascii=False):
            assert strange in text
    for marker in (e.text.split()[0] for e in run.events if type(e).__name__ == "User" and not e.nudge):  # type: ignore[union-attr]
        assert marker in text


@settings(max_examples=100)
@given(run=conversations(), pair=PAIRS, operations=OPERATIONS)
def test_kept_entries_keep_order_and_labels(run: Run, pair: tuple[str, str], operations: list[str] | None) -> None:
    """P-12, P-30: entries are a subsequence, and stop words, phases and names stay on those that are kept."""
    entries, _ = request(run, pair[0])
    done = answer(entries, pair, operations=operations)
    gone = {change.position for change in done.removed if change.action.value == "drop"}
    kept = [entry for position, entry in enumerate(entries) if position not in gone]
    labels = ("phase", "stop_reason", "finish_reason", "stopReason", "finishReason", "role", "type", "call_id", "seq")
    for old, new in zip(kept, done.history, strict=True):
        assert [old.get(key) for key in labels] == [new.get(key) for key in labels]
        assert [key for key in old if key in new] == list(new)


@settings(max_examples=80)
@given(run=conversations(rest=True), pair=PAIRS)
def test_at_rest_every_profile_permits_opener_and_answer(run: Run, pair: tuple[str, str]) -> None:
    """A settled unit becomes its opener and its final answer, and owes no provider anything."""
    entries, rendered = request(run, pair[0])
    done = answer(entries, pair, operations=["reduce"])
    assert refused(done.history, pair, rendered.entries) is None
    assert [] == [no.to_json() for no in done.report.refused]
    assert not any("call_" in json.dumps(entry) for entry in done.history)
    assert "PRIVATE" not in json.dumps(list(done.history))


@settings(max_examples=60)
@given(run=conversations(), pair=PAIRS, keep=st.integers(0, 12))
def test_units_go_or_stay_whole(run: Run, pair: tuple[str, str], keep: int) -> None:
    """P-23, R-AR-06: a floor keeps at least as many entries, and never part of a unit."""
    entries, _ = request(run, pair[0])
    done = answer(entries, pair, operations=["drop"], keep=Floor(entries=keep))
    report = done.report.boundary
    gone = {change.position for change in done.removed if change.op == "drop"}
    for unit in report.units:
        inside = {pos for pos in range(unit.start, unit.end) if entries[pos].get("role") not in {"system", "developer"}}
        assert gone & inside in (set(), inside)
    settled = [pos for pos in range(report.boundary) if pos not in gone]
    assert len(settled) >= min(keep, report.boundary)


@settings(max_examples=60)
@given(run=conversations(), pair=PAIRS)
def test_no_report_repeats_content(run: Run, pair: tuple[str, str]) -> None:
    """P-46: reports, records and their repr hold no thought, no user word and no tool result."""
    entries, _ = request(run, pair[0])
    done = answer(entries, pair)
    said = "".join(
        [
            repr(done),
            done.report.render(),
            json.dumps(done.report.to_json()),
            json.dumps([change.to_json() for change in done.removed]),
            done.report.boundary.render(),
        ]
    )
    for word in ("PRIVATE", "user0", "body0", "answer0", "steer0", "note0"):
        assert word not in said


SCRIPT = """
import json, sys
from reticent.history import Context, compact
entries, dialect, profile = json.load(sys.stdin)
done = compact(entries, dialect=dialect, profile=profile, context=Context(nudges=True))
json.dump([list(done.history), done.report.to_json(), [c.to_json() for c in done.removed]], sys.stdout)
"""


@settings(max_examples=2)
@given(run=conversations())
def test_equal_input_gives_equal_bytes_in_every_process(run: Run) -> None:
    """P-14: neither the process nor its hash seed shows in the result."""
    entries, _ = request(run, "anthropic-messages")
    given_in = json.dumps([entries, "anthropic-messages", "anthropic-keep-all"])
    outputs = {
        subprocess.run(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-c", SCRIPT],
            input=given_in,
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert 1 == len(outputs)


@settings(max_examples=40)
@given(run=conversations(), pair=PAIRS)
def test_a_report_does_not_depend_on_what_follows_the_boundary(run: Run, pair: tuple[str, str]) -> None:
    """The boundary of a compacted history stands in front of the same live entries."""
    entries, _ = request(run, pair[0])
    done = answer(entries, pair)
    again = boundary_report(done.history, dialect=pair[0], context=HARNESS)
    assert again.length - again.boundary == done.report.boundary.live
