"""SQLAlchemy types and the session's guard, on a real SQLite file whose bytes are searched."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Engine, String, Text, create_engine, insert, select, text, update
from sqlalchemy.exc import StatementError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker
from tests.integrations.reasoning import FORMS, VISIBLE, ThinkingBlock, clean, cycle, forms, message

from reticent.errors import ConfigurationError, CyclicInput, EgressRefused, UnknownSurface
from reticent.integrations.sqlalchemy import ReticentJSON, ReticentText, guard_session
from reticent.testing import canary


class Base(DeclarativeBase):
    """The tables of this file."""


class Guarded(Base):
    """A table whose columns are declared."""

    __tablename__ = "guarded"
    id: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[Any] = mapped_column(ReticentJSON("conversation_db"), nullable=True)
    title: Mapped[Any] = mapped_column(ReticentText("conversation_db"), nullable=True)


class Open(Base):
    """A table of somebody who forgot."""

    __tablename__ = "open"
    id: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[Any] = mapped_column(JSON, nullable=True)
    note: Mapped[Any] = mapped_column(Text, nullable=True)
    name: Mapped[Any] = mapped_column(String(80), nullable=True)


class Tasks(Base):
    """A table that may hold reasoning."""

    __tablename__ = "tasks"
    id: Mapped[int] = mapped_column(primary_key=True)
    history: Mapped[Any] = mapped_column(ReticentJSON("task_store"))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A database in a file."""
    engine = create_engine(f"sqlite:///{tmp_path / 'db.sqlite'}")
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    """What gives all bytes of the database."""
    return (tmp_path / "db.sqlite").read_bytes


def test_an_unknown_surface_fails_when_the_column_is_declared() -> None:
    """A type or a guard for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentJSON("conversations")
    with pytest.raises(UnknownSurface):
        guard_session(sessionmaker(), "conversations")
    with pytest.raises(ConfigurationError, match="mark"):
        guard_session(sessionmaker(), "conversation_db", found="mark")  # type: ignore[arg-type]


@pytest.mark.parametrize("form", FORMS)
def test_no_form_reaches_the_file(form: str, engine: Engine, stored: Any) -> None:
    """Whatever form a value has, the database file holds no reasoning, through the ORM and through Core."""
    secret = canary()
    value = forms(secret)[form]
    with Session(engine) as session:
        session.add(Guarded(content=value, title=str(value) if isinstance(value, str) else None))
        session.flush()
        session.execute(insert(Guarded), [{"content": value}, {"content": value}])
        session.execute(update(Guarded).values(content=value))
        session.commit()

    assert clean(stored(), secret)


def test_what_is_read_is_what_may_be_stored(engine: Engine) -> None:
    """A value comes back without reasoning, the caller's object is as it was, and paths can be asked for."""
    given = message("secret")
    with Session(engine) as session:
        session.add(Guarded(content=given, title="a title"))
        session.commit()
        found = session.scalars(select(Guarded).where(Guarded.content["role"].as_string() == "assistant")).one()

        assert {"role": "assistant", "content": [{"type": "text", "text": VISIBLE}]} == found.content
        assert "a title" == found.title
    assert message("secret") == given


def test_a_pass_column_stores_everything(engine: Engine) -> None:
    """A column of a pass surface keeps reasoning, and one statement cache serves both kinds of columns."""
    with Session(engine) as session:
        session.add_all([Tasks(history=message("kept")), Guarded(content=message("gone"))])
        session.commit()

        assert message("kept") == session.scalars(select(Tasks)).one().history
        assert "gone" not in repr(session.scalars(select(Guarded)).one().content)


def test_types_with_different_guards_share_no_statement() -> None:
    """The key under which SQLAlchemy caches statements differs between guards, and is stable for one."""
    one, other = ReticentJSON("conversation_db"), ReticentJSON("task_store")

    assert one._static_cache_key == one._static_cache_key
    assert one._static_cache_key != other._static_cache_key
    assert one.cache_ok


def test_what_cannot_be_judged_is_a_placeholder_or_an_error(engine: Engine, stored: Any) -> None:
    """A placeholder is stored and counted; a strict column fails the statement, and no error holds content."""
    secret = canary()
    with Session(engine) as session:
        session.add(Guarded(content=cycle(secret)))
        session.commit()
        assert "[reticent withheld a value: cyclic-input]" == session.scalars(select(Guarded)).one().content
    strict = ReticentJSON("conversation_db", strict=True)
    with pytest.raises(CyclicInput) as caught:
        strict.process_bind_param(cycle(secret), engine.dialect)

    assert clean(repr(caught.value), secret)
    assert clean(stored(), secret)


def test_echo_shows_no_reasoning(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    """Statements that the engine logs show the parameters that are stored."""
    secret = canary()
    engine.echo = True
    with caplog.at_level(logging.INFO, "sqlalchemy.engine"), Session(engine) as session:
        session.add(Guarded(content=message(secret)))
        session.commit()

    assert VISIBLE in caplog.text
    assert clean(caplog.text, secret)


def test_a_driver_error_shows_no_reasoning(engine: Engine) -> None:
    """A statement that the database refuses says its parameters, which are those that would be stored."""
    secret = canary()
    with Session(engine) as session:
        session.execute(text("DROP TABLE guarded"))
        with pytest.raises(StatementError) as caught:
            session.execute(insert(Guarded), [{"content": message(secret)}])

    assert clean(str(caught.value), secret)


def test_the_session_finds_what_nobody_declared(engine: Engine, stored: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Reasoning in plain JSON and text columns is taken out before a flush, and a warning names the column."""
    secret = canary()
    sessions = sessionmaker(engine)
    guard = guard_session(sessions, "conversation_db")
    given = message(secret)
    with sessions() as session:
        row = Open(content=given, note=f"<think>{secret}</think>done", name=VISIBLE)
        session.add(row)
        session.commit()
        assert "done" == row.note
        row.note = repr(ThinkingBlock(secret))
        session.commit()

    assert clean(stored(), secret)
    assert secret in repr(given)
    assert "open.content held reasoning" in caplog.text
    assert clean(caplog.text, secret)
    assert 3 == guard.counts.removed


def test_the_session_can_refuse(engine: Engine, stored: Any) -> None:
    """With ``refuse`` the flush fails before anything is written, and the error names table and column only."""
    secret = canary()
    sessions = sessionmaker(engine)
    guard_session(sessions, "conversation_db", found="refuse")
    with sessions() as session:
        session.add(Open(content=message(secret)))
        with pytest.raises(EgressRefused, match=r"open\.content would hold reasoning") as caught:
            session.commit()

    assert clean(repr(caught.value), secret)
    assert clean(stored(), secret)


def test_declared_and_passing_columns_are_left_to_their_types(engine: Engine) -> None:
    """The session's guard does not look into columns that have a surface of their own."""
    sessions = sessionmaker(engine)
    guard_session(sessions, "conversation_db", found="refuse")
    with sessions() as session:
        session.add(Tasks(history=message("kept")))
        session.add(Guarded(content=message("gone")))
        session.commit()

        assert message("kept") == session.scalars(select(Tasks)).one().history


def test_a_mapped_class_can_be_pickled(engine: Engine) -> None:
    """Rows with such a column are pickled like others."""
    with Session(engine) as session:
        session.add(Guarded(content={"a": 1}))
        session.commit()
        row = session.scalars(select(Guarded)).one()
        session.expunge(row)

    assert {"a": 1} == pickle.loads(pickle.dumps(row)).content  # noqa: S301 - its own bytes
