"""What folds leave behind is ciphertext under the keys of the task store, and opens where it was put alone."""

from __future__ import annotations

import sqlite3
import traceback
from typing import TYPE_CHECKING

import pytest
from tests.library.store.turns import mark

from reticent.errors import FoldConflict, KeyUnavailable, StoreError, Tampered
from reticent.history.fold import Held, SqliteLedger, Swap
from reticent.history.scratchpad import Note, Scratchpad
from reticent.history.summaries import MemoryPins, SealedPins
from reticent.store import Keyset, Sealer

if TYPE_CHECKING:
    from pathlib import Path


def held(canary: str, tenant: str = "acme", task: str = "t1") -> Held:
    """Notes and a fold with a canary in both."""
    swap = Swap(start=0, end=1, digest="d", entries=({"role": "user", "content": canary},))
    return Held(pad=Scratchpad(tenant=tenant, task_id=task, notes=(Note(text=canary),)), swap=swap)


def test_a_ledger_is_ciphertext(tmp_path: Path) -> None:
    """A sealed ledger gives back what was committed, over a rotation, and no file of it holds a word of it."""
    canary, file, keys = mark(), tmp_path / "folds.db", Keyset.generate()
    ledger = SqliteLedger(file, sealing=Sealer(keys))
    told = held(canary)
    assert 1 == ledger.commit("acme", "t1", told)
    later = SqliteLedger(file, sealing=Sealer(keys.rotated()))
    found = later.read("acme", "t1")

    assert (1, told.pad, told.swap) == (found.revision, found.pad, found.swap)
    assert canary.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    with pytest.raises(FoldConflict):
        later.commit("acme", "t1", told)
    later.forget("acme", "t1")
    assert Held(pad=Scratchpad(tenant="acme", task_id="t1")) == later.read("acme", "t1")


MOVED = {
    "another task": "UPDATE folds SET task_id = 't9' WHERE task_id = 't1'",
    "another tenant": "UPDATE folds SET tenant = 'other', task_id = 't9' WHERE task_id = 't1'",
    "an older revision": "UPDATE folds SET revision = 2 WHERE task_id = 't1'",
    "notes as a fold": "UPDATE folds SET swap = pad WHERE task_id = 't1'",
    "another row's notes": "UPDATE folds SET pad = (SELECT pad FROM folds WHERE task_id = 't2') WHERE task_id = 't1'",
    "a changed bit": "UPDATE folds SET pad = CAST(substr(pad, 1, length(pad) - 1) || x'00' AS BLOB)",
    "cut short": "UPDATE folds SET pad = substr(pad, 1, 9) WHERE task_id = 't1'",
    "plain text": """UPDATE folds SET pad = CAST('{"version": 1}' AS BLOB) WHERE task_id = 't1'""",
}


@pytest.mark.parametrize("change", MOVED.values(), ids=MOVED)
def test_a_row_opens_where_it_was_written(change: str, tmp_path: Path) -> None:
    """A row that was moved, altered, or put there without the keys is refused, and the error quotes nothing."""
    canary, file = mark(), tmp_path / "folds.db"
    ledger = SqliteLedger(file, sealing=Sealer(Keyset.generate()))
    for task in ("t1", "t2"):
        ledger.commit("acme", task, held(canary, task=task))
    with sqlite3.connect(file) as connection:
        connection.execute(change)
    connection.close()
    tenant, task = ("other" if "other" in change else "acme"), ("t9" if "t9" in change else "t1")

    with pytest.raises((Tampered, KeyUnavailable)) as told:
        ledger.read(tenant, task)
    assert canary not in "".join(traceback.format_exception(told.value))


def test_without_the_key_nothing_opens(tmp_path: Path) -> None:
    """Another keyset, and no keyset at all, fail closed."""
    file = tmp_path / "folds.db"
    SqliteLedger(file, sealing=Sealer(Keyset.generate())).commit("acme", "t1", held(mark()))

    with pytest.raises(KeyUnavailable):
        SqliteLedger(file, sealing=Sealer(Keyset.generate())).read("acme", "t1")
    with pytest.raises(KeyUnavailable, match="sealing="):
        SqliteLedger(file).read("acme", "t1")


def test_pins_are_ciphertext() -> None:
    """Sealed originals come back for their tenant and handle, and are refused under another one."""
    canary, inner = mark().encode(), MemoryPins()
    pins = SealedPins(inner, Sealer(Keyset.generate()))
    pins.put("acme", "h1", canary)
    sealed = inner.get("acme", "h1") or b""
    inner.put("acme", "h2", sealed)

    assert canary == pins.get("acme", "h1")
    assert canary not in sealed
    assert pins.get("acme", "h3") is None
    with pytest.raises(StoreError):
        pins.get("acme", "h2")
