"""What a changed table opens and closes, and for whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reticent.compiler.decision import CLASSES, READERS, ContentClass, Decision, Reader
from reticent.compiler.diff_evidence import evidence_differences
from reticent.compiler.difference import Difference, Direction

if TYPE_CHECKING:
    from reticent.compiler.plan import Plan, Vocabulary, VocabularyName

_WITHHELD = {"withhold": 2, "suspect": 1, "carry": 0}
_REASONING: tuple[ContentClass, ...] = ("text", "summary", "opaque")


@dataclass(frozen=True, slots=True)
class PlanDiff:
    """Everything that differs between two plans; ``opens`` is what a reviewer must look at."""

    old_digest: str
    new_digest: str
    differences: tuple[Difference, ...]

    @property
    def opens(self) -> tuple[Difference, ...]:
        """What may leave now and could not before."""
        return self._of("opens")

    @property
    def closes(self) -> tuple[Difference, ...]:
        """What could leave before and may not now."""
        return self._of("closes")

    @property
    def notes(self) -> tuple[Difference, ...]:
        """What else changed: readers that stripped content reaches, or reaches no more."""
        return self._of("notes")

    def _of(self, direction: Direction) -> tuple[Difference, ...]:
        return tuple(item for item in self.differences if item.direction == direction)


def diff_plans(old: Plan, new: Plan) -> PlanDiff:
    """Compare two plans, surface by surface and class by class."""
    names = [*old.surfaces, *(name for name in new.surfaces if name not in old.decisions)]
    found = [item for name in names for item in _surface(name, old.decisions.get(name), new.decisions.get(name))]
    others = (*_vocabulary(old.vocabulary, new.vocabulary), *evidence_differences(old, new))
    return PlanDiff(old.digest, new.digest, (*found, *others))


def _surface(name: str, old: Decision | None, new: Decision | None) -> Iterator[Difference]:
    if old is None and new is not None:
        yield from _appeared(new)
    elif new is None and old is not None:
        yield from _gone(old)
    elif old is not None and new is not None:
        yield from _classes(old, new)
        yield from _readers(old, new)
        yield from _settings(name, old, new)
        yield from _exceptions(name, old, new)


def _appeared(new: Decision) -> Iterator[Difference]:
    passing = _passing(new, _REASONING)
    direction: Direction = "opens" if passing else "notes"
    yield Difference(
        direction,
        new.surface,
        f"new surface, {new.verdict}" + (f"; passes {_listed(passing)}" if passing else ""),
        _reached(new),
    )


def _gone(old: Decision) -> Iterator[Difference]:
    direction: Direction = "closes" if _passing(old, _REASONING) else "notes"
    yield Difference(direction, old.surface, "surface removed", _reached(old))


def _classes(old: Decision, new: Decision) -> Iterator[Difference]:
    opened = [name for name in CLASSES if (old.classes[name], new.classes[name]) == ("strip", "pass")]
    closed = [name for name in CLASSES if (old.classes[name], new.classes[name]) == ("pass", "strip")]
    if opened:
        yield Difference("opens", new.surface, f"{_listed(opened)}: strip → pass{_because(old, new)}", _reached(new))
    if closed:
        yield Difference("closes", new.surface, f"{_listed(closed)}: pass → strip", _reached(new))


def _because(old: Decision, new: Decision) -> str:
    lost = [reader.place for reader in old.readers if reader not in new.readers]
    return f"; no longer reached: {_listed(lost)}" if lost else ""


def _readers(old: Decision, new: Decision) -> Iterator[Difference]:
    gained = tuple(reader for reader in new.readers if reader not in old.readers)
    lost = tuple(reader for reader in old.readers if reader not in new.readers)
    passing = [name for name in _passing(new, _REASONING) if old.classes[name] == "pass"]
    if gained and passing:
        yield Difference("opens", new.surface, f"{_listed(passing)}, which pass, reach more", _reached(new, gained))
    elif gained:
        yield Difference("notes", new.surface, "reaches more", _reached(new, gained))
    if lost:
        yield Difference("notes", new.surface, "no longer reaches", _reached(old, lost))


def _settings(name: str, old: Decision, new: Decision) -> Iterator[Difference]:
    if old.unknown_types != new.unknown_types:
        looser = _WITHHELD[new.unknown_types] < _WITHHELD[old.unknown_types]
        yield Difference(
            "opens" if looser else "closes", name, f"unknown block types: {old.unknown_types} → {new.unknown_types}"
        )
    if old.on_strip != new.on_strip:
        yield Difference("notes", name, f"what is withheld: {old.on_strip} → {new.on_strip}")
    if old.limits != new.limits:
        yield Difference("notes", name, "limits changed")
    if old.owner != new.owner:
        yield Difference("notes", name, f"owner: {old.owner} → {new.owner}")


def _exceptions(name: str, old: Decision, new: Decision) -> Iterator[Difference]:
    before = {(item.classes, item.owner, item.reason): item.expires for item in old.exceptions}
    for item in new.exceptions:
        was = before.get((item.classes, item.owner, item.reason))
        if was is not None and was != item.expires:
            direction: Direction = "opens" if item.expires > was else "closes"
            yield Difference(
                direction,
                name,
                f"exception for {_listed(item.classes)}: until {was} → until {item.expires}",
                _reached(new),
            )


def _vocabulary(old: Vocabulary, new: Vocabulary) -> Iterator[Difference]:
    lost, found = set(old.reasoning) - set(new.reasoning), set(new.reasoning) - set(old.reasoning)
    yield from _names("opens", lost, "no longer reasoning")
    yield from _names("closes", found, "now reasoning")
    shown, hidden = set(new.visible) - set(old.visible), set(old.visible) - set(new.visible)
    yield from _names("opens", shown, "now visible")
    yield from _names("closes", hidden, "no longer visible")


def _names(direction: Direction, names: set[VocabularyName], what: str) -> Iterator[Difference]:
    for entry in sorted(names, key=lambda entry: (entry.kind, entry.name)):
        yield Difference(direction, "vocabulary", f"{entry.kind} {entry.name!r} is {what}")


def _passing(decision: Decision, among: tuple[ContentClass, ...]) -> list[ContentClass]:
    return [name for name in CLASSES if name in among and decision.classes[name] == "pass"]


def _reached(decision: Decision, readers: tuple[Reader, ...] | None = None) -> tuple[str, ...]:
    from reticent.compiler.paths import shortest_paths

    paths = shortest_paths(decision.surface, decision.arrows)
    chosen = decision.readers if readers is None else readers
    return tuple(f"{' → '.join(paths[reader.place])} ({READERS[reader.kind]})" for reader in chosen)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
