"""The compactor and the fold over messages that are objects of a framework."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reticent.history import compact
from reticent.history.fold import Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from reticent.history import Change, Compaction, CompactOptions
    from reticent.history.fold import Folder, FoldOutcome

__all__ = ["CompactedMessages", "FoldedMessages", "Messages"]

M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedMessages(Generic[M]):
    """The messages to send, and the compaction that made them. A message that did not change is the same object."""

    messages: list[M]
    compaction: Compaction


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedMessages(Generic[M]):
    """The messages to send, and the fold that made them. A message that did not change is the same object."""

    messages: list[M]
    outcome: FoldOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages(Generic[M]):
    """How a framework's messages are read, and how changes to what was read are carried out on them."""

    dialect: str
    view: Callable[[M], dict[str, Any]]
    carry_out: Callable[[Sequence[M], Sequence[dict[str, Any]], Sequence[Change]], list[M]]

    def compacted(self, messages: Sequence[M], options: CompactOptions) -> CompactedMessages[M]:
        """Compact ``messages``; the dialect of ``options`` is replaced by the one they are read as."""
        views = [self.view(message) for message in messages]
        given: CompactOptions = {**options, "dialect": self.dialect}
        done = compact(views, **given)
        return CompactedMessages(messages=self.carry_out(messages, views, done.removed), compaction=done)

    async def folded(
        self, messages: Sequence[M], folder: Folder, *, iteration: int, tools: Sequence[Any] | None
    ) -> FoldedMessages[M]:
        """Fold ``messages`` when they are due for it."""
        views = [self.view(message) for message in messages]
        outcome = await folder.before_send(Request(messages=views, tools=tools), iteration=iteration)
        return FoldedMessages(messages=self.carry_out(messages, views, outcome.changes), outcome=outcome)

    def compacting(
        self, seen: Callable[[Compaction], None] | None, options: CompactOptions
    ) -> Callable[[Sequence[M]], list[M]]:
        """A function that compacts what it gets; ``seen`` is told each compaction, done or not."""

        def process(messages: Sequence[M]) -> list[M]:
            done = self.compacted(messages, options)
            if seen is not None:
                seen(done.compaction)
            return done.messages

        return process

    def folding(
        self, folder: Folder, tools: Sequence[Any] | None, seen: Callable[[FoldOutcome], None] | None
    ) -> Callable[[Sequence[M]], Awaitable[list[M]]]:
        """A function that folds what it gets when it is due; each call counts as one iteration."""
        iterations = count(1)

        async def process(messages: Sequence[M]) -> list[M]:
            """Fold what the model is about to see."""
            done = await self.folded(messages, folder, iteration=next(iterations), tools=tools)
            if seen is not None:
                seen(done.outcome)
            return done.messages

        return process
