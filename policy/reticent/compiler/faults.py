"""What an engine found wrong with a table, worded for the person who wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from reticent.compiler.decision import READERS, Decision
from reticent.errors import EngineAnswerInvalid, Fault, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    Told = Mapping[str, Any]
    Wording = tuple[str, str]

Path = tuple[str | int, ...]


class Places(Protocol):
    """Finds the line and column of a path; ``reticent.surfaces.document.Positions`` does."""

    def fault(self, path: Path, code: str, message: str, fix: str = "") -> Fault:
        """A fault at ``path``."""
        ...


ROW_CODES = frozenset({"verdict-disagrees", "derived-disagrees"})
"""Complaints about a row that can be read but is not right; of interest only once it can be read."""


def worded(errors: Iterable[Told], places: Places, decisions: Mapping[str, Decision]) -> Iterator[Fault]:
    """One fault for each of an engine's errors; ``decisions`` gives the path that a wrong verdict overlooks.

    Raises:
        EngineAnswerInvalid: an error has a code nobody knows.
    """
    for error in errors:
        code, path = error["code"], tuple(error["at"])
        if code not in _WORDINGS:
            msg = "the engine reports an error with a code that is not known"
            raise EngineAnswerInvalid(msg)
        message, fix = _disagrees(error, decisions) if code == "verdict-disagrees" else _WORDINGS[code](error)
        yield places.fault((*path, error["key"]) if code == "missing-key" else path, code, message, fix)


def _disagrees(error: Told, decisions: Mapping[str, Decision]) -> Wording:
    surface = str(error["at"][1])
    decision = decisions.get(surface)
    if error.get("value") != "pass":
        return (
            f"{surface} says {error.get('value')}, but no reader can be reached from it",
            "draw the arrow that is missing under flows, or sign pass",
        )
    if decision is None or decision.reader is None:
        return f"{surface} says pass, but the proof says strip", "sign strip"
    path, reader = " → ".join(decision.path), READERS[decision.reader.kind]
    return f"{surface} says pass, but {path} ({reader})", "sign strip, or state the condition that cuts this path"


def _derived(error: Told) -> Wording:
    return f"{error['at'][1]} passes everything, so derived cannot be strip", "remove derived, or sign strip"


def _missing(error: Told) -> Wording:
    where = _dotted([*error["at"], error["key"]])
    return f"{where} is missing", f"add {error['key']}"


def _shape(error: Told) -> Wording:
    wanted = {"object": "a mapping", "array": "a list", "text": "text", "boolean": "true or false"}
    return f"{_dotted(error['at'])} is not usable", f"write {wanted.get(error.get('wanted', ''), 'another value')}"


def _word(error: Told) -> Wording:
    known = sorted(map(str, error.get("known", ())))
    return f"{_dotted(error['at'])} has a word that is not known here", _suggest(error, known)


def _unknown(error: Told) -> Wording:
    known = sorted(map(str, error.get("known", ())))
    return f"nothing is called {error.get('value')!r}", _suggest(error, known, "declare it under places or surfaces")


def _cut(error: Told) -> Wording:
    known = sorted(map(str, error.get("known", ())))
    return f"the condition cuts {error.get('value')!r}, which the row does not flow to", _suggest(
        error, known, "draw it under flows, or remove the cut"
    )


def _idle(error: Told) -> Wording:
    return f"the condition {error['at'][-1]!r} cuts nothing and bounds nothing", "say what it cuts, or what it bounds"


def _clash(error: Told) -> Wording:
    return f"{error.get('value')!r} is a surface and a place", "rename one of the two"


def _producer(error: Told) -> Wording:
    return (
        f"{error.get('value')!r} cannot be the producer",
        "mark one place of kind system as the producer, and no other",
    )


def _date(error: Told) -> Wording:
    return f"{_dotted(error['at'])} is not a date", "write it as year-month-day, such as 2027-03-01"


def _age(error: Told) -> Wording:
    return f"{_dotted(error['at'])} is not an age", "write a whole number and one of s, m, h and d, such as 24h"


_WORDINGS: Mapping[str, Callable[[Told], Wording]] = {
    "verdict-disagrees": _derived,
    "derived-disagrees": _derived,
    "missing-key": _missing,
    "wrong-shape": _shape,
    "unknown-word": _word,
    "unknown-name": _unknown,
    "cut-without-flow": _cut,
    "idle-condition": _idle,
    "name-clash": _clash,
    "producer-unclear": _producer,
    "wrong-date": _date,
    "wrong-age": _age,
}


def _suggest(error: Told, known: list[str], otherwise: str = "") -> str:
    value = error.get("value")
    near = did_you_mean(value, known).strip() if isinstance(value, str) else ""
    return near or otherwise or f"known here: {', '.join(map(repr, known))}"


def _dotted(path: Iterable[object]) -> str:
    return repr(".".join(map(str, path)))
