"""What rests in a store is ciphertext that opens in one place and with one key, and goes when the task ends."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg
import pytest
import redis
from tests.library.store.turns import anthropic, mark, responses

from reticent.errors import (
    ConfigurationError,
    KeyUnavailable,
    Tampered,
)
from reticent.store import Key, Keyset, KeyWrapper, Tasks, open_store
from reticent.store._operations import Operation

if TYPE_CHECKING:
    from tests.servers.running import Server

    from reticent.compiler.plan import Plan
    from reticent.store import Store


def resting(url: str, request: pytest.FixtureRequest) -> bytes:
    """Everything that a store has on disk, and what its dump tool writes."""
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        return b"".join(path.read_bytes() for path in Path(url.removeprefix("sqlite:///")).parent.glob("tasks.db*"))
    if scheme == "redis":
        server: Server = request.getfixturevalue("redis_server")
        with redis.Redis.from_url(url.partition("?")[0]) as client:
            client.save()
        return b"".join(path.read_bytes() for path in server.folder.rglob("*") if path.suffix in {".aof", ".rdb"})
    dump = shutil.which("pg_dump") or next(iter(map(str, Path("/usr/lib/postgresql").glob("*/bin/pg_dump"))))
    done = subprocess.run([dump, "--inserts", url], capture_output=True, check=True)  # noqa: S603 - found here
    cluster: Server = request.getfixturevalue("postgres_server")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        (folder,) = connection.execute(
            "SELECT 'base/' || oid FROM pg_database WHERE datname = current_database()"
        ).fetchone() or ("",)
    files = [*(cluster.folder / folder).iterdir(), *(cluster.folder / "pg_wal").glob("0*")]
    return done.stdout + b"".join(path.read_bytes() for path in files if path.is_file())


def sealed_of(store: Store, task: str) -> list[bytes]:
    """The secret bytes that a store has of a task: its wrapped key and its turns."""
    head, turns = store.run(_read(store, task))
    return [head.wrapped, *(turn.sealed for turn in turns)]


def _read(store: Store, task: str) -> Any:
    answer = yield Operation(store.operations.read("acme", task), writes=False)
    return answer


def spellings(secret: bytes) -> list[bytes]:
    """The bytes, and how a dump spells them."""
    return [secret, secret.hex().encode()]


def test_no_canary_at_rest(url: str, keys: Keyset, plan: Plan, request: pytest.FixtureRequest) -> None:
    """Files, logs and dumps hold neither reasoning nor a word of what the model said, nor a data key."""
    case, said = anthropic(), mark()
    case.answer["content"][2]["text"] = said
    with open_store(url, keys=keys) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        tasks.hold("live", case.answer, request={"messages": [{"role": "user", "content": said}]})
        found = resting(url, request)

        assert any(spelling in found for spelling in spellings(sealed_of(store, "live")[1]))
        for secret in (*case.canaries, said):
            assert not any(spelling in found for spelling in spellings(secret.encode()))


def test_nothing_rests_after_the_end(url: str, keys: Keyset, plan: Plan, request: pytest.FixtureRequest) -> None:
    """When a task has ended and a sweep has passed, not even ciphertext of it is in the store's own files."""
    with open_store(url, keys=keys) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        tasks.hold("ends", anthropic().answer)
        tasks.hold("ends", responses().answer)
        gone = sealed_of(store, "ends")
        tasks.hold("stays", anthropic().answer)
        tasks.finish("ends", "completed")
        store.sweep()
        found = resting(url, request)
        if url.startswith("postgresql"):
            found = found[: found.index(b"PostgreSQL database dump complete")]  # pages and log keep it until retirement

        assert not any(spelling in found for secret in gone for spelling in spellings(secret))
        assert any(spelling in found for spelling in spellings(sealed_of(store, "stays")[0]))


def test_rotation_and_retirement(url: str, keys: Keyset, plan: Plan) -> None:
    """After rotation live tasks go on under the new key; a copy made before opens with the old key alone."""
    case = anthropic()
    with open_store(url, keys=keys) as store:
        visible = Tasks(store, plan=plan, tenant="acme").hold("t", case.answer)
    history = [{"role": "assistant", "content": visible["content"]}]
    both = keys.rotated()
    with open_store(url, keys=both) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        assert case.entries == tasks.restore("t", history)
        assert (1, 0) == (store.rewrap(), store.rewrap())
        assert [both.primary] == [task.key_id for task in store.tasks()]
    with open_store(url, keys=both.without(keys.primary)) as store:
        assert case.entries == Tasks(store, plan=plan, tenant="acme").restore("t", history)
    with open_store(url, keys=keys) as store, pytest.raises(KeyUnavailable, match=both.primary):
        Tasks(store, plan=plan, tenant="acme").restore("t", history)


@pytest.mark.parametrize("same_name", [True, False])
def test_wrong_keys_fail_closed(same_name: bool, local: Tasks, keys: Keyset, plan: Plan, tmp_path: Path) -> None:
    """With another key nothing is read, nothing is added, and the error has no content."""
    case = anthropic()
    local.hold("t", case.answer)
    name = keys.primary if same_name else "k"
    wrong = Keyset([Key(name, b"\1" * 32, 0.0)], name)
    with open_store(f"sqlite:///{tmp_path}/tasks.db", keys=wrong) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        for method, argument in ((tasks.restore, []), (tasks.hold, case.answer)):
            with pytest.raises(KeyUnavailable) as told:
                method("t", argument)
            assert not any(canary in str(told.value) for canary in case.canaries)
        with pytest.raises(KeyUnavailable):
            store.run(iter_rewrap(store, wrong))
    assert 1 == len(local.turns("t"))


def iter_rewrap(store: Store, wrong: Keyset) -> Any:
    """Rewrap with a keyset whose primary is a new one."""
    from reticent.store.erasing import rewrap

    return rewrap(store.operations, wrong.rotated())


TASKS, TURNS = "UPDATE reticent_tasks SET", "UPDATE reticent_turns SET"
OTHER_TURN = "(SELECT sealed FROM reticent_turns WHERE"
OTHER_KEY = "(SELECT wrapped FROM reticent_tasks WHERE"
SWAPS = {
    "another tenant's key": f"{TASKS} wrapped = {OTHER_KEY} task = 'v') WHERE task = 't'",
    "another task's key": f"{TASKS} wrapped = {OTHER_KEY} task = 'u') WHERE task = 't'",
    "another task's turn": f"{TURNS} sealed = {OTHER_TURN} task = 'u') WHERE task = 't' AND turn = 1",
    "another tenant's turn": f"{TURNS} sealed = {OTHER_TURN} task = 'v') WHERE task = 't' AND turn = 1",
    "another turn": f"{TURNS} sealed = {OTHER_TURN} task = 't' AND turn = 1) WHERE task = 't'",
    "one byte": f"{TURNS} sealed = CAST(substr(sealed, 1, 40) || x'00' || substr(sealed, 42) AS BLOB) WHERE task = 't'",
    "cut short": f"{TURNS} sealed = x'0102' WHERE task = 't'",
    "a turn is missing": "DELETE FROM reticent_turns WHERE task = 't' AND turn = 1",
    "the last turn is missing": "DELETE FROM reticent_turns WHERE task = 't' AND turn = 2",
    "another sequence": f"{TURNS} sequence = sequence + 1 WHERE task = 't' AND turn = 2",
    "another owner": f"{TASKS} tenant = 'acme' WHERE task = 'v'",
}


@pytest.mark.parametrize("swap", SWAPS)
def test_rows_that_were_moved_or_altered(swap: str, local: Tasks, plan: Plan, tmp_path: Path, keys: Keyset) -> None:
    """A row that is not where it was written, or not as it was, does not open, and the error has no content."""
    case = anthropic()
    with open_store(f"sqlite:///{tmp_path}/tasks.db", keys=keys) as store:
        Tasks(store, plan=plan, tenant="zeta").hold("v", case.answer)
    for task in ("t", "t", "u"):
        local.hold(task, case.answer)
    with sqlite3.connect(tmp_path / "tasks.db") as connection:
        changed = connection.execute(SWAPS[swap]).rowcount
    connection.close()

    assert changed > 0
    with pytest.raises((Tampered, KeyUnavailable)) as told:
        local.restore("v" if swap == "another owner" else "t", [])
    assert not any(canary in repr(told.value) for canary in case.canaries)


def test_files_are_for_their_owner(local: Tasks, tmp_path: Path, keys: Keyset) -> None:
    """The database, its log and the keyset can be read by their owner alone."""
    local.hold("t", anthropic().answer)
    keys.save(tmp_path / "keys.json")

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert {"tasks.db", "tasks.db-wal", "tasks.db-shm", "keys.json"} == set(modes)
    assert {0o600} == set(modes.values())


def test_keysets(tmp_path: Path, keys: Keyset) -> None:
    """A keyset shows no secret, and one that is wrong or unreadable is refused without quoting it."""
    assert isinstance(keys, KeyWrapper)
    keys.save(tmp_path / "k.json")
    text = (tmp_path / "k.json").read_text()
    secret = json.loads(text)["keys"][0]["secret"]
    assert secret not in repr(keys) + repr(Key("k", secret.encode(), 0.0))
    with pytest.raises(ConfigurationError, match="primary"):
        keys.without(keys.primary)
    with pytest.raises(ConfigurationError, match="no key 'x'"):
        keys.without("x")
    for wrong in (
        "{",
        "[]",
        text.replace('"version": 1', '"version": 2'),
        text.replace(secret, secret[:-8]),
        text.replace('"primary": "', '"primary": "x'),
    ):
        (tmp_path / "k.json").write_text(wrong)
        with pytest.raises(ConfigurationError) as told:
            Keyset.load(tmp_path / "k.json")
        assert secret not in str(told.value)
    for path in (tmp_path / "none.json", tmp_path / "no" / "folder.json"):
        with pytest.raises(ConfigurationError):
            Keyset.load(path) if path.parent.exists() else keys.save(path)
