"""What a scrub took out: where, by which rule, how much, and digests before and after; never content.

While a scrub runs, its receipt is a journal beside it (``NAME.part``), to which every step is appended before and after
it is taken. A scrub that was killed and is run again with the same receipt goes on with that journal, so the receipt
of a scrub that came to its end names everything that was ever changed under it.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reticent.scan.findings import Finding, NotRead

__all__ = ["Journal", "Receipt", "Removal"]

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Removal:
    """What went from one file, or from one batch of rows of one table.

    ``rules`` maps rules to counts and lengths. ``before`` and ``after`` are SHA-256 digests: of the whole file, or of
    the changed cells of the batch in order (no digest of a single cell is kept, because a short text can be guessed
    from one). ``rows`` is None for a file. ``confirmed`` is False when the process ended in the very step, and the
    next run found nothing left to do there.
    """

    source: str
    table: str | None
    rows: int | None
    rules: dict[str, dict[str, int]]
    before: str
    after: str
    bytes_before: int
    bytes_after: int
    confirmed: bool = True


@dataclass(slots=True)
class Receipt:
    """The receipt of one scrub; ``written`` says whether anything was changed or only would be."""

    surface: str
    written: bool
    began: str
    removals: list[Removal] = field(default_factory=list[Removal])
    kept: list[NotRead] = field(default_factory=list["NotRead"])
    sources: int = 0

    @property
    def rules(self) -> dict[str, dict[str, int]]:
        """Counts and lengths by rule, over everything."""
        total: dict[str, dict[str, int]] = {}
        for removal in self.removals:
            for rule, told in removal.rules.items():
                mine = total.setdefault(rule, {"count": 0, "length": 0})
                mine["count"] += told["count"]
                mine["length"] += told["length"]
        return dict(sorted(total.items()))

    def to_dict(self) -> dict[str, Any]:
        """The receipt as JSON values."""
        return {
            "receipt_version": VERSION,
            "reticent": version("reticent"),
            "surface": self.surface,
            "written": self.written,
            "began": self.began,
            "ended": now(),
            "sources": self.sources,
            "removals": [asdict(removal) for removal in self.removals],
            "kept": [gap.to_dict() for gap in self.kept],
            "rules": self.rules,
        }

    def to_json(self) -> str:
        """The receipt as a JSON document."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_text(self) -> str:
        """One line for each place, and a line that sums up."""
        verb = "removed" if self.written else "would be removed"
        lines = [f"{_place(removal)}: {_amount(removal.rules)} {verb}" for removal in self.removals]
        lines += [str(gap) for gap in self.kept]
        kept = f", {len(self.kept)} not read or kept" if self.kept else ""
        many = f"{self.sources} source{'' if self.sources == 1 else 's'}"
        return "\n".join([*lines, f"{many}: {_amount(self.rules)} {verb}{kept}"]) + "\n"


class Journal:
    """The steps of a scrub that writes; ``None`` as its path keeps none, for a scrub that does not."""

    def __init__(self, path: Path | None, surface: str) -> None:
        """Go on with the journal of the receipt at ``path``, or begin it.

        Raises:
            ConfigurationError: the receipt exists, or its journal is that of a scrub of another surface.
        """
        self.receipt = Receipt(surface, path is not None, now())
        self._path = path
        self._part = None if path is None else path.with_name(f"{path.name}.part")
        if path is not None and path.exists():
            raise ConfigurationError(f"{path}: a receipt is written once; name another")
        if self._part is not None:
            self._take_over(self._part)

    def intend(self, removal: Removal) -> None:
        """A step is about to be taken."""
        self._append({"step": "intend", **asdict(removal)})

    def done(self, removal: Removal) -> None:
        """The step was taken, or would have been; an earlier run's unconfirmed step on the same content is this one."""
        self.receipt.removals = [old for old in self.receipt.removals if old.confirmed or not _is_same(old, removal)]
        self.receipt.removals.append(removal)
        self._append({"step": "done", **asdict(removal)})

    def keep(self, gaps: Iterable[NotRead]) -> None:
        """Note what stays as it is."""
        self.receipt.kept += gaps

    def finish(self) -> None:
        """Write the receipt, whole or not at all, and remove its journal."""
        if self._path is None or self._part is None:
            return
        made = self._path.with_name(f"{self._path.name}.new")
        with made.open("w", encoding="utf-8") as out:
            out.write(self.receipt.to_json())
            out.flush()
            os.fsync(out.fileno())
        made.replace(self._path)
        self._part.unlink(missing_ok=True)

    def _append(self, entry: dict[str, Any]) -> None:
        if self._part is None:
            return
        with self._part.open("a", encoding="utf-8") as out:
            out.write(json.dumps(entry) + "\n")
            out.flush()
            os.fsync(out.fileno())

    def _take_over(self, part: Path) -> None:
        """Read the journal of a scrub that did not come to its end; its last line may be half a line."""
        entries: list[dict[str, Any]] = []
        if part.exists():
            for line in part.read_bytes().splitlines():
                try:
                    entries.append(json.loads(line))
                except ValueError:
                    break
        if entries and entries[0] != self._head():
            raise ConfigurationError(f"{part}: the journal of another scrub")
        _rewrite(part, [self._head(), *entries[1:]])
        self.receipt.removals = list(_taken(entries[1:]))

    def _head(self) -> dict[str, Any]:
        return {"step": "begin", "receipt_version": VERSION, "surface": self.receipt.surface}


def _taken(entries: Sequence[dict[str, Any]]) -> Iterable[Removal]:
    """The steps that were taken; of the last one before the end, a file's digest tells whether it was."""
    open_step: Removal | None = None
    for entry in entries:
        told = _removal(entry)
        if open_step is not None and told != open_step:
            yield from _late(open_step)
        open_step = told if entry["step"] == "intend" else None
        if entry["step"] == "done":
            yield told
    if open_step is not None:
        yield from _late(open_step)


def _removal(entry: dict[str, Any]) -> Removal:
    told = dict(entry)
    del told["step"]
    return Removal(**told)


def _is_same(old: Removal, new: Removal) -> bool:
    return (old.source, old.table, old.before) == (new.source, new.table, new.before)


def _late(removal: Removal) -> Iterable[Removal]:
    """A step that was begun and not noted as done: taken, not taken, or, for rows, nobody knows."""
    if removal.rows is not None:
        yield replace(removal, confirmed=False)
        return
    with suppress(OSError):
        if digest_of(Path(removal.source)) == removal.after:
            yield removal


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def counted(findings: Iterable[Finding]) -> dict[str, dict[str, int]]:
    """Counts and lengths by rule."""
    rules: dict[str, dict[str, int]] = {}
    for finding in findings:
        told = rules.setdefault(finding.rule, {"count": 0, "length": 0})
        told["count"] += finding.count
        told["length"] += finding.length
    return dict(sorted(rules.items()))


def now() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _rewrite(part: Path, entries: Sequence[dict[str, Any]]) -> None:
    made = part.with_name(f"{part.name}.new")
    with made.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(entry) + "\n" for entry in entries)
        out.flush()
        os.fsync(out.fileno())
    made.replace(part)


def _place(removal: Removal) -> str:
    if removal.table is None:
        return removal.source
    return f"{removal.source} {removal.table} ({removal.rows} row{'' if removal.rows == 1 else 's'})"


def _amount(rules: dict[str, dict[str, int]]) -> str:
    count = sum(told["count"] for told in rules.values())
    length = sum(told["length"] for told in rules.values())
    return f"{count} carrier{'' if count == 1 else 's'} ({length} characters)"
