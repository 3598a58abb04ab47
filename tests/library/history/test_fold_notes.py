"""The notes of a scratchpad: added on a candidate, squeezed at a share of their cap, and never kept when too long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.simulator.folds import folded, request
from tests.simulator.summarisers import HOSTILE, Scripted, filled, good, template_of

from reticent.history.fold.notes import Staged, is_full, size_of_notes, split, staged
from reticent.history.knobs import Knobs
from reticent.history.scratchpad import Note, Scratchpad
from reticent.history.summaries import SQUEEZE, MemoryPins
from reticent.history.summaries.pins import pinned
from reticent.history.summaries.ranges import Writing

OLD = Note(text="o" * 2_000)


def stage(cap: int, model: Any = None, *, notes: tuple[Note, ...] = (OLD,), **more: Any) -> Staged:
    """``notes`` with a new one added, under a cap."""
    writing = Writing(model=model or good("short"), **more)
    pad = Scratchpad().with_notes(notes)
    return asyncio.run(staged(pad, Note(text="new " * 100, covers=("h",)), Knobs(max_scratchpad_size=cap), writing))


@pytest.mark.parametrize(("size", "due"), [(9_499, False), (9_500, True), (10_000, True), (0, False)])
def test_a_squeeze_is_due_at_the_fraction(size: int, due: bool) -> None:
    """R-SQ-03: at 0.95 of the cap, inclusive; an empty scratchpad and one without a cap are never due."""
    knobs = Knobs(max_scratchpad_size=10_000)
    assert due == is_full(size, knobs)
    assert not is_full(size, Knobs(max_scratchpad_size=0))
    assert is_full(5_000, Knobs(max_scratchpad_size=10_000, scratchpad_squeeze_fraction=0.5))


@settings(max_examples=100)
@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_the_split_is_never_inside_a_character(text: str) -> None:
    """R-SQ-05, R-SQ-07, P-44: both sides are whole UTF-8, and the newer one is a suffix in bytes."""
    data = text.encode()
    at = split(data)
    assert text == data[:at].decode() + data[at:].decode()
    assert at <= len(data) * 0.75
    assert at > len(data) * 0.75 - 4


def test_the_older_part_is_rewritten_and_the_newer_stays() -> None:
    """R-SQ-05, R-SQ-06, R-SQ-07: three quarters go to the nine sections; the rest follows behind a blank line."""
    model = good("shorter now")
    done = stage(2_500, model)
    assert done.pad is not None
    assert True is done.squeezed
    before = Scratchpad().with_notes([OLD, Note(text="new " * 100)]).notes_text.encode()
    recent = before[split(before) :]
    after = done.pad.notes_text.encode()
    assert after.endswith(b"\n\n" + recent)
    assert all(f"## {title}\n" in model.seen[0] for title in SQUEEZE.titles)
    assert recent.decode() not in model.seen[0]
    assert done.pad.notes[0].text.startswith("[compacted_history]\n## Primary request")


@pytest.mark.parametrize(
    ("extra", "taken"),
    [(0, True), (1, False)],
)
def test_a_squeeze_has_to_be_shorter(extra: int, taken: bool) -> None:
    """R-SQ-08: of equal length is not shorter; the original stays as it was."""
    before = Scratchpad().with_notes([OLD, Note(text="new " * 100)])
    data = before.notes_text.encode()
    room = split(data) - len(f"[compacted_history]\n{filled('', SQUEEZE)}\n\n") - 1 + extra
    done = stage(len(data), Scripted(lambda _: filled("y" * room, SQUEEZE)))
    assert done.pad is not None
    assert taken == done.squeezed
    assert ("" if taken else "squeeze-not-shorter") == done.reason
    assert (len(data) - 1 if taken else len(data)) == size_of_notes(done.pad)


def test_a_squeeze_above_the_cap_is_rejected() -> None:
    """R-SQ-02, R-SQ-09, R-VS-05: still too long means no candidate at all; nothing above the cap is ever kept."""
    barely = Scripted(lambda _: filled("z" * 1_300, SQUEEZE))
    assert Staged(pad=None, squeezed=False, reason="squeeze-above-cap", calls=1) == stage(2_000, barely)
    done = folded(
        request(), Scripted(lambda p: filled("z" * 300, template_of(p))), knobs=Knobs(max_scratchpad_size=200)
    )
    assert ("refused", "scratchpad-full") == (done.report.status, done.report.reason)
    assert () == done.pad.notes


@pytest.mark.parametrize("how", sorted(set(HOSTILE) - {"forges our marks", "speaks JSON", "almost as long"}))
def test_a_pathological_squeeze_is_never_kept(how: str) -> None:
    """R-SQ-10: whatever the second call gives, a candidate below the cap stays, and above it there is none."""
    below, above = stage(2_450, HOSTILE[how]()), stage(2_300, HOSTILE[how]())
    assert below.pad is not None
    assert [OLD.text, "new " * 100] == [note.text for note in below.pad.notes]
    assert False is below.squeezed
    assert above.pad is None


def test_originals_are_read_again_rather_than_notes() -> None:
    """R-HZ-01, R-HZ-02: with pins the older part is written from its originals; without, it is one further."""
    pins = MemoryPins()
    handle, data = pinned([{"role": "user", "content": "THE-ORIGINAL"}])
    pins.put("", handle, data)
    note = Note(text="o" * 2_000, covers=(handle,))
    model = good("short")
    done = stage(2_500, model, notes=(note,), pins=pins)
    assert done.pad is not None
    assert "THE-ORIGINAL" in model.seen[0]
    assert "ooo" not in model.seen[0]
    assert (1, (handle,)) == (done.pad.notes[0].generation, done.pad.notes[0].covers)
    without = stage(2_500, notes=(note,))
    assert without.pad is not None
    assert 2 == without.pad.notes[0].generation


def test_notes_are_not_squeezed_for_ever() -> None:
    """R-HZ-01: each pass over a model's words is counted, and behind the last one nobody is asked."""
    model = good("short")
    done = stage(2_450, model, notes=(Note(text="o" * 2_000, generation=3),))
    assert ("squeezed-too-often", 0, []) == (done.reason, done.calls, model.seen)


def test_a_rejected_swap_rejects_its_note() -> None:
    """R-VS-06: they are one transaction; the scratchpad is the very object that came in."""
    pad = Scratchpad().with_notes([OLD])
    done = folded(request(), Scripted(lambda p: filled("x" * 20_000, template_of(p))), pad=pad)
    assert not done.folded
    assert done.pad is pad


@pytest.mark.parametrize("where", ["pins", "check", "squeeze"])
def test_a_failure_at_any_point_leaves_both(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-VS-04, P-27: pins that fail, a check that fails, a squeeze that fails above the cap: before, whole, and why."""

    class Failing(MemoryPins):
        def put(self, tenant: str, handle: str, data: bytes) -> None:
            raise OSError(f"CANARY {tenant} {handle} {len(data)}")

    options: dict[str, Any] = {}
    if where == "pins":
        options["pins"] = Failing()
    elif where == "check":
        monkeypatch.setattr("reticent.history.run.failures", lambda *_: ["made-up"])
    else:
        options["knobs"] = Knobs(max_scratchpad_size=100)
    given_in, pad = request(), Scratchpad()
    done = folded(given_in, pad=pad, **options)
    assert done.request is given_in
    assert done.pad is pad
    assert {"pins": "pins-failed", "check": "check-failed", "squeeze": "scratchpad-full"}[where] == done.report.reason
    assert "CANARY" not in done.report.render() + repr(done)
