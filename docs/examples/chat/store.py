"""Two databases: conversations, which stay, and tasks, which another worker may have to go on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import JSON, create_engine, select  # noqa: F401 - JSON is what a column without a guard would be
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.pool import NullPool

from reticent.integrations.sqlalchemy import ReticentJSON


class Conversations(DeclarativeBase):
    """Tables of the database that stays."""


class Tasks(DeclarativeBase):
    """Tables of the database whose rows go when their task ends."""


class Message(Conversations):
    """One message of a conversation."""

    __tablename__ = "messages"
    id: Mapped[int] = mapped_column(primary_key=True)
    conversation: Mapped[str]
    content: Mapped[Any] = mapped_column(ReticentJSON("conversation_db"))


class Task(Tasks):
    """What a worker needs to go on."""

    __tablename__ = "tasks"
    conversation: Mapped[str] = mapped_column(primary_key=True)
    history: Mapped[Any] = mapped_column(ReticentJSON("task_store"))


class Store:
    """Both databases, in one folder."""

    def __init__(self, folder: Path) -> None:
        """Open the databases in ``folder``."""
        # NullPool: every session closes its file.
        self._conversations = create_engine(f"sqlite:///{folder / 'conversations.sqlite'}", poolclass=NullPool)
        self._tasks = create_engine(f"sqlite:///{folder / 'tasks.sqlite'}", poolclass=NullPool)
        Conversations.metadata.create_all(self._conversations)
        Tasks.metadata.create_all(self._tasks)

    def say(self, conversation: str, message: Any) -> None:
        """Add a message to a conversation."""
        with Session(self._conversations) as session:
            session.add(Message(conversation=conversation, content=message))
            session.commit()

    def said(self, conversation: str) -> list[Any]:
        """The messages of a conversation."""
        with Session(self._conversations) as session:
            found = select(Message.content).where(Message.conversation == conversation).order_by(Message.id)
            return list(session.scalars(found))

    def wait(self, conversation: str, history: list[Any]) -> None:
        """Put a task aside."""
        with Session(self._tasks) as session:
            session.merge(Task(conversation=conversation, history=history))
            session.commit()

    def waiting(self, conversation: str) -> list[Any]:
        """The history of the task that waits, empty when none does."""
        with Session(self._tasks) as session:
            task = session.get(Task, conversation)
            return list(task.history) if task else []

    def done(self, conversation: str) -> None:
        """Forget a task that has ended."""
        with Session(self._tasks) as session:
            task = session.get(Task, conversation)
            if task is not None:
                session.delete(task)
            session.commit()
