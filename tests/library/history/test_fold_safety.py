"""One fold: a failure anywhere changes nothing, nothing is lost that a tool said, and no reasoning gets anywhere."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.simulator.folds import BODY, folded, request, work
from tests.simulator.messages import KEEP_ALL, asked, said
from tests.simulator.orders import SOURCES, Order, task, use
from tests.simulator.summarisers import Scripted, filled, good, hangs, lossy, template_of, wordy

from reticent.history import Summary, Window, compact, run
from reticent.history.entries import StopClass
from reticent.history.fold import Prepared, Request, finish, prepare
from reticent.history.keeping import Keeping
from reticent.history.progress import Step
from reticent.history.scratchpad import Scratchpad, literals_in
from reticent.history.summaries import FOLD, MemoryPins


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Scripted(lambda p: filled("x", template_of(p), leave_out="Pending work")), "sections-missing"),
        (Scripted(lambda p: "\n".join(reversed(filled("x", template_of(p)).split("## ")))), "sections-missing"),
        (Scripted(lambda p: Summary(filled("x", template_of(p)), StopClass.ABSENT)), "summary-stop-unknown"),
        (hangs, "summariser-timeout"),
        (wordy(), "summary-not-shorter"),
    ],
    ids=["a section is missing", "out of order", "no stop word", "hangs", "wordy"],
)
def test_a_bad_summary_leaves_both_as_they_were(model: Any, reason: str) -> None:
    """R-SQ-10, R-VS-03, P-27: request and scratchpad are the very objects that came in, and the reason is a word."""
    given_in, pad = request(), Scratchpad()
    outcome = folded(given_in, model, pad=pad, timeout=0.01)
    assert (given_in, pad) == (outcome.request, outcome.pad)
    assert outcome.request is given_in
    assert outcome.pad is pad
    assert ("refused", reason) == (outcome.report.status, outcome.report.reason)
    assert given_in.size == outcome.report.size_after


def test_the_swap_happens_only_if_the_same_envelope_shrank(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-VS-01, R-VS-02: equal is not smaller; measured over messages alone a growth in tools would not be seen."""
    given_in = request(work(2, 1))
    done = folded(given_in, keep=1)
    assert done.folded
    padding = given_in.size - done.report.size_after
    same = folded(given_in, Scripted(lambda p: filled("done as asked" + "x" * padding, template_of(p))), keep=1)
    assert ("request-not-smaller", str(given_in.size)) == (same.report.reason, same.report.detail)
    one_less = folded(
        given_in, Scripted(lambda p: filled("done as asked" + "x" * (padding - 1), template_of(p))), keep=1
    )
    assert one_less.folded
    assert given_in.size - 1 == one_less.report.size_after
    prop: Any = vars(Request)["size"]
    whole: Any = prop.fget
    # The fault to find: the tools are counted before the fold, and left out after it.
    unequal = property(lambda self: whole(self) if self is given_in else whole(Request(messages=self.messages)))
    monkeypatch.setattr(Request, "size", unequal)
    monkeypatch.setattr(run.Run, "_worth", lambda *_: None)
    assert folded(given_in, Scripted(lambda p: filled("done as asked" + "x" * padding, template_of(p))), keep=1).folded


def test_flushing_comes_before_the_call() -> None:
    """R-SP-02, P-36: facts, attempts, the model, the swap, the block; a failing flush asks nobody."""
    steps: list[Step] = []
    outcome = folded(request(), progress=steps.append)
    order = [Step.ANALYSED, Step.FACTS, Step.ATTEMPTS, Step.ASKED, Step.ANSWERED, Step.COMPACTED, Step.REINJECTED]
    assert order == steps
    result = outcome.request.messages[2]["content"][0]["content"]
    assert set(outcome.pad.literals) == literals_in(result)
    assert result.index("[compacted_history]") < result.index("[reticent: scratchpad")


def test_identifiers_of_an_undeclared_tool_keep_the_range() -> None:
    """R-KD-06, R-NF-25: a summary may lose them, so where the scratchpad could not take them nothing is folded."""
    history = [*task(use("c0", "new_tool", "ORD-5 " + "x" * 900))[:-1], *work()]
    outcome = folded(request(history))
    assert "unflushed-identifier" == outcome.report.reason
    assert outcome.request.messages is history


def test_the_summary_is_noted_in_the_scratchpad() -> None:
    """R-SQ-01: marked as compacted history, with the handle of its originals, apart from the facts."""
    outcome = folded(request())
    note = outcome.pad.notes[0]
    assert note.text.startswith("[compacted_history]\n## Request and intent")
    assert (outcome.report.handle,) == note.covers
    assert not any(note.text in fact.literal for fact in outcome.pad.facts)


def test_a_second_fold_is_written_from_the_pinned_originals() -> None:
    """R-HZ-01, R-HZ-02, P-38: the material of the second holds the first originals and no summary, generation one."""
    pins = MemoryPins()
    first = folded(request(), good("FIRST-SUMMARY names ORD-999, which no tool returned"), pins=pins)
    later = [
        *first.request.messages,
        *use("z1", "get_order", BODY),
        said("z"),
        asked("y"),
        *use("z2", "get_order", BODY),
        said("w"),
        asked("last"),
    ]
    model = good("SECOND")
    second = folded(request(later), model, pad=first.pad, pins=pins, keep=1)
    assert second.folded, second.report.render()
    material = model.seen[0].partition("<material>")[2]
    assert "FIRST-SUMMARY" not in material
    assert 10 == material.count("ORD-4921")
    text = json.dumps(list(second.request.messages))
    assert 1 == text.count("[reticent: folded")
    assert 3 == text.count("goal: close the order")
    assert 1 == second.report.generation


def test_without_pins_a_summary_is_never_material() -> None:
    """R-HZ-01: its originals are away, so the range stays, no model is asked, and the reason says so."""
    first = folded(request())
    later = [*first.request.messages, *use("z2", "get_order", BODY), said("w"), asked("last")]
    model = good()
    second = folded(request(later), model, pad=first.pad, keep=1)
    assert "earlier-summary" == second.report.reason
    assert [] == model.seen
    externalised: dict[str, bytes] = {}
    done = compact(later, profile=KEEP_ALL, store=externalised.__setitem__, budget=Window(tokens=1_500))
    assert done.removed
    assert externalised


def test_standing_instructions_come_from_the_request() -> None:
    """R-HZ-06: a summary that repeats the system prompt is refused, wherever the request keeps that."""
    prompt = "You are a careful clerk and you never promise a refund before the manager has agreed to it in writing."
    parrot = Scripted(lambda p: filled(f"so: {prompt}", template_of(p)))
    for system in (prompt, [{"type": "text", "text": prompt}]):
        assert "instructions-restated" == folded(request(system=system), parrot).report.reason
    assert "Do not repeat standing instructions" in parrot.seen[0]


def test_a_caller_may_make_the_call_itself() -> None:
    """R-NF-23: the two halves are one fold; between them the caller's own client is asked, with its own key."""
    keeping = Keeping(sources=SOURCES, schema=Order)
    given_in = request()
    prepared = prepare(given_in, Scratchpad(), keeping, profile=KEEP_ALL, dialect="anthropic-messages")
    assert isinstance(prepared, Prepared)
    assert "summary-wanted" == prepared.report.status
    answer = filled("done as asked", FOLD)
    outcome = asyncio.run(finish(prepared, answer))
    assert folded(given_in).request.messages == outcome.request.messages


def test_a_material_that_does_not_fit_is_not_sent() -> None:
    """R-TH-03: where the summariser's window is known, a range that is too large for it asks nobody."""
    model = good()
    assert "no-room-to-summarise" == folded(request(), model, room=1_000).report.reason
    assert [] == model.seen


def test_reasoning_reaches_neither_model_nor_pins_nor_notes() -> None:
    """P-46, R-HZ-07: thoughts, thoughts between tags and unlisted types stay out of all that is kept."""
    history = work()
    history[1]["content"].insert(0, {"type": "thinking", "thinking": "CANARY1", "signature": "CANARY2"})
    history[1]["content"].insert(0, {"type": "reasoning_v9", "blob": "CANARY3"})
    history[7]["content"][0]["text"] = "<think>CANARY4</think>done"
    kept: dict[str, bytes] = {}

    class Spy(MemoryPins):
        def put(self, tenant: str, handle: str, data: bytes) -> None:
            super().put(tenant, handle, data)
            kept[handle] = data

    model = Scripted(lambda p: "<think>CANARY5</think>\n" + filled("x", template_of(p)))
    outcome = folded(request(history), model, pins=Spy())
    assert outcome.folded, outcome.report.render()
    assert 1 == len(kept)
    sinks = [*model.seen, json.dumps(list(outcome.request.messages)), *map(bytes.decode, kept.values())]
    sinks += [note.text for note in outcome.pad.notes] + [repr(outcome), outcome.report.render()]
    assert not any("CANARY" in sink for sink in sinks)


def test_a_lossy_summary_loses_no_literal() -> None:
    """R-KD-05: whatever the model leaves out, the values tools returned stand in the block behind its summary."""
    outcome = folded(request(), lossy())
    assert outcome.folded
    assert {"ORD-4921", "1845.00"} <= literals_in(outcome.request.messages[2]["content"][0]["content"])


def test_labels_of_the_harness_stay_whole() -> None:
    """R-NB-05: where entries carry sequence numbers and task ids, so do those that stand in, in order."""
    history = [{**entry, "seq": index, "task_id": "t"} for index, entry in enumerate(work())]
    history[-1]["task_id"] = "u"
    for index in range(8, 16):
        history[index]["task_id"] = "t2"
    for index in range(16, 24):
        history[index]["task_id"] = "t3"
    outcome = folded(request(history))
    assert outcome.folded, outcome.report.render()
    numbers = [entry["seq"] for entry in outcome.request.messages]
    assert numbers == sorted(set(numbers))
    assert all("task_id" in entry for entry in outcome.request.messages)
