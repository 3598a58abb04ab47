"""Text that is no payload: a log line, a traceback, a repr, or what a model wrote.

JSON in it is judged as JSON, reprs as reprs; after that the text may still open with an inline tag or a channel, as a
model's raw output does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reticent.dialects._positions import Position
from reticent.edits import DROP, Cut
from reticent.errors import InputTooLarge
from reticent.serializers import strings
from reticent.serializers.walk import Walk

if TYPE_CHECKING:
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report


def strip(text: str, program: Program, report: Report, *, tags: bool = True) -> str:
    """``text`` without reasoning; without ``tags`` inline tags were looked for already."""
    if len(text) > program.options.max_bytes:
        raise InputTooLarge(f"{len(text)} characters, the limit is {program.options.max_bytes}")
    walk = Walk(program, report)
    edit = strings.edit(walk, text, Position.OPEN, None, 0) if len(text) >= strings.SHORTEST else None
    if edit is DROP:
        return strings.PLACEHOLDER
    if isinstance(edit, Cut):
        text = edit.apply(text)
    if not tags or len(text) < strings.SHORTEST:
        return text
    found = strings.tags(walk, text)
    return found.apply(text) if isinstance(found, Cut) else text
