"""Stores and tasks for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import reticent
from reticent.store import Keyset, Tasks, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reticent.compiler.plan import Plan
    from reticent.store import Store


@pytest.fixture(scope="session")
def plan() -> Plan:
    """Give the packaged plan."""
    return reticent.load_plan()


@pytest.fixture
def keys() -> Keyset:
    """Give a new keyset."""
    return Keyset.generate()


@pytest.fixture
def store(tmp_path: Path, keys: Keyset) -> Iterator[Store]:
    """Give an empty store in SQLite."""
    with open_store(f"sqlite:///{tmp_path}/tasks.db", keys=keys) as opened:
        yield opened


@pytest.fixture
def tasks(store: Store, plan: Plan) -> Tasks:
    """Give the tasks of one tenant."""
    return Tasks(store, plan=plan, tenant="acme")
