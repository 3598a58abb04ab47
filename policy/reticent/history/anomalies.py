"""What makes a transcript untrustworthy; every finding keeps everything from its limit on alive.

None is repaired in silence: a repair is an operation of its own, with a record.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AnomalyCode(StrEnum):
    """Stable words for programs."""

    ORDER_UNTRUSTED = "ORDER_UNTRUSTED"
    ORDER_NOT_MONOTONE = "ORDER_NOT_MONOTONE"
    ORPHAN_RESULT = "ORPHAN_RESULT"
    DUPLICATE_OPEN_CALL = "DUPLICATE_OPEN_CALL"
    AMBIGUOUS_PAIRING = "AMBIGUOUS_PAIRING"
    OPEN_CALL_BEFORE_USER = "OPEN_CALL_BEFORE_USER"
    ROLE_GAP = "ROLE_GAP"
    STRAY_CHECKPOINT = "STRAY_CHECKPOINT"
    FOREIGN_CHECKPOINT = "FOREIGN_CHECKPOINT"
    TERMINAL_WITH_OPEN_CALL = "TERMINAL_WITH_OPEN_CALL"
    TASK_ID_MISSING = "TASK_ID_MISSING"
    UNKNOWN_ROLE = "UNKNOWN_ROLE"
    OPAQUE = "OPAQUE"


MEANING = {
    AnomalyCode.ORDER_UNTRUSTED: "the caller cannot vouch for the order",
    AnomalyCode.ORDER_NOT_MONOTONE: "sequence numbers are missing on some entries, repeated or decreasing",
    AnomalyCode.ORPHAN_RESULT: "a result with no open call before it",
    AnomalyCode.DUPLICATE_OPEN_CALL: "one id is opened twice",
    AnomalyCode.AMBIGUOUS_PAIRING: "calls of one name without ids cannot be told apart",
    AnomalyCode.OPEN_CALL_BEFORE_USER: "user text came while a call had neither a result nor an interim one",
    AnomalyCode.ROLE_GAP: "two entries stand beside each other that no provider issues so",
    AnomalyCode.STRAY_CHECKPOINT: "a checkpoint that must stand first, once, does not",
    AnomalyCode.FOREIGN_CHECKPOINT: "a checkpoint that was not issued in this conversation",
    AnomalyCode.TERMINAL_WITH_OPEN_CALL: "the registry says the task has ended, a call of it is open",
    AnomalyCode.TASK_ID_MISSING: "several tasks share the transcript and an entry has no task id",
    AnomalyCode.UNKNOWN_ROLE: "a role that nobody has described",
    AnomalyCode.OPAQUE: "an item that cannot be looked into; nothing may be edited",
}


@dataclass(frozen=True, slots=True, order=True)
class Anomaly:
    """One finding: everything from entry ``limit`` on is live. ``pos`` is where it was seen."""

    limit: int
    pos: int
    code: AnomalyCode

    def to_json(self) -> dict[str, object]:
        """Positions and code; never content."""
        return {"code": self.code.value, "limit": self.limit, "position": self.pos}
