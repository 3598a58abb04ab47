"""What two plans differ in about evidence: what is asked for, who may sign, and how each condition stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from reticent.compiler.difference import Difference, Direction

if TYPE_CHECKING:
    from reticent.compiler.decision import Condition
    from reticent.compiler.plan import Plan

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_Wanted = Mapping[str, Any]


def evidence_differences(old: Plan, new: Plan) -> Iterator[Difference]:
    """What of it opens and closes.

    A condition that no longer has to be shown, evidence that counts longer and another signer open: less stands between
    a claim and the verdict. What the loss of a condition does to a verdict is told with the verdict.
    """
    before, after = _wanted(old), _wanted(new)
    for name in sorted(before.keys() | after.keys()):
        yield from _asked(name, before.get(name), after.get(name), still=_claimed(new, name))
    yield from _signers(old.table.get("signers") or {}, new.table.get("signers") or {})
    stood = _standing(old)
    for name, condition in _standing(new).items():
        yield from _stands(new, stood.get(name), condition)


def _asked(name: tuple[str, str], old: _Wanted | None, new: _Wanted | None, *, still: bool) -> Iterator[Difference]:
    surface, title = name
    if old is None and new is not None:
        yield Difference("closes", surface, f"{title} has to be shown now, by the probe {new['probe']}")
    elif new is None:
        if still:
            yield Difference("opens", surface, f"{title} no longer has to be shown")
    elif old is not None:
        if old["max_age"] != new["max_age"]:
            direction: Direction = "opens" if _seconds(new["max_age"]) > _seconds(old["max_age"]) else "closes"
            yield Difference(direction, surface, f"evidence for {title} counts {old['max_age']} → {new['max_age']}")
        if (old["probe"], old["settings"]) != (new["probe"], new["settings"]):
            yield Difference("notes", surface, f"{title} is shown in another way: {old['probe']} → {new['probe']}")


def _signers(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    for name in sorted({*old, *new}):
        was, now = old.get(name, {}).get("key"), new.get(name, {}).get("key")
        if now is not None and now != was:
            yield Difference("opens", "signers", f"{name} may sign evidence{' with another key' if was else ''}")
        elif now is None:
            yield Difference("closes", "signers", f"{name} may no longer sign evidence")


def _stands(new: Plan, old: Condition | None, condition: Condition) -> Iterator[Difference]:
    from reticent.compiler.explain import evidence_text

    if old is not None and old.lost != condition.lost:
        owner = new.decision(condition.surface).owner
        what = f"{condition.name} is {evidence_text(condition)}; {owner} owns it"
        yield Difference("notes", condition.surface, what)


def _wanted(plan: Plan) -> dict[tuple[str, str], _Wanted]:
    return {
        (surface, name): claim["evidence"]
        for surface, row in plan.table["surfaces"].items()
        for name, claim in row.get("conditions", {}).items()
        if claim.get("evidence")
    }


def _claimed(plan: Plan, name: tuple[str, str]) -> bool:
    return name[1] in plan.table["surfaces"].get(name[0], {}).get("conditions", {})


def _standing(plan: Plan) -> dict[tuple[str, str], Condition]:
    return {
        (name, condition.name): condition
        for name, decision in plan.decisions.items()
        for condition in decision.conditions
        if condition.surface == name and condition.evidence
    }


def _seconds(age: str) -> int:
    return int(age[:-1]) * _UNITS[age[-1]]
