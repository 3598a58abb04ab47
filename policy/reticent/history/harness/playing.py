"""Playing a conversation to its end: an agent, its tools, the user's requests, and at one point a compaction."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.entries import Context, PartKind, Role
from reticent.history.exchanges import canonical, exchanges_in
from reticent.history.operations.marks import TOOL
from reticent.history.shapes import shape_of
from reticent.history.signals.loop import LoopAlert, LoopDetector

if TYPE_CHECKING:
    from reticent.history.exchanges import Exchange
    from reticent.history.scratchpad.sources import Sources

Entries = Sequence[Any]

Agent = Callable[[list[Any]], "Entries | Awaitable[Entries]"]
"""The history as it is sent in, the entries of the next assistant turn out; yours, or a simulated one."""

Tools = Callable[[str, Any], str]
"""A tool's name and arguments in, its result out; the same for the same, or runs cannot be compared."""

Compacting = Callable[[list[Any]], "Entries | Awaitable[Entries]"]
"""A history in, the one to go on with out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What is played: the opening entries, the requests that follow each answer, the agent and its tools.

    ``limit`` is the number of model calls after which a run counts as not finished.
    """

    opening: Sequence[Any] = field(repr=False)
    agent: Agent
    tools: Tools
    dialect: str
    requests: Sequence[str] = field(default=(), repr=False)
    sources: Sources | None = None
    context: Context = field(default_factory=Context)
    limit: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How a run went. Content shows in no ``repr``."""

    history: list[Any] = field(repr=False)
    steps: int
    """Model calls."""
    finished: bool
    calls: Counter[tuple[str, str]] = field(repr=False)
    """Tool and canonical arguments of each call, with how often it was made."""
    reply: str = field(repr=False)
    """The text of the last answer."""
    loops: tuple[LoopAlert, ...] = ()
    changed: bool = False
    """Whether the compaction gave another history than it got."""


class _Run:
    def __init__(self, script: Script) -> None:
        sources = script.sources
        tools = () if sources is None else sources.tools
        self.script = script
        self.shape = shape_of(script.dialect)
        self.history = list(script.opening)
        self.calls: Counter[tuple[str, str]] = Counter()
        self.detector = LoopDetector(
            pollers=[TOOL, *(tool.name for tool in tools if tool.polls)],
            changers=[tool.name for tool in tools if tool.changes],
        )
        self.steps = 0
        self.changed = False
        self.task = 0

    async def turn(self) -> str | None:
        """One model call with its results; the text when it was an answer."""
        new = list(await _awaited(self.script.agent(list(self.history))))
        start = len(self.history)
        self.history += new
        self.steps += 1
        read = [self.shape.read(start + i, raw, self.script.context) for i, raw in enumerate(new)]
        asked = [one for one in exchanges_in(read, self.shape, self.script.context) if not one.answered]
        if asked:
            self.history += self.shape.result_entries([self._result(one) for one in asked])
            return None
        texts = [text for entry in read if entry.has(PartKind.TEXT) for text in self.shape.texts(entry.raw)]
        return "\n".join(texts)

    def _result(self, one: Exchange) -> dict[str, Any]:
        self.calls[one.tool, canonical(one.arguments)] += 1
        self.detector.called(one.tool, one.arguments, step=self.steps, task_id=f"request-{self.task}")
        body = self.script.tools(one.tool, one.arguments)
        call_id = None if one.call_id == f"entry-{one.called}" else one.call_id
        return self.shape.result_of(call_id, one.tool, body)

    async def compact(self, compacting: Compacting) -> None:
        """Put another history in the place of this one."""
        new = list(await _awaited(compacting(list(self.history))))
        self.changed = new != self.history
        self.history = new
        self.detector.compacted(step=self.steps, task_id=f"request-{self.task}")


async def play(script: Script, *, compacting: Compacting | None = None, at: int | None = None) -> Played:
    """Play ``script`` to its end; ``compacting`` runs once, in front of the model call number ``at`` (from 0)."""
    run = _Run(script)
    waiting = list(script.requests)
    reply, finished = "", False
    if not run.history or run.shape.read(0, run.history[-1], script.context).role is Role.ASSISTANT:
        run.history.append(run.shape.user_entry([waiting.pop(0)]))
    while not finished and run.steps < script.limit:
        if compacting is not None and run.steps == at:
            await run.compact(compacting)
        answer = await run.turn()
        if answer is None:
            continue
        reply = answer
        run.task += 1
        finished = not waiting
        if waiting:
            run.history.append(run.shape.user_entry([waiting.pop(0)]))
    return Played(
        history=run.history,
        steps=run.steps,
        finished=finished,
        calls=run.calls,
        reply=reply,
        loops=tuple(run.detector.alerts),
        changed=run.changed,
    )


async def _awaited(value: Entries | Awaitable[Entries]) -> Entries:
    return await value if inspect.isawaitable(value) else value


class RecordedTools:
    """Tools that answer as they did in a recorded history; what was not recorded gets a plain word and is counted."""

    def __init__(self, history: Sequence[Any], *, dialect: str, context: Context | None = None) -> None:
        shape, known = shape_of(dialect), context or Context()
        entries = [shape.read(pos, raw, known) for pos, raw in enumerate(history)]
        found = [one for one in exchanges_in(entries, shape, known) if one.answered]
        self._answers = {(one.tool, canonical(one.arguments)): one.body for one in found}
        self.misses = 0
        """Calls that the recording has no answer to."""

    def __call__(self, tool: str, arguments: Any) -> str:
        """The recorded result."""
        found = self._answers.get((tool, canonical(arguments)))
        if found is None:
            self.misses += 1
        return "not recorded" if found is None else found
