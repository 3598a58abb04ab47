"""Tracebacks as text without reasoning.

A traceback is judged whole, as any text is. Before that, the message of each exception and each local variable is
judged alone: in the traceback it stands in the middle of a line, where an inline tag is taken for a mention of it, and
JSON that was cut short would end nowhere.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.integrations._guard import Guard

_LOCAL: Final = re.compile(r"^(?P<name>[ |]*\w+ = )(?P<text>'.*'|\".*\")$", re.MULTILINE)
"""A variable that holds text, as ``traceback.TracebackException(capture_locals=True)`` writes it."""


def traceback_text(guard: Guard, error: BaseException | None, text: str) -> str:
    """``text``, which is the traceback of ``error`` in any layout, without reasoning."""
    if guard.passes:
        return text
    for said, shown in replacements(guard, error):
        text = text.replace(said, shown)
    return guard.text(_LOCAL.sub(lambda found: found["name"] + _variable(guard, found["text"]), text))


def replacements(guard: Guard, error: BaseException | None) -> list[tuple[str, str]]:
    """What ``error`` and those behind it say that may not be shown, as text and as repr, and what stands for it."""
    found: list[tuple[str, str]] = []
    for said in _said(error, set()):
        shown = guard.text(said)
        if shown != said:
            found += [(said, shown), (repr(said), repr(shown))]
    return found


def _said(error: BaseException | None, seen: set[int]) -> Iterator[str]:
    """What ``error`` and those behind it say, longest first for each: message, arguments and notes."""
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    texts = {_message(error), *(item for item in error.args if isinstance(item, str))}
    texts |= {note for note in getattr(error, "__notes__", ()) if isinstance(note, str)}
    yield from sorted((text for text in texts if text), key=len, reverse=True)
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for other in (error.__cause__, error.__context__, *inner):
        yield from _said(other, seen)


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - what is raised with can fail to print itself; tracebacks say so in its place
        return ""


def _variable(guard: Guard, spelled: str) -> str:
    try:
        text = ast.literal_eval(spelled)
    except (ValueError, SyntaxError):
        return spelled
    shown = guard.text(text)
    return spelled if shown == text else repr(shown)
