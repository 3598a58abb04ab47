"""The notes of a scratchpad: what was folded is added to a candidate, and only a candidate that fits is ever kept.

Notes are model-written, so they may be squeezed. The older three quarters, cut at a character, go to the summariser,
and the newer quarter stays as it is. Where the originals of the older part are pinned it is written anew from them, and
not from itself. A squeeze that is not shorter, or still too long, changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reticent.history.operations import marks
from reticent.history.scratchpad.records import Note, Scratchpad
from reticent.history.summaries.asking import Demands, ask
from reticent.history.summaries.pins import unpinned
from reticent.history.summaries.source import Originals
from reticent.history.summaries.templates import SQUEEZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.knobs import Knobs
    from reticent.history.summaries.ranges import Writing

OLDER = 0.75
"""The share of the notes that a squeeze rewrites."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A candidate that may be committed, or why there is none. ``squeezed`` is None where no squeeze was due."""

    pad: Scratchpad | None = field(repr=False)
    squeezed: bool | None = None
    reason: str = ""
    calls: int = 0
    """Model calls that were paid for."""


def size_of_notes(pad: Scratchpad) -> int:
    """Bytes of the notes in UTF-8, which ``max_scratchpad_size`` counts."""
    return len(_bytes(pad))


def _bytes(pad: Scratchpad) -> bytes:
    return pad.notes_text.encode("utf-8", "surrogatepass")


def is_full(size: int, knobs: Knobs) -> bool:
    """Whether notes of this size are due for a squeeze."""
    cap = knobs.max_scratchpad_size
    return cap > 0 and size > 0 and size / cap >= knobs.scratchpad_squeeze_fraction


async def staged(pad: Scratchpad, note: Note, knobs: Knobs, writing: Writing) -> Staged:
    """``pad`` with ``note`` added and, where that is due, squeezed."""
    candidate = pad.with_notes([*pad.notes, note])
    size = size_of_notes(candidate)
    if not is_full(size, knobs):
        return Staged(pad=candidate)
    smaller, reason, calls = await _squeezed(candidate, knobs, writing)
    if smaller is not None:
        return Staged(pad=smaller, squeezed=True, calls=calls)
    if size <= knobs.max_scratchpad_size:
        return Staged(pad=candidate, squeezed=False, reason=reason, calls=calls)
    return Staged(pad=None, squeezed=False, reason=reason, calls=calls)


def noted(text: str, handle: str, generation: int) -> Note:
    """A summary as a note."""
    return Note(text=f"{marks.HELD}\n{text}", covers=(handle,), generation=generation)


def split(data: bytes) -> int:
    """Where the older part of UTF-8 ``data`` ends: three quarters in, never inside a character."""
    at = int(len(data) * OLDER)
    while at > 0 and at < len(data) and data[at] & 0xC0 == 0x80:  # noqa: PLR2004 - a continuation byte of UTF-8
        at -= 1
    return at


async def _squeezed(pad: Scratchpad, knobs: Knobs, writing: Writing) -> tuple[Scratchpad | None, str, int]:
    data = _bytes(pad)
    at = split(data)
    older, recent = data[:at].decode("utf-8", "surrogatepass"), data[at:]
    first, rest = _parted(pad.notes, at)
    material, generation = _material(first, older, writing)
    if generation > knobs.squeeze_generations:
        return None, "squeezed-too-often", 0
    demands = Demands(template=SQUEEZE, material=older, instructions=writing.instructions)
    answer = await ask(writing.model, SQUEEZE.prompt(material), demands, timeout=writing.timeout)
    if answer.reason:
        return None, answer.reason, 1
    covers = tuple(dict.fromkeys(handle for note in first for handle in note.covers))
    head = Note(text=f"{marks.HELD}\n{answer.text}", covers=covers, generation=generation)
    kept = Note(
        text=recent.decode("utf-8", "surrogatepass"),
        covers=tuple(dict.fromkeys(handle for note in rest for handle in note.covers)),
        generation=max((note.generation for note in rest), default=1),
    )
    smaller = pad.with_notes([head, kept])
    size = size_of_notes(smaller)
    if size >= len(data):
        return None, "squeeze-not-shorter", 1
    return (None, "squeeze-above-cap", 1) if size > knobs.max_scratchpad_size else (smaller, "", 1)


def _parted(notes: Sequence[Note], at: int) -> tuple[list[Note], list[Note]]:
    """Notes that reach into the first ``at`` bytes, and those that reach behind them."""
    first: list[Note] = []
    rest: list[Note] = []
    start = 0
    for note in notes:
        end = start + len(note.text.encode("utf-8", "surrogatepass"))
        if start < at:
            first.append(note)
        if end > at:
            rest.append(note)
        start = end + 2
    return first, rest


def _material(notes: Sequence[Note], older: str, writing: Writing) -> tuple[str, int]:
    """What the older part is rewritten from, and how many models will stand between it and the originals."""
    handles = dict.fromkeys(handle for note in notes for handle in note.covers)
    found = [_pinned(writing, handle) for handle in handles] if all(note.covers for note in notes) else [None]
    kept = [entries for entries in found if entries is not None]
    if kept and len(kept) == len(found):
        return Originals(entries=[entry for entries in kept for entry in entries]).material(), 1
    return older, max((note.generation for note in notes), default=0) + 1


def _pinned(writing: Writing, handle: str) -> list[object] | None:
    data = None if writing.pins is None else writing.pins.get(writing.tenant, handle)
    return None if data is None else unpinned(data, handle)
