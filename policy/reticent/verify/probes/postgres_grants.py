"""PostgreSQL: which roles can read a table, by any way the catalogs tell of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import model_validator

from reticent.verify.probes._postgres import PostgresSettings, connected, family
from reticent.verify.probing import NotHeld, ShippedProbe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from psycopg import Connection

    from reticent.verify.probing import Probe


class GrantSettings(PostgresSettings):
    """Either the ``roles`` that must not read the tables, or ``only`` the roles that may."""

    roles: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.roles) == bool(self.only):
            msg = "write either `roles` or `only`"
            raise ValueError(msg)
        return self


# Whoever is a member of a role can become it, also where its rights are not inherited.
_READERS: Final = """
    SELECT DISTINCT who.rolname
    FROM pg_roles who JOIN pg_roles becomes ON pg_has_role(who.oid, becomes.oid, 'MEMBER')
    CROSS JOIN unnest(%(relations)s::oid[]) AS relation
    WHERE who.rolname = ANY(%(roles)s)
      AND (becomes.rolsuper
           OR has_table_privilege(becomes.oid, relation, 'SELECT')
           OR has_any_column_privilege(becomes.oid, relation, 'SELECT'))
    ORDER BY 1
"""

# A view reads with the rights of its owner, so whoever may read the view reads the table. Views of views count.
_VIEWS: Final = """
    WITH RECURSIVE views(oid) AS (
        SELECT unnest(%(relations)s::oid[])
        UNION
        SELECT r.ev_class FROM views v
        JOIN pg_depend d ON d.refobjid = v.oid AND d.refclassid = 'pg_class'::regclass
            AND d.classid = 'pg_rewrite'::regclass
        JOIN pg_rewrite r ON r.oid = d.objid
    )
    SELECT DISTINCT oid FROM views
"""


def grants(settings: GrantSettings) -> str:
    """None of the roles reads a table, its columns, or a view over it; a superuser reads everything."""
    with connected(settings.dsn, settings.server_versions) as connection:
        roles = _judged(connection, settings)
        for table in settings.tables:
            relations = [row[0] for row in connection.execute(_VIEWS, {"relations": family(connection, table)})]
            readers = connection.execute(_READERS, {"relations": relations, "roles": roles}).fetchall()
            if readers:
                raise NotHeld("readable", f"{table} can be read by {', '.join(name for (name,) in readers)}")
    return f"{len(roles)} roles read none of {len(settings.tables)} tables"


def _judged(connection: Connection[Any], settings: GrantSettings) -> list[str]:
    """The roles that must not read: those named, or everybody who can log in and is not named."""
    known = dict(connection.execute("SELECT rolname, rolcanlogin FROM pg_roles").fetchall())
    missing = sorted({*settings.roles, *settings.only} - known.keys())
    if missing:
        raise NotHeld("not-found", f"no role {', '.join(missing)}")
    return list(settings.roles) or [name for name, login in known.items() if login and name not in settings.only]


PROBES: Final[Mapping[str, Probe]] = {"postgres-grants": ShippedProbe(GrantSettings, grants)}
