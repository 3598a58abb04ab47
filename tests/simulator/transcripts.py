"""The adversarial transcripts, and what a boundary search and a compactor answer on each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reticent.history import BoundaryReport, Compaction, Context, boundary_report, compact
from reticent.history.context_json import read_context

FOLDER = Path(__file__).parents[1] / "conformance" / "history" / "transcripts"

PERMISSIVE = {
    "anthropic-messages": "anthropic-keep-all",
    "openai-responses": "openai-responses",
    "openai-chat": "openai-chat",
    "gemini": "gemini-3",
    "bedrock-converse": "anthropic-keep-all",
}
"""For each dialect a profile that lets settled reasoning go."""


@dataclass(frozen=True)
class Transcript:
    """One transcript with what is expected of it."""

    id: str
    why: str
    dialect: str
    entries: list[dict[str, Any]]
    context: Context
    profile: str
    expect: dict[str, Any]

    def report(self) -> BoundaryReport:
        """What we say."""
        return boundary_report(self.entries, dialect=self.dialect, context=self.context)

    def stripped(self) -> list[Any]:
        """What we leave of it when settled reasoning goes."""
        done = compact(
            self.entries, dialect=self.dialect, context=self.context, profile=self.profile, operations=["strip"]
        )
        return list(done.history)

    def wanted(self) -> list[Any]:
        """What is to be left of it."""
        if self.expect["strip"] == "same":
            return self.entries
        return [*self.expect["strip"], *self.entries[self.expect["boundary"] :]]

    def faults(self) -> list[str]:
        """What we answer otherwise than expected; empty when all is well."""
        report = self.report()
        got = {
            "boundary": report.boundary,
            "confidence": report.confidence,
            "anomalies": [anomaly.code.value for anomaly in report.anomalies],
            "open": list(report.open),
        }
        found = [key for key, value in got.items() if value != self.expect[key]]
        if "sparse" in self.expect and list(report.sparse) != self.expect["sparse"]:
            found.append("sparse")
        return [*found, "strip"] if self.stripped() != self.wanted() else found


def load_transcripts() -> list[Transcript]:
    """Every transcript of the folder."""
    rows = [row for file in sorted(FOLDER.glob("*.json")) for row in json.loads(file.read_text(encoding="utf-8"))]
    return [
        Transcript(
            id=row["id"],
            why=row["why"],
            dialect=row["dialect"],
            entries=row["in"],
            context=read_context(row.get("context", {})),
            profile=row.get("profile", PERMISSIVE[row["dialect"]]),
            expect=row["expect"],
        )
        for row in rows
    ]


def done(name: str, *operations: str, profile: str | None = None, **options: Any) -> Compaction:
    """One transcript under some operations."""
    t = TRANSCRIPTS[name]
    options = {"context": t.context, **options}
    return compact(t.entries, dialect=t.dialect, profile=profile or t.profile, operations=operations, **options)


def reasons(result: Compaction) -> set[str]:
    """Why operations were refused."""
    return {refusal.reason for refusal in result.report.refused}


def broken() -> set[str]:
    """Ids of the transcripts on which the code under test answers otherwise than expected, or fails."""
    found: set[str] = set()
    for transcript in load_transcripts():
        try:
            if transcript.faults():
                found.add(transcript.id)
        except Exception:  # noqa: BLE001 - a mutant may break in any way
            found.add(transcript.id)
    return found


TRANSCRIPTS = {transcript.id: transcript for transcript in load_transcripts()}
"""Every transcript by its id."""
