"""How a task ends: key and rows go in one transaction, a receipt stays, and the places they were in are cleaned.

The order is what makes a crash harmless: the receipt is written by the transaction that erases, and says that the store
has not been wiped yet; ``sweep`` does it for every receipt that still says so.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from reticent.errors import StoreError, TaskFinished, UnknownTask
from reticent.store import envelope
from reticent.store._operations import Operation, Operations, Wipe, Work, step
from reticent.store.records import Receipt, State, SweepReport, TaskRow

if TYPE_CHECKING:
    from reticent.store._flow import Flow
    from reticent.store.keys import KeyWrapper


def finish(
    operations: Operations, name: tuple[str, str], state: State, now: float, due_by: float | None = None
) -> Flow[Receipt]:
    """End the task ``(tenant, task)``; see ``Tasks.finish``."""
    receipt: Receipt = yield Operation(operations.finish(*name, state, now, due_by), writes=True)
    wiped = yield from _wipe(operations, (name,), sweeping=False)
    return replace(receipt, wiped=wiped)


def _wipe(operations: Operations, ended: tuple[tuple[str, str], ...], *, sweeping: bool) -> Flow[bool]:
    """Clean up behind tasks that have ended; False when that has to be tried again, which a sweep does."""
    step("wipe: begin")
    try:
        done: bool = yield Wipe(sweeping)
        if done:
            yield Operation(operations.wiped(ended), writes=True)
    except StoreError:
        return False
    return done


def sweep(operations: Operations, now: float) -> Flow[SweepReport]:
    """End what is past its deadline and complete what a crash left; see ``Store.sweep``."""
    expired: list[Receipt] = []
    due: tuple[tuple[str, str], ...] = yield Operation(operations.due(now), writes=False)
    for name in due:
        step("sweep: task")
        try:
            expired.append((yield Operation(operations.finish(*name, "expired", now, now), writes=True)))
        except (UnknownTask, TaskFinished):
            continue  # it went on, or somebody ended it, since the list was made
    ended: tuple[tuple[str, str], ...] = yield Operation(operations.unwiped(), writes=False)
    done = (yield from _wipe(operations, ended, sweeping=True)) if ended else False
    return SweepReport(tuple(replace(receipt, wiped=done) for receipt in expired), len(ended) if done else 0)


def rewrap(operations: Operations, keys: KeyWrapper) -> Flow[int]:
    """Put the data key of every live task under the primary key; see ``Store.rewrap``."""
    count = 0
    heads: tuple[TaskRow, ...] = yield Operation(operations.live(None), writes=False)
    primary: str = (yield Work(lambda: keys.primary)) if heads else ""
    for head in heads:
        if head.key_id != primary:
            key_id, wrapped = yield Work(partial(_under_primary, head, keys))
            count += yield Operation(operations.rewrap(head, key_id, wrapped), writes=True)
    return count


def _under_primary(head: TaskRow, keys: KeyWrapper) -> tuple[str, bytes]:
    at = envelope.place(head.tenant, head.task)
    return keys.wrap(keys.unwrap(head.key_id, head.wrapped, at), at)
