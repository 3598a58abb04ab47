"""PostgreSQL: nothing copies the rows of a table elsewhere: no publication, no slot that decodes all, no trigger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reticent.verify.probes._postgres import PostgresSettings, connected, family
from reticent.verify.probing import NotHeld, ShippedProbe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection

    from reticent.verify.probing import Probe


class PublicationSettings(PostgresSettings):
    """Also: logical replication slots that are known, and whose reader leaves the tables out by itself."""

    allowed_slots: tuple[str, ...] = ()


class TriggerSettings(PostgresSettings):
    """Also: triggers and rules that are known to copy nothing."""

    allowed: tuple[str, ...] = ()


def publication(settings: PublicationSettings) -> str:
    """No publication has the tables, and no slot of this database decodes without regard to publications."""
    with connected(settings.dsn, settings.server_versions) as connection:
        for table in settings.tables:
            _refuse_published(connection, table)
        # Only pgoutput keeps to publications; test_decoding, wal2json and others decode every table.
        slots = connection.execute(
            "SELECT slot_name, plugin FROM pg_replication_slots WHERE slot_type = 'logical' AND plugin <> 'pgoutput' "
            "AND database = current_database() AND slot_name <> ALL(%s) ORDER BY 1",
            (list(settings.allowed_slots),),
        ).fetchall()
        if slots:
            raise NotHeld("decoded", ", ".join(f"slot {name} ({plugin}) decodes every table" for name, plugin in slots))
    return f"{len(settings.tables)} tables in no publication"


def _refuse_published(connection: Connection[Any], table: str) -> None:
    rows = connection.execute(
        "SELECT DISTINCT p.pubname FROM pg_publication_tables p JOIN pg_class c ON c.relname = p.tablename "
        "JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schemaname WHERE c.oid = ANY(%s) ORDER BY 1",
        (family(connection, table),),
    ).fetchall()
    if rows:
        raise NotHeld("published", f"{table} is in {', '.join(name for (name,) in rows)}")


def triggers(settings: TriggerSettings) -> str:
    """No trigger and no rule that could write a row elsewhere stands on the tables."""
    with connected(settings.dsn, settings.server_versions) as connection:
        for table in settings.tables:
            _refuse_reacting(connection, table, settings.allowed)
    return f"{len(settings.tables)} tables without triggers or rules"


def _refuse_reacting(connection: Connection[Any], table: str, allowed: tuple[str, ...]) -> None:
    # What PostgreSQL makes itself, for foreign keys, is internal and copies nothing. A disabled trigger counts: whoever
    # may enable it needs no other right.
    rows = connection.execute(
        "SELECT 'trigger ' || tgname AS what, tgname AS name FROM pg_trigger "
        "WHERE tgrelid = ANY(%(family)s) AND NOT tgisinternal "
        "UNION SELECT 'rule ' || rulename, rulename FROM pg_rewrite "
        "WHERE ev_class = ANY(%(family)s) AND rulename <> '_RETURN' ORDER BY 1",
        {"family": family(connection, table)},
    ).fetchall()
    found = [what for what, name in rows if name not in allowed]
    if found:
        raise NotHeld("copied", f"{table} has {', '.join(found)}")


PROBES: Final[Mapping[str, Probe]] = {
    "postgres-publication": ShippedProbe(PublicationSettings, publication),
    "postgres-triggers": ShippedProbe(TriggerSettings, triggers),
}
