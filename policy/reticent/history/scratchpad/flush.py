"""Write before compacting: verified facts first, failed attempts second, both from results alone.

A fact is taken where a declared external tool returned it, by the schema's fields and by the declared identifier
patterns, and only when its literal stands in that very result. Nothing is taken from what a model wrote, be it text,
reasoning, arguments, or the answer of a tool that only computes from these or repeats them. What looks like an
identifier and could not be taken is reported, so that whoever would drop the range does not.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reticent.errors import UnsourcedValue
from reticent.history.exchanges import canonical, exchanges_in
from reticent.history.operations.marks import TOOL
from reticent.history.progress import Progress, Step, silent
from reticent.history.scratchpad.block import IDENTIFIER
from reticent.history.scratchpad.records import Attempt, Fact, Scratchpad
from reticent.history.scratchpad.schema import fits, pointed, taken
from reticent.history.scratchpad.sources import Sources, ToolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import BaseModel

    from reticent.history.boundary import Analysis
    from reticent.history.exchanges import Exchange
    from reticent.history.settled import Guard

_CODE = re.compile(r"(?<![\w.])([45]\d\d)(?![\w.])")
"""A status code in the text of a failed call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unflushed:
    """An identifier in a result that no fact holds: where, from which tool, and its length; never itself."""

    position: int
    tool: str
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flushed:
    """A scratchpad with what a range held, ready to be committed; the one that was given in is as it was."""

    pad: Scratchpad
    facts: int
    attempts: int
    unflushed: tuple[Unflushed, ...]
    """Identifiers from tools that nobody declared: the range must stay."""
    unverified: int
    """Identifiers that only a computing or repeating tool returned."""
    misfits: tuple[str, ...]
    """Keys whose value was not of the schema's type and was not taken."""

    def guard(self, op: str, start: int, end: int) -> str | None:
        """What forbids an operation on a span; fits ``guard=`` of :func:`reticent.history.compact`."""
        if op in {"strip", "repair"}:
            return None
        return "unflushed-identifier" if any(start <= one.position < end for one in self.unflushed) else None

    def with_guard(self, other: Guard | None) -> Guard:
        """This guard, and the caller's own behind it."""
        behind = other or _allowed
        return lambda op, start, end: self.guard(op, start, end) or behind(op, start, end)


def _allowed(op: str, start: int, end: int) -> None:
    """Forbids nothing."""
    del op, start, end


def flush(
    analysis: Analysis,
    pad: Scratchpad,
    sources: Sources,
    schema: type[BaseModel] | None = None,
    *,
    end: int,
    progress: Progress = silent,
) -> Flushed:
    """Take what the entries before ``end`` say into ``pad``: facts, then attempts."""
    entries = analysis.entries[:end]
    found = exchanges_in(entries, analysis.shape, analysis.context)
    # Our own stand-in looks like a tool's result, and a model wrote it.
    exchanges = [one for one in found if one.answered and one.tool != TOOL]
    facts, misfits = _facts(exchanges, sources, schema)
    with_facts = pad.with_facts(facts)
    progress(Step.FACTS)
    with_both = with_facts.with_attempts(list(_attempts(exchanges, sources)))
    progress(Step.ATTEMPTS)
    unflushed, unverified = _left(exchanges, sources, with_both)
    return Flushed(
        pad=with_both,
        facts=len(with_both.facts) - len(pad.facts),
        attempts=len(with_both.attempts) - len(pad.attempts),
        unflushed=unflushed,
        unverified=unverified,
        misfits=misfits,
    )


def record(pad: Scratchpad, fact: Fact, exchange: Exchange, sources: Sources) -> Scratchpad:
    """Put one fact into ``pad``, checked against the result it names.

    Raises:
        UnsourcedValue: the tool is not declared external, or that result does not hold the literal.
    """
    tool = sources.tool(exchange.tool)
    if tool is None or tool.kind is not ToolKind.EXTERNAL:
        raise UnsourcedValue("the tool is not declared as an external source")
    if (fact.tool, fact.call_id) != (exchange.tool, exchange.call_id):
        raise UnsourcedValue("the fact names another call than the one it was checked against")
    if exchange.failed or not _holds(exchange.body, fact.literal):
        raise UnsourcedValue("the literal does not stand in the result that the fact names")
    return pad.with_facts([fact])


def _facts(
    exchanges: Sequence[Exchange], sources: Sources, schema: type[BaseModel] | None
) -> tuple[list[Fact], tuple[str, ...]]:
    facts: list[Fact] = []
    misfits: list[str] = []
    for exchange in exchanges:
        tool = sources.tool(exchange.tool)
        if tool is None or tool.kind is not ToolKind.EXTERNAL:
            continue
        facts += [_fact(_key(found), found, exchange) for found in sources.identifiers_in(exchange.body)]
        for column, literal in () if schema is None or exchange.failed else taken(exchange, schema):
            if literal and fits(column, literal) and _holds(exchange.body, literal):
                facts.append(_fact(column.key, literal, exchange))
            else:
                misfits.append(column.key)
    return facts, tuple(dict.fromkeys(misfits))


def _fact(key: str, literal: str, exchange: Exchange) -> Fact:
    return Fact(key=key, literal=literal, tool=exchange.tool, call_id=exchange.call_id, position=exchange.position)


def _key(literal: str) -> str:
    """Each identifier is a key of its own, by digest: keys stand in reports, and identifiers must not."""
    return IDENTIFIER + hashlib.sha256(literal.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _holds(body: str, literal: str) -> bool:
    """Whether the literal stands in the body, as it is or as JSON spells it."""
    spellings = (literal, json.dumps(literal, ensure_ascii=False)[1:-1], json.dumps(literal)[1:-1])
    return any(spelling in body for spelling in spellings)


def _attempts(exchanges: Iterable[Exchange], sources: Sources) -> Iterable[Attempt]:
    for exchange in exchanges:
        outcome = outcome_of(exchange, sources)
        if outcome:
            arguments = canonical(exchange.arguments)
            yield Attempt(
                tool=exchange.tool,
                arguments=arguments,
                digest=hashlib.sha256(arguments.encode()).hexdigest()[:16],
                outcome=outcome,
                call_id=exchange.call_id,
                position=exchange.position,
            )


def outcome_of(exchange: Exchange, sources: Sources) -> str:
    """How a call ended when it ended badly: ``404`` and the like, ``error`` or ``empty``; ``""`` when it did not."""
    if exchange.failed:
        code = _CODE.search(exchange.body)
        return code.group(1) if code else "error"
    if not exchange.body.strip():
        return "empty"
    tool = sources.tool(exchange.tool)
    return "empty" if _is_empty(exchange, tool.found if tool is not None else "") else ""


def _is_empty(exchange: Exchange, pointer: str) -> bool:
    value: Any = exchange.value()
    if value is None:
        return exchange.body.strip() == "null"
    try:
        found = pointed(value, pointer)
    except (KeyError, IndexError, ValueError, TypeError):
        return True
    return found is None or (isinstance(found, str | list | dict) and not found)


def _left(exchanges: Sequence[Exchange], sources: Sources, pad: Scratchpad) -> tuple[tuple[Unflushed, ...], int]:
    known = set(pad.literals)
    left: list[Unflushed] = []
    unverified = 0
    for exchange in exchanges:
        tool = sources.tool(exchange.tool)
        for found in sources.identifiers_in(exchange.body):
            if found in known:
                continue
            if tool is None:
                left.append(Unflushed(position=exchange.position, tool=exchange.tool, length=len(found)))
            elif tool.kind is not ToolKind.EXTERNAL:
                unverified += 1
    return tuple(left), unverified
