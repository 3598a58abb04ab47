"""What pydantic finds wrong with a table, in reticent's own words and codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reticent.errors import Fault, did_you_mean
from reticent.surfaces import table as model
from reticent.surfaces.document import dotted

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from reticent.surfaces.document import Path, Positions

_MODELS: tuple[tuple[tuple[str, ...], type[BaseModel]], ...] = (
    ((), model.SurfaceTable),
    (("places", "*"), model.Place),
    (("surfaces", "*"), model.Surface),
    (("surfaces", "*", "holds"), model.Holding),
    (("surfaces", "*", "conditions", "*"), model.Condition),
    (("surfaces", "*", "conditions", "*", "evidence"), model.WantedEvidence),
    (("surfaces", "*", "limits"), model.Limits),
    (("signers", "*"), model.Signer),
    (("exceptions", "*"), model.SignedException),
    (("vocabulary",), model.Vocabulary),
    (("vocabulary", "reasoning", "*"), model.ReasoningName),
    (("vocabulary", "visible", "*"), model.BlockName),
)


_WANTED = {
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "greater_than": "more than nothing",
    "too_short": "at least one entry",
    "string_too_short": "text that is not empty",
}

_TIMES: dict[Path, tuple[str, str, str]] = {
    ("expires",): ("wrong-date", "a date", "write it as year-month-day, such as 2027-03-01"),
    ("max_age",): ("wrong-age", "an age", "write a whole number and one of s, m, h and d, such as 24h"),
}
_SENTENCES = frozenset({"owner", "why", "reason"})


def shape_faults(error: ValidationError, positions: Positions) -> Iterator[Fault]:
    """One fault for each thing that ``error`` reports, at its place in the file."""
    for detail in error.errors(include_url=False):
        path: Path = tuple(step for step in detail["loc"] if step != "[key]")
        code, message, fix = _worded(detail, path)
        yield positions.fault(path, code, message, fix)


def _worded(detail: ErrorDetails, path: Path) -> tuple[str, str, str]:
    kind, where = detail["type"], _name(path)
    if kind == "missing":
        return "missing-key", f"{where} is missing", f"add {dotted(path[-1:])}"
    if kind == "extra_forbidden":
        return "unknown-key", f"{where} is not a key of the table", _known_keys(path)
    if kind == "literal_error":
        return _unknown_word(detail, where)
    if path[-1:] in _TIMES:
        code, what, fix = _TIMES[path[-1:]]
        return code, f"{where} is not {what}", fix
    if kind in ("string_pattern_mismatch", "string_too_long"):
        return _wrong_text(path, where)
    return "wrong-shape", f"{where} is not usable", _wanted(detail)


def _unknown_word(detail: ErrorDetails, where: str) -> tuple[str, str, str]:
    expected = str(detail.get("ctx", {}).get("expected", ""))
    value = detail["input"]
    near = (
        did_you_mean(value, [word for word in expected.split("'") if word.isalnum()]) if isinstance(value, str) else ""
    )
    return "unknown-word", f"{where} has a word that is not known here", f"write {expected}.{near}"


def _wrong_text(path: Path, where: str) -> tuple[str, str, str]:
    if path[-1] in _SENTENCES:
        return "wrong-shape", f"{where} says nothing", "write a name or a sentence"
    return (
        "wrong-name",
        f"{where} is not a usable name",
        "start with a letter; letters, digits, '_', '-' and '.' may follow",
    )


def _wanted(detail: ErrorDetails) -> str:
    reason = detail.get("ctx", {}).get("error")
    return str(reason) if reason is not None else f"write {_WANTED.get(detail['type'], 'another value')}"


def _known_keys(path: Path) -> str:
    known = [field.alias or name for name, field in _model_at(path[:-1]).model_fields.items()]
    near = did_you_mean(str(path[-1]), known).strip()
    return near or f"known here: {', '.join(known)}"


def _model_at(path: Path) -> type[BaseModel]:
    for pattern, found in _MODELS:
        if len(pattern) == len(path) and all(want in ("*", step) for want, step in zip(pattern, path, strict=True)):
            return found
    return model.SurfaceTable


def _name(path: Path) -> str:
    return f"'{dotted(path)}'" if path else "the table"
