"""One body at a time: is there reasoning in it, where, and what is left without it.

A body is what a store holds as one piece: a JSON document, a line, the text of a record, a row. The answer is that of
the surface's own serializer, so that what a scan finds is what the serializer would have kept out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from reticent.dialects import all_dialects
from reticent.errors import DialectFailure, EgressRefused, InputTooDeep
from reticent.scan._places import Carrier, carriers, offsets
from reticent.scan._presearch import Presearch
from reticent.scan.findings import NOWHERE, Where, class_of, pointer
from reticent.serializers import cutting, logtext, program_of
from reticent.serializers.report import Report
from reticent.serializers.scan import has_all_members
from reticent.serializers.session import is_event

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.compiler.plan import Vocabulary
    from reticent.serializers.program import Options, Program

__all__ = ["Hit", "Judge", "Judged", "Settings"]

_SHORT = 4096
_TRIED = 16
"""Objects of one shape that are asked whether they are events before all of that shape are taken not to be."""
_ASKED_AGAIN = 256
_SHAPES_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class Settings:
    """What a scan looks for: the options of a surface and the table's vocabulary, both plain values."""

    surface: str
    options: Options
    vocabulary: Vocabulary

    def judge(self) -> Judge:
        """A judge with these settings; made once in each process."""
        return Judge(program_of(self.options, self.vocabulary))


@dataclass(frozen=True, slots=True)
class Hit:
    """What one rule withheld at one place of a body."""

    rule: str
    reasoning_class: str
    count: int
    length: int
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True)
class Judged:
    """A body without its reasoning, and what that was; without hits ``body`` is the very same object."""

    body: bytes
    hits: tuple[Hit, ...] = ()


class Judge:
    """Judges bodies with the tables of one program; one for each process."""

    def __init__(self, program: Program) -> None:
        """Use ``program``."""
        self.program = program
        self._classes: dict[str, str] = {}
        self._shapes: dict[Any, int] = {}
        self.presearch = Presearch(program)
        self._partial = [dialect for dialect in all_dialects() if dialect.stream is not None]

    def forget(self) -> None:
        """Ask again about shapes of objects that were seen already."""
        self._shapes.clear()

    def hits(self, report: Report) -> tuple[Hit, ...]:
        """What ``report`` counted, by rule."""
        return tuple(
            Hit(rule, self.class_of(rule), told.count, told.length) for rule, told in sorted(report.removals.items())
        )

    def class_of(self, rule: str) -> str:
        """The content class of what ``rule`` withholds."""
        found = self._classes.get(rule)
        if found is None:
            found = self._classes[rule] = class_of(rule, self.program)
        return found

    def is_clean(self, value: Any, data: bytes) -> bool:
        """Whether a search through the bytes proves that nothing goes; False says nothing."""
        scanner = self.program.scanner
        written = scanner.write(value, short=len(data) < _SHORT)
        if written is None or not has_all_members(data, written):
            return False
        found = scanner.find(written, value)
        return found is not None and found.edit is None

    def document(self, data: bytes) -> Judged:
        """One JSON document.

        Raises:
            EgressRefused: it is no JSON, too deep, too large, or a dialect failed.
        """
        report = Report()
        out = _guarded(lambda: cutting.cut_bytes(data, self.program, report))
        if not report.removals:
            return Judged(data)
        return Judged(out, self._located(data) or self.hits(report))

    def text(self, data: bytes) -> Judged:
        """Text: a log record, a traceback, what a model wrote.

        Raises:
            EgressRefused: it nests JSON in strings too deep, or a dialect failed.
        """
        text = data.decode("utf-8", "surrogateescape")
        report = Report()
        shown = _guarded(lambda: logtext.strip(text, self.program, report))
        if not report.removals:
            return Judged(data)
        return Judged(shown.encode("utf-8", "surrogateescape"), self.hits(report))

    def value(self, value: Any) -> tuple[list[Carrier], Any]:
        """Carriers in JSON values, and the edits that take them out.

        Raises:
            EgressRefused: as for ``document``.
        """
        report = Report()
        _, edit = _guarded(lambda: cutting.cut_value(value, self.program, report))
        if edit is None and not report.removals:
            return [], None
        found: tuple[list[Carrier], Any] = _guarded(lambda: carriers(value, self.program))
        return found

    def is_piece(self, event: Any) -> bool:
        """Whether ``event`` holds a piece of a text that others of its stream go on with.

        Asking every dialect costs more than judging a small line. Objects with the same keys and type are asked
        sixteen times each and then one in 256: stores hold one kind of object many times.
        """
        if event.__class__ is not dict:
            return False
        shape = (*event, event.get("type").__class__ is str and event["type"])
        seen = self._shapes.get(shape, 0)
        if seen >= _TRIED and seen % _ASKED_AGAIN:
            self._shapes[shape] = seen + 1
            return False
        if is_event(event) and self.is_partial(event):
            self._shapes.pop(shape, None)
            return True
        if len(self._shapes) >= _SHAPES_LIMIT:
            self._shapes.clear()
        self._shapes[shape] = seen + 1
        return False

    def is_event(self, event: Any) -> bool:
        """Whether ``event`` is an event of some dialect's stream."""
        return is_event(event)

    def is_partial(self, event: dict[str, Any]) -> bool:
        """Whether an event holds only a piece of a text."""
        claimed = [dialect for dialect in self._partial if dialect.claims(event)]
        return not claimed or any(dialect.partial(event) for dialect in claimed)

    def _located(self, data: bytes) -> tuple[Hit, ...]:
        """Every carrier with its pointer and offset; none where a key occurs twice, which has places of its own."""
        body = data.removeprefix(b"\xef\xbb\xbf")
        try:
            value = orjson.loads(body)
            found, _ = carriers(value, self.program)
            starts = offsets(body, value, [carrier.path for carrier in found])
        except (EgressRefused, ValueError, LookupError):
            return ()
        return tuple(_hit(self, body, carrier, starts, len(data) - len(body)) for carrier in found)


def _hit(judge: Judge, body: bytes, carrier: Carrier, starts: dict[tuple[str | int, ...], int], shift: int) -> Hit:
    path = carrier.path
    while path and path not in starts:
        path = path[:-1]
    start = starts.get(path, 0)
    where = Where(line=body.count(b"\n", 0, start) + 1, offset=start + shift, pointer=pointer(carrier.path))
    return Hit(carrier.rule, judge.class_of(carrier.rule), 1, carrier.length, where)


def _guarded(work: Callable[[], Any]) -> Any:
    """What ``work`` gives; an error of a dialect becomes a refusal that quotes nothing."""
    try:
        return work()
    except EgressRefused:
        raise
    except RecursionError:
        failure: EgressRefused = InputTooDeep("nested deeper than the interpreter goes")
    except Exception as error:  # noqa: BLE001 - what a dialect raises may quote the payload
        failure = DialectFailure(f"{type(error).__name__} while looking at a body")
    raise failure
