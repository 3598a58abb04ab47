"""Clear and truncate: result bodies become smaller, the pair of call and result stays.

Raw tool output is the safest thing to shorten. Only bodies the client wrote are touched; results of the provider's own
tools are opaque to it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reticent.history.changes import Change, handle_of, size_of
from reticent.history.entries import Entry, Part, PartKind, Path, Raw
from reticent.history.operations import marks
from reticent.history.settled import Proposal, Settled
from reticent.history.shapes import value_at
from reticent.history.shapes._shape import listed, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reticent.history.legality import Refusal
    from reticent.history.units import Unit

CLEAR = "clear"
TRUNCATE = "truncate"
ADDRESSES = frozenset({"result"})


def clear(settled: Settled, units: Sequence[Unit], *, least: int = 400) -> Proposal:
    """Result bodies of at least ``least`` bytes become placeholders with size, tool, call id and handle."""

    def shorten(body: Any, part: Part) -> str | None:
        size = size_of(body)
        if size < least or marks.CLEARED in _words(body):
            return None
        return marks.cleared(
            size, part.name if part.name not in {"toolResult", "tool_result"} else None, part.id, handle_of(body)
        )

    return _propose(settled, units, CLEAR, "settled-result-cleared", shorten)


def truncate(settled: Settled, units: Sequence[Unit], *, head: int = 2000, tail: int = 1000) -> Proposal:
    """Result bodies of text keep ``head`` and ``tail`` characters round a mark with the size in full and a handle."""

    def shorten(body: Any, part: Part) -> str | None:
        del part
        text = text_of(body)
        mark = "" if text is None else f"\n{marks.truncated(size_of(body), handle_of(body))}\n"
        ours = text is not None and (marks.TRUNCATED in text or marks.CLEARED in text)
        if text is None or ours or len(text) <= head + len(mark) + tail:
            return None
        return text[:head] + mark + (text[-tail:] if tail else "")

    return _propose(settled, units, TRUNCATE, "settled-result-truncated", shorten)


def _propose(
    settled: Settled, units: Sequence[Unit], op: str, rule: str, shorten: Callable[[Any, Part], str | None]
) -> Proposal:
    changes: list[Change] = []
    refused: list[Refusal] = []
    for unit in units:
        found = [
            settled.replaced(entry, path, value, op=op, rule=rule, kind="result")
            for entry, path, value in _shortened(settled, unit, shorten)
        ]
        refusal = settled.refuses(op, unit) if found else None
        if refusal is not None:
            refused.append(refusal)
        else:
            changes += found
    return Proposal(changes=tuple(changes), refused=tuple(refused))


def _shortened(
    settled: Settled, unit: Unit, shorten: Callable[[Any, Part], str | None]
) -> Iterator[tuple[Entry, Path, Any]]:
    names = _names(unit)
    for entry in settled.of(unit):
        for part in entry.parts:
            if part.kind is not PartKind.RESULT or part.server or not part.final:
                continue
            path = part.path if entry.text_output else settled.shape.body_path(entry.raw, part)
            body = _value(entry.raw, path)
            text = None if body is None else shorten(body, part._replace(name=names.get(part.id, part.name)))
            if text is None:
                continue
            yield entry, path, _played(body, text) if entry.text_output else settled.shape.body_of(body, text)


def _played(body: Any, text: str) -> Any:
    """A result in plain text keeps what names its tool."""
    if isinstance(body, str):
        return body[: body.find(":") + 1] + " " + text
    fields = dict(plain(body) or {})
    words = str(fields.get("text", ""))
    return {**fields, "text": words[: words.find(":") + 1] + " " + text}


def _names(unit: Unit) -> dict[str | None, str | None]:
    calls = (call for task in unit.tasks for turn in task.turns for call in turn.calls)
    return {call.part.id: call.part.name for call in calls if call.part.id is not None}


def _value(raw: Raw, path: Path) -> Any:
    try:
        return value_at(raw, path)
    except (KeyError, IndexError, TypeError):
        return None


def text_of(body: Any) -> str | None:
    """A result body as text; None when it holds anything that is not text."""
    if isinstance(body, str):
        return body
    blocks = [plain(block) or {} for block in listed(body)]
    if blocks:
        texts = [block.get("text") for block in blocks]
        return "\n".join(texts) if all(isinstance(text, str) for text in texts) else None  # type: ignore[arg-type]
    fields = plain(body)
    return json.dumps(fields, ensure_ascii=False) if fields else None


def _words(body: Any) -> str:
    return text_of(body) or ""
