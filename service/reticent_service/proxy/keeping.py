"""The tasks of the proxy's clients: whose they are, which one a request continues, and what is kept of them.

A task of the store is named ``FAMILY/TASK``: reasoning goes back to the model family that issued it and to no other, so
a client that changes the model in the middle of a task goes on with a task of its own, without reasoning.
"""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from reticent.errors import ConfigurationError, EgressRefused, NotReplayable, UnknownTask
from reticent.serializers import Producer
from reticent_service.problems import BadRequest

if TYPE_CHECKING:
    from reticent.store import AsyncTasks

_NAME: Final = re.compile(r"[\x21-\x2e\x30-\x7e]{1,200}")
_LONGEST: Final = 100


@dataclass(frozen=True, slots=True)
class Kept:
    """One request under way: the task it belongs to, as its client names it, and what goes to the upstream."""

    task: str
    body: bytes
    restored: bytes


class ClientTasks:
    """The tasks of one client with one family of models."""

    def __init__(self, tasks: AsyncTasks, model: str | None) -> None:
        """Use ``tasks``, those of the client, for ``model``."""
        self._tasks = tasks
        self._family = _family(model)
        self._model = model

    async def restored(self, body: bytes, asked: dict[str, Any], named: str | None) -> Kept:
        """The request with every block back, in the task ``named``, in the one that holds its calls, or in a new one.

        Raises:
            RestoreRefused: the history does not fit what was held.
            UnknownTask, TaskFinished: the task it names is not there any more.
            StoreError, KeyUnavailable: nothing can be told of the task.
            BadRequest: ``named`` is no name for a task, or the history cannot be read.
        """
        task = _checked(named) if named is not None else await self._found(asked)
        if task is None:
            return Kept(secrets.token_urlsafe(16), body, body)
        try:
            return Kept(task, body, await self._tasks.restore(self._full(task), body))
        except UnknownTask:
            if _has_calls(asked):
                raise
        except EgressRefused as error:
            raise BadRequest(error.code, HTTPStatus.BAD_REQUEST, str(error)) from None
        return Kept(task, body, body)

    async def hold(self, kept: Kept, turn: bytes | dict[str, Any]) -> None:
        """Keep what was answered; it is in the store when this returns.

        Raises:
            EgressRefused: the turn cannot be read.
            TaskFinished: the task ended while the upstream was asked.
            StoreError, KeyUnavailable: nothing was kept, so nothing may be shown.
        """
        with suppress(NotReplayable):  # no message of a model: nothing will come back for which reasoning is due
            await self._tasks.hold(self._full(kept.task), turn, model=self._model, request=kept.body)

    async def _found(self, asked: dict[str, Any]) -> str | None:
        full = await self._tasks.find(asked)
        family, _, task = (full or "").partition("/")
        return task if full is not None and family == self._family else None

    def _full(self, task: str) -> str:
        return f"{self._family}/{task}"


def full_names(listed: list[str], task: str) -> list[str]:
    """Of the full names of a client's live tasks those that the client calls ``task``."""
    return [name for name in listed if name.partition("/")[2] == task]


def _family(model: str | None) -> str:
    try:
        family = Producer.parse(f"upstream/{model}").family if model else ""
    except ConfigurationError:
        family = ""
    return family[:_LONGEST].replace("/", "-")


def _checked(named: str) -> str:
    if _NAME.fullmatch(named) is None:
        detail = "a task is named by up to 200 printable ASCII characters without spaces and slashes"
        raise BadRequest("wrong-task", HTTPStatus.BAD_REQUEST, detail)
    return named


def _has_calls(asked: dict[str, Any]) -> bool:
    """Whether a history has calls of a model, which nobody can have answered in a task that never began."""
    return any(
        _is_call(block)
        for name in ("messages", "input", "contents")
        for entry in _listed(asked.get(name))
        for block in (entry, *_listed(entry.get("content")), *_listed(entry.get("parts")))
    )


def _is_call(block: dict[str, Any]) -> bool:
    return "tool_calls" in block or "functionCall" in block or block.get("type") in {"tool_use", "function_call"}


def _listed(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
