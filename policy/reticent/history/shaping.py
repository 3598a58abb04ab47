"""Shaping one tool result before it enters the transcript; afterwards it is never altered again.

By the fields that were asked for, where the task's code says which; otherwise by length, with a visible mark and a
handle to the rest. It is never guessed which part of a result is the answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from reticent.errors import ConfigurationError

CHARS_PER_TOKEN = 4.0
SHARE = 0.10
"""Of what is left of the window, one result may take this much."""

MARK = "[reticent: shortened"

Keep = Callable[[str, str], None]
"""``keep(handle, text)`` stores what is left out, so that a tool can fetch it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaped:
    """A result as it may enter: its text, how it was shaped, its size in full, and the handle to the rest."""

    text: str = field(repr=False)
    how: str
    """``whole``, ``fields`` or ``cap``."""
    size: int
    handle: str = ""


def cap_for(
    window: int | None, used: int, *, share: float = SHARE, chars_per_token: float = CHARS_PER_TOKEN
) -> int | None:
    """Characters one result may have, for a context window and the tokens used of it; None when it is not known."""
    if window is None or window <= 0:
        return None
    per_token = chars_per_token if chars_per_token > 0 else CHARS_PER_TOKEN
    return max(0, int(max(0, window - used) * share * per_token))


def shape_result(
    result: Any, *, want: Sequence[str] | None = None, cap: int | None = None, keep: Keep | None = None
) -> Shaped:
    """Shape one result. ``want`` lists JSON Pointers of the fields that were asked for; ``cap`` counts characters.

    A pointer that leads nowhere is left out and named among ``missing``. What is left out goes to ``keep`` first.

    Raises:
        ConfigurationError: a pointer does not begin with ``/``, or the cap is negative.
    """
    if cap is not None and cap < 0:
        raise ConfigurationError(f"cap counts characters and is at least 0, not {cap!r}")
    full = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    handle = "sha256:" + hashlib.sha256(full.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    text, how = full, "whole"
    value = _parsed(result)
    if want and value is not None:
        text, how = json.dumps(_projected(value, want), ensure_ascii=False), "fields"
    if cap is not None and len(text) > cap:
        text, how = _cut(text, cap, len(full), handle), "cap"
    if how == "whole":
        return Shaped(text=text, how=how, size=len(full))
    if keep is not None:
        keep(handle, full)
    return Shaped(text=text, how=how, size=len(full), handle=handle)


def _parsed(result: Any) -> Any:
    if not isinstance(result, str):
        return result
    try:
        return json.loads(result)
    except (ValueError, RecursionError):
        return None


def _projected(value: Any, want: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    missing: list[str] = []
    for pointer in want:
        if not pointer.startswith("/"):
            raise ConfigurationError(f"{pointer!r} is no JSON Pointer; it begins with '/'")
        try:
            found[pointer] = _at(value, pointer)
        except (KeyError, IndexError, ValueError, TypeError):
            missing.append(pointer)
    return found | ({"missing": missing} if missing else {})


def _at(value: Any, pointer: str) -> Any:
    """RFC 6901."""
    for token in pointer[1:].split("/"):
        key = token.replace("~1", "/").replace("~0", "~")
        value = _child(value, key)
    return value


def _child(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)[key]
    if isinstance(value, list):
        return cast("Sequence[Any]", value)[int(key)]
    raise TypeError


def _cut(text: str, cap: int, size: int, handle: str) -> str:
    """The head of ``text`` with a mark; when even the mark does not fit, the mark alone."""
    mark = f"{MARK}: {size} characters in full, ask again for less or fetch {handle}]"
    room = cap - len(mark) - 1
    return f"{text[:room]}\n{mark}" if room > 0 else mark
