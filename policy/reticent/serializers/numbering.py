"""Events that differ in their number as well: it is read off, the event is looked up without it, and it is put back.

OpenAI Responses counts its events in ``sequence_number``, and what is shown is counted without the events that went.
https://platform.openai.com/docs/api-reference/responses-streaming (read 2026-11-29)
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from reticent.dialects._channels import Numbers
    from reticent.serializers.runs import Answer

_KEY: Final = b'"sequence_number"'
_NUMBER: Final = re.compile(_KEY + rb": ?(0|[1-9][0-9]{0,14})(?=[,}])")


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
