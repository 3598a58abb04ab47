"""Abstract agent runs, whose true boundary is known because they were made here, and Hypothesis strategies for them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Call:
    """One tool call."""

    id: str
    name: str
    args: str


@dataclass(frozen=True)
class User:
    """A person, or the harness when ``nudge`` is set, says something."""

    task: str
    text: str
    nudge: bool = False


@dataclass(frozen=True)
class Turn:
    """One model turn. ``ends`` is the truth that only the generator knows: the task is finished by it."""

    task: str
    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    server: Call | None = None
    """A call of the provider's own tool, with its result in the same turn."""
    stop: str = "natural"
    phase: str = ""
    strange: str = ""
    """The payload of a block type that nobody has listed."""
    ends: bool = False


@dataclass(frozen=True)
class Results:
    """Tool results, in order, and what a person said while they came."""

    task: str
    bodies: tuple[tuple[Call, str], ...]
    steer: str = ""
    ends: bool = False
    """A terminal tool's result was recorded: the task is finished."""


@dataclass(frozen=True)
class Standing:
    """System text in the middle or at the start."""

    text: str
    task: str = ""


Event = User | Turn | Results | Standing


@dataclass(frozen=True)
class Run:
    """A conversation."""

    events: tuple[Event, ...]
    interleaved: bool = False

    def true_cut(self, upto: int) -> int:
        """The true boundary of the first ``upto`` events, in events."""
        seen = self.events[:upto]
        spans: dict[str, tuple[int, int]] = {}
        ended: set[str] = set()
        for index, event in enumerate(seen):
            if event.task:
                spans[event.task] = (spans.get(event.task, (index, 0))[0], index)
            if getattr(event, "ends", False):
                ended.add(event.task)
        cuts = [last + 1 for task, (_, last) in spans.items() if task in ended]
        return max(
            (cut for cut in cuts if all(_clear(task, span, cut, ended) for task, span in spans.items())), default=0
        )

    def states(self, upto: int) -> dict[str, str]:
        """What a perfect task registry says after ``upto`` events."""
        found: dict[str, str] = {}
        for event in self.events[:upto]:
            if event.task:
                done = getattr(event, "ends", False) or found.get(event.task) == "completed"
                found[event.task] = "completed" if done else "running"
        return found


def _clear(task: str, span: tuple[int, int], cut: int, ended: set[str]) -> bool:
    first, last = span
    return (last < cut and task in ended) or first >= cut


TERMINAL_TOOL = "final_result"
"""The tool whose recorded result ends a task, where a run uses one."""

HOSTILE = ("café", "cafe\u0301", "\r\n", "1.00", '{"a": 1}', "\u202e", "\U0001f600", "<think>", "9007199254740993")


@dataclass
class Names:
    """Counts what was named, so that every text and id of a run is its own."""

    used: int = field(default=0)

    def next(self, kind: str) -> str:
        """A fresh marker."""
        self.used += 1
        return f"{kind}{self.used:04d}"


def _call(draw: st.DrawFn, names: Names) -> Call:
    name = draw(st.sampled_from(["get_order", "search", "read_file"]))
    number = names.next("c")
    return Call(f"call_{number}", name, f'{{"q":"{number}","n":1}}')


@st.composite
def tasks(  # noqa: PLR0913 - a generator's dials
    draw: st.DrawFn,
    task: str,
    names: Names,
    *,
    finished: bool,
    nudges: bool = True,
    cut_offs: bool = True,
    terminal: bool = False,
    max_steps: int = 4,
) -> list[Event]:
    """The events of one task; the last is a final turn when it is ``finished``."""
    events: list[Event] = [User(task, _said(draw, names))]
    for _ in range(draw(st.integers(0, max_steps))):
        events += draw(_stretch(task, names, nudges=nudges, cut_offs=cut_offs))
    if finished and terminal and draw(st.booleans()):
        events += _submitted(task, names)
    elif finished:
        events.append(draw(_final(task, names)))
    elif draw(st.booleans()):
        events.append(_working(draw, task, names))
    return events


def _submitted(task: str, names: Names) -> list[Event]:
    """An answer that is the call of a terminal tool."""
    call = Call(f"call_{names.next('c')}", TERMINAL_TOOL, "{}")
    turn = Turn(task, reasoning=f"{names.next('thought')} PRIVATE", calls=(call,), stop="tool")
    return [turn, Results(task, ((call, names.next("recorded")),), ends=True)]


def _said(draw: st.DrawFn, names: Names) -> str:
    return f"{names.next('user')} {draw(st.sampled_from(['please', *HOSTILE]))}"


def _thought(draw: st.DrawFn, names: Names) -> str:
    return f"{names.next('thought')} PRIVATE" if draw(st.integers(0, 3)) else ""


def _working(draw: st.DrawFn, task: str, names: Names) -> Turn:
    calls = tuple(_call(draw, names) for _ in range(draw(st.integers(1, 3))))
    text = names.next("remark") if draw(st.booleans()) else ""
    return Turn(task, text=text, reasoning=_thought(draw, names), calls=calls, stop="tool")


@st.composite
def _stretch(draw: st.DrawFn, task: str, names: Names, *, nudges: bool, cut_offs: bool) -> list[Event]:
    kinds = ["step", "step", "step", *(["note"] if nudges else []), *(["cut"] if cut_offs else [])]
    kind = draw(st.sampled_from(kinds))
    if kind == "note":
        note = Turn(task, text=names.next("note"), reasoning=_thought(draw, names), phase="commentary")
        return [note, User(task, names.next("continue"), nudge=True)]
    if kind == "cut":
        cut = Turn(task, text=names.next("partone"), reasoning=_thought(draw, names), stop="continue")
        return [cut, User(task, names.next("goon"))]
    turn = _working(draw, task, names)
    bodies = tuple((call, names.next("body") * draw(st.sampled_from([1, 1, 120]))) for call in turn.calls)
    steer = names.next("steer") if not draw(st.integers(0, 4)) else ""
    return [turn, Results(task, bodies, steer=steer)]


@st.composite
def _final(draw: st.DrawFn, task: str, names: Names) -> Turn:
    server = _call(draw, names) if not draw(st.integers(0, 4)) else None
    strange = names.next("strange") if not draw(st.integers(0, 5)) else ""
    return Turn(
        task,
        text=names.next("answer"),
        reasoning=_thought(draw, names),
        server=None if server is None else replace(server, name="web_search"),
        phase="final_answer",
        strange=strange,
        ends=True,
    )


@st.composite
def conversations(
    draw: st.DrawFn,
    *,
    nudges: bool = True,
    cut_offs: bool = True,
    max_tasks: int = 4,
    rest: bool | None = None,
    terminal: bool = False,
) -> Run:
    """Tasks one after another. ``rest`` asks for a run that ends with an unanswered opener, or never does."""
    names = Names()
    events: list[Event] = [Standing(names.next("system"))] if draw(st.booleans()) else []
    count = draw(st.integers(1, max_tasks))
    for index in range(count):
        events += draw(tasks(f"t{index}", names, finished=True, nudges=nudges, cut_offs=cut_offs, terminal=terminal))
    resting = draw(st.booleans()) if rest is None else rest
    if resting:
        events.append(User(f"t{count}", _said(draw, names)))
    else:
        events += draw(tasks(f"t{count}", names, finished=False, nudges=nudges, cut_offs=cut_offs))
    return Run(tuple(events))


@st.composite
def interleavings(draw: st.DrawFn, *, notes: bool = True) -> Run:
    """Two or three tasks whose events are mixed; every entry has its task's id."""
    names = Names()
    count = draw(st.integers(2, 3))
    queues = [
        list(draw(tasks(f"t{index}", names, finished=draw(st.booleans()), nudges=notes, cut_offs=notes, max_steps=2)))
        for index in range(count)
    ]
    events: list[Event] = []
    while any(queues):
        queue = draw(st.sampled_from([queue for queue in queues if queue]))
        events.append(queue.pop(0))
    return Run(tuple(events), interleaved=True)


def long_task(
    steps: int, *, task: str = "t0", names: Names | None = None, finished: bool = False, repeat: int = 1
) -> list[Event]:
    """One task of ``steps`` tool steps, for scenarios with a fixed size."""
    known = names or Names()
    events: list[Event] = [User(task, known.next("user"))]
    for _ in range(steps):
        call = Call(f"call_{known.next('c')}", "get_order", "{}")
        events.append(Turn(task, reasoning=f"{known.next('thought')} PRIVATE", calls=(call,), stop="tool"))
        events.append(Results(task, ((call, known.next("body") * repeat),)))
    if finished:
        final = Turn(
            task, text=known.next("answer"), reasoning=f"{known.next('thought')} PRIVATE", phase="final_answer"
        )
        events.append(replace(final, ends=True))
    return events


def flat(groups: Sequence[Sequence[Event]]) -> tuple[Event, ...]:
    """Events of several tasks, one after another."""
    return tuple(event for group in groups for event in group)
