"""Whether an upstream's error repeats what was put into the request: some servers quote the message they refuse.

A restored request holds reasoning that the client never saw, so an error about it is looked through for any stretch of
it, however the server cut, escaped or quoted it.
"""

from __future__ import annotations

import re
from typing import Final

import orjson

__all__ = ["repeats"]

_STRETCH: Final = 16
"""Characters in a row that are not said by chance."""
_STEP: Final = 4
"""Every fourth stretch of what is hidden is looked for, so that any nineteen characters of it are found."""

_RUN: Final = re.compile(rf"[^\"\\\x00-\x1f]{{{_STRETCH},}}")
"""Characters between those that an escape may stand for."""


def repeats(answer: bytes, restored: bytes, sent: bytes) -> bool:
    """Whether ``answer`` has a stretch of what is in the body ``restored`` and not in what the client ``sent``."""
    if restored == sent or not answer:
        return False
    hidden = {run[at : at + _STRETCH] for run in _runs(restored) for at in range(0, len(run) - _STRETCH + 1, _STEP)}
    hits = {
        stretch
        for run in _RUN.findall(answer.decode("utf-8", "replace"))
        for stretch in (run[at : at + _STRETCH] for at in range(len(run) - _STRETCH + 1))
        if stretch in hidden
    }
    if not hits:
        return False
    seen = "\n".join(_runs(sent))
    return any(stretch not in seen for stretch in hits)


def _runs(body: bytes) -> list[str]:
    return [run for text in _strings(orjson.loads(body)) for run in _RUN.findall(text)]


def _strings(value: object) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    return [text for item in value for text in _strings(item)] if isinstance(value, list) else []
