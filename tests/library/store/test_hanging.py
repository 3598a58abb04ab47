"""A store that was stopped in its tracks: it takes connections and answers nothing, and its callers are told so."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.library.store.turns import anthropic
from tests.servers.postgresql import postgresql
from tests.servers.redis_server import redis_process

from reticent.errors import StoreUnavailable
from reticent.store import AsyncTasks, Keyset, Tasks, open_async_store, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from tests.servers.running import Server

    from reticent.compiler.plan import Plan

SECONDS = 2.0
LIMIT = 60.0


pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc tells the children of a process")


@pytest.fixture(scope="module", params=[postgresql, redis_process], ids=["postgresql", "redis"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that nobody else uses."""
    with request.param() as (own, _):
        yield own


@contextlib.contextmanager
def stopped(server: Server) -> Generator[None]:
    """Stop every process of the server, as a machine does that swaps or a volume that is away."""
    pids = [server.pid]
    try:
        os.kill(server.pid, signal.SIGSTOP)
        # Listed once nothing makes another.
        pids += _children(server.pid)
        for pid in pids[1:]:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        # The parent last: one that goes on reaps children that have ended, and their numbers are nobody's then.
        for pid in reversed(pids):
            os.kill(pid, signal.SIGCONT)


def _children(pid: int) -> list[int]:
    """The processes that a server has made, one for each connection of PostgreSQL."""
    found = []
    for told in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # Behind the name, which may hold anything, stand the state and the parent.
            if int(told.read_text("utf-8", "replace").rpartition(")")[2].split()[1]) == pid:
                found.append(int(told.parent.name))
    return found


def _refusal(call: Callable[[], object]) -> str:
    """Give what a call is refused with."""
    with pytest.raises(StoreUnavailable) as told:
        call()
    return str(told.value)


def test_threads_are_told(server: Server, keys: Keyset, plan: Plan) -> None:
    """With an open connection and without one: the typed error, and what was acknowledged is there afterwards."""
    case = anthropic()
    # The thread outlives the stop: a call that hangs fails the test, and ends once the server goes on.
    with ThreadPoolExecutor(1) as thread, open_store(server.url, keys=keys, timeout=SECONDS) as store:
        tasks = Tasks(store, plan=plan, tenant="threads")
        visible = tasks.hold("t", case.answer)

        def held() -> object:
            return tasks.hold("t2", case.answer)

        def opened() -> object:
            return open_store(server.url, keys=keys, timeout=SECONDS)

        with stopped(server):
            said = [thread.submit(_refusal, call).result(LIMIT) for call in (held, opened)]
        back = _once_it_is_back(lambda: tasks.restore("t", [visible]))

    assert ["try again"] * 2 == [text[-9:] for text in said]
    assert [case.answer] == back


def test_an_event_loop_is_told(server: Server, keys: Keyset, plan: Plan) -> None:
    """As threads, with the asynchronous clients."""
    case = anthropic()

    async def told() -> list[str]:
        async with await open_async_store(server.url, keys=keys, timeout=SECONDS) as store:
            tasks = AsyncTasks(store, plan=plan, tenant="loop")
            await tasks.hold("t", case.answer)
            said: list[str] = []
            with stopped(server):
                # Once: psycopg takes five seconds more to ask a server to cancel that does not listen.
                with pytest.raises(StoreUnavailable) as refused:
                    await asyncio.wait_for(tasks.hold("t2", case.answer), LIMIT)
                said.append(str(refused.value))
                with pytest.raises(StoreUnavailable) as refused:
                    await asyncio.wait_for(open_async_store(server.url, keys=keys, timeout=SECONDS), LIMIT)
                said.append(str(refused.value))
            return said

    assert ["try again"] * 2 == [text[-9:] for text in asyncio.run(told())]


def _once_it_is_back(call: Callable[[], object]) -> object:
    """Call until there is an answer: the first attempts may meet what the stop has left behind."""
    for _ in range(30):
        with contextlib.suppress(StoreUnavailable):
            return call()
    raise AssertionError("the store goes on, and its client does not see it")
