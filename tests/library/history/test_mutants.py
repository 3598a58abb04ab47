"""Each fault that was shipped somewhere, put into this code on purpose: the suite notices every one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from tests.simulator.dialects import render
from tests.simulator.providers import Refused, accept
from tests.simulator.runs import Names, Run, User, flat, long_task
from tests.simulator.transcripts import broken

from reticent.history import SendGuard, compact, compact_with_summary, cuts, lanes, pairing, run, turns
from reticent.history.entries import Part, PartKind, StopClass
from reticent.history.facts import Facts, PartFact, dialect_facts
from reticent.history.operations import strip, summarise
from reticent.history.shapes import Shape, shape_of
from reticent.history.summaries.ranges import Range, Writing, range_of
from reticent.history.turns import Following

Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def fresh_shapes() -> Any:
    """Shapes remember facts; a mutant's must not outlive its test."""
    shape_of.cache_clear()
    yield
    shape_of.cache_clear()


def restop(patch: Patch, words: tuple[str, ...]) -> None:
    """Let stop words pass for a natural end."""
    changed: Mapping[str, Facts] = {
        name: replace(facts, stops={w: StopClass.NATURAL if w in words else s for w, s in facts.stops.items()})
        for name, facts in dialect_facts().items()
    }
    patch.setattr("reticent.history.shapes.facts_of", changed.__getitem__)


def first_call_only(patch: Patch) -> None:
    """See the first call of a parallel batch and no other."""
    whole = pairing.Pairing._call

    def seen(self: Any, entry: Any, part: Part, current: Any) -> None:
        if not self.at.get(entry.pos):
            whole(self, entry, part, current)

    patch.setattr(pairing.Pairing, "_call", seen)


def adjacent_only(patch: Patch) -> None:
    """Look for a result in the next entry only."""
    whole = pairing.Pairing._match

    def near(self: Any, part: Part, current: Any, entry: Any) -> Any:
        call = whole(self, part, current, entry)
        return call if call is not None and entry.pos - call.pos <= 1 else None

    patch.setattr(pairing.Pairing, "_match", near)


def interim_is_final(patch: Patch) -> None:
    """Take an interim result for the result."""
    whole = pairing.Pairing._result

    def final(self: Any, entry: Any, part: Part, current: Any) -> None:
        whole(self, entry, part._replace(final=True), current)

    patch.setattr(pairing.Pairing, "_result", final)


def phase_is_ignored(patch: Patch) -> None:
    """Take a progress note for an answer."""
    whole = turns.judge

    def blind(turn: Any, *args: Any, **kwargs: Any) -> Any:
        kept, turn.phase = turn.phase, None
        natural, turn.stop = turn.stop, StopClass.NATURAL if kept == "commentary" else turn.stop
        try:
            return whole(turn, *args, **kwargs)
        finally:
            turn.phase, turn.stop = kept, natural

    patch.setattr(lanes, "judge", blind)


def nudge_opens(patch: Patch) -> None:
    """Take a nudge of the harness for a request."""
    whole = lanes._following
    patch.setattr(lanes, "_following", lambda entry: Following.USER if entry.nudge else whole(entry))


def steer_opens(patch: Patch) -> None:
    """Take text beside a result for a request."""

    def opened(entry: Any) -> Following:
        return Following.USER if entry.has(PartKind.TEXT) else Following.RESULT

    patch.setattr(lanes, "_following", opened)
    patch.setattr(lanes, "judge", lambda *_a, **_k: (turns.Confidence.SHAPE, ""))


def straddling_is_allowed(patch: Patch) -> None:
    """Cut between the entries of one task."""
    patch.setattr(cuts.Cuts, "_crossed", lambda self: [0] * (self.length + 2))


def ids_are_left(patch: Patch) -> None:
    """Strip a reasoning item and leave the ids it was issued with."""
    patch.setattr(strip, "drop_id", lambda *_a, **_k: [])


def unknown_goes(patch: Patch) -> None:
    """Take an unlisted block type for reasoning."""
    whole = Facts.part
    reasoning = PartFact(kind=PartKind.REASONING)
    patch.setattr(Facts, "part", lambda self, name: whole(self, name) or reasoning)


def orphans_are_silent(patch: Patch) -> None:
    """Say nothing of a result without a call."""
    patch.setattr(pairing.Pairing, "_orphan", lambda *_a: None)


MUTANTS: list[Callable[[Patch], None]] = [
    first_call_only,
    adjacent_only,
    interim_is_final,
    phase_is_ignored,
    nudge_opens,
    steer_opens,
    straddling_is_allowed,
    ids_are_left,
    unknown_goes,
    orphans_are_silent,
    partial(restop, words=("max_tokens",)),
    partial(restop, words=("pause_turn",)),
    partial(restop, words=("refusal",)),
]


def _named(mutant: Any) -> str:
    return str(mutant.__name__ if hasattr(mutant, "__name__") else "_".join((*mutant.keywords["words"], "ends")))


def test_the_code_as_it_is_breaks_nothing() -> None:
    """Without a mutant every transcript is answered as expected."""
    assert set() == broken()


@pytest.mark.parametrize("mutant", MUTANTS, ids=_named)
def test_mutant_is_killed_by_a_transcript(mutant: Callable[[Patch], None], monkeypatch: Patch) -> None:
    """At least one adversarial transcript comes out wrong."""
    mutant(monkeypatch)
    assert broken()


def test_a_stop_sequence_is_no_end(monkeypatch: Patch) -> None:
    """A turn that stopped on a stop string is live; a mutant that trusts it moves the boundary."""
    entries = [
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}], "stop_reason": "stop_sequence"},
    ]
    assert 0 == compact(entries, dialect="anthropic-messages").report.boundary.boundary
    restop(monkeypatch, ("stop_sequence",))
    shape_of.cache_clear()
    assert 2 == compact(entries, dialect="anthropic-messages").report.boundary.boundary


def settled_history() -> list[dict[str, Any]]:
    """Two settled tasks and the next request."""
    names = Names()
    groups = [long_task(2, task=f"t{i}", names=names, finished=True) for i in range(2)]
    return render(Run((*flat(groups), User("t9", "next"))), "anthropic-messages").entries


def test_a_signature_on_altered_text_is_seen_before_sending() -> None:
    """R-SG-01, R-SG-02: the guard names the entry, and the provider would refuse it one call later."""
    entries = settled_history()
    guard = SendGuard("anthropic-messages")
    guard.record(entry for entry in entries if entry["role"] == "assistant")
    block = {**entries[1]["content"][0], "thinking": "shortened"}
    altered = [entries[0], {**entries[1], "content": [block, *entries[1]["content"][1:]]}, *entries[2:]]
    assert () == guard.check(entries)
    assert [("altered-reasoning", 1)] == [(problem.code, problem.position) for problem in guard.check(altered)]
    with pytest.raises(Refused, match="invalid-signature"):
        accept("anthropic-keep-all", "anthropic-messages", altered, entries)


def test_a_server_compaction_appended_as_text_is_seen() -> None:
    """R-SV-03: a response that held a checkpoint is not recorded by its text alone."""
    checkpoint = {"type": "compaction", "content": "sum", "encrypted_content": "X"}
    response = {"role": "assistant", "content": [checkpoint, {"type": "text", "text": "go"}]}
    guard = SendGuard("anthropic-messages")
    guard.record([response])
    text_only = [{"role": "assistant", "content": [{"type": "text", "text": "go"}]}]
    assert ["lost-checkpoint"] == [problem.code for problem in guard.check(text_only)]
    assert () == guard.check([response])


@dataclass
class Case:
    """A summariser run under a mutant, and what must still hold of its result."""

    entries: list[dict[str, Any]]

    def summarised(self, answer: Any) -> Any:
        """Summarise everything that is settled."""

        async def model(source: str) -> Any:
            del source
            if isinstance(answer, Exception):
                raise answer
            return answer

        return asyncio.run(
            compact_with_summary(
                self.entries, model, template=None, profile="anthropic-keep-all", dialect="anthropic-messages"
            )
        )


def test_a_summary_in_the_assistant_role_is_stopped(monkeypatch: Patch) -> None:
    """A summary next to a signed turn would be taken for the model's own words; the form check refuses the result."""
    case = Case(settled_history())
    assert "user" == case.summarised("short").history[0]["role"]
    monkeypatch.setattr(Shape, "user_entry", lambda self, texts: self.assistant_entry(" ".join(texts)))
    done = case.summarised("short")
    assert done.history is case.entries
    assert "starts-with-assistant" in done.report.refused[-1].detail


def test_error_text_is_never_a_summary(monkeypatch: Patch) -> None:
    """A model call that fails leaves the history; a mutant that takes its message for the summary shows it."""
    case = Case(settled_history())
    done = case.summarised(RuntimeError("rate limited"))
    assert "rate limited" not in str(done.history) + str(done.report.refused)
    assert "summariser-failed" in {no.reason for no in done.report.refused}

    async def careless(settled: Any, units: Any, writing: Writing) -> Any:
        try:
            text: Any = await writing.model("")
        except RuntimeError as failure:
            text = str(failure)
        found = range_of(settled, units, writing, op="summarise")
        assert isinstance(found, Range)
        return summarise._swap(found, text, writing)

    monkeypatch.setattr(summarise, "propose", careless)
    assert "rate limited" in str(case.summarised(RuntimeError("rate limited")).history)


def test_shrink_is_measured_over_the_same_envelope(monkeypatch: Patch) -> None:
    """P-24: a summary longer than what it replaces is thrown away; measured on its bare text it would pass."""
    case = Case(render(Run((*long_task(0, finished=True), User("t9", "next"))), "anthropic-messages").entries)
    before = case.entries
    done = case.summarised("x" * 150)
    assert done.history is before or len(str(done.history)) < len(str(before))
    monkeypatch.setattr(summarise, "size_of", lambda _value: 0)
    monkeypatch.setattr(run.Run, "_worth", lambda *_a: None)
    assert len(str(case.summarised("x" * 150).history)) > len(str(before))


def test_the_store_is_written_after_the_checks() -> None:
    """P-31, P-36: a result that fails a check is never stored; nothing is kept of it and nothing removed."""
    entries = settled_history()
    kept: list[str] = []

    def store(handle: str, data: bytes) -> None:
        del data
        kept.append(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "failures", lambda *_a: ["made-up"])
        done = compact(entries, profile="anthropic-keep-all", store=store)
    assert done.history is entries
    assert [] == kept
    assert compact(entries, profile="anthropic-keep-all", store=store).removed
    assert kept
