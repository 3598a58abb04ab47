"""Stores and tasks for tests, on every back end."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest

import reticent
from reticent.store import Keyset, Tasks, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reticent.compiler.plan import Plan
    from reticent.store import Store

BACKENDS = ("sqlite", "postgresql", "redis")


@pytest.fixture(scope="session")
def plan() -> Plan:
    """Give the packaged plan."""
    return reticent.load_plan()


@pytest.fixture
def keys() -> Keyset:
    """Give a new keyset."""
    return Keyset.generate()


@pytest.fixture
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Give a function from the name of a back end to the address of an empty store."""

    def made(backend: str) -> str:
        if backend == "postgresql":
            url: str = request.getfixturevalue("postgres_database")
            return url
        if backend == "redis":
            return f"{request.getfixturevalue('redis_url')}?prefix={secrets.token_hex(6)}:"
        return f"sqlite:///{tmp_path}/tasks.db"

    return made


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest, new_url: Callable[[str], str]) -> str:
    """Give the address of an empty store, in each back end."""
    return new_url(request.param)


@pytest.fixture
def store(url: str, keys: Keyset) -> Iterator[Store]:
    """Give an empty store, in each back end."""
    with open_store(url, keys=keys) as opened:
        yield opened


@pytest.fixture
def tasks(store: Store, plan: Plan) -> Tasks:
    """Give the tasks of one tenant, in each back end."""
    return Tasks(store, plan=plan, tenant="acme")


@pytest.fixture
def local(tmp_path: Path, keys: Keyset, plan: Plan) -> Iterator[Tasks]:
    """Give the tasks of one tenant in SQLite, for what no back end has a part in."""
    with open_store(f"sqlite:///{tmp_path}/tasks.db", keys=keys) as opened:
        yield Tasks(opened, plan=plan, tenant="acme")
