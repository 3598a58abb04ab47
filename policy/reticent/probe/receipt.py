"""What a drill found, to be kept with the release it was run for."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True, order=True)
class Leak:
    """A mark of reasoning in a sink: where in it, of which dialect, and how it was spelled. Never the content."""

    sink: str
    where: str
    dialect: str
    spelling: str


@dataclass(frozen=True, slots=True)
class SinkResult:
    """One sink: ``reached`` counts the messages whose visible text arrived, ``size`` the bytes that were searched.

    ``permitted`` sinks are for a surface that may have reasoning; what is found there is no leak.
    """

    name: str
    permitted: bool
    reached: int
    size: int
    leaks: tuple[Leak, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of one drill. ``failures`` are the classes of what the application raised, by dialect."""

    at: datetime
    plan: str
    dialects: tuple[str, ...]
    marks: int
    sinks: tuple[SinkResult, ...]
    failures: tuple[tuple[str, str], ...]

    @property
    def leaks(self) -> tuple[Leak, ...]:
        """Marks of reasoning in sinks that may not have them."""
        return tuple(leak for sink in self.sinks if not sink.permitted for leak in sink.leaks)

    @property
    def clean(self) -> bool:
        """Whether no mark got where it may not be, and the application handled every message."""
        return not self.leaks and not self.failures

    def to_text(self) -> str:
        """The receipt for people: one line for each sink and each leak."""
        lines = [
            f"reticent probe, {self.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z, plan {self.plan}",
            f"{len(self.dialects)} messages with {self.marks} marks: {', '.join(self.dialects)}",
        ]
        for sink in self.sinks:
            told = "may have reasoning" if sink.permitted else f"{len(sink.leaks)} marks found"
            lines.append(f"{sink.name}: {told}; {sink.reached} messages arrived, {sink.size} bytes searched")
        lines += [f"leak: {leak.sink}: {leak.where}: {leak.dialect} ({leak.spelling})" for leak in self.leaks]
        lines += [f"failed: {dialect}: {kind}" for dialect, kind in self.failures]
        lines.append("clean" if self.clean else f"{len(self.leaks)} leaks, {len(self.failures)} failures")
        return "\n".join(lines) + "\n"

    def to_json(self) -> str:
        """The receipt as JSON."""
        content = asdict(self) | {"at": self.at.astimezone(UTC).isoformat(), "clean": self.clean}
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
