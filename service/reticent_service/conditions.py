"""Conditions that ask for evidence: which are lost, since when, who owns them, and the run that verifies them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from reticent.compiler.following import evidence_at
from reticent.errors import ReticentError
from reticent.evidence import SigningKey, moment_text

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from reticent.compiler import Plan
    from reticent_service.settings import Settings

_log = logging.getLogger("reticent_service")

_RETRY_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Lost:
    """A condition that is not shown to hold: how it stands, since when (seconds since 1970), and who owns its row.

    ``code`` is what the probe said, None when no look counts. What the probe found in detail is for the review page.
    """

    surface: str
    condition: str
    status: str
    since: float
    owner: str
    probe: str
    code: str | None

    @property
    def name(self) -> str:
        """``task_store.encrypted_per_task``."""
        return f"{self.surface}.{self.condition}"

    def told(self) -> dict[str, Any]:
        """As logs and answers have it."""
        return {
            "surface": self.surface,
            "condition": self.condition,
            "status": self.status,
            "since": moment_text(self.since),
            "owner": self.owner,
            "probe": self.probe,
            "code": self.code,
        }


def lost_conditions(plan: Plan, before: Iterable[Lost], now: float) -> tuple[Lost, ...]:
    """Every condition of ``plan`` that is lost.

    Since when is what the evidence says; where it cannot say, it is when the service saw it first (``before``).
    """
    known = {(lost.name, lost.status): lost.since for lost in before}
    found: list[Lost] = []
    for condition in plan.lost:
        evidence = condition.evidence
        if evidence is not None:
            seen = known.get((f"{condition.surface}.{condition.name}", evidence.status), now)
            found.append(
                Lost(
                    surface=condition.surface,
                    condition=condition.name,
                    status=evidence.status,
                    since=seen if evidence.since is None else evidence.since,
                    owner=plan.decision(condition.surface).owner,
                    probe=evidence.probe,
                    code=evidence.code,
                )
            )
    return tuple(found)


class Verifying:
    """Runs the probes of the table on their schedule, and writes the evidence file that the plan is compiled with."""

    def __init__(self, settings: Settings) -> None:
        """Verify with the key that the settings name, if they name one.

        Raises:
            ConfigurationError: a key without a file to write, or no key in the file.
        """
        self._settings = settings
        self._key = SigningKey.load(settings.evidence_key) if settings.evidence_key else None

    def once(self) -> float:
        """Run every probe, sign and write; the seconds until the next time.

        Raises:
            ReticentError: the table or the key cannot be used, or the file cannot be written.
        """
        from reticent.surfaces import load_table
        from reticent.verify import next_look, verify, write_evidence

        table = load_table(self._settings.table)
        if self._key is None or self._settings.evidence is None or not table.asks_for_evidence:
            return _RETRY_SECONDS
        files, _ = evidence_at(self._settings.evidence)
        evidence = verify(table, key=self._key, before=next(iter(files), None))
        write_evidence(evidence, self._settings.evidence)
        return next_look(table)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Verify again and again in a thread, for as long as the context is open; does nothing without a key."""
        if self._key is None:
            yield
            return
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            pause = _RETRY_SECONDS
            try:
                pause = await asyncio.to_thread(self.once)
            except ReticentError as error:
                _log.error("conditions were not verified: %s", error.code)
            except Exception as error:  # noqa: BLE001 - a probe's surroundings; the next round may do better
                _log.error("conditions were not verified: %s", type(error).__name__)
            await asyncio.sleep(pause)
