"""Every error reticent raises, in one tree.

::

    ReticentError
    ├── ConfigurationError            what somebody wrote is wrong; nothing was filtered
    │   ├── TableError                a surface table that is invalid or disagrees with the proof
    │   ├── PlanError                 a plan that is incomplete, unknown or tampered with
    │   ├── EvidenceRefused           evidence that cannot be read, or was changed after it was signed
    │   ├── UnknownSurface            a surface that the plan does not have
    │   ├── UnknownDialect            a dialect that nobody registered
    │   └── UnknownWire               a stream framing that does not exist
    ├── EngineError                   the policy engine gave no usable decision
    │   ├── EngineUnavailable         away, refused, or not in time
    │   └── EngineAnswerInvalid       answered nothing, null, a hole, or a word nobody knows
    ├── HistoryError                  a history or a task that cannot go on as it was asked to
    │   ├── LiveSpanTouched           an operation reached behind the boundary; nothing was changed
    │   ├── PrefixChanged             settled history was rewritten behind an epoch's back
    │   ├── TaskEnded                 a step of a task that has ended or must close
    │   ├── UnsourcedValue            a value for the scratchpad that no tool's result holds
    │   ├── TenantMismatch            what belongs to one tenant was offered to another's task
    │   └── FoldConflict              another worker folded the same task first
    ├── StoreError                    the task store cannot do what was asked; nothing is half-written
    │   ├── UnknownTask               no task of this name and tenant
    │   ├── TaskFinished              the task is terminal and what it held is erased
    │   ├── NotReplayable             a turn in which no model's message is found
    │   ├── RestoreRefused            a history that no longer fits what was held
    │   ├── StoreUnavailable          the store could not be asked, or not in time
    │   ├── StoreFull                 the store has no room left
    │   ├── StoreEvicts               the store may throw live rows away by itself
    │   ├── KeyUnavailable            the key that a task was wrapped with is not at hand
    │   │   ├── KeyServiceAway        the key service could not be asked, or not in time
    │   │   └── KeyDenied             the key service does not let this caller use the key
    │   └── Tampered                  a row that does not open, or is not where it was written
    └── EgressRefused                 content was not let out; the only safe answer to bad input
        ├── MalformedInput            not the format it was said to be
        ├── InputTooDeep              nested deeper than the limit
        ├── InputTooLarge             longer than the limit
        ├── CyclicInput               a Python value that contains itself
        ├── UnsupportedType           a Python value that has no JSON form
        ├── PermissionEnded           what let reasoning pass has ended meanwhile
        ├── ProducerMismatch          reasoning on its way to a system that did not produce it, or altered
        └── DialectFailure            a bug in a dialect; the payload is withheld

No message, ``repr`` or attribute of any of them holds payload text: they name the kind, the place and the length.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class ReticentError(Exception):
    """Root of the tree; ``code`` is a stable kebab-case word for programs."""

    code = "error"


class ConfigurationError(ReticentError):
    """What somebody configured is wrong; raised at start, never for a single payload."""

    code = "configuration"


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong with a table.

    ``line`` and ``column`` count from 1, 0 when the table did not come from a file. ``path`` is dotted
    (``surfaces.logs.verdict``). ``fix`` is one line that says what to write instead, possibly empty.
    """

    file: str
    line: int
    column: int
    path: str
    code: str
    message: str
    fix: str = ""

    def __str__(self) -> str:
        """``file:line:column: code: message (fix)``, as editors and CI parse it."""
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        tail = f" ({self.fix})" if self.fix else ""
        return f"{where}: {self.code}: {self.message}{tail}"


class TableError(ConfigurationError):
    """Every fault of a table at once, sorted by place."""

    code = "table-invalid"

    def __init__(self, faults: Sequence[Fault]) -> None:
        """Keep ``faults`` sorted, so that output is stable."""
        self.faults = tuple(sorted(faults))
        super().__init__("\n".join(str(fault) for fault in self.faults))


class PlanError(ConfigurationError):
    """A plan that cannot be trusted: unknown version, wrong digest, missing surface."""

    code = "plan-invalid"


class EvidenceRefused(ConfigurationError):
    """Evidence that is not what somebody signed, or that cannot be read at all."""

    code = "evidence-refused"


class _UnknownName(ConfigurationError):
    kind = "name"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown {self.kind} {name!r}.{did_you_mean(name, self.known)}")


class UnknownSurface(_UnknownName):
    """A surface name that the plan does not decide."""

    code = "unknown-surface"
    kind = "surface"


class UnknownDialect(_UnknownName):
    """A dialect id that neither reticent nor an installed package registered."""

    code = "unknown-dialect"
    kind = "dialect"


class UnknownWire(_UnknownName):
    """A stream framing that does not exist."""

    code = "unknown-wire"
    kind = "wire"


class EngineError(ReticentError):
    """The engine that decides the table gave nothing to rely on."""

    code = "engine"


class EngineUnavailable(EngineError):
    """The engine could not be asked: not there, refused, or too slow."""

    code = "engine-unavailable"


class EngineAnswerInvalid(EngineError):
    """The engine answered, but not with a whole plan made of known words."""

    code = "engine-answer-invalid"


class HistoryError(ReticentError):
    """A history or a task cannot go on as it was asked to; nothing was altered."""

    code = "history"


class LiveSpanTouched(HistoryError):
    """An operation asked for a change behind the boundary: a fault in the operation."""

    code = "live-span-touched"


class PrefixChanged(HistoryError):
    """The original history changed in its settled part; start a new epoch from it."""

    code = "prefix-changed"


class TaskEnded(HistoryError):
    """A step was asked of a task that has ended or has to close."""

    code = "task-ended"


class UnsourcedValue(HistoryError):
    """A value was offered to a scratchpad that no recorded result of an external tool holds."""

    code = "unsourced-value"


class TenantMismatch(HistoryError):
    """A scratchpad, a summariser or an original of one tenant met a task of another."""

    code = "tenant-mismatch"


class FoldConflict(HistoryError):
    """Another worker committed a fold of the same task first; read it and go on from there."""

    code = "fold-conflict"


class StoreError(ReticentError):
    """The task store cannot do what it was asked to; nothing is half-written."""

    code = "store"


class UnknownTask(StoreError):
    """No task of this name is held for this tenant; a task of another tenant is unknown too."""

    code = "unknown-task"


class TaskFinished(StoreError):
    """The task is terminal: what it held is erased. Start a new task, or go on without its reasoning.

    ``state`` is the terminal state that was recorded, ``finished`` when, in seconds since 1970.
    """

    code = "task-finished"

    def __init__(self, message: str, *, state: str = "", finished: float = 0.0) -> None:
        self.state = state
        self.finished = finished
        super().__init__(message)


class NotReplayable(StoreError):
    """No message of a model was found where one can be put back into a history; nothing was kept."""

    code = "not-replayable"


class RestoreRefused(StoreError):
    """A history that no longer fits what was held; the producer would refuse it or misread it.

    ``reason`` is a stable kebab-case word, ``path`` where in the history (``messages.3``); content is never told.
    """

    code = "restore-refused"

    def __init__(self, message: str, *, reason: str = "", path: str = "") -> None:
        self.reason = reason
        self.path = path
        super().__init__(message)


class StoreUnavailable(StoreError):
    """The store could not be asked, or did not answer in time; nothing was acknowledged, so try again."""

    code = "store-unavailable"


class StoreFull(StoreError):
    """The store has no room left; nothing was written."""

    code = "store-full"


class StoreEvicts(StoreError):
    """The store is set up to throw rows away by itself, which would lose reasoning of live tasks."""

    code = "store-evicts"


class KeyUnavailable(StoreError):
    """The key-encryption key of a task is not at hand, or is another one."""

    code = "key-unavailable"


class KeyServiceAway(KeyUnavailable):
    """The key service could not be asked, or did not answer in time; nothing was acknowledged, so try again."""

    code = "key-service-away"


class KeyDenied(KeyUnavailable):
    """The key service does not let this caller use the key; trying again changes nothing."""

    code = "key-denied"


class Tampered(StoreError):
    """A row that does not open where it stands: altered, swapped, or missing."""

    code = "tampered"


class EgressRefused(ReticentError):
    """Nothing left: the content could not be proved free of reasoning."""

    code = "egress-refused"


class MalformedInput(EgressRefused):
    """The payload is not valid in the format it was taken for."""

    code = "malformed-input"


class InputTooDeep(EgressRefused):
    """The payload nests deeper than the configured limit."""

    code = "input-too-deep"


class InputTooLarge(EgressRefused):
    """The payload is longer than the configured limit."""

    code = "input-too-large"


class CyclicInput(EgressRefused):
    """A Python value contains itself."""

    code = "cyclic-input"


class UnsupportedType(EgressRefused):
    """A Python value has no JSON form."""

    code = "unsupported-type"


class PermissionEnded(EgressRefused):
    """Evidence or an exception that let reasoning pass has ended; go on under a plan of today."""

    code = "permission-ended"


class ProducerMismatch(EgressRefused):
    """Opaque reasoning did not come back byte-exact, or would go to a foreign system."""

    code = "producer-mismatch"


class DialectFailure(EgressRefused):
    """A dialect raised; what it looked at is withheld."""

    code = "dialect-failure"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` when something in ``known`` is close to ``name``, else an empty string."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
