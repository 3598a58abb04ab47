"""The operations of a store in Redis: keys, scripts, and rows as Redis keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, unquote

import orjson

from reticent.errors import ConfigurationError, StoreEvicts, TaskFinished, UnknownTask
from reticent.store import _redis_scripts as scripts
from reticent.store._operations import step
from reticent.store.records import Receipt, State, TaskRow, TurnRow
from reticent.store.sql import LIVE, SCHEMA_VERSION, latest, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.store._flow import Flow

_WAITS: Final = 200
"""How often to look whether the append-only file has been rewritten, every 50 milliseconds."""


class Script(NamedTuple):
    """Run one script."""

    text: str
    keys: tuple[str, ...]
    arguments: tuple[Any, ...] = ()


class Command(NamedTuple):
    """Run one command."""

    words: tuple[Any, ...]


class Pause(NamedTuple):
    """Wait, in seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class RedisOperations:
    """Operations over keys that begin with ``prefix``; ``may_evict`` takes a server that evicts all the same."""

    prefix: str
    may_evict: bool

    def prepare(self) -> Flow[None]:
        """See ``Operations.prepare``.

        Raises:
            StoreEvicts: the server may throw keys away when it is full.
        """
        policy = info((yield Command(("INFO", "memory")))).get("maxmemory_policy", "unknown")
        if policy != "noeviction" and not self.may_evict:
            raise StoreEvicts(
                f"maxmemory-policy is {policy!r}, so live rows could go by themselves; set noeviction, "
                "or say evicting=allow in the address"
            )
        yield Command(("SET", f"{self.prefix}schema", SCHEMA_VERSION, "NX"))
        version = int((yield Command(("GET", f"{self.prefix}schema"))))
        if version != SCHEMA_VERSION:
            raise ConfigurationError(f"the store has schema {version}; this release reads {SCHEMA_VERSION}")

    def head(self, tenant: str, task: str) -> Flow[TaskRow]:
        """See ``Operations.head``."""
        row = yield Script(scripts.READ, self._keys(tenant, task, "task", "turns"), ("head",))
        return _head(_live(task, row))

    def read(self, tenant: str, task: str) -> Flow[tuple[TaskRow, tuple[TurnRow, ...]]]:
        """See ``Operations.read``."""
        row = yield Script(scripts.READ, self._keys(tenant, task, "task", "turns"), ("turns",))
        if not isinstance(row[0], list):
            raise _refusal(task, row)
        return _head(row[0]), tuple(map(_unpacked, row[1]))

    def append(self, head: TaskRow, turn: TurnRow, anchors: Sequence[bytes]) -> Flow[bool]:
        """See ``Operations.append``."""
        step("append: begin")
        keys = (
            *self._keys(head.tenant, head.task, "task", "turns", "held"),
            f"{self.prefix}live",
            *(self._anchor(head.tenant, anchor) for anchor in anchors),
        )
        done = yield Script(
            scripts.APPEND,
            keys,
            (
                head.turns,
                turn.turn,
                turn.sequence + turn.carriers,
                _number(head.deadline),
                _packed(turn),
                _text(head.tenant),
                _text(head.task),
                head.key_id,
                head.wrapped,
                repr(head.created),
                _name(head.tenant, head.task),
            ),
        )
        return bool(done)

    def finish(self, tenant: str, task: str, state: State, now: float, due_by: float | None) -> Flow[Receipt]:
        """See ``Operations.finish``."""
        step("finish: begin")
        keys = (*self._keys(tenant, task, "task", "turns", "held"), f"{self.prefix}live", f"{self.prefix}ended")
        row = yield Script(scripts.FINISH, keys, (state, repr(now), _number(due_by), _name(tenant, task)))
        if row[0] != b"ended":
            raise _refusal(task, row)
        return Receipt(tenant, task, state, now, int(row[2]), int(row[3]), row[4].decode(), wiped=False)

    def live(self, tenant: str | None) -> Flow[tuple[TaskRow, ...]]:
        """See ``Operations.live``."""
        found = yield Script(scripts.LIVE, (f"{self.prefix}live",), (f"{self.prefix}task:", "+inf"))
        heads = sorted(map(_head, found), key=lambda head: (head.created, head.tenant, head.task))
        return tuple(head for head in heads if tenant is None or head.tenant == tenant)

    def due(self, now: float) -> Flow[tuple[tuple[str, str], ...]]:
        """See ``Operations.due``."""
        found = yield Script(scripts.LIVE, (f"{self.prefix}live",), (f"{self.prefix}task:", repr(now)))
        return tuple((head.tenant, head.task) for head in map(_head, found))

    def rewrap(self, head: TaskRow, key_id: str, wrapped: bytes) -> Flow[bool]:
        """See ``Operations.rewrap``."""
        keys = self._keys(head.tenant, head.task, "task")
        return bool((yield Script(scripts.REWRAP, keys, (head.key_id, key_id, wrapped))))

    def find(self, tenant: str, anchors: Sequence[bytes]) -> Flow[str | None]:
        """See ``Operations.find``."""
        keys = tuple(self._anchor(tenant, anchor) for anchor in anchors)
        counted: dict[tuple[float, str], int] = {}
        for created, task in (yield Script(scripts.FIND, keys, (f"{self.prefix}task:",))):
            name = (float(created), task.decode("utf-8", "surrogatepass"))
            counted[name] = counted.get(name, 0) + 1
        return latest(counted)

    def unwiped(self) -> Flow[tuple[tuple[str, str], ...]]:
        """See ``Operations.unwiped``."""
        names = yield Command(("SMEMBERS", f"{self.prefix}ended"))
        return tuple(_names(name.decode()) for name in names)

    def wiped(self, ended: Sequence[tuple[str, str]]) -> Flow[None]:
        """See ``Operations.wiped``."""
        yield Command(("SREM", f"{self.prefix}ended", *(_name(*names) for names in ended)))

    def rewritten(self) -> Flow[bool]:
        """Have the append-only file written anew, without what was deleted, and wait for it; True when it was."""
        if info((yield Command(("INFO", "persistence")))).get("aof_enabled") != "1":
            return True
        yield Command(("BGREWRITEAOF",))
        for _ in range(_WAITS):
            told = info((yield Command(("INFO", "persistence"))))
            if told.get("aof_rewrite_in_progress") == "0" == told.get("aof_rewrite_scheduled"):
                return told.get("aof_last_bgrewrite_status") == "ok"
            yield Pause(0.05)
        return False

    def _keys(self, tenant: str, task: str, *kinds: str) -> tuple[str, ...]:
        name = _name(tenant, task)
        return tuple(f"{self.prefix}{kind}:{name}" for kind in kinds)

    def _anchor(self, tenant: str, anchor: bytes) -> str:
        return f"{self.prefix}anchor:{quote(tenant, safe='', errors='surrogatepass')}/{anchor.hex()}"


def info(answer: Any) -> dict[str, str]:
    """The fields of an INFO answer, which some clients parse and others leave."""
    if isinstance(answer, dict):
        return {str(name): str(value) for name, value in answer.items()}
    lines = bytes(answer).decode().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def _live(task: str, row: Sequence[Any]) -> Sequence[Any]:
    """The row of a live task, as it is.

    Raises:
        UnknownTask, TaskFinished: it is not live.
    """
    if row[0] != LIVE.encode():
        raise _refusal(task, row)
    return row


def _refusal(task: str, row: Sequence[Any]) -> UnknownTask | TaskFinished:
    """Why a task cannot be used, from its state and when it ended."""
    return refusal(task, row[0].decode() or None, float(row[1] or 0.0))


def _head(row: Sequence[Any]) -> TaskRow:
    _, _, tenant, task, key_id, wrapped, turns, sequence, created, deadline = row
    return TaskRow(
        tenant.decode("utf-8", "surrogatepass"),
        task.decode("utf-8", "surrogatepass"),
        key_id.decode(),
        wrapped,
        int(turns),
        int(sequence),
        float(created),
        float(deadline) if deadline else None,
    )


def _packed(turn: TurnRow) -> bytes:
    head = [turn.turn, turn.sequence, turn.carriers, turn.dialect, turn.created]
    return orjson.dumps(head) + b"\n" + turn.sealed


def _unpacked(data: bytes) -> TurnRow:
    head, _, sealed = data.partition(b"\n")
    turn, sequence, carriers, dialect, created = orjson.loads(head)
    return TurnRow(turn, sequence, carriers, dialect, sealed, created)


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _text(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _name(tenant: str, task: str) -> str:
    return "/".join(quote(part, safe="", errors="surrogatepass") for part in (tenant, task))


def _names(name: str) -> tuple[str, str]:
    tenant, task = (unquote(part, errors="surrogatepass") for part in name.split("/"))
    return tenant, task
