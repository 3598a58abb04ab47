"""The operations of a store in SQL, once for SQLite and PostgreSQL, waiting and awaited.

A request is a statement with its parameters, its answer the rows. One table holds the head of a task while it lives
and its receipt afterwards, so that no race can bring a finished task back: the data key is a column that becomes null.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from reticent.errors import ConfigurationError, TaskFinished, UnknownTask
from reticent.store._operations import step
from reticent.store.records import Receipt, State, TaskRow, TurnRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reticent.store._flow import Flow

SCHEMA_VERSION: Final = 1
LIVE: Final = "live"

_HEAD: Final = "tenant, task, key_id, wrapped, turns, sequence, created, deadline"
_WORDS: Final = {
    "@head": _HEAD,
    "@h.head": ", ".join(f"h.{name}" for name in _HEAD.split(", ")),
    "@one": "tenant = ? AND task = ?",
}


class Statement(NamedTuple):
    """One statement, with ``?`` for each parameter and ``@`` in front of words that stand for others."""

    text: str
    parameters: tuple[Any, ...] = ()

    @property
    def sql(self) -> str:
        """The statement with its words spelt out."""
        return _spelled(self.text)


@cache
def _spelled(text: str) -> str:
    for word, meaning in _WORDS.items():
        text = text.replace(word, meaning)
    return text


@dataclass(frozen=True, slots=True)
class SqlOperations:
    """Operations over the tables ``reticent_*``; ``blob`` and ``real`` are the database's names for the types."""

    blob: str
    real: str
    prologue: tuple[str, ...] = ()
    """Statements that keep two processes from making the tables at once."""

    def prepare(self) -> Flow[None]:
        """See ``Operations.prepare``."""
        for sql in (*self.prologue, *self._tables()):
            yield Statement(sql)
        rows = yield Statement("SELECT version FROM reticent_schema")
        if not rows:
            yield Statement("INSERT INTO reticent_schema (version) VALUES (?)", (SCHEMA_VERSION,))
        elif rows[0][0] != SCHEMA_VERSION:
            raise ConfigurationError(f"the store has schema {rows[0][0]}; this release reads {SCHEMA_VERSION}")

    def _tables(self) -> tuple[str, ...]:
        return (
            "CREATE TABLE IF NOT EXISTS reticent_schema (version INTEGER NOT NULL)",
            f"""CREATE TABLE IF NOT EXISTS reticent_tasks (
                tenant TEXT NOT NULL, task TEXT NOT NULL, state TEXT NOT NULL, key_id TEXT NOT NULL,
                wrapped {self.blob},
                turns BIGINT NOT NULL, sequence BIGINT NOT NULL, created {self.real} NOT NULL, deadline {self.real},
                finished {self.real}, wiped INTEGER NOT NULL, PRIMARY KEY (tenant, task))""",
            f"""CREATE TABLE IF NOT EXISTS reticent_turns (
                tenant TEXT NOT NULL, task TEXT NOT NULL, turn BIGINT NOT NULL, sequence BIGINT NOT NULL,
                carriers BIGINT NOT NULL, dialect TEXT NOT NULL, sealed {self.blob} NOT NULL,
                created {self.real} NOT NULL, PRIMARY KEY (tenant, task, turn))""",
            f"""CREATE TABLE IF NOT EXISTS reticent_anchors (
                tenant TEXT NOT NULL, anchor {self.blob} NOT NULL, task TEXT NOT NULL,
                PRIMARY KEY (tenant, anchor, task))""",
            "CREATE INDEX IF NOT EXISTS reticent_anchors_task ON reticent_anchors (tenant, task)",
            "CREATE INDEX IF NOT EXISTS reticent_tasks_state ON reticent_tasks (state, deadline)",
        )

    def head(self, tenant: str, task: str) -> Flow[TaskRow]:
        """See ``Operations.head``."""
        rows = yield Statement("SELECT @head FROM reticent_tasks WHERE @one AND state = ?", (tenant, task, LIVE))
        if not rows:
            yield from _refuse(tenant, task)
        return _head(rows[0])

    def read(self, tenant: str, task: str) -> Flow[tuple[TaskRow, tuple[TurnRow, ...]]]:
        """See ``Operations.read``: one statement, so that head and turns are of one moment."""
        rows = yield Statement(
            "SELECT @h.head, t.turn, t.sequence, t.carriers, t.dialect, t.sealed, t.created FROM reticent_tasks h "
            "LEFT JOIN reticent_turns t ON t.tenant = h.tenant AND t.task = h.task "
            "WHERE h.tenant = ? AND h.task = ? AND h.state = ? ORDER BY t.turn",
            (tenant, task, LIVE),
        )
        if not rows:
            yield from _refuse(tenant, task)
        turns = tuple(
            TurnRow(row[8], row[9], row[10], row[11], bytes(row[12]), row[13]) for row in rows if row[8] is not None
        )
        return _head(rows[0]), turns

    def append(self, head: TaskRow, turn: TurnRow, anchors: Sequence[bytes]) -> Flow[bool]:
        """See ``Operations.append``."""
        step("append: begin")
        rows = yield self._first(head, turn) if head.turns == 0 else self._next(head, turn)
        if not rows:
            return False
        step("append: head")
        yield Statement(
            "INSERT INTO reticent_turns (tenant, task, turn, sequence, carriers, dialect, sealed, created) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (head.tenant, head.task, turn.turn, turn.sequence, turn.carriers, turn.dialect, turn.sealed, turn.created),
        )
        step("append: turn")
        for anchor in anchors:
            yield Statement(
                "INSERT INTO reticent_anchors (tenant, anchor, task) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (head.tenant, anchor, head.task),
            )
        step("append: anchors")
        return True

    def _first(self, head: TaskRow, turn: TurnRow) -> Statement:
        return Statement(
            "INSERT INTO reticent_tasks (@head, state, wiped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0) "
            "ON CONFLICT DO NOTHING RETURNING turns",
            (head.tenant, head.task, head.key_id, head.wrapped, 1, turn.carriers, head.created, head.deadline, LIVE),
        )

    def _next(self, head: TaskRow, turn: TurnRow) -> Statement:
        return Statement(
            "UPDATE reticent_tasks SET turns = ?, sequence = ?, deadline = ? WHERE @one AND state = ? AND turns = ? "
            "RETURNING turns",
            (
                turn.turn,
                turn.sequence + turn.carriers,
                head.deadline,
                head.tenant,
                head.task,
                LIVE,
                head.turns,
            ),
        )

    def finish(self, tenant: str, task: str, state: State, now: float, due_by: float | None) -> Flow[Receipt]:
        """See ``Operations.finish``: the key goes first, then the rows, in one transaction."""
        step("finish: begin")
        rows = yield Statement(
            "UPDATE reticent_tasks SET state = ?, wrapped = NULL, finished = ? WHERE @one AND state = ? "
            "AND (? = 0 OR deadline <= ?) RETURNING turns, sequence, key_id",
            (state, now, tenant, task, LIVE, int(due_by is not None), due_by or 0.0),
        )
        if not rows:
            yield from _refuse(tenant, task)
        step("finish: key")
        yield Statement("DELETE FROM reticent_turns WHERE @one", (tenant, task))
        step("finish: turns")
        yield Statement("DELETE FROM reticent_anchors WHERE @one", (tenant, task))
        step("finish: anchors")
        turns, carriers, key_id = rows[0]
        return Receipt(tenant, task, state, now, turns, carriers, key_id, wiped=False)

    def live(self, tenant: str | None) -> Flow[tuple[TaskRow, ...]]:
        """See ``Operations.live``."""
        rows = yield Statement(
            "SELECT @head FROM reticent_tasks WHERE state = ? AND (? = 0 OR tenant = ?) ORDER BY created, tenant, task",
            (LIVE, int(tenant is not None), tenant or ""),
        )
        return tuple(map(_head, rows))

    def due(self, now: float) -> Flow[tuple[tuple[str, str], ...]]:
        """See ``Operations.due``."""
        rows = yield Statement("SELECT tenant, task FROM reticent_tasks WHERE state = ? AND deadline <= ?", (LIVE, now))
        return tuple((row[0], row[1]) for row in rows)

    def rewrap(self, head: TaskRow, key_id: str, wrapped: bytes) -> Flow[bool]:
        """See ``Operations.rewrap``."""
        rows = yield Statement(
            "UPDATE reticent_tasks SET key_id = ?, wrapped = ? WHERE @one AND state = ? AND key_id = ? RETURNING turns",
            (key_id, wrapped, head.tenant, head.task, LIVE, head.key_id),
        )
        return bool(rows)

    def find(self, tenant: str, anchors: Sequence[bytes]) -> Flow[str | None]:
        """See ``Operations.find``."""
        if not anchors:
            return None
        found: dict[tuple[float, str], int] = {}
        for anchor in anchors:
            rows = yield Statement(
                "SELECT h.created, a.task FROM reticent_anchors a JOIN reticent_tasks h "
                "ON h.tenant = a.tenant AND h.task = a.task WHERE a.tenant = ? AND a.anchor = ? AND h.state = ?",
                (tenant, anchor, LIVE),
            )
            for created, task in rows:
                found[created, task] = found.get((created, task), 0) + 1
        return latest(found)

    def unwiped(self) -> Flow[tuple[tuple[str, str], ...]]:
        """See ``Operations.unwiped``."""
        rows = yield Statement("SELECT tenant, task FROM reticent_tasks WHERE state <> ? AND wiped = 0", (LIVE,))
        return tuple((row[0], row[1]) for row in rows)

    def wiped(self, ended: Sequence[tuple[str, str]]) -> Flow[None]:
        """See ``Operations.wiped``."""
        for tenant, task in ended:
            yield Statement("UPDATE reticent_tasks SET wiped = 1 WHERE @one AND state <> ?", (tenant, task, LIVE))


def _head(row: Sequence[Any]) -> TaskRow:
    tenant, task, key_id, wrapped, turns, sequence, created, deadline = row[:8]
    return TaskRow(tenant, task, key_id, bytes(wrapped), turns, sequence, created, deadline)


def _refuse(tenant: str, task: str) -> Flow[NoReturn]:
    """Say why a task is not live.

    Raises:
        UnknownTask, TaskFinished: always one of them.
    """
    rows = yield Statement("SELECT state, finished FROM reticent_tasks WHERE @one AND state <> ?", (tenant, task, LIVE))
    raise refusal(task, rows[0][0] if rows else None, rows[0][1] if rows else 0.0)


def latest(found: Mapping[tuple[float, str], int]) -> str | None:
    """Of tasks by creation time and name, with how often each was found, the one found most, and then the latest."""
    return max(found, key=lambda name: (found[name], name), default=(0.0, None))[1]


def refusal(task: str, state: str | None, finished: float) -> UnknownTask | TaskFinished:
    """Why ``task`` cannot be used: nobody knows it, or it ended in ``state``."""
    if state is None or state == LIVE:
        return UnknownTask(f"no task {task!r} of this tenant holds anything; check its name, or hold a turn first")
    said = f"task {task!r} is {state} and what it held is erased; start a task of another name"
    return TaskFinished(said, state=state, finished=finished)
