"""What the task store costs: ``python tests/benchmarks/bench_store.py``.

Hold and restore of one turn beside a plain INSERT and SELECT of the same bytes in the same back end and the same run.
Wall time, because a store mostly waits: the median of rounds that take turns. PostgreSQL and Redis are measured when
RETICENT_BENCH_POSTGRES and RETICENT_BENCH_REDIS name a server; SQLite always is. Then the processor time of a restore
of histories of several lengths, which has no plain counterpart.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import reticent
from reticent.store import Keyset, Tasks, open_store

_ROUNDS = 60


def turn(number: int) -> dict[str, Any]:
    """An answer of about two kilobytes, most of it reasoning."""
    thought = {"type": "thinking", "thinking": "Some thoughts of a model. " * 40, "signature": "c2lnbmF0dXJl" * 60}
    call = {"type": "tool_use", "id": f"toolu_{number}", "name": "look_up", "input": {"order": number}}
    return {"role": "assistant", "content": [thought, {"type": "text", "text": "Let me look."}, call]}


def medians(candidates: dict[str, Callable[[int], Any]]) -> dict[str, float]:
    """Microseconds of each candidate."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(_ROUNDS):
        for name, call in candidates.items():
            began = time.perf_counter()
            call(number)
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(found) * 1e6 for name, found in times.items()}


def held(tasks: Tasks) -> dict[str, Callable[[int], Any]]:
    """Hold and restore of one turn, each in a task of its own."""
    shown: dict[int, Any] = {}

    def hold(number: int) -> None:
        shown[number] = tasks.hold(f"task-{number}", turn(number))

    return {"hold": hold, "restore": lambda number: tasks.restore(f"task-{number}", [shown[number]])}


def sqlite_plain(folder: Path) -> dict[str, Callable[[int], Any]]:
    """The same bytes in a table, as durable and as erasable as the store's."""
    connection = sqlite3.connect(folder / "plain.db", isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE turns (task TEXT PRIMARY KEY, body BLOB)")
    return {
        "INSERT": lambda number: connection.execute("INSERT INTO turns VALUES (?, ?)", (f"{number}", _body(number))),
        "SELECT": lambda number: connection.execute("SELECT body FROM turns WHERE task = ?", (f"{number}",)).fetchall(),
    }


def postgres_plain(url: str) -> dict[str, Callable[[int], Any]]:
    """The same bytes in a table."""
    import psycopg

    connection = psycopg.connect(url, autocommit=True)
    connection.execute("CREATE TABLE IF NOT EXISTS bench_turns (task TEXT PRIMARY KEY, body BYTEA)")
    connection.execute("TRUNCATE bench_turns")
    insert, select = "INSERT INTO bench_turns VALUES (%s, %s)", "SELECT body FROM bench_turns WHERE task = %s"
    return {
        "INSERT": lambda number: connection.execute(insert, (f"{number}", _body(number))),
        "SELECT": lambda number: connection.execute(select, (f"{number}",)).fetchall(),
    }


def redis_plain(url: str) -> dict[str, Callable[[int], Any]]:
    """The same bytes under a key."""
    import redis

    client: Any = redis.Redis.from_url(url)
    return {
        "INSERT": lambda number: client.set(f"bench:{number}", _body(number)),
        "SELECT": lambda number: client.get(f"bench:{number}"),
    }


def _body(number: int) -> bytes:
    return json.dumps(turn(number)).encode()


def turns_of_a_task() -> None:
    """Print what one turn costs in each back end that can be reached."""
    plan, keys = reticent.load_plan(), Keyset.generate()
    postgres, redis_url = os.environ.get("RETICENT_BENCH_POSTGRES"), os.environ.get("RETICENT_BENCH_REDIS")
    with tempfile.TemporaryDirectory() as folder:
        where: dict[str, tuple[str, dict[str, Callable[[int], Any]]]] = {
            "SQLite": (f"sqlite:///{folder}/tasks.db", sqlite_plain(Path(folder)))
        }
        if postgres:
            where["PostgreSQL"] = (postgres, postgres_plain(postgres))
        if redis_url:
            where["Redis"] = (f"{redis_url}?prefix={secrets.token_hex(4)}:", redis_plain(redis_url))
        sys.stdout.write("one turn, microseconds\n")
        sys.stdout.write(f"{'':12}{'INSERT':>10}{'hold':>10}{'ratio':>8}{'SELECT':>10}{'restore':>10}{'ratio':>8}\n")
        for title, (url, plain) in where.items():
            with open_store(url, keys=keys) as store:
                tasks = Tasks(store, plan=plan, tenant=secrets.token_hex(4))
                tasks.hold("warm", turn(0))
                found = medians({**plain, **held(tasks)})
            sys.stdout.write(
                f"{title:12}{found['INSERT']:10.0f}{found['hold']:10.0f}{found['hold'] / found['INSERT']:8.1f}"
                f"{found['SELECT']:10.0f}{found['restore']:10.0f}{found['restore'] / found['SELECT']:8.1f}\n"
            )


def long_histories() -> None:
    """Print the processor time of one restore."""
    sys.stdout.write("\none restore from SQLite, milliseconds of processor time\n")
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(f"sqlite:///{folder}/t.db", keys=Keyset.generate()) as store,
    ):
        tasks = Tasks(store, plan=reticent.load_plan(), tenant="acme")
        shown: list[Any] = []
        for number in range(50):
            shown.append(tasks.hold("t", turn(number)))
            if number + 1 in {1, 10, 50}:
                body = json.dumps({"messages": shown}).encode()
                for title, history in (("values", shown), ("bytes", body)):
                    began = time.process_time()
                    for _ in range(20):
                        tasks.restore("t", history)
                    sys.stdout.write(
                        f"{number + 1:3} turns, {title:8}{(time.process_time() - began) / 20 * 1e3:8.2f}\n"
                    )


if __name__ == "__main__":
    turns_of_a_task()
    long_histories()
