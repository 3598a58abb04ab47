"""From a table to evidence: one statement for each condition that asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import time
from typing import TYPE_CHECKING

from reticent.errors import ConfigurationError
from reticent.evidence import EvidenceFile, SigningKey, Statement
from reticent.verify.looking import TIMEOUT_SECONDS, Look, look
from reticent.verify.probing import Finding, Probe, find_probe

if TYPE_CHECKING:
    from reticent.surfaces import SurfaceTable


def verify(
    table: SurfaceTable,
    *,
    key: SigningKey,
    before: EvidenceFile | None = None,
    timeout: float = TIMEOUT_SECONDS,
    find: Callable[[str], Probe] = find_probe,
) -> EvidenceFile:
    """Run every probe that ``table`` names, and sign what they found.

    ``before`` is the last evidence for this table: where an outcome is the same, it has been so since then.

    Raises:
        ConfigurationError: the table names no signer with this key, or asks for no evidence.
    """
    signer = key.signer_in(table)
    statements = state(table, before=before, timeout=timeout, find=find)
    return key.sign(EvidenceFile(table.digest, statements), signer)


def state(
    table: SurfaceTable,
    *,
    before: EvidenceFile | None = None,
    timeout: float = TIMEOUT_SECONDS,
    find: Callable[[str], Probe] = find_probe,
) -> tuple[Statement, ...]:
    """The same without a signature: what holds now, and what does not, in the order of the table.

    Raises:
        ConfigurationError: the table asks for no evidence.
    """
    looks = tuple(_looks(table))
    if not looks:
        raise ConfigurationError("no condition of the table asks for evidence; see docs/evidence.md")
    findings = look(looks, timeout=timeout, find=find)
    known = _known(table, before)
    now = int(time())
    return tuple(_statement(one, findings[one.key], known.get(one.key), now) for one in looks)


def _looks(table: SurfaceTable) -> Iterable[Look]:
    for surface, row in table.surfaces.items():
        for name, claim in row.conditions.items():
            if claim.evidence is not None:
                yield Look((surface, name), claim.evidence.probe, claim.evidence.settings)


def _known(table: SurfaceTable, before: EvidenceFile | None) -> Mapping[tuple[str, ...], Statement]:
    if before is None or before.table != table.digest:
        return {}
    return {(said.surface, said.condition): said for said in before.statements}


def _statement(one: Look, finding: Finding, before: Statement | None, now: int) -> Statement:
    """What is said now; an outcome that is as it was has been so since it was first seen."""
    same = before is not None and (before.held, before.probe) == (finding.held, one.probe) and before.since <= now
    return Statement(
        surface=one.key[0],
        condition=one.key[1],
        probe=one.probe,
        held=finding.held,
        observed=now,
        since=before.since if same and before is not None else now,
        code=finding.code,
        detail=finding.detail,
    )
