"""A plan as JSON: versioned, stamped with a digest, readable without reticent.

A file of an older version is brought up to date by :data:`MIGRATIONS`; one of a newer version is refused. The digest
covers everything that bears on an answer, and leaves out when and by which engine it was computed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from reticent.compiler._json import is_mapping
from reticent.compiler.answer import decisions_from
from reticent.compiler.plan import PLAN_VERSION, Plan, vocabulary_from
from reticent.errors import EngineAnswerInvalid, PlanError

if TYPE_CHECKING:
    from reticent.compiler.decision import Condition, Decision, Evidence, Lapse, SignedYes

_UNSTAMPED = ("digest", "engine", "compiled", "moment", "source_digest")


def digest_of(content: Mapping[str, Any]) -> str:
    """``sha256:`` and the hash of what a plan file decides."""
    stamped = {key: value for key, value in content.items() if key not in _UNSTAMPED}
    return f"sha256:{hashlib.sha256(orjson.dumps(stamped, option=orjson.OPT_SORT_KEYS)).hexdigest()}"


def content_of(plan: Plan) -> dict[str, Any]:
    """The plan as plain values, without a digest."""
    until = plan.valid_until
    return {
        "plan_version": PLAN_VERSION,
        "engine": plan.engine,
        "compiled": plan.compiled.isoformat(),
        "valid_until": until.isoformat() if until else None,
        "closes_at": plan.closes_at,
        "policy_digest": plan.policy_digest,
        "table_digest": plan.table_digest,
        "moment": plan.moment,
        "evidence": None if plan.evidence is None else dict(plan.evidence),
        "table": dict(plan.table),
        "decisions": {name: _told(decision) for name, decision in plan.decisions.items()},
    }


def to_json(plan: Plan) -> bytes:
    """The file: keys in a fixed order, indented, so that a reviewer reads its diff."""
    content = content_of(plan)
    return orjson.dumps(
        {"digest": digest_of(content), **content}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )


def from_json(content: bytes | str | Path, *, today: date | None = None, now: float | None = None) -> Plan:
    """The plan in ``content`` (JSON text, or a path to it) as it stands ``today`` and ``now`` (default: the system's).

    Raises:
        PlanError: not a plan, an unknown version, a digest that does not fit, a hole, or a word nobody knows.
    """
    told = _parsed(content)
    _refuse_unknown(told.get("plan_version"))
    if told.get("digest") != digest_of(told):
        msg = "the plan's digest does not fit its content: it was changed after it was compiled"
        raise PlanError(msg)
    try:
        return _plan(_current(told)).as_of(today or date.today(), now)  # noqa: DTZ011 - expiry is a civil date where the plan is used
    except EngineAnswerInvalid as error:
        msg = f"the plan cannot be used: {error}"
        raise PlanError(msg) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        msg = f"the plan has a hole ({type(error).__name__})"
        raise PlanError(msg) from error


def _plan(told: dict[str, Any]) -> Plan:
    table = told["table"]
    return Plan(
        plan_version=told["plan_version"],
        digest=told["digest"],
        table_digest=told["table_digest"],
        policy_digest=told["policy_digest"],
        engine=told["engine"],
        compiled=date.fromisoformat(told["compiled"]),
        table=table,
        decisions=decisions_from(table, told["decisions"]),
        vocabulary=vocabulary_from(table),
        evidence=told["evidence"],
        moment=told["moment"],
    )


def _parsed(content: bytes | str | Path) -> dict[str, Any]:
    try:
        told = orjson.loads(content.read_bytes() if isinstance(content, Path) else content)
    except (OSError, ValueError) as error:
        msg = f"this is not a plan file ({type(error).__name__})"
        raise PlanError(msg) from error
    if not is_mapping(told):
        msg = "this is not a plan file"
        raise PlanError(msg)
    return told


def _refuse_unknown(version: object) -> None:
    if type(version) is not int or not (version in MIGRATIONS or version == PLAN_VERSION):
        msg = f"this release reads plans of version {PLAN_VERSION}; compile the table again"
        raise PlanError(msg)


def _current(told: dict[str, Any]) -> dict[str, Any]:
    while told["plan_version"] in MIGRATIONS:
        told = MIGRATIONS[told["plan_version"]](told)
    return told


def _with_evidence(told: dict[str, Any]) -> dict[str, Any]:
    """A plan of version 1 knows no evidence: nothing was asked for, and nothing ends at a moment."""
    decisions = {
        name: {
            **decision,
            "conditions": [{**condition, "evidence": None} for condition in decision["conditions"]],
            "lapses": [{**lapse, "moment": 0} for lapse in decision["lapses"]],
        }
        for name, decision in told["decisions"].items()
    }
    return {**told, "plan_version": 2, "evidence": None, "moment": None, "decisions": decisions}


MIGRATIONS: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _with_evidence}
"""For each old version, what turns such a file into one of the next version."""


def _told(decision: Decision) -> dict[str, Any]:
    return {
        "verdict": decision.verdict,
        "classes": dict(decision.classes),
        "reasons": list(decision.reasons),
        "path": list(decision.path),
        "reach": {kind: list(path) for kind, path in decision.reach.items()},
        "offenders": [asdict(reader) for reader in decision.readers],
        "edges": [list(arrow) for arrow in decision.arrows],
        "conditions": [_told_condition(condition) for condition in decision.conditions],
        "exceptions": [_told_exception(exception) for exception in decision.exceptions],
        "lapses": [_told_lapse(lapse) for lapse in decision.lapses],
    }


def _told_condition(condition: Condition) -> dict[str, Any]:
    return {
        **asdict(condition),
        "cuts": list(condition.cuts),
        "keeps_out": [asdict(reader) for reader in condition.keeps_out],
        "evidence": _told_evidence(condition.evidence),
    }


def _told_evidence(evidence: Evidence | None) -> dict[str, Any] | None:
    """As the rules give it: what one statement said stands together."""
    if evidence is None:
        return None
    told = asdict(evidence)
    said = {key: told.pop(key) for key in ("observed", "signer", "code", "detail")}
    return {**told, "statement": None if evidence.observed is None else said}


def _told_exception(exception: SignedYes) -> dict[str, Any]:
    return {**asdict(exception), "classes": list(exception.classes), "expires": exception.expires.isoformat()}


def _told_lapse(lapse: Lapse) -> dict[str, Any]:
    return {
        "from": lapse.starts.isoformat(),
        "moment": lapse.moment,
        "verdict": lapse.verdict,
        "classes": dict(lapse.classes),
        "reasons": list(lapse.reasons),
    }
