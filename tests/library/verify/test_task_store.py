"""The documented settings of the probes, against the task store that they are written for."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.described import code

from reticent.compiler import load_plan
from reticent.store import Keyset, Tasks, open_store
from reticent.surfaces.document import read_document

if TYPE_CHECKING:
    from collections.abc import Callable

TURN = {"role": "assistant", "reasoning_content": "hm, " * 300, "content": "Done."}
PAGE = (Path(__file__).parents[3] / "docs" / "evidence.md").read_text(encoding="utf-8")


def documented(condition: str) -> dict[str, Any]:
    """Give the settings that the page has for the task store of reticent."""
    example = PAGE.partition("For the task store of reticent in PostgreSQL:\n\n```yaml\n")[2].partition("```")[0]
    settings: dict[str, Any] = read_document(example, "page").data[condition]["evidence"]["settings"]
    return {name: value for name, value in settings.items() if name != "dsn"}


def sqlite(request: pytest.FixtureRequest) -> tuple[str, str, dict[str, str]]:
    """Give a file, the kind of probe for it, and where it is."""
    path = request.getfixturevalue("tmp_path") / "tasks.db"
    return f"sqlite:///{path}", "sqlite", {"path": str(path)}


def postgres(request: pytest.FixtureRequest) -> tuple[str, str, dict[str, str]]:
    """Give a database of PostgreSQL, the kind of probe for it, and where it is."""
    url = request.getfixturevalue("postgres_database")
    return url, "postgres", {"dsn": url}


@pytest.mark.parametrize("back_end", [sqlite, postgres])
def test_store_is_shown_to_be_what_its_row_says(
    request: pytest.FixtureRequest, back_end: Callable[[pytest.FixtureRequest], tuple[str, str, dict[str, str]]]
) -> None:
    """Turns that are held are ciphertext; a store that nobody sweeps is found out, and right again once it is swept."""
    url, kind, place = back_end(request)
    clock = [time() - 3600]
    rows = "postgres-row-ciphertext" if kind == "postgres" else "sqlite-ciphertext"

    def codes() -> tuple[str, str]:
        sealed = code(rows, {**documented("encrypted_per_task"), **place})
        return sealed, code(f"{kind}-erasure", {**documented("erased_when_terminal"), **place})

    with open_store(url, keys=Keyset.generate(), clock=lambda: clock[0]) as store:
        tasks = Tasks(store, plan=load_plan(), tenant="acme", lifetime=timedelta(minutes=30))
        tasks.hold("long-ago", TURN)
        clock[0] = time()
        tasks.hold("just-now", TURN)
        unswept = codes()
        store.sweep()
        swept = codes()

    assert ("held", "overdue") == unswept
    assert ("held", "held") == swept
