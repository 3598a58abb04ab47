"""An engine's answer, checked for holes and unknown words, as decisions.

Nothing is decided here. What does not hold together is refused: the rules never leave anything out, so a gap or a
contradiction means that something else answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from reticent.compiler.decision import (
    CLASSES,
    READER_KINDS,
    REASONS,
    STATUSES,
    Condition,
    ContentClass,
    Decision,
    Evidence,
    Lapse,
    Limits,
    Reader,
    SignedYes,
    Verdict,
)
from reticent.compiler.paths import shortest_paths
from reticent.errors import EngineAnswerInvalid

Json = Mapping[str, Any]
_T = TypeVar("_T")


def split_answer(answer: object) -> tuple[Json, list[Json]]:
    """``plan`` and ``errors`` of an answer.

    Raises:
        EngineAnswerInvalid: either is missing or has another type.
    """
    whole = _typed(answer, dict, "answer")
    errors = _typed(whole.get("errors"), list, "errors")
    for error in errors:
        _typed(_typed(error, dict, "errors").get("code"), str, "errors.code")
        _typed(error.get("at"), list, "errors.at")
    return _typed(whole.get("plan"), dict, "plan"), errors


def decisions_from(table: Json, plan: Json) -> Mapping[str, Decision]:
    """One decision for every surface of ``table``, in the table's order.

    Raises:
        EngineAnswerInvalid: a surface is not decided, one is decided that the table does not have, or a decision has
            a hole, a word nobody knows, or contradicts itself.
    """
    rows: Json = table["surfaces"]
    if set(rows) != set(plan):
        msg = f"decided: {sorted(map(str, plan))}; in the table: {sorted(rows)}"
        raise EngineAnswerInvalid(msg)
    return MappingProxyType({name: _decision(name, row, plan[name]) for name, row in rows.items()})


def _decision(name: str, row: Json, raw: object) -> Decision:
    told = _typed(raw, dict, name)
    readers = _readers(told.get("offenders"), name)
    arrows = tuple(sorted(_arrow(item, name) for item in _list(told, "edges", name)))
    reach = _reach(name, readers, arrows)
    verdict, classes, reasons = _verdicts(told, name)
    _refuse_unless(
        not readers or verdict == "strip" or "exception-in-force" in reasons, f"{name}: passes what it reaches"
    )
    return Decision(
        surface=name,
        verdict=verdict,
        classes=classes,
        path=next((reach[kind] for kind in READER_KINDS if kind in reach), ()),
        reach=reach,
        reasons=reasons,
        readers=readers,
        arrows=arrows,
        conditions=_conditions(told, name),
        exceptions=tuple(sorted((_exception(item, name) for item in _list(told, "exceptions", name)), key=str)),
        lapses=tuple(
            sorted(
                (_lapse(item, name) for item in _list(told, "lapses", name)),
                key=lambda lapse: (lapse.starts, lapse.moment),
            )
        ),
        on_strip=row["on_strip"],
        unknown_types=row["unknown_types"],
        limits=Limits(**row["limits"]),
        owner=row["owner"],
        why=row["why"],
    )


def _verdicts(told: Json, name: str) -> tuple[Verdict, Mapping[ContentClass, Verdict], tuple[str, ...]]:
    raw = _typed(told.get("classes"), dict, f"{name}.classes")
    _refuse_unless(set(raw) == set(CLASSES), f"{name}.classes: not the four that exist")
    classes: dict[ContentClass, Verdict] = {item: _verdict(raw[item], name) for item in CLASSES}
    verdict = _verdict(told.get("verdict"), name)
    whole = all(answer == "pass" for answer in classes.values())
    _refuse_unless((verdict == "pass") == whole, f"{name}: the verdict contradicts the classes")
    given = {_word(item, tuple(REASONS), f"{name}.reasons") for item in _list(told, "reasons", name)}
    _refuse_unless(bool(given), f"{name}: no reason is given")
    return verdict, MappingProxyType(classes), tuple(reason for reason in REASONS if reason in given)


def _reach(
    name: str, readers: tuple[Reader, ...], arrows: tuple[tuple[str, str], ...]
) -> Mapping[str, tuple[str, ...]]:
    paths = shortest_paths(name, arrows)
    reach: dict[str, tuple[str, ...]] = {}
    for reader in readers:
        _refuse_unless(reader.place in paths, f"{name}: no arrows lead to {reader.place!r}")
        path, best = paths[reader.place], reach.get(reader.kind)
        if best is None or (len(path), path) < (len(best), best):
            reach[reader.kind] = path
    return MappingProxyType({kind: reach[kind] for kind in READER_KINDS if kind in reach})


def _readers(raw: object, name: str) -> tuple[Reader, ...]:
    where = f"{name}.offenders"
    found = (_reader(_typed(item, dict, where), where) for item in _typed(raw, list, where))
    return tuple(sorted(found, key=lambda reader: (READER_KINDS.index(reader.kind), reader.place)))


def _reader(told: Json, where: str) -> Reader:
    return Reader(
        kind=_word(told.get("kind"), READER_KINDS, f"{where}.kind"),
        place=_typed(told.get("place"), str, f"{where}.place"),
        reason=_word(told.get("reason"), tuple(REASONS), f"{where}.reason"),
    )


def _conditions(told: Json, name: str) -> tuple[Condition, ...]:
    """The surface's own conditions first, then those of others on its way."""
    found = (
        _condition(_typed(item, dict, f"{name}.conditions"), f"{name}.conditions")
        for item in _list(told, "conditions", name)
    )
    return tuple(sorted(found, key=lambda condition: (condition.surface != name, condition.surface, condition.name)))


def _condition(told: Json, where: str) -> Condition:
    bounds = told.get("bounds")
    return Condition(
        surface=_typed(told.get("surface"), str, f"{where}.surface"),
        name=_typed(told.get("name"), str, f"{where}.name"),
        cuts=tuple(sorted(_typed(item, str, f"{where}.cuts") for item in _list(told, "cuts", where))),
        bounds=None if bounds is None else _word(bounds, ("request", "task"), f"{where}.bounds"),
        keeps_out=_readers(told.get("keeps_out"), where),
        evidence=_evidence(told.get("evidence"), f"{where}.evidence"),
    )


def _evidence(raw: object, where: str) -> Evidence | None:
    if raw is None:
        return None
    told = _typed(raw, dict, where)
    statement = _typed(told.get("statement") or {}, dict, f"{where}.statement")
    return Evidence(
        status=_word(told.get("status"), STATUSES, f"{where}.status"),
        probe=_typed(told.get("probe"), str, f"{where}.probe"),
        max_age=_typed(told.get("max_age"), str, f"{where}.max_age"),
        since=_moment(told.get("since"), f"{where}.since"),
        until=_moment(told.get("until"), f"{where}.until"),
        observed=_moment(statement.get("observed"), f"{where}.observed"),
        **{key: _said(statement.get(key), f"{where}.{key}") for key in ("signer", "code", "detail")},
    )


def _moment(raw: object, where: str) -> int | None:
    _refuse_unless(raw is None or type(raw) is int, f"{where}: not a moment")
    return cast("int | None", raw)


def _said(raw: object, where: str) -> str | None:
    return None if raw is None else _typed(raw, str, where)


def _exception(raw: object, name: str) -> SignedYes:
    told = _typed(raw, dict, f"{name}.exceptions")
    return SignedYes(
        classes=tuple(
            sorted(_word(item, CLASSES, f"{name}.exceptions.classes") for item in _list(told, "classes", name))
        ),
        expires=_day(told.get("expires"), f"{name}.exceptions.expires"),
        owner=_typed(told.get("owner"), str, f"{name}.exceptions.owner"),
        reason=_typed(told.get("reason"), str, f"{name}.exceptions.reason"),
    )


def _lapse(raw: object, name: str) -> Lapse:
    told = _typed(raw, dict, f"{name}.lapses")
    day, moment = (
        _day(told.get("from"), f"{name}.lapses.from"),
        _typed(told.get("moment"), int, f"{name}.lapses.moment"),
    )
    return Lapse(day, moment, *_verdicts(told, f"{name}.lapses"))


def _arrow(raw: object, name: str) -> tuple[str, str]:
    match _typed(raw, list, f"{name}.edges"):
        case [str(source), str(target)]:
            return source, target
        case _:
            msg = f"{name}.edges: an arrow has a start and an end"
            raise EngineAnswerInvalid(msg)


def _verdict(raw: object, name: str) -> Verdict:
    return cast("Literal['pass', 'strip']", _word(raw, ("pass", "strip"), f"{name}: verdict"))


def _day(raw: object, where: str) -> date:
    try:
        return date.fromisoformat(_typed(raw, str, where))
    except ValueError:
        msg = f"{where}: not a date"
        raise EngineAnswerInvalid(msg) from None


def _word(raw: object, known: tuple[str, ...], where: str) -> str:
    _refuse_unless(isinstance(raw, str) and raw in known, f"{where}: a word that is not known")
    return cast("str", raw)


def _list(told: Json, key: str, name: str) -> list[Any]:
    return _typed(told.get(key), list, f"{name}.{key}")


def _typed(raw: object, wanted: type[_T], where: str) -> _T:
    _refuse_unless(isinstance(raw, wanted), f"{where}: missing, or not what it should be")
    return cast("_T", raw)


def _refuse_unless(holds: bool, message: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not holds:
        msg = f"the engine's answer cannot be used: {message}"
        raise EngineAnswerInvalid(msg)
