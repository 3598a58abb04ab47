"""The way back to a producer: what it issued passes byte for byte, what another issued goes.

The walk finds every carrier as it would for a surface that withholds all of them. Those that the destination issued
are then covered, and the walk looks again at what is left: whatever hangs on a carrier (ids that pair an item with its
reasoning, copies in token lists, a message with nothing left) is judged as if the covered ones were plain content, and
so stays with them or goes with the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from reticent.edits import DROP, Edit, Insert, Rename
from reticent.serializers._providers import Clue
from reticent.serializers.evidence import Evidence, clue, evidence, issuer
from reticent.serializers.report import Report
from reticent.serializers.serializer import Serializer, StripSerializer
from reticent.serializers.session import is_event
from reticent.serializers.walk import Walk

if TYPE_CHECKING:
    from reticent.serializers.cutting import Find
    from reticent.serializers.evidence import Issuer
    from reticent.serializers.producers import Producer
    from reticent.serializers.program import Program

Path = tuple[Any, ...]

_COVER: Final = 0
"""What stands for a member while the walk looks again: not empty, and nothing that a rule could look for."""


@dataclass(frozen=True, slots=True)
class _Carrier:
    """One thing that would go: where it stands, the message it is part of, and what speaks for it."""

    path: Path
    message: Path | None
    evidence: Evidence


class RoundTripSerializer(StripSerializer):
    """Pass what the destination issued, cut what another did, then do what the row says."""

    __slots__ = ("_row", "_text_is_own")

    def __init__(self, program: Program, to: Producer, default: Producer | None, row: Serializer) -> None:
        """Serve a body that goes ``to`` a producer, by ``program``, which withholds everything, and the row's own."""
        super().__init__(row.surface, program, find_foreign(to, default))
        self._row = row
        self._text_is_own = default is not None and default.same_as(to)

    @property
    def report(self) -> Report:
        """Removals of this thread's last call, of both steps."""
        both = Report()
        both.merge(super().report)
        both.merge(self._row.report)
        return both

    def __call__(self, payload: Any) -> bytes:
        """JSON bytes without what another producer issued; the same bytes object when nothing has to go.

        Raises:
            EgressRefused: as for any serializer; a body that cannot be read cannot be told apart.
        """
        return self._row(super().__call__(payload))

    def value(self, payload: Any) -> Any:
        """The value without what another producer issued; the same object when nothing has to go.

        Raises:
            EgressRefused: as for a call.
        """
        return self._row.value(super().value(payload))

    def text(self, line: str) -> str:
        """The text as it is when the caller vouches for its producer, else without reasoning: text names nobody."""
        if self._text_is_own:
            self._start()
            return self._row.text(line)
        return self._row.text(super().text(line))


def find_foreign(to: Producer, default: Producer | None) -> Find:
    """What finds the carriers that ``to`` did not issue; ``default`` issued those that have no better evidence."""

    def find(value: Any, program: Program, report: Report) -> Edit | None:
        first = Report()
        edit = Walk(program, first).root(value)
        if edit is None:
            report.merge(first)
            return None
        told = _Carriers(program).issuers(value, edit, default)
        kept = [path for path, issued in told if issued is not None and issued.is_shown_to_be(to)]
        if not kept:
            report.merge(first)
            return edit
        return Walk(program, report).root(_covered(value, kept)) if () not in kept else None

    return find


class _Carriers:
    """What the walk with ``program`` takes out of a payload, piece by piece."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def issuers(self, value: Any, edit: Edit, default: Producer | None) -> Iterator[tuple[Path, Issuer | None]]:
        """Each carrier's place and who issued it; a carrier without evidence shares that of its message."""
        found = list(self._inside(value, edit, (), None, Clue()))
        told: dict[Path, set[Issuer | None]] = {}
        for carrier in found:
            if carrier.message is not None and not carrier.evidence.silent:
                told.setdefault(carrier.message, set()).add(issuer(carrier.evidence, default))
        for carrier in found:
            shared = told.get(carrier.message) if carrier.evidence.silent and carrier.message is not None else None
            if shared is None:
                yield carrier.path, issuer(carrier.evidence, default)
            else:
                yield carrier.path, next(iter(shared)) if len(shared) == 1 else None

    def _inside(self, value: Any, edit: Edit, path: Path, message: Path | None, around: Clue) -> Iterator[_Carrier]:
        """Everything that ``edit`` takes out of ``value``, which stands at ``path``."""
        if edit is DROP and isinstance(value, dict) and "role" in value:
            # A message goes when nothing is left in it; look at what was in it, which can be of several producers.
            edit = Walk(self._program, Report()).root(value) or edit
        if not isinstance(edit, dict) or _is_stream(value):
            yield _Carrier(path, message, evidence(value, path[-1] if path else None, around))
            return
        if isinstance(value, dict):
            around = clue(value).under(around)
            message = path if "role" in value else message
        for key, child in edit.items():
            inner = child.edit if isinstance(child, (Insert, Rename)) else child
            if inner is not None:
                yield from self._inside(value[key], inner, (*path, key), message, around)


def _is_stream(value: Any) -> bool:
    """Whether ``value`` is an array of the events of one stream, which one producer sent."""
    return isinstance(value, list) and any(map(is_event, value[:3]))


def _covered(value: Any, paths: list[Path]) -> Any:
    """``value`` with something inert at each of ``paths``, copied along the way."""
    here: dict[Any, list[Path]] = {}
    for path in paths:
        here.setdefault(path[0], []).append(path[1:])
    out = dict(value) if isinstance(value, dict) else list(value)
    for key, rest in here.items():
        out[key] = _covered(out[key], rest) if () not in rest else {} if isinstance(value, list) else _COVER
    return out
