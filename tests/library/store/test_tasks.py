"""A task's life in each back end, waiting and awaited: who may see it, how it ends, what is told of it."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.store.awaiting import Awaited
from tests.library.store.turns import anthropic, responses

from reticent.errors import ConfigurationError, MalformedInput, TaskFinished, UnknownTask
from reticent.store import STATES, Keyset, Tasks, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reticent.compiler.plan import Plan
    from reticent.store import Store


def history_of(visible: Any) -> dict[str, Any]:
    """A request of a client that was shown a message."""
    entry = {name: visible[name] for name in ("role", "content")}
    return {"messages": [{"role": "user", "content": "Where?"}, entry, {"role": "user", "content": "And?"}]}


@pytest.fixture(params=["waiting", "awaited"])
def either(request: pytest.FixtureRequest, url: str, keys: Keyset, plan: Plan) -> Iterator[Any]:
    """Give the tasks of one tenant, once waiting and once awaited."""
    if request.param == "awaited":
        with closing(Awaited(url, keys, plan)) as awaited:
            yield awaited
    else:
        with open_store(url, keys=keys) as store:
            yield Tasks(store, plan=plan, tenant="acme")


def test_life_of_a_task(either: Any) -> None:
    """A task is made by its first turn, numbers what it holds, is found by its calls, and ends with a receipt."""
    tasks = either
    first, second = anthropic("toolu_1"), anthropic("toolu_2")
    visible = tasks.hold("t/1", first.answer)
    tasks.hold("t/1", second.answer)

    assert first.entries == tasks.restore("t/1", history_of(visible))["messages"][1:2]
    assert [(1, 0, 3), (2, 3, 3)] == [(one.turn, one.sequence, one.carriers) for one in tasks.turns("t/1")]
    assert "t/1" == tasks.find(history_of(visible))
    receipt = tasks.finish("t/1", "completed")
    assert ("acme", "t/1", "completed", 2, 6) == (
        receipt.tenant,
        receipt.task,
        receipt.state,
        receipt.turns,
        receipt.carriers,
    )
    assert None is tasks.find(history_of(visible))
    for name, argument in (("finish", "failed"), ("hold", first.answer)):
        with pytest.raises(TaskFinished) as told:
            getattr(tasks, name)("t/1", argument)
        assert ("completed", receipt.finished) == (told.value.state, told.value.finished)


@pytest.mark.parametrize("state", STATES)
def test_every_terminal_state_erases(state: Any, tasks: Tasks, store: Store) -> None:
    """Each terminal state ends the task and leaves nothing of it that is live."""
    visible = tasks.hold("t", anthropic().answer)

    assert state == tasks.finish("t", state).state
    assert () == store.tasks()
    for call in (lambda: tasks.restore("t", history_of(visible)), lambda: tasks.turns("t")):
        with pytest.raises(TaskFinished):
            call()


def test_tenants_do_not_meet(tasks: Tasks, store: Store, plan: Plan) -> None:
    """To one tenant, another's task of the same name does not exist, and two can have one name each."""
    other = Tasks(store, plan=plan, tenant="zeta")
    mine, theirs = anthropic(), anthropic()
    visible = tasks.hold("t", mine.answer)

    assert None is other.find(history_of(visible))
    for call in (lambda: other.restore("t", []), lambda: other.turns("t"), lambda: other.finish("t", "failed")):
        with pytest.raises(UnknownTask):
            call()
    other.hold("t", theirs.answer)
    assert theirs.entries == other.restore("t", history_of(visible))["messages"][1:2]
    assert mine.entries == tasks.restore("t", history_of(visible))["messages"][1:2]
    other.finish("t", "completed")
    assert [("acme", "t")] == [(one.tenant, one.task) for one in store.tasks()]


def test_expiry_is_a_recorded_state(url: str, keys: Keyset, plan: Plan) -> None:
    """A task past its deadline lives on until a sweep ends it as expired; one that goes on is left alone."""
    now = [1000.0]
    with open_store(url, keys=keys, clock=lambda: now[0]) as store:
        tasks = Tasks(store, plan=plan, tenant="acme", lifetime=timedelta(seconds=60))
        endless = Tasks(store, plan=plan, tenant="acme")
        visible = tasks.hold("old", anthropic().answer)
        tasks.hold("busy", anthropic().answer)
        endless.hold("endless", anthropic().answer)
        now[0] = 1050.0
        tasks.hold("busy", anthropic().answer)
        now[0] = 1070.0

        assert 1 == len(tasks.turns("old"))
        report = store.sweep()
        assert [("old", "expired", 1070.0)] == [(one.task, one.state, one.finished) for one in report.expired]
        assert {"busy", "endless"} == {one.task for one in store.tasks("acme")}
        with pytest.raises(TaskFinished, match="expired"):
            tasks.restore("old", history_of(visible))
        assert ((), 0) == ((again := store.sweep()).expired, again.wiped)


def test_find_takes_the_task_with_most_of_the_ids(tasks: Tasks) -> None:
    """Where ids start anew in each conversation, the task that has most of them is the one."""
    one, other = responses("call_0"), responses("call_0")
    visible = tasks.hold("one", one.answer)
    tasks.hold("one", responses("call_9").answer)
    tasks.hold("other", other.answer)

    assert "other" == tasks.find({"input": visible["output"]})
    assert "one" == tasks.find({"input": [*visible["output"], {"type": "function_call", "call_id": "call_9"}]})
    assert None is tasks.find({"input": "Where is order 7?"})


def test_names(local: Tasks) -> None:
    """A name that some back end could not keep is refused in all of them."""
    for name in ("", "a\0b", "x" * 257, "\ud800"):
        with pytest.raises(MalformedInput):
            local.hold(name, anthropic().answer)
    with pytest.raises(ConfigurationError, match="paused"):
        local.finish("t", "paused")  # type: ignore[arg-type]  # what a caller may write


def test_the_table_decides(tmp_path: Path, keys: Keyset, plan: Plan) -> None:
    """A table that lets no reasoning rest in a store, or shows it to the client, makes no tasks."""
    with open_store(f"sqlite:///{tmp_path}/t.db", keys=keys) as store:
        with pytest.raises(ConfigurationError, match="no reasoning rest"):
            Tasks(store, plan=plan, tenant="acme", store_surface="logs")
        with pytest.raises(ConfigurationError, match="nothing to hold"):
            Tasks(store, plan=plan, tenant="acme", surface="task_store")


@pytest.mark.parametrize("address", ["tasks.db", "mysql://u:hunter2@h/d", "sqlite:tasks.db", "sqlite:///:memory:"])
def test_addresses_that_name_no_store(address: str, keys: Keyset) -> None:
    """An address that names no store is refused, and what may be a password in it is not told."""
    with pytest.raises(ConfigurationError) as told:
        open_store(address, keys=keys)

    assert "hunter2" not in str(told.value)
