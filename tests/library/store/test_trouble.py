"""A store that is full, away or evicting, and many callers at once: nothing by half, nothing lost or mixed up."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import redis
from tests.library.store.turns import anthropic

from reticent.errors import (
    ReticentError,
    StoreEvicts,
    StoreFull,
    StoreUnavailable,
)
from reticent.store import AsyncTasks, Keyset, Tasks, open_async_store, open_store

if TYPE_CHECKING:
    from reticent.compiler.plan import Plan
    from reticent.store import Store


# --- full, away, evicting ---------------------------------------------------------------------------------------------


def test_full_sqlite(local: Tasks) -> None:
    """A store without room says so, writes nothing by half, and has what it had."""
    case = anthropic()
    visible = local.hold("t", case.answer)
    backend: Any = local._store._backend
    pages = backend._connection().execute("PRAGMA page_count").fetchone()[0]
    backend._connection().execute(f"PRAGMA max_page_count = {pages}")
    big = {"role": "assistant", "content": [{"type": "thinking", "thinking": "x" * 100_000, "signature": "s"}]}

    with pytest.raises(StoreFull):
        local.hold("t", big)
    assert case.entries == local.restore("t", [{"role": "assistant", "content": visible["content"]}])
    assert 1 == len(local.turns("t"))


def test_full_redis(redis_url: str, keys: Keyset, plan: Plan) -> None:
    """A Redis without room says so and has what it had; tasks can still be ended."""
    with redis.Redis.from_url(redis_url) as client, open_store(f"{redis_url}?prefix=full:", keys=keys) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        tasks.hold("t", anthropic().answer)
        client.config_set("maxmemory", "1")
        try:
            with pytest.raises(StoreFull):
                tasks.hold("t", anthropic().answer)
            assert 1 == len(tasks.turns("t"))
        finally:
            client.config_set("maxmemory", "256mb")
        assert "completed" == tasks.finish("t", "completed").state


def test_evicting_redis(redis_url: str, keys: Keyset) -> None:
    """A Redis that evicts is refused, unless somebody says that it may."""
    with redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            with pytest.raises(StoreEvicts, match="allkeys-lru"):
                open_store(redis_url, keys=keys)
            open_store(f"{redis_url}?evicting=allow", keys=keys).close()
        finally:
            client.config_set("maxmemory-policy", "noeviction")


AWAY = [
    "postgresql://u:hunter2@127.0.0.1:1/x?connect_timeout=1",
    "redis://:hunter2@127.0.0.1:1/0",
    "sqlite:////nowhere/at/all/t.db",
]


@pytest.mark.parametrize("address", AWAY)
def test_a_store_that_is_away(address: str, keys: Keyset) -> None:
    """A store that cannot be reached is unavailable, waiting or awaited, and no password is told."""
    with pytest.raises(StoreUnavailable) as told:
        open_store(address, keys=keys, timeout=0.5)
    with pytest.raises(StoreUnavailable) as awaited:
        asyncio.run(open_async_store(address, keys=keys, timeout=0.5))
    assert "hunter2" not in str(told.value) + str(awaited.value)


def test_a_store_that_goes_away(redis_url: str, keys: Keyset, plan: Plan) -> None:
    """A store whose connections are cut serves again when they are made anew."""
    with redis.Redis.from_url(redis_url) as client, open_store(f"{redis_url}?prefix=away:", keys=keys) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        tasks.hold("t", anthropic().answer)
        client.client_kill_filter(_type="normal", skipme=True)
        with contextlib.suppress(StoreUnavailable):
            tasks.hold("t", anthropic().answer)
        assert 1 <= len(tasks.turns("t")) <= 2


# --- many at once ----------------------------------------------------------------------------------------------------


def test_many_tasks_at_once(store: Store, plan: Plan, request: pytest.FixtureRequest) -> None:
    """Tasks that are worked on at the same time get their own reasoning back, in order, and nobody else's."""
    count, turns = (100, 50) if request.node.callspec.params["url"] == "redis" else (20, 10)
    tasks = Tasks(store, plan=plan, tenant="acme")

    def work(number: int) -> bool:
        history: list[Any] = []
        wanted: list[Any] = []
        for turn in range(turns):
            thought = {"type": "thinking", "thinking": f"{number}/{turn}", "signature": f"s{number}/{turn}"}
            call = {"type": "tool_use", "id": f"c{turn}", "name": "look_up", "input": {}}
            wanted.append({"role": "assistant", "content": [thought, call]})
            history.append(tasks.hold(f"task-{number}", wanted[-1]))
        return bool(wanted == tasks.restore(f"task-{number}", history))

    with ThreadPoolExecutor(4) as pool:
        assert [True] * count == list(pool.map(work, range(count)))
    assert [(turns, turns)] * count == [(task.turns, task.carriers) for task in store.tasks()]


def test_many_turns_of_one_task_at_once(tasks: Tasks) -> None:
    """Turns that come in together are numbered one after another, none of them lost."""
    names = [f"toolu_{number}" for number in range(24)]
    with ThreadPoolExecutor(6) as pool:
        visible = dict(zip(names, pool.map(lambda name: tasks.hold("t", anthropic(name).answer), names), strict=True))

    assert list(range(1, 25)) == [one.turn for one in tasks.turns("t")]
    for name in names:
        restored = tasks.restore("t", [{"role": "assistant", "content": visible[name]["content"]}])
        assert "redacted_thinking" in str(restored)


def test_finish_and_hold_at_once(tasks: Tasks, store: Store) -> None:
    """A task that is ended while turns come in is ended once, and nothing is held for it afterwards."""
    tasks.hold("t", anthropic().answer)
    start = threading.Barrier(4)

    def race(number: int) -> str:
        start.wait()
        try:
            if number:
                tasks.hold("t", anthropic(f"toolu_{number}").answer)
                return "held"
            return tasks.finish("t", "completed").state
        except ReticentError as error:
            return error.code

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(race, range(4)))
    assert "completed" == found[0]
    assert {"held", "task-finished"} >= set(found[1:])
    assert () == store.tasks()


def test_many_awaited_at_once(url: str, keys: Keyset, plan: Plan) -> None:
    """Awaited tasks do not wait for each other and are not mixed up either."""

    async def work(tasks: AsyncTasks, number: int) -> bool:
        case = anthropic(f"toolu_{number}")
        visible = await tasks.hold(f"t{number}", case.answer)
        return bool(
            case.entries == await tasks.restore(f"t{number}", [{"role": "assistant", "content": visible["content"]}])
        )

    async def all_of_them() -> list[bool]:
        async with await open_async_store(url, keys=keys) as store:
            tasks = AsyncTasks(store, plan=plan, tenant="acme")
            found = await asyncio.gather(*(work(tasks, number) for number in range(30)))
            assert 30 == len(await store.tasks())
            await tasks.finish("t0", "partial")
            await store.sweep()
            return list(found)

    assert [True] * 30 == asyncio.run(all_of_them())
