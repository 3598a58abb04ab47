"""What ``Tasks`` and ``AsyncTasks`` do, without saying whether they wait."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from reticent.errors import ConfigurationError, MalformedInput, PermissionEnded, StoreUnavailable, Tampered, UnknownTask
from reticent.serializers import cutting
from reticent.serializers.ageing import AgeingSerializer
from reticent.serializers.plain import plain
from reticent.serializers.serializer import StripSerializer
from reticent.store import envelope, erasing, messages
from reticent.store._operations import Operation, Operations, Work
from reticent.store.holding import Held, Taken
from reticent.store.records import Receipt, TaskRow, TurnInfo, TurnRow, terminal_state
from reticent.store.restoring import Restoring, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import timedelta

    from reticent.compiler.plan import Plan
    from reticent.serializers import Serializer
    from reticent.serializers.program import Program
    from reticent.store._flow import Flow
    from reticent.store.keys import KeyWrapper
    from reticent.store.stores import Clock

MAX_NAME: Final = 256
"""Characters in the name of a task or a tenant."""

_ATTEMPTS: Final = 100
"""How often a turn is written anew because another turn of the same task came in between."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a store lends to its tasks."""

    operations: Operations
    keys: KeyWrapper
    clock: Clock


@dataclass(frozen=True, slots=True)
class Options:
    """What is fixed when tasks are opened: whose they are, what is held, how long without a turn (seconds)."""

    tenant: str
    surface: str
    program: Program
    lifetime: float | None
    kept: Serializer

    def refuse_closed(self) -> None:
        """Stop when the store may hold no reasoning any more, because the evidence for that is too old.

        Raises:
            PermissionEnded: nothing is held; open tasks with a plan that was compiled with fresh evidence.
        """
        if not self.kept.passes:
            raise PermissionEnded("the task store may not hold reasoning any more: verify the table, and load the plan")


def options(plan: Plan, tenant: str, *, surface: str, store_surface: str, lifetime: timedelta | None) -> Options:
    """The options of tasks.

    Raises:
        UnknownSurface: the plan has no such surface.
        ConfigurationError: the table says strip of ``store_surface``, or pass of ``surface``; or nobody is the tenant.
    """
    kept = plan.serializer(store_surface)
    if not kept.passes:
        raise ConfigurationError(f"surface {store_surface!r} is strip: the table lets no reasoning rest in a store")
    shown = plan.serializer(surface)
    shown = shown.current if isinstance(shown, AgeingSerializer) else shown
    if not isinstance(shown, StripSerializer):
        raise ConfigurationError(
            f"surface {surface!r} is pass: its readers have the reasoning; there is nothing to hold"
        )
    _check_name(tenant)
    return Options(tenant, surface, shown.program, None if lifetime is None else lifetime.total_seconds(), kept)


class TaskFlows:
    """The flows of one tenant's tasks."""

    def __init__(self, context: Context, told: Options) -> None:
        """Serve the tasks of ``told.tenant`` in the store of ``context``."""
        self._operations = context.operations
        self._keys = context.keys
        self._clock = context.clock
        self._told = told
        self.tenant: Final = told.tenant

    def hold(self, task: str, turn: Any, model: str | None, request: Any) -> Flow[Any]:
        """See ``Tasks.hold``."""
        _check_name(task)
        self._told.refuse_closed()
        taken = Taken(self._told.surface, self._told.program, turn)
        for _ in range(_ATTEMPTS):
            head, key = yield from self._head(task)
            held = self._held(taken, key, model, request)
            row = self._row(head, key, held)
            anchors = [self._anchor(name) for name in dict.fromkeys(held.anchors)]
            if (yield Operation(self._operations.append(head, row, anchors), writes=True)):
                return taken.visible
        raise StoreUnavailable(f"turns of task {task!r} came in too fast to be numbered; nothing was kept, try again")

    def _head(self, task: str) -> Flow[tuple[TaskRow, bytes]]:
        """The head of the task and its data key; of a new task, which is not written yet, new ones."""
        at = envelope.place(self.tenant, task)
        now = self._clock()
        deadline = None if self._told.lifetime is None else now + self._told.lifetime
        try:
            head: TaskRow = yield Operation(self._operations.head(self.tenant, task), writes=False)
        except UnknownTask:
            key = envelope.new_data_key()
            key_id, wrapped = yield Work(lambda: self._keys.wrap(key, at))
            return TaskRow(self.tenant, task, key_id, wrapped, 0, 0, now, deadline), key
        key = yield Work(lambda: self._keys.unwrap(head.key_id, head.wrapped, at))
        return replace(head, deadline=head.deadline if deadline is None else deadline), key

    def _held(self, taken: Taken, key: bytes, model: str | None, request: Any) -> Held:
        restoring = Restoring((), envelope.digest_key(key), self._told.program)
        told = restoring.answered(request) if request is not None else None
        held = taken.held(restoring.key, model or taken.model or _model(request))
        if told is not None:
            held.position, held.prefix, held.around = told
        return held

    def _row(self, head: TaskRow, key: bytes, held: Held) -> TurnRow:
        turn = head.turns + 1
        at = envelope.place(self.tenant, head.task, turn, head.sequence)
        sealed = envelope.seal(key, held.to_bytes(), at)
        return TurnRow(turn, head.sequence, len(held.carriers), held.dialect, sealed, self._clock())

    def _anchor(self, name: str) -> bytes:
        told = b"\0".join((self.tenant.encode("utf-8", "surrogatepass"), name.encode("utf-8", "surrogatepass")))
        return hashlib.sha256(told).digest()[:16]

    def restore(self, task: str, history: Any) -> Flow[Any]:
        """See ``Tasks.restore``."""
        head, rows = yield Operation(self._operations.read(self.tenant, task), writes=False)
        _check_order(head, rows)
        at = envelope.place(self.tenant, task)
        key = yield Work(lambda: self._keys.unwrap(head.key_id, head.wrapped, at))
        turns = [self._opened(task, key, row) for row in rows]
        return Restoring(turns, envelope.digest_key(key), self._told.program)(history)

    def _opened(self, task: str, key: bytes, row: TurnRow) -> Held:
        at = envelope.place(self.tenant, task, row.turn, row.sequence)
        return Held.from_bytes(envelope.unseal(key, row.sealed, at))

    def turns(self, task: str) -> Flow[tuple[TurnInfo, ...]]:
        """See ``Tasks.turns``."""
        head, rows = yield Operation(self._operations.read(self.tenant, task), writes=False)
        _check_order(head, rows)
        return tuple(
            TurnInfo(row.turn, row.sequence, row.carriers, row.dialect, len(row.sealed), row.created) for row in rows
        )

    def finish(self, task: str, state: str) -> Flow[Receipt]:
        """See ``Tasks.finish``."""
        return (yield from erasing.finish(self._operations, (self.tenant, task), terminal_state(state), self._clock()))

    def find(self, history: Any) -> Flow[str | None]:
        """See ``Tasks.find``."""
        anchors = [self._anchor(name) for name in dict.fromkeys(_names(history))]
        found: str | None = yield Operation(self._operations.find(self.tenant, anchors), writes=False)
        return found


def _check_name(name: str) -> None:
    """Refuse the name of a task or a tenant that not every back end can keep.

    Raises:
        MalformedInput: it is empty, too long, or has characters that are none.
    """
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise MalformedInput(f"a name has 1 to {MAX_NAME} printable characters, this one has {len(name)} of any kind")


def _check_order(head: TaskRow, rows: Sequence[TurnRow]) -> None:
    """Show that no row is missing, twice there or out of order.

    Raises:
        Tampered: one is.
    """
    sequence = 0
    for turn, row in enumerate(rows, start=1):
        if (row.turn, row.sequence) != (turn, sequence):
            break
        sequence += row.carriers
    else:
        if (len(rows), sequence) == (head.turns, head.sequence):
            return
    raise Tampered(
        f"task {head.task!r} has {len(rows)} turns that do not follow one another; it should have {head.turns}"
    )


def _model(request: Any) -> str | None:
    """The model that a request names."""
    value = request if isinstance(request, dict) else {}
    if isinstance(request, str | bytes | bytearray | memoryview):
        value = cutting.parse(request.encode() if isinstance(request, str) else bytes(request))
    model = value.get("model") if isinstance(value, dict) else None
    return model if isinstance(model, str) else None


def _names(history: Any) -> Iterator[str]:
    """The ids of messages, items and calls in a history."""
    raw = history.encode("utf-8", "surrogatepass") if isinstance(history, str) else history
    value = cutting.parse(bytes(raw)) if isinstance(raw, bytes | bytearray | memoryview) else plain(raw)
    found = listed(value)
    for entry in found[1] if found is not None else ():
        if messages.is_unit(entry):
            named = entry.get("id")
            yield from [named] if isinstance(named, str) and named else []
            yield from (piece.call for piece in messages.pieces(entry) if piece.call)
