"""Findings as they come, in the forms that people, programs, editors and CI read.

Every form is written note by note, so that a report never has to be held: a scan of a year's logs can find millions.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import quote

from reticent.scan.findings import Finding, NotRead

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.scan.findings import Note

__all__ = ["FORMATS", "Renderer"]

_SARIF: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


class Renderer(ABC):
    """Writes notes to ``write``; ``end`` sums up."""

    name: ClassVar[str]

    def __init__(self, write: Callable[[str], object]) -> None:
        """Begin the report."""
        self._write = write
        self.rules: Counter[str] = Counter()
        self.classes: dict[str, str] = {}
        self.findings = 0
        self.carriers = 0
        self.length = 0
        self.gaps: Counter[str] = Counter()
        self.sources: set[str] = set()
        self._begin()

    def note(self, note: Note) -> None:
        """Write one note."""
        if isinstance(note, Finding):
            self.findings += 1
            self.carriers += note.count
            self.length += note.length
            self.rules[note.rule] += note.count
            self.classes[note.rule] = note.reasoning_class
            self.sources.add(note.source)
        else:
            self.gaps[note.code] += 1
        self._note(note)

    def end(self, sources: int) -> None:
        """Sum up; ``sources`` is how many were looked at."""
        self._end(sources)

    def summary(self, sources: int) -> dict[str, Any]:
        """Counts, as JSON values."""
        return {
            "sources": sources,
            "findings": self.findings,
            "sources_with_findings": len(self.sources),
            "carriers": self.carriers,
            "length": self.length,
            "rules": dict(sorted(self.rules.items())),
            "not_read": dict(sorted(self.gaps.items())),
            "clean": not self.findings and not self.gaps,
        }

    def _begin(self) -> None:  # noqa: B027 - most forms begin with their first note
        """Write what stands before the first note."""

    @abstractmethod
    def _note(self, note: Note) -> None: ...

    @abstractmethod
    def _end(self, sources: int) -> None: ...


class Text(Renderer):
    """One line for each note, and a line that sums up."""

    name = "text"

    def _note(self, note: Note) -> None:
        self._write(f"{note}\n")

    def _end(self, sources: int) -> None:
        gaps = f", {sum(self.gaps.values())} not read" if self.gaps else ""
        places = f" ({_many(self.carriers, 'carrier')}, {self.length} characters)" if self.findings else ""
        self._write(f"{_many(sources, 'source')}: {_many(self.findings, 'finding')}{places}{gaps}\n")


class JsonLines(Renderer):
    """One JSON object for each note as it comes, and one that sums up."""

    name = "jsonl"

    def _note(self, note: Note) -> None:
        self._write(json.dumps(note.to_dict(), ensure_ascii=False) + "\n")

    def _end(self, sources: int) -> None:
        self._write(json.dumps({"kind": "summary", **self.summary(sources)}, ensure_ascii=False) + "\n")


class Json(Renderer):
    """One JSON document: ``{"notes": [...], "summary": {...}}``."""

    name = "json"
    _first = True

    def _begin(self) -> None:
        self._write('{"notes": [')

    def _note(self, note: Note) -> None:
        self._write(("" if self._first else ",") + "\n  " + json.dumps(note.to_dict(), ensure_ascii=False))
        self._first = False

    def _end(self, sources: int) -> None:
        self._write('\n], "summary": ' + json.dumps(self.summary(sources), ensure_ascii=False) + "}\n")


class Sarif(Renderer):
    """SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html (read 2026-11-29)."""

    name = "sarif"
    _first = True

    def __init__(self, write: Callable[[str], object]) -> None:
        self._notifications: list[dict[str, Any]] = []
        super().__init__(write)

    def _begin(self) -> None:
        self._write(
            f'{{"$schema": "{_SARIF}", "version": "2.1.0", "runs": [{{"columnKind": "unicodeCodePoints", "results": ['
        )

    def _note(self, note: Note) -> None:
        if isinstance(note, NotRead):
            told = {"level": "error", "message": {"text": f"not read: {note.code}: {note.message}"}}
            self._notifications.append({**told, "locations": [_location(note)], "descriptor": {"id": note.code}})
            return
        self._write(("" if self._first else ",") + "\n  " + json.dumps(_result(note), ensure_ascii=False))
        self._first = False

    def _end(self, sources: int) -> None:
        rules = [
            {"id": rule, "shortDescription": {"text": f"Reasoning at rest ({self.classes[rule]})"}}
            for rule in sorted(self.rules)
        ]
        run = {"executionSuccessful": not self.gaps, "toolExecutionNotifications": self._notifications}
        driver = {"name": "reticent", "rules": rules}
        self._write(f'\n], "tool": {json.dumps({"driver": driver})}, "invocations": [{json.dumps(run)}],')
        self._write(f' "properties": {json.dumps(self.summary(sources))}}}]}}\n')


FORMATS: Final[dict[str, type[Renderer]]] = {kind.name: kind for kind in (Text, Json, JsonLines, Sarif)}


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _result(finding: Finding) -> dict[str, Any]:
    told = finding.to_dict()
    return {
        "ruleId": finding.rule,
        "level": "error",
        "message": {
            "text": f"{_many(finding.count, 'carrier')} of reasoning ({finding.reasoning_class}), "
            f"{finding.length} characters"
        },
        "locations": [_location(finding)],
        "properties": {
            name: value for name, value in told.items() if name not in ("kind", "source", "rule", "line", "offset")
        },
    }


def _location(note: Note) -> dict[str, Any]:
    where = note.where
    uri = note.source if "://" in note.source else quote(note.source.replace("\\", "/"))
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    region = {
        name: value for name, value in (("startLine", where.line), ("byteOffset", where.offset)) if value is not None
    }
    if region:
        physical["region"] = region
    location: dict[str, Any] = {"physicalLocation": physical}
    if str(where) and where.line is None:
        location["logicalLocations"] = [{"fullyQualifiedName": str(where).strip()}]
    return location
