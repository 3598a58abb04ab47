"""What a plan hands out for one surface: a function from payload to bytes.

There are two kinds and nothing is decided at call time. On a pass surface the very same object or bytes come back; on
a strip surface every carrier is cut, and what cannot be proved free of reasoning does not leave.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from reticent.errors import DialectFailure, EgressRefused, InputTooDeep, MalformedInput
from reticent.serializers import cutting, flat, logtext, objects
from reticent.serializers.plain import plain
from reticent.serializers.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.serializers.cutting import Find
    from reticent.serializers.program import Program

_log = logging.getLogger("reticent")
_T = TypeVar("_T")


class Serializer(Protocol):
    """The function for one surface."""

    surface: str

    @property
    def passes(self) -> bool:
        """Whether the surface may hold all reasoning, so that everything comes back as it is."""
        ...

    @property
    def report(self) -> Report:
        """Removals of this thread's last call."""
        ...

    def __call__(self, payload: Any) -> bytes:
        """JSON bytes that may rest on the surface; JSON text goes in as ``bytes`` or ``str``, values as they are."""
        ...

    def value(self, payload: Any) -> Any:
        """The value that may rest on the surface; on a pass surface the same object."""
        ...

    def text(self, line: str) -> str:
        """A log line, a traceback or a repr that may rest on the surface."""
        ...


class PassSerializer:
    """Identity: the surface may hold reasoning."""

    __slots__ = ("surface",)
    passes = True

    def __init__(self, surface: str) -> None:
        """Serve ``surface``."""
        self.surface = surface

    @property
    def report(self) -> Report:
        """Always empty: nothing is removed."""
        return Report()

    def __call__(self, payload: Any) -> bytes:
        """The very same bytes; values are written as JSON.

        Raises:
            EgressRefused: a value has no JSON form.
        """
        if isinstance(payload, bytes):
            return payload
        if isinstance(payload, str):
            return payload.encode("utf-8", "surrogatepass")
        if isinstance(payload, (bytearray, memoryview)):
            return bytes(payload)
        return cutting.dump(plain(payload))

    def value(self, payload: Any) -> Any:
        """The same object."""
        return payload

    def text(self, line: str) -> str:
        """The same text."""
        return line


class StripSerializer:
    """Cut: the surface may not hold reasoning."""

    __slots__ = ("_find", "_last", "program", "surface")
    passes = False

    def __init__(self, surface: str, program: Program, find: Find = cutting.everything) -> None:
        """Serve ``surface`` with the tables of ``program``; ``find`` says what of it is to go."""
        self.surface = surface
        self.program = program
        self._find = find
        self._last = threading.local()

    @property
    def report(self) -> Report:
        """Removals of this thread's last call: counts and lengths by rule, never content."""
        report: Report | None = getattr(self._last, "report", None)
        return Report() if report is None else report

    def __call__(self, payload: Any) -> bytes:
        """JSON bytes without reasoning.

        Bytes and text are one JSON document; what is not removed is copied byte for byte, and when nothing is, the
        same bytes object comes back. Anything else is a value (dict, list, SDK object).

        Raises:
            EgressRefused: the payload is malformed, too deep, too large, cyclic, or has no JSON form. Nothing of it
                is in the error.
        """
        report = self._start()
        if isinstance(payload, str):
            payload = _encode(payload)
        try:  # as ``_guard``, without the price of a function made for each call
            if isinstance(payload, (bytes, bytearray, memoryview)):
                return cutting.cut_bytes(bytes(payload), self.program, report, self._find)
            return cutting.dump_cut(payload, self.program, report, self._find)
        except EgressRefused:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            failure = self._failure(error)
        raise failure

    def value(self, payload: Any) -> Any:
        """The value without reasoning; the caller's object is never changed.

        An object that loses nothing comes back as it is. One that does comes back as a copy of the same class (Pydantic
        models, dataclasses, attrs classes, in lists and dicts too) where that class can be without what went, else as
        the JSON values it stands for.

        Raises:
            EgressRefused: as for a call.
        """
        if isinstance(payload, str):
            return self.text(payload)
        if payload.__class__ is dict and self._find is cutting.everything and flat.is_plain(payload, self.program):
            self._last.report = None
            return payload
        report = self._start()
        return self._guard(lambda: objects.strip(payload, self.program, report, self._find))

    def text(self, line: str) -> str:
        """A log line, traceback or repr without reasoning.

        Raises:
            EgressRefused: the line nests JSON in strings deeper than the limit.
        """
        if len(line) <= self.program.options.max_bytes and logtext.is_plain(line):
            self._last.report = None
            return line
        report = self._start()
        return self._guard(lambda: logtext.strip(line, self.program, report))

    def _start(self) -> Report:
        report = self._last.report = Report()
        return report

    def _guard(self, work: Callable[[], _T]) -> _T:
        """What ``work`` gives; whatever it raises, no payload leaves, not even in an error.

        A dialect is code that other people may have written, so any exception of it is taken for one that quotes the
        payload: its class is told, and neither its text nor its traceback hangs on the refusal.
        """
        try:
            return work()
        except EgressRefused:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            failure = self._failure(error)
        raise failure

    def _failure(self, error: Exception) -> EgressRefused:
        if isinstance(error, RecursionError):
            return InputTooDeep("nested deeper than the interpreter goes")
        kind = type(error).__name__
        return DialectFailure(f"{kind} while looking at a payload for {self.surface!r}; it is withheld")


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        place = error.start
    raise MalformedInput(f"half a surrogate pair at character {place} of {len(text)}")
