"""Templates of log messages: which are prose, and which arguments fit one, told without writing the line.

https://docs.python.org/3/library/stdtypes.html#printf-style-string-formatting
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import orjson

from reticent.serializers.fieldlines import names_one

__all__ = ["Template", "are_values", "read_template"]

_LONGEST: Final = 256
"""Characters beyond which a message is no template but a text that somebody put together."""
_CONVERSION: Final = re.compile(r"%(?:\((?P<name>\w+)\))?(?P<flags>[-+ #0]*[\d.]*)(?P<kind>[a-zA-Z])|%%")
_PROSE: Final = re.compile(r"(?:[\w\s.,;:!?/+*#@$-]|%%|%(?:\(\w+\))?[-+ #0]*[\d.]*[a-zA-Z])*")
_USUAL_FLAGS: Final = re.compile(r"[-+ #0]*\d{0,3}(?:\.\d{1,3})?")
_ONLY_JSON: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATETIME
_SCALARS: Final[frozenset[type]] = frozenset({str, int, float, bool, type(None)})
_INTEGERS: Final[frozenset[type]] = frozenset({int, bool})
_NUMBERS: Final[frozenset[type]] = _INTEGERS | {float}
_TAKES: Final[Mapping[str, frozenset[type]]] = {
    **dict.fromkeys("sra", _SCALARS),
    **dict.fromkeys("diu", _INTEGERS),
    **dict.fromkeys("feEgGF", _NUMBERS),
}
"""What each conversion takes without fail; one that is not listed may fail on some value."""


@dataclass(frozen=True, slots=True)
class Template:
    """A message of words, punctuation and conversions, so that it makes nothing of its arguments but text."""

    takes: tuple[frozenset[type], ...] | None
    """The classes that each argument may have in its turn; None when they go by name, or when that cannot be told."""

    def fits(self, args: Any) -> bool:
        """Whether ``args`` are JSON values, as many and such as it takes: then ``template % args`` does not fail.

        A dictionary that stands for all arguments is the one that ``logging`` took out of its tuple. False when it is
        not certain.
        """
        takes = self.takes
        given = (args,) if args.__class__ is dict else args
        if takes is None or given.__class__ is not tuple or len(given) != len(takes):
            return False
        return all(map(_takes_it, takes, given))


def _takes_it(classes: frozenset[type], value: Any) -> bool:
    return value.__class__ in classes or (classes is _SCALARS and _is_built_in(value))


def _is_built_in(value: Any) -> bool:
    """Whether ``value`` is a dictionary or a list with nothing in it whose class could have a repr of its own."""
    if value.__class__ is not dict and value.__class__ is not list:
        return False
    try:
        marshal.dumps(value, 2)  # takes exact built-in classes only; what it writes is not looked at
    except ValueError:
        return False
    return True


def read_template(message: str) -> Template | None:
    """``message`` as a template; None when it can make a literal or a field out of its arguments."""
    return _read(message) if len(message) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _read(message: str) -> Template | None:
    if _PROSE.fullmatch(message) is None or names_one(message):
        return None
    return Template(_takes(message))


def _takes(message: str) -> tuple[frozenset[type], ...] | None:
    found: list[frozenset[type]] = []
    for conversion in _CONVERSION.finditer(message):
        if conversion["kind"] is None:
            continue
        classes = _TAKES.get(conversion["kind"])
        if classes is None or conversion["name"] or _USUAL_FLAGS.fullmatch(conversion["flags"]) is None:
            return None
        found.append(classes)
    return tuple(found)


def are_values(args: Any) -> bool:
    """Whether arguments that were judged print as what was judged, and name nothing that a text could follow.

    An object's repr can show more than its fields.
    """
    values: list[Any] = list(args.values() if isinstance(args, Mapping) else args)
    for value in values:
        if value.__class__ is str and names_one(value):
            return False
    try:
        orjson.dumps(values, option=_ONLY_JSON)
    except (TypeError, ValueError):
        return False
    return True
