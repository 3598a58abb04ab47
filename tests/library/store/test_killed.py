"""A process killed at any step of a write, an end or a sweep loses nothing that lives and leaves nothing else."""

from __future__ import annotations

import os
import signal
import warnings
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.store.test_at_rest import resting, sealed_of, spellings
from tests.library.store.turns import Case, anthropic

from reticent.errors import TaskFinished
from reticent.store import Keyset, Tasks, _operations, open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.compiler.plan import Plan

SQL_HOLD = ["append: begin", "append: head", "append: turn", "append: anchors"]
SQL_END = ["finish: begin", "finish: key", "finish: turns", "finish: anchors", "wipe: begin"]
STEPS: list[tuple[str, str, str, int]] = [
    *(("sqlite", "hold", name, 1) for name in SQL_HOLD),
    *(("sqlite", "finish", name, 1) for name in [*SQL_END, "wiped"]),
    *(("sqlite", "sweep", name, 1) for name in ["sweep: task", *SQL_END, "wiped"]),
    # The first transaction opens the store, further ones read; the last is the one that counts.
    ("sqlite", "hold", "committed", 3),
    *(("sqlite", "finish", "committed", count) for count in (2, 3)),
    *(("sqlite", "sweep", "committed", count) for count in (3, 5)),
    *(("postgresql", "hold", name, 1) for name in SQL_HOLD[1:]),
    *(("postgresql", "finish", name, 1) for name in SQL_END[1:]),
    ("postgresql", "sweep", "wiped", 1),
    *(("redis", "hold", name, count) for name, count in (("append: begin", 1), ("committed", 3))),
    *(("redis", "finish", name, 1) for name in ("finish: begin", "wipe: begin")),
    *(("redis", "sweep", name, 1) for name in ("wipe: begin", "wiped")),
]


def killed_at(step: str, count: int, work: Callable[[], object]) -> None:
    """Do ``work`` in a child process that is killed when it reaches a step for the ``count``-th time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child uses none of the parent's threads and locks
        child = os.fork()
    if not child:
        reached = [0]

        def die(name: str) -> None:
            reached[0] += name == step
            if reached[0] == count:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            _operations.on_step = die
            work()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert signal.SIGKILL == os.WTERMSIG(status), f"the child was not killed at {step!r}"


@pytest.mark.parametrize(("backend", "operation", "step", "count"), STEPS)
def test_killed(  # noqa: PLR0913, PLR0917 - four words say which case it is, the rest are fixtures
    backend: str,
    operation: str,
    step: str,
    count: int,
    new_url: Callable[[str], str],
    keys: Keyset,
    plan: Plan,
    request: pytest.FixtureRequest,
) -> None:
    """Whatever step a process dies at, turns that were acknowledged are there, or all of the task is gone."""
    url = new_url(backend)
    acknowledged = [anthropic("toolu_1"), anthropic("toolu_2")]
    with open_store(url, keys=keys, clock=lambda: 0.0) as store:
        tasks = Tasks(store, plan=plan, tenant="acme", lifetime=timedelta(seconds=60))
        history = [held(tasks, case) for case in acknowledged]
        secrets = sealed_of(store, "t")

    def work() -> None:
        with open_store(url, keys=keys, clock=lambda: 1.0) as opened:
            mine = Tasks(opened, plan=plan, tenant="acme", lifetime=timedelta(seconds=60))
            if operation == "sweep":
                opened.sweep(now=100.0)
            elif operation == "finish":
                mine.finish("t", "completed")
            else:
                mine.hold("t", anthropic("toolu_3").answer)

    killed_at(step, count, work)
    restored = after_sweep(url, keys, plan, history, 3 if (operation, step) == ("hold", "committed") else 2)
    assert restored in (None, [case.entries[0] for case in acknowledged])
    assert operation != "hold" or restored is not None
    assert (operation, step) not in {("finish", "committed"), ("finish", "wiped")} or restored is None
    found = resting(url, request)
    if backend == "postgresql":
        found = found[: found.index(b"PostgreSQL database dump complete")]
    assert not any(spelling in found for secret in secrets for spelling in spellings(secret))


def after_sweep(url: str, keys: Keyset, plan: Plan, history: list[Any], turns: int) -> Any:
    """What another process finds of the task, None when it has ended; afterwards it has, and nothing is left to do."""
    with open_store(url, keys=keys, clock=lambda: 2.0) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        try:
            restored = tasks.restore("t", history)
        except TaskFinished:
            restored = None
        else:
            assert turns == len(tasks.turns("t"))
            tasks.finish("t", "cancelled")
        store.sweep()
        assert ((), 0) == (store.tasks(), store.sweep().wiped)
        return restored


def held(tasks: Tasks, case: Case) -> dict[str, Any]:
    """Hold a turn; the entry that the client has of it."""
    return {"role": "assistant", "content": tasks.hold("t", case.answer)["content"]}
