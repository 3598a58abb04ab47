"""What a summariser is shown: the originals of a range, as delimited records, without any reasoning.

Where a range holds a summary of ours, the originals it was written from stand in its place, read back by handle. A
summary whose originals cannot be had is never material for another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.changes import Action, Change, edited, encode
from reticent.history.entries import Entry, Part, PartKind, Role
from reticent.history.operations import marks
from reticent.history.scratchpad.block import without_block
from reticent.history.shapes import value_at
from reticent.history.shapes._shape import plain
from reticent.history.summaries.asking import without_inline_reasoning
from reticent.history.summaries.pins import unpinned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reticent.history.entries import Context, Path
    from reticent.history.shapes import Shape
    from reticent.history.summaries.pins import Pins

_OURS = re.compile(
    r"\[reticent: (?:summary of|folded) \d+ entries, generation (?P<generation>\d+), (?P<handle>sha256:[0-9a-f]{32})\]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Originals:
    """The originals of a range, in order, without reasoning; ``missing`` counts summaries whose originals are away."""

    entries: list[Any] = field(repr=False)
    covers: tuple[str, ...] = ()
    """Handles of the earlier summaries in the range."""
    missing: int = 0
    generation: int = 1
    """How many models will stand between a summary of these and the originals."""

    def material(self) -> str:
        """The originals as a summariser sees them: one JSON record between two marks for each."""
        rows = (
            f"<<entry {index}>>\n{encode(entry).decode('utf-8', 'replace')}\n<<end>>"
            for index, entry in enumerate(self.entries)
        )
        return "\n".join(rows)


def originals_of(entries: Iterable[Entry], shape: Shape, pins: Pins | None = None, tenant: str = "") -> Originals:
    """The originals of ``entries``. Raises whatever the pins raise.

    A summary whose originals are away stands for itself, and the generation says so.
    """
    found: list[Any] = []
    covers: list[str] = []
    missing, generation = 0, 1
    skipping = False
    for entry in entries:
        mark = _mark(entry, shape)
        if mark is not None:
            kept = _unpinned(pins, tenant, mark["handle"])
            covers.append(mark["handle"])
            if kept is None:
                missing, generation = missing + 1, max(generation, int(mark["generation"]) + 1)
            found += [entry.raw] if kept is None else kept
            skipping = kept is not None
        elif skipping and is_companion(entry, shape):
            continue
        else:
            skipping = False
            bare = without_any_reasoning(entry, shape)
            found += [] if bare is None else [bare]
    return Originals(entries=found, covers=tuple(covers), missing=missing, generation=generation)


def _unpinned(pins: Pins | None, tenant: str, handle: str) -> list[Any] | None:
    data = None if pins is None else pins.get(tenant, handle)
    return None if data is None else unpinned(data, handle)


def summary_handle(entry: Entry, shape: Shape) -> str | None:
    """The handle in an entry that opens with our mark of a summary; None for every other entry."""
    mark = _mark(entry, shape)
    return None if mark is None else mark["handle"]


def _mark(entry: Entry, shape: Shape) -> re.Match[str] | None:
    if entry.role is not Role.USER or entry.text_output:
        return None
    return _OURS.match(shape.user_text(entry.raw))


def is_companion(entry: Entry, shape: Shape) -> bool:
    """Whether an entry is one of those we put behind a summary: the pair that holds it, and the note that closes it."""
    if entry.role is Role.ASSISTANT:
        calls = [part for part in entry.parts if part.kind is PartKind.CALL]
        texts = shape.texts(entry.raw)
        if calls:
            return len(calls) == len(entry.parts) and calls[0].name == marks.TOOL and _is_ours(calls[0])
        return texts in ([marks.NOTED], [marks.ASKED])
    results = [part for part in entry.parts if part.kind is PartKind.RESULT]
    if entry.text_output:
        return marks.HELD in shape.user_text(entry.raw)[:200]
    return len(results) == 1 == len(entry.parts) and _is_ours(results[0])


def _is_ours(part: Part) -> bool:
    return part.id is not None and part.id.startswith(marks.CALL_ID)


def without_any_reasoning(entry: Entry, shape: Shape) -> Any:
    """An entry as it may rest elsewhere: no reasoning, none between tags in its text, and nothing nobody has listed.

    None when nothing else was in it. What people and tools wrote stays as it is, less our own block of facts.
    """
    gone = [part for part in entry.parts if entry.role is Role.ASSISTANT and part.kind in _WITHHELD]
    if gone and len(gone) == len(entry.parts):
        return None
    mark = Change(position=0, action=Action.REMOVE, op="", rule="", kind="")
    paths = shape.settle_paths(entry.raw, [part.path for part in gone]) if gone else []
    edits = [(path, mark) for path in paths]
    clean = {Role.ASSISTANT: without_inline_reasoning, Role.USER: without_block}.get(entry.role)
    for part in entry.parts:
        edits += _retold(entry, part, clean) if part.kind is PartKind.TEXT and clean is not None else []
    return edited(entry.raw, edits) if edits else entry.raw


_WITHHELD = frozenset({PartKind.REASONING, PartKind.UNKNOWN})


def _retold(entry: Entry, part: Part, clean: Callable[[str], str]) -> list[tuple[Path, Change]]:
    """The edit that cleans one text."""
    value = value_at(entry.raw, part.path)
    fields = None if isinstance(value, str) else plain(value)
    text = value if fields is None else fields.get("text")
    if not isinstance(text, str) or clean(text) == text:
        return []
    path = part.path if fields is None else (*part.path, "text")
    return [(path, Change(position=0, action=Action.REPLACE, op="", rule="", kind="", value=clean(text)))]


def user_words(originals: Originals, shape: Shape, context: Context) -> list[Any]:
    """What people put into the originals, as parts of a user entry: text, files, and what nobody has listed."""
    moved: list[Any] = []
    for pos, raw in enumerate(originals.entries):
        entry = shape.read(pos, raw, context)
        if entry.role is not Role.USER or entry.nudge or entry.text_output or _mark(entry, shape) is not None:
            continue
        parts = [part for part in entry.parts if part.kind not in _OTHERS or part.name == "container_upload"]
        parts = [part for part in parts if not part.blank]
        moved += shape.moved(entry.raw, parts) if parts else []
    return moved


_OTHERS = frozenset({PartKind.RESULT, PartKind.CONTROL})
