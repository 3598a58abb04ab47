"""Plans that follow what they are made from: a table file, the rules of an engine, and the day.

What has changed is loaded beside what is in force and swapped in whole; when it cannot be loaded, what is in force
stays (``docs/decisions/0062-last-good-plan-serves.md``). ``reticent serve``, ``reticent proxy`` and
``reticent ext-proc`` all follow by this.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from reticent.compiler.compiling import load_plan_as_shown
from reticent.errors import EvidenceRefused, ReticentError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from reticent.compiler.engine import Engine
    from reticent.compiler.plan import Plan
    from reticent.evidence import EvidenceFile

__all__ = ["FollowedPlan", "Follower", "Mark", "evidence_at", "is_overdue", "repeating", "same_answers", "stamp"]

Mark: TypeAlias = tuple[object, ...]
"""What is different when something has changed."""

_log = logging.getLogger("reticent")


class Follower:
    """Looks for a change and has it loaded; not safe to share between threads."""

    def __init__(self, look: Callable[[], Mark], load: Callable[[], None], keep: Callable[[str], None]) -> None:
        """Look now; the caller has loaded, or loads, what is there.

        ``load`` brings what is there in force, or raises; ``keep`` is then told a stable code, and what was in force
        stays.
        """
        self._look, self._load, self._keep = look, load, keep
        self._mark = look()
        self._failed = False

    def refresh(self, *, due: bool = False) -> bool | None:
        """Load when something changed, when the last attempt failed, or when it is ``due``.

        True when another state is in force, False when it could not be loaded, None when there was nothing to do.
        Never raises for what is found.
        """
        try:
            mark = self._look()
            if mark == self._mark and not self._failed and not due:
                return None
            self._load()
        except ReticentError as error:
            return self._kept(error.code)
        except Exception as error:  # noqa: BLE001 - the last good one serves, whatever happened
            return self._kept(type(error).__name__)
        self._mark, self._failed = mark, False
        return True

    def _kept(self, code: str) -> bool:
        self._failed = True
        self._keep(code)
        return False


class FollowedPlan:
    """The plan of a table file or a compiled plan, as the file and the evidence for it are now.

    ``plan`` is in force; whoever began something with one goes on with it. ``failure`` is None while the plan is made
    of what is on disk, else the code of what keeps a newer one out. ``unusable`` is the code of why the evidence file
    cannot be used: then what asks for evidence is strip, and everything else goes on.
    """

    def __init__(
        self,
        source: str | Path | None = None,
        *,
        engine: Engine | None = None,
        evidence: str | Path | None = None,
        surfaces: Iterable[str] = (),
        today: Callable[[], date] = date.today,
    ) -> None:
        """Load the plan; arguments are those of ``load_plan``, and ``surfaces`` that a plan has to have.

        ``evidence`` is the path of one file, which is followed as well.

        Raises:
            TableError, PlanError: what is there is no valid table or plan.
            UnknownSurface: it lacks one of ``surfaces``.
            ConfigurationError: it cannot be read, or there is evidence for a plan that is already compiled.
            EngineError: the engine gave no usable answer.
        """
        self._source, self._engine, self._today = source, engine, today
        self._surfaces, self._evidence = tuple(surfaces), evidence
        self.failure: str | None = None
        self.unusable: str | None = None
        self._follower = Follower(self._look, self._load, self._keep)
        self.plan: Plan = self._loaded()

    def refresh(self) -> bool:
        """Look for a change and load it; True when another plan is in force now. Never raises for what is there."""
        return bool(self._follower.refresh(due=is_overdue(self.plan)))

    @contextlib.asynccontextmanager
    async def watching(self, seconds: float) -> AsyncGenerator[None]:
        """Refresh every so many ``seconds``, in a thread, for as long as the context is open."""
        async with repeating(self.refresh, seconds):
            yield

    def _look(self) -> Mark:
        rules = self._engine.policy_digest if self._engine is not None else None
        return (self._today(), stamp(self._source), stamp(self._evidence), rules)

    def _loaded(self) -> Plan:
        files, unusable = evidence_at(self._evidence)
        plan = load_plan_as_shown(self._source, self._engine, today=self._today(), evidence=files)
        for surface in self._surfaces:
            plan.decision(surface)
        if unusable is not None and unusable != self.unusable:
            _log.error("the evidence cannot be used, and what rests on it is strip: %s", unusable)
        self.unusable = unusable
        return plan

    def _load(self) -> None:
        before, self.plan, self.failure = self.plan, self._loaded(), None
        if self.plan.digest != before.digest:
            # Evidence that is renewed gives another plan of the same answers, many times a day.
            level = logging.INFO if same_answers(self.plan, before) else logging.WARNING
            _log.log(level, "another plan is in force: %s", self.plan.digest)

    def _keep(self, code: str) -> None:
        """Go on with the last good plan, less the exceptions that have ended since."""
        if self.failure != code:
            _log.error("the plan in force stays, a new one cannot be loaded: %s", code)
        self.plan, self.failure = self.plan.as_of(self._today()), code


def evidence_at(path: str | Path | None) -> tuple[tuple[EvidenceFile, ...], str | None]:
    """The evidence in a file, if one is named, and the code of why there is none.

    What cannot be read shows nothing: the conditions count as lost, and everything else is served.
    """
    from reticent.evidence import read_evidence

    if path is None:
        return (), None
    try:
        return (read_evidence(Path(path)),), None
    except EvidenceRefused as error:
        return (), error.code


def is_overdue(plan: Plan) -> bool:
    """Whether evidence that a plan rests on is too old by now."""
    closes = plan.closes_at
    return closes is not None and time.time() >= closes


def same_answers(one: Plan, other: Plan) -> bool:
    """Whether two plans say the same of every surface, by the same table and the same rules."""
    return _answers(one) == _answers(other)


def _answers(plan: Plan) -> Mark:
    return (plan.table_digest, plan.policy_digest, *(told.classes for told in plan.decisions.values()))


def stamp(path: str | Path | None) -> Mark:
    """What changes when a file is replaced, written or removed; nothing is read of it."""
    if path is None:
        return ()
    try:
        told = Path(path).stat()
    except OSError as error:
        return (type(error).__name__,)
    # An inode too: an editor or a mounted volume replaces the file, maybe within one tick of the clock.
    return (told.st_mtime_ns, told.st_size, told.st_ino)


@contextlib.asynccontextmanager
async def repeating(work: Callable[[], object], seconds: float) -> AsyncGenerator[None]:
    """Do ``work`` every so many ``seconds``, in a thread, for as long as the context is open."""

    async def repeat() -> None:
        """Do it again and again."""
        while True:
            await asyncio.sleep(seconds)
            await asyncio.to_thread(work)

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
