"""The whole space of a table, and a second proof for each verdict in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence import TABLE
from typer.testing import CliRunner

from reticent.cli import build_app
from reticent.compiler.enumeration import enumerate_table, to_json, to_text
from reticent.errors import ConfigurationError, TableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from pathlib import Path

    from reticent.compiler import Engine


def test_shipped_table_lets_nothing_pass_with_somebody_in_reach(embedded: Engine, today: date) -> None:
    """Over every surface, class and set of lost conditions, no row passes with a reader in reach; the count is told."""
    told = enumerate_table(engine=embedded, today=today)
    cells = {(cell.surface, cell.lost): cell for cell in told.cells}

    assert () == told.leaks
    assert (8, 5, 32) == (told.surfaces, told.conditions, told.states)
    assert len(told.cells) * 4 == told.verdicts == len(cells) * 4
    # Each of the rows that pass does so exactly while nothing it needs is lost.
    assert 9 == told.passing
    assert ("backups", "database_operators") == cells["task_store", ("task_store.encrypted_per_task",)].readers
    assert "8 surfaces, 5 conditions held or lost in 32 ways: 284 verdicts" in to_text(told)
    assert "no row passes with a person, another system or an outliving store in reach" in to_text(told)


def test_evidence_has_no_part_in_it(embedded: Engine, today: date) -> None:
    """A condition is held or lost as the review has it, whether or not anybody has shown it."""
    told = enumerate_table(TABLE, engine=embedded, today=today)
    whole = [cell for cell in told.cells if not cell.lost]

    assert ["pass", "pass", "strip"] == [cell.classes["text"] for cell in whole]
    assert () == told.leaks


def test_signed_exceptions_are_counted_apart(embedded: Engine, today: date, tables: Path) -> None:
    """What passes because somebody signed for it is no leak, and is not counted as proved."""
    told = enumerate_table(tables / "exceptions.yaml", engine=embedded, today=today)

    assert () == told.leaks
    assert 4 == told.passing == told.excepted
    assert "4 of them by a signed exception" in to_text(told)


class Wrong:
    """An engine that lets every row pass that is signed so, whatever it reaches."""

    name = "wrong"
    policy_digest = "sha256:wrong"

    def __init__(self, engine: Engine) -> None:
        """Change the answers of ``engine``."""
        self._engine = engine

    def decide(self, document: Mapping[str, object]) -> Mapping[str, object]:
        """Forget whom a surface reaches."""
        answer: dict[str, Any] = json.loads(json.dumps(self._engine.decide(document)))
        for told in answer["plan"].values():
            if told["offenders"]:
                every = dict.fromkeys(("text", "summary", "opaque", "derived"), "pass")
                told.update(verdict="pass", classes=every, offenders=[])
        return answer


def test_second_proof_finds_what_the_rules_would_overlook(embedded: Engine, today: date) -> None:
    """An engine that forgets readers is found out, cell by cell."""
    told = enumerate_table(engine=Wrong(embedded), today=today)

    assert {cell.surface for cell in told.leaks} >= {"logs", "warehouse", "task_store"}
    assert all(cell.readers for cell in told.leaks)
    assert "LEAK" in to_text(told)
    assert len(told.leaks) == json.loads(to_json(told))["leaks"]


def test_space_that_is_too_large_is_refused(embedded: Engine, today: date, tables: Path) -> None:
    """More states than allowed are not begun with, and a table with faults is none to review."""
    with pytest.raises(ConfigurationError, match="5 conditions on its ways, so 32 states"):
        enumerate_table(engine=embedded, today=today, most=16)
    with pytest.raises(TableError):
        enumerate_table(tables / "broken" / "words.yaml", engine=embedded, today=today)


def test_command_lists_and_counts() -> None:
    """`reticent test --enumerate` reviews the shipped table without a path, or the one it is given."""
    shipped = CliRunner().invoke(build_app(), ["test", "--enumerate"], standalone_mode=False)
    named = CliRunner().invoke(
        build_app(), ["test", "--enumerate", str(TABLE), "--format", "json"], standalone_mode=False
    )

    assert 0 == shipped.return_value == named.return_value
    assert "284 verdicts" in shipped.output
    assert 3 == json.loads(named.output)["surfaces"]
