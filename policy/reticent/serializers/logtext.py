"""Text that is no payload: a log line, a traceback, a repr, or what a model wrote.

JSON in it is judged as JSON, reprs as reprs; after that the text may still open with an inline tag or a channel, as a
model's raw output does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reticent.dialects._positions import Position
from reticent.edits import DROP, Cut
from reticent.errors import EgressRefused, InputTooLarge
from reticent.serializers import columns, fieldlines, labels, literals, panels, sqltext, strings
from reticent.serializers.walk import Walk
from reticent.streams.tags import may_hold_reasoning

if TYPE_CHECKING:
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report

_SHORT: Final = 64
"""Characters up to which one pattern is quicker than a dozen searches."""
_HARMLESS: Final = r"A-Za-z0-9.,:;!?/@#$%&'+>)|}~^\]-"
_is_simple: Final = re.compile(
    rf"(?!Here|Thought:|Question:|(?:assistant)?analysis|&lt;|> Thinking)[{_HARMLESS}][ \n{_HARMLESS}]*+"
).fullmatch
"""ASCII without a blank in front and without anything that JSON, a literal, a tag or a field begins with."""
_BARE_NAME: Final = fieldlines.NAMES[0]
"""The one name of a field that such a text may hold: the others have an underscore."""
_OPENS_JSON: Final = ("{", "[", '"')


def is_plain(text: str) -> bool:
    """A quick look: ``True`` means that ``strip`` would find nothing in ``text``, whatever the surface withholds.

    ``False`` means that it has to be asked. How long the text may be is not looked at.
    """
    if len(text) < _SHORT and _is_simple(text) is not None:
        return _BARE_NAME not in text and ":::" not in text
    if len(text) < strings.SHORTEST:
        return True
    if text.lstrip()[:1] in _OPENS_JSON or '""' in text or "\x1b" in text:  # colours can stand inside a name
        return False
    return not literals.may_hold(text) and not may_hold_reasoning(text)


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


def is_open(text: str) -> bool:
    """Whether a record of a log that ends with ``text`` may go on in the next line with what was withheld so far."""
    if fieldlines.names_one(text) and (fieldlines.is_open(text) or columns.is_open(text)):
        return True
    if panels.is_open(text) or sqltext.is_open(text):
        return True
    try:
        return labels.is_open(text) or literals.is_open(text)
    except EgressRefused:  # it cannot be judged with more of it either
        return False
