"""Events that differ in their number as well: it is read off, the event is looked up without it, and it is put back.

OpenAI Responses counts its events in ``sequence_number``, and what is shown is counted without the events that went.
https://platform.openai.com/docs/api-reference/responses-streaming (read 2026-11-29)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from reticent.dialects._channels import Numbers
    from reticent.serializers.runs import Answer, Run

_KEY: Final = b'"sequence_number"'
_DIGITS: Final = 15
_ZERO: Final = ord("0")
_NUMBER: Final = re.compile(_KEY + rb": ?(0|[1-9][0-9]{0,14})(?=[,}])")


@dataclass(slots=True)
class Cut:
    """An event cut at its text and its number: where each begins and ends, and the number."""

    text: int
    text_end: int
    digits: int
    digits_end: int
    number: int


def cut(event: bytes, run: Run) -> Cut | None:
    """``event`` cut where events of ``run``, which were learnt with the number 0, have their text and their number.

    None when it is of another shape. Whether the text is harmless is not looked at; one without a quotation mark is
    the whole text.
    """
    if run.around is None:
        run.around = _around(run)
    before, after, is_first = run.around
    if is_first:
        digits, end = len(before), len(event) - run.tail
        digits_end = event.find(after, digits, digits + len(after) + _DIGITS)
        text = digits_end + len(after)
        is_alike = digits_end > 0 and event.startswith(before) and event.endswith(run.suffix)
    else:
        text, digits_end = run.start, len(event) - len(after)
        end = event.rfind(before, text, digits_end)
        digits = end + len(before)
        is_alike = end > 0 and event.startswith(run.prefix) and event.endswith(after)
    told = event[digits:digits_end]
    if not is_alike or text >= end or not told.isdigit() or len(told) > _DIGITS or (told[0] == _ZERO and len(told) > 1):
        return None
    return Cut(text, end, digits, digits_end, int(told))


def _around(run: Run) -> tuple[bytes, bytes, bool]:
    """What stands around the number, up to the text or an end, and whether that is in front of the text."""
    for piece, is_first in ((run.prefix, True), (run.suffix, False)):
        found = _NUMBER.search(piece)
        if found is not None:
            return piece[: found.start(1)], piece[found.end(1) :], is_first
    return b"\n\n", b"\n\n", True  # nothing begins so


def read(event: bytes) -> tuple[int, bytes] | None:
    """The number of an event, and the event with the number 0; None when it has none, or something like two."""
    found = _NUMBER.search(event)
    if found is None or event.count(_KEY) != 1:
        return None
    return int(found[1]), event[: found.start(1)] + b"0" + event[found.end(1) :]


def without_number(answer: Answer) -> Answer | None:
    """An answer in which the event, and what goes on for it, have the number 0.

    None when what goes on has another number than it should.
    """
    event, out = read(answer.raw), read(answer.out)
    if event is None or answer.numbers is None or (out is None and _KEY in answer.out):
        return None
    if out is None:
        return replace(answer, raw=event[1])
    return None if out[0] != event[0] + answer.numbers.shift else replace(answer, raw=event[1], out=out[1])


def numbered(out: bytes, number: int, numbers: Numbers) -> bytes:
    """``out``, the answer to an event that was looked up, with the number it has behind those that went; counted."""
    numbers.last = number
    found = _NUMBER.search(out)
    if found is None:
        numbers.shift -= 1
        return out
    return out[: found.start(1)] + b"%d" % (number + numbers.shift) + out[found.end(1) :]
