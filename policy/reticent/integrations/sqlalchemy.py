"""SQLAlchemy 2: column types that belong to a surface, and a session that looks into the columns nobody declared.

.. code-block:: python

    from reticent.integrations.sqlalchemy import ReticentJSON, ReticentText, guard_session

    class Message(Base):
        content: Mapped[list] = mapped_column(ReticentJSON("conversation_db"))
        title: Mapped[str] = mapped_column(ReticentText("conversation_db"))

    SessionLocal = sessionmaker(engine)
    guard_session(SessionLocal, "conversation_db")

A type judges what is bound, so bulk inserts and Core statements are covered as well as the ORM. The session's guard
sees the unit of work only. https://docs.sqlalchemy.org/en/20/core/custom_types.html
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import JSON, Dialect, String, Text, TypeDecorator, event
from sqlalchemy import inspect as describe
from sqlalchemy.orm.attributes import set_attribute

from reticent.errors import ConfigurationError, EgressRefused
from reticent.integrations._guard import Guard, PlanSource
from reticent.serializers.plain import plain

if TYPE_CHECKING:
    from sqlalchemy.orm import ColumnProperty, Session, UOWTransaction, sessionmaker
    from sqlalchemy.sql.operators import OperatorType
    from sqlalchemy.types import TypeEngine

__all__ = ["ReticentJSON", "ReticentText", "guard_session"]

_log = logging.getLogger("reticent")
_READY: Final = (dict, list, str, int, float, bool, type(None))


class _SurfaceType(TypeDecorator[Any]):
    """What both types share: a guard, which is also what tells two of them apart."""

    cache_ok = True

    def __init__(self, surface: str, *, plan: PlanSource = None, strict: bool = False, **options: Any) -> None:
        """Store what may rest on ``surface``; ``options`` go to the type underneath.

        With ``strict``, a value that cannot be judged makes the statement fail; without, a placeholder is stored.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        super().__init__(**options)
        self.guard = Guard(surface, plan=plan, strict=strict)
        self.surface = surface
        # SQLAlchemy makes the key of its statement cache from attributes named like these arguments, and a plan has no
        # hash. The guard has: statements with another guard are never served by this one.
        self.plan = self.guard
        self.strict = strict


class ReticentJSON(_SurfaceType):
    """A ``JSON`` column for one surface; it takes objects of the SDKs too. What is read comes back as it is stored."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002 - SQLAlchemy's signature
        """The value that is stored."""
        if value is None or self.guard.passes:
            return value
        kept = self.guard.value(value)
        return kept if kept is value and isinstance(kept, _READY) else plain(kept)

    def coerce_compared_value(self, op: OperatorType | None, value: Any) -> TypeEngine[Any]:
        """How the other side of a comparison is bound: as for ``JSON``, whose paths are no payloads."""
        return self.impl_instance.coerce_compared_value(op, value)


class ReticentText(_SurfaceType):
    """A ``Text`` column for one surface: prose, a log line, or a payload that somebody wrote as text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002 - SQLAlchemy's signature
        """The text that is stored."""
        return value if value is None or self.guard.passes else self.guard.text(value)


def guard_session(
    sessions: type[Session] | Session | sessionmaker[Any],
    surface: str,
    *,
    plan: PlanSource = None,
    found: Literal["strip", "refuse"] = "strip",
) -> Guard:
    """Before each flush, find reasoning in JSON and text columns that no type of this module guards.

    With ``strip`` it is taken out of the attribute (the value itself is not changed) and a warning names table and
    column; with ``refuse`` the flush fails before anything is written. Bulk statements do not pass here.

    Raises:
        UnknownSurface: the plan has no such surface.
        ConfigurationError: ``found`` is no such word.
    """
    if found not in ("strip", "refuse"):
        raise ConfigurationError(f"unknown word {found!r} for what is found; write 'strip' or 'refuse'")
    guard = Guard(surface, plan=plan, strict=found == "refuse")

    def before_flush(session: Session, _context: UOWTransaction, _instances: object) -> None:
        if guard.passes:
            return
        for instance in (*session.new, *session.dirty):
            for column in _undeclared(instance):
                _judge(guard, instance, column, refuse=found == "refuse")

    before_flush.guard = guard  # type: ignore[attr-defined]  # by which the doctor knows it
    event.listen(sessions, "before_flush", before_flush)
    return guard


def _undeclared(instance: Any) -> Iterator[ColumnProperty[Any]]:
    """The column attributes of ``instance`` that hold JSON or text, are loaded, and have no type of ours."""
    state = describe(instance)
    for attribute in state.mapper.column_attrs:
        told = attribute.columns[0].type
        if attribute.key in state.dict and isinstance(told, (JSON, String)):
            yield attribute


def _judge(guard: Guard, instance: Any, attribute: ColumnProperty[Any], *, refuse: bool) -> None:
    value = getattr(instance, attribute.key)
    kept = guard.text(value) if isinstance(value, str) else guard.value(value)
    if kept is value or kept == value:
        return
    column = attribute.columns[0]
    where = f"{getattr(column.table, 'name', '?')}.{column.name}"
    if refuse:
        raise EgressRefused(f"{where} would hold reasoning, which {guard.surface!r} may not; nothing was written")
    _log.warning("%s held reasoning and has no type for surface %r; it was taken out", where, guard.surface)
    set_attribute(instance, attribute.key, kept)
