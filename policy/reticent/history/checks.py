"""What must hold between a history and its compaction; a result that fails a check is never handed out.

Each check names a property in words. They run on the finished result, whatever made it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from reticent.history.anomalies import AnomalyCode
from reticent.history.entries import Entry, PartKind, Role
from reticent.history.shapes import value_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.history.boundary import Analysis
    from reticent.history.facts import Profile


def failures(before: Analysis, after: Analysis, old: Sequence[Any], new: Sequence[Any], profile: Profile) -> list[str]:
    """The properties that ``new`` breaks, as stable kebab-case words; empty when it may be handed out."""
    found: list[str] = []
    live = len(old) - before.report.boundary
    if len(new) < live or any(a is not b for a, b in zip(old[len(old) - live :], new[len(new) - live :], strict=True)):
        found.append("live-span-changed")
    found += _pairs(before, after)
    found += _form(before, after)
    found += _kept(before, after)
    if profile.reasoning != "owed-with-calls" and not _is_suffix(_reasoning(before), _reasoning(after)):
        found.append("reasoning-from-the-middle")
    return found


def _pairs(before: Analysis, after: Analysis) -> list[str]:
    def orphans(analysis: Analysis) -> int:
        return sum(anomaly.code is AnomalyCode.ORPHAN_RESULT for anomaly in analysis.report.anomalies)

    found = ["orphan-result"] if orphans(after) > orphans(before) else []
    return [*found, "open-calls-changed"] if before.report.open != after.report.open else found


def _form(before: Analysis, after: Analysis) -> list[str]:
    facts = after.shape.facts
    found: list[str] = []
    if facts.user_first and _starts_well(before.entries) and not _starts_well(after.entries):
        found.append("starts-with-assistant")
    if facts.alternates and _alternates(before.entries) and not _alternates(after.entries):
        found.append("roles-do-not-alternate")
    if not facts.id_optional and _hollow(after.entries) > _hollow(before.entries):
        found.append("empty-assistant-entry")
    return found


def _starts_well(entries: Sequence[Entry]) -> bool:
    first = next((entry for entry in entries if entry.role is not Role.SYSTEM), None)
    if first is None:
        return True
    opened = first.role is Role.USER and not first.has(PartKind.RESULT)
    return opened or first.has(PartKind.CHECKPOINT)


def _alternates(entries: Sequence[Entry]) -> bool:
    roles = [entry.role for entry in entries if entry.role is not Role.SYSTEM]
    return all(a is not b for a, b in pairwise(roles))


def _hollow(entries: Sequence[Entry]) -> int:
    """Assistant entries with nothing but reasoning in them, or nothing at all; an item of the Responses API may be."""
    assistant = (entry for entry in entries if entry.role is Role.ASSISTANT)
    return sum(all(part.kind is PartKind.REASONING for part in entry.parts) for entry in assistant)


def _kept(before: Analysis, after: Analysis) -> list[str]:
    found: list[str] = []
    if _values(before, PartKind.CHECKPOINT) != _values(after, PartKind.CHECKPOINT):
        found.append("checkpoint-changed")
    controls = [entry.raw for entry in before.entries if entry.role is Role.SYSTEM]
    if controls != [entry.raw for entry in after.entries if entry.role is Role.SYSTEM]:
        found.append("standing-text-changed")
    return found


def _values(analysis: Analysis, kind: PartKind) -> list[Any]:
    return [value_at(entry.raw, part.path) for entry in analysis.entries for part in entry.parts if part.kind is kind]


def _reasoning(analysis: Analysis) -> list[Any]:
    return _values(analysis, PartKind.REASONING)


def _is_suffix(whole: list[Any], end: list[Any]) -> bool:
    return len(end) <= len(whole) and whole[len(whole) - len(end) :] == end
