"""Probes against a real PostgreSQL: each way to lose a condition is found, named, and found to be gone again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from reticent.compiler import compile_table
from reticent.evidence import SigningKey
from reticent.surfaces import SurfaceTable
from reticent.testing import canary
from reticent.verify import state, verify
from reticent.verify.probes import _postgres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.evidence import EvidenceFile

KEY = SigningKey.generate()
SECRET = canary()

SCHEMA = """
CREATE TABLE tasks (tenant text, task text, deadline timestamptz, finished timestamptz, PRIMARY KEY (tenant, task));
CREATE TABLE items (
    tenant text, task text, turn bigint, sealed bytea, FOREIGN KEY (tenant, task) REFERENCES tasks (tenant, task)
);
CREATE TABLE visible (message text);
CREATE TABLE copies (sealed bytea);
CREATE PUBLICATION warehouse FOR TABLE visible;
CREATE FUNCTION copy_item() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO copies VALUES (NEW.sealed); RETURN NEW; END $$;
INSERT INTO tasks SELECT 'acme', 'task-' || n, now() + interval '1 hour', NULL FROM generate_series(1, 30) n;
"""


@pytest.fixture
def database(postgres_database: str) -> Iterator[psycopg.Connection[Any]]:
    """Give a database with tasks, whose content is random bytes, and a role that exports and one that supports."""
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute(SCHEMA)
        for number in range(1, 31):
            connection.execute(
                "INSERT INTO items VALUES ('acme', %s, 1, %s)", (f"task-{number}", os.urandom(100 * number))
            )
        for role in ("export", "support", "bystander"):
            connection.execute(f"DROP ROLE IF EXISTS {role}")
            connection.execute(f"CREATE ROLE {role} NOLOGIN")
        yield connection
        for role in ("export", "support", "bystander"):
            connection.execute(f"DROP OWNED BY {role}")
            connection.execute(f"DROP ROLE {role}")


def table(dsn: str) -> SurfaceTable:
    """Describe the store: every condition that cuts one of its arrows has to be shown."""
    both = {"dsn": dsn, "tables": ["tasks", "items"]}
    cuts: dict[str, tuple[str, str, dict[str, Any]]] = {
        "out_of_the_stream": ("warehouse", "postgres-publication", both),
        "nothing_copies": ("copies", "postgres-triggers", both),
        "not_granted": ("support", "postgres-grants", {**both, "roles": ["export", "support"]}),
        "encrypted": (
            "operator",
            "postgres-row-ciphertext",
            {"dsn": dsn, "table": "items", "columns": ["sealed"], "clear": ["tenant", "task"]},
        ),
    }
    conditions: dict[str, Any] = {
        name: {"cuts": [target], "evidence": {"probe": probe, "settings": settings, "max_age": "1h"}}
        for name, (target, probe, settings) in cuts.items()
    }
    erasure: dict[str, Any] = {"dsn": dsn, "table": "tasks", "deadline": "deadline", "ended": "finished", "grace": "5m"}
    erasure |= {"content": "items", "key": ["tenant", "task"]}
    conditions["erased"] = {
        "bounds": "task",
        "evidence": {"probe": "postgres-erasure", "settings": erasure, "max_age": "1h"},
    }
    return SurfaceTable.model_validate(
        {
            "version": 1,
            "places": {
                "warehouse": {"kind": "store", "lifetime": "durable"},
                "copies": {"kind": "store", "lifetime": "durable"},
                "support": {"kind": "person"},
                "operator": {"kind": "person"},
            },
            "signers": {"ops": {"key": KEY.public, "owner": "platform"}},
            "surfaces": {
                "task_store": {
                    "verdict": "pass",
                    "holds": {"kind": "store", "lifetime": "durable"},
                    "flows": ["warehouse", "copies", "support", "operator"],
                    "conditions": conditions,
                    "owner": "agents",
                    "why": "another worker goes on",
                }
            },
        }
    )


def found(signed: EvidenceFile) -> dict[str, str]:
    """Tell what does not hold, with its code."""
    return {said.condition: said.code for said in signed.statements if not said.held}


# What somebody does, how it is undone, which condition is lost, and by which code.
LOSSES: dict[str, tuple[str, str, str, str]] = {
    "published": (
        "ALTER PUBLICATION warehouse ADD TABLE items",
        "ALTER PUBLICATION warehouse DROP TABLE items",
        "out_of_the_stream",
        "published",
    ),
    "everything published": (
        "CREATE PUBLICATION all_of_it FOR ALL TABLES",
        "DROP PUBLICATION all_of_it",
        "out_of_the_stream",
        "published",
    ),
    "a schema published": (
        "CREATE PUBLICATION one_schema FOR TABLES IN SCHEMA public",
        "DROP PUBLICATION one_schema",
        "out_of_the_stream",
        "published",
    ),
    "published through a child": (
        "CREATE TABLE old_items () INHERITS (items); CREATE PUBLICATION old FOR TABLE old_items",
        "DROP PUBLICATION old; DROP TABLE old_items",
        "out_of_the_stream",
        "published",
    ),
    "decoded by a slot": (
        "SELECT pg_create_logical_replication_slot('reader', 'test_decoding')",
        "SELECT pg_drop_replication_slot('reader')",
        "out_of_the_stream",
        "decoded",
    ),
    "granted": ("GRANT SELECT ON items TO support", "REVOKE SELECT ON items FROM support", "not_granted", "readable"),
    "one column granted": (
        "GRANT SELECT (sealed) ON items TO export",
        "REVOKE SELECT (sealed) ON items FROM export",
        "not_granted",
        "readable",
    ),
    "granted to all": (
        "GRANT SELECT ON items TO PUBLIC",
        "REVOKE SELECT ON items FROM PUBLIC",
        "not_granted",
        "readable",
    ),
    "granted by way of a role": (
        "GRANT SELECT ON items TO bystander; ALTER ROLE support NOINHERIT; GRANT bystander TO support",
        "REVOKE bystander FROM support; REVOKE SELECT ON items FROM bystander; ALTER ROLE support INHERIT",
        "not_granted",
        "readable",
    ),
    "granted by way of a view": (
        "CREATE VIEW one AS TABLE items; CREATE VIEW two AS TABLE one; GRANT SELECT ON two TO export",
        "DROP VIEW two; DROP VIEW one",
        "not_granted",
        "readable",
    ),
    "may read all data": (
        "GRANT pg_read_all_data TO support",
        "REVOKE pg_read_all_data FROM support",
        "not_granted",
        "readable",
    ),
    "a superuser": ("ALTER ROLE support SUPERUSER", "ALTER ROLE support NOSUPERUSER", "not_granted", "readable"),
    "not encrypted": (
        f"INSERT INTO items VALUES ('acme', 'task-1', 2, convert_to('{SECRET} and more', 'UTF8'))",  # noqa: S608 - ours
        "DELETE FROM items WHERE turn = 2",
        "encrypted",
        "plaintext",
    ),
    "a column for plain text": (
        "ALTER TABLE items ADD COLUMN debug text",
        "ALTER TABLE items DROP COLUMN debug",
        "encrypted",
        "unlisted-column",
    ),
    "a trigger": (
        "CREATE TRIGGER copying AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION copy_item()",
        "DROP TRIGGER copying ON items",
        "nothing_copies",
        "copied",
    ),
    "a rule": (
        "CREATE RULE copying AS ON INSERT TO items DO ALSO INSERT INTO copies VALUES (NEW.sealed)",
        "DROP RULE copying ON items",
        "nothing_copies",
        "copied",
    ),
    "nobody sweeps": (
        "UPDATE tasks SET deadline = now() - interval '6 minutes' WHERE task = 'task-1'",
        "DELETE FROM items WHERE task = 'task-1'; UPDATE tasks SET finished = now() WHERE task = 'task-1'",
        "erased",
        "overdue",
    ),
    "left over": (
        "UPDATE tasks SET finished = now() WHERE task = 'task-2'",
        "DELETE FROM items WHERE task = 'task-2'",
        "erased",
        "not-erased",
    ),
}


def test_each_loss_is_found_named_and_closes_the_row(database: psycopg.Connection[Any], postgres_database: str) -> None:
    """Taking away one condition fails that one by name and strips the row; putting it back lets it pass again."""
    described = table(postgres_database)
    told: dict[str, tuple[dict[str, str], str, dict[str, str], str]] = {}
    for name, (lose, restore, _, _) in LOSSES.items():
        database.execute(lose.encode())
        lost = verify(described, key=KEY)
        database.execute(restore.encode())
        back = verify(described, key=KEY)
        closed, opened = (compile_table(described, evidence=one).decision("task_store") for one in (lost, back))
        told[name] = found(lost), closed.verdict, found(back), opened.verdict
        assert "evidence-failed" in closed.reasons
        assert SECRET.encode() not in lost.to_json()

    assert {name: ({condition: code}, "strip", {}, "pass") for name, (_, _, condition, code) in LOSSES.items()} == told


def test_table_that_is_gone_shows_nothing(database: psycopg.Connection[Any], postgres_database: str) -> None:
    """No condition is shown of a table that is not there."""
    database.execute("ALTER TABLE items RENAME TO elsewhere")

    assert {"not-found"} == set(found(verify(table(postgres_database), key=KEY)).values())


def test_only_those_named_may_read(database: psycopg.Connection[Any], postgres_database: str) -> None:
    """With a list of who may, everybody else who can log in must not."""
    wanted = {"probe": "postgres-grants", "max_age": "1h"}
    settings = {"dsn": postgres_database, "tables": ["items"], "only": ["postgres"]}
    described = one_condition({**wanted, "settings": settings})
    before = state(described)[0]
    database.execute("ALTER ROLE bystander LOGIN; GRANT SELECT ON items TO bystander")
    after = state(described)[0]

    assert before.held
    assert ("readable", "items can be read by bystander") == (after.code, after.detail)


def one_condition(wanted: dict[str, Any]) -> SurfaceTable:
    """Describe a store with one condition."""
    told = table("unused").model_dump(mode="json", by_alias=True, exclude_none=True)
    told["surfaces"]["task_store"]["conditions"] = {"one": {"cuts": ["support"], "evidence": wanted}}
    return SurfaceTable.model_validate(told)


def publication(dsn: str) -> SurfaceTable:
    """Describe a store that must not be published."""
    settings = {"dsn": dsn, "tables": ["items"]}
    return one_condition({"probe": "postgres-publication", "max_age": "1h", "settings": settings})


def ciphertext(dsn: str) -> SurfaceTable:
    """Describe a store whose rows must be ciphertext."""
    settings = {"dsn": dsn, "table": "items", "columns": ["sealed"], "clear": ["tenant", "task"]}
    return one_condition({"probe": "postgres-row-ciphertext", "max_age": "1h", "settings": settings})


def test_probe_without_rights_shows_nothing(database: psycopg.Connection[Any], postgres_database: str) -> None:
    """A probe whose role may not read the rows says so."""
    database.execute("ALTER ROLE bystander LOGIN PASSWORD 'x'")
    host = postgres_database.rpartition("@")[2]

    assert "lacks-rights" == state(ciphertext(f"postgresql://bystander:x@{host}"))[0].code


def test_server_that_is_away_or_of_another_version_shows_nothing(
    database: psycopg.Connection[Any], postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is away, and one of a version that the probes do not know, are told without the address."""
    away = state(publication("postgresql://user:secret@127.0.0.1:9/db"))[0]
    monkeypatch.setattr(_postgres, "MAJOR_VERSIONS", range(7, 9))
    other = state(publication(postgres_database))[0]

    assert "unreachable" == away.code
    assert "secret" not in away.detail
    assert "server-version" == other.code
    assert database.info.server_version // 10_000 == int(other.detail.split()[1].rstrip(";"))


def test_statement_that_takes_too_long_is_given_up(
    database: psycopg.Connection[Any], postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that does not answer in time hangs nobody."""
    monkeypatch.setattr(_postgres, "STATEMENT_MILLISECONDS", 200)
    database.execute("BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE")
    said = state(ciphertext(postgres_database))[0]
    database.execute("ROLLBACK")

    assert "hung" == said.code
