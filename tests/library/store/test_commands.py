"""``reticent tasks``: keys are made, rotated and retired, tasks are listed, ended and swept."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.store.turns import anthropic

from reticent.cli import _exit, build_app
from reticent.store import Keyset, Tasks, open_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reticent.compiler.plan import Plan


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Give a function that runs a command: how it ended, and what it wrote."""

    def called(*words: str) -> tuple[int, str, str]:
        code = _exit.run(build_app(), ("tasks", *words))
        told = capsys.readouterr()
        return code, told.out, told.err

    return called


@pytest.fixture
def options(run: Any, tmp_path: Path) -> tuple[str, ...]:
    """Give the options that name a keyset and a store, both new."""
    assert 0 == run("new-keys", str(tmp_path / "keys.json"))[0]
    return ("--keys", str(tmp_path / "keys.json"), "--store", f"sqlite:///{tmp_path}/tasks.db")


def test_keys_and_tasks(run: Any, options: tuple[str, ...], plan: Plan, tmp_path: Path) -> None:
    """A worker goes on while keys rotate; a key is retired only when no live task needs it."""
    case = anthropic()
    worker = Keyset.load(tmp_path / "keys.json")
    with open_store(options[3], keys=worker) as store:
        tasks = Tasks(store, plan=plan, tenant="acme", lifetime=timedelta(seconds=-1))
        visible = tasks.hold("t", case.answer)
        old = worker.primary
        assert (2, 1) == (run("retire-key", old, *options)[0], _retired_too_early(run, options, tmp_path))

        assert "1 live tasks" in run("rotate-keys", *options)[1]
        assert case.entries == tasks.restore("t", [{"role": "assistant", "content": visible["content"]}])
        assert old != worker.primary
        Keyset.load(tmp_path / "keys.json").rotated().save(tmp_path / "keys.json")
        tasks.hold("new", case.answer)
        assert [worker.primary] == [row.key_id for row in store.tasks() if row.task == "new"]
        assert worker.primary == Keyset.load(tmp_path / "keys.json").primary
        tasks.finish("new", "completed")
        assert 0 == run("rotate-keys", *options)[0]
        primary = Keyset.load(tmp_path / "keys.json").primary
        listed = json.loads(run("list", "--format", "json", *options)[1])
        assert [("acme", "t", 1, 3, primary)] == [
            (row["tenant"], row["task"], row["turns"], row["carriers"], row["key_id"]) for row in listed
        ]
        assert 0 == run("retire-key", old, *options)[0]
        assert old not in Keyset.load(tmp_path / "keys.json").ids
        assert (0, "1 expired, 1 erasures completed\n") == run("sweep", *options)[:2]
        assert "" == run("list", *options)[1]


def _retired_too_early(run: Any, options: tuple[str, ...], folder: Path) -> int:
    """Try to retire a key that a live task needs, after another became primary; how the command ended."""
    before = (folder / "keys.json").read_bytes()
    keyset = Keyset.load(folder / "keys.json")
    keyset.rotated().save(folder / "keys.json")
    code: int = run("retire-key", keyset.primary, *options)[0]
    (folder / "keys.json").write_bytes(before)
    return code


def test_finish(run: Any, options: tuple[str, ...], plan: Plan, tmp_path: Path) -> None:
    """A task is ended by hand with a receipt; a second time, an unknown state or task end as errors do."""
    with open_store(options[3], keys=Keyset.load(tmp_path / "keys.json")) as store:
        Tasks(store, plan=plan, tenant="acme").hold("t", anthropic().answer)

    code, out, _ = run("finish", "acme", "t", "cancelled", *options)
    assert (0, "cancelled", 3) == (code, json.loads(out)["state"], json.loads(out)["carriers"])
    assert 3 == run("finish", "acme", "t", "failed", *options)[0]
    assert 3 == run("finish", "acme", "other", "failed", *options)[0]
    assert 2 == run("finish", "acme", "t", "paused", *options)[0]
    assert 2 == run("new-keys", options[1])[0]
    assert {"expired": [], "wiped": 0} == json.loads(run("sweep", "--format", "json", *options)[1])
