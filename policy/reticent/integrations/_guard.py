"""The guard that every exit stands behind: a surface that is resolved once, and calls that never raise afterwards.

An adapter knows its library and nothing else. What may rest at the exit is the plan's to say, and what happens when
that cannot be told is said here, once: a placeholder goes out in place of the content, and a counter goes up. The
guard holds no policy; on a pass surface it hands back the very same object.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import orjson

from reticent.compiler.plan import Plan
from reticent.errors import ConfigurationError, MalformedInput, ReticentError, UnsupportedType
from reticent.integrations._shown import Counts, Shown, presentable

if TYPE_CHECKING:
    from reticent.serializers import Report, Serializer, StreamSerializer

__all__ = ["Counts", "Guard", "PlanSource", "Shown", "guards"]

PlanSource = Plan | str | Path | None
"""A plan, the path of a table or of a compiled plan, or None for the table that ships."""

_REMOVED: Final = '"[reasoning removed]"'
"""What stands for a line of JSON that was nothing but a carrier."""
_T = TypeVar("_T")
_V = TypeVar("_V")

_all: weakref.WeakSet[Guard] = weakref.WeakSet()


class Guard:
    """One exit: ``surface`` of ``plan``, resolved here and now.

    A call that cannot be answered gives a placeholder and is counted in ``counts.failures``. With ``strict`` it is
    counted and raises, for exits where an error is the better answer (a store that has to be read again).
    """

    __slots__ = ("__weakref__", "_lock", "_plan", "counts", "serializer", "strict", "surface")

    def __init__(self, surface: str, *, plan: PlanSource = None, strict: bool = False) -> None:
        """Resolve the surface.

        Raises:
            UnknownSurface: the plan has no such surface; the error suggests the nearest name.
            ConfigurationError: no surface was named.
            TableError, PlanError: ``plan`` is a path, and what is there is no valid table or plan.
        """
        if not isinstance(surface, str) or not surface:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError("a guard needs the name of a surface")
        self.surface = surface
        self.strict = strict
        self.counts = Counts()
        self._lock = threading.Lock()
        self._plan = _resolve(plan)
        self.serializer: Serializer = self._plan.serializer(surface)
        _all.add(self)

    def __repr__(self) -> str:
        return f"Guard({self.surface!r})"

    @property
    def passes(self) -> bool:
        """Whether the surface may have reasoning, so that everything goes out as it is."""
        return self.serializer.passes

    def value(self, value: Any) -> Any:
        """What of ``value`` may rest at the exit; on a pass surface the same object.

        Parts that have no JSON form stand as the text of their repr. Never raises, unless the guard is strict.
        """
        return self._answer(self._value, value)

    def text(self, text: str) -> str:
        """A line, a traceback or a repr that may rest at the exit. Never raises, unless the guard is strict."""
        try:
            if text[:1] == "{":
                return self._json_line(text)
            shown = self.serializer.text(text)
            return text if shown is text else self._counted(shown)
        except Exception as error:
            placeholder = self.withheld(error, len(text))
            if self.strict:
                raise
            return placeholder

    def bytes(self, data: bytes) -> bytes:
        """JSON bytes that may rest at the exit; a placeholder is a JSON string.

        Never raises, unless the guard is strict.
        """
        answer: Any = self._answer(self._bytes, data)
        return answer if isinstance(answer, bytes) else orjson.dumps(answer)

    def fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What of a record's fields may rest at the exit; always a dictionary.

        Fields are judged together, because they may be one flattened message. When that cannot be done, each field
        that is to blame leaves a placeholder and the rest stays. Never raises, unless the guard is strict.
        """
        return dict(fields) if self.passes else self._fields(fields)

    def record(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Like :meth:`fields`, for log records: each text in it is also judged as a line of a log."""
        if self.passes:
            return dict(fields)
        kept = self._fields(fields)
        return {name: self.text(item) if isinstance(item, str) else item for name, item in kept.items()}

    def printable(self, value: Any) -> Any:
        """An argument that is about to be printed; the same object when it has a JSON form and loses nothing.

        An object without one becomes :class:`Shown`, so that ``%s`` and ``%r`` still fit. Never raises.
        """
        try:
            return self._counted(self.serializer.value(value))
        except UnsupportedType:
            contains = isinstance(value, Mapping | list | tuple | AbstractSet)
            return self.value(value) if contains else self._shown(value)
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            return self.withheld(error, None)

    def stream(self, *, wire: str = "auto") -> StreamSerializer:
        """A filter for one stream to the surface, as it stands today; it raises when the stream cannot be judged.

        Raises:
            UnknownWire: there is no such framing.
        """
        return self._plan.stream(self.surface, wire=wire)

    def withheld(self, error: BaseException, length: int | None) -> str:
        """Count a failure, and the placeholder that stands for what was withheld."""
        code = _code(error)
        with self._lock:
            self.counts.failures[code] = self.counts.failures.get(code, 0) + 1
        return self.placeholder(error, length)

    @staticmethod
    def placeholder(error: BaseException, length: int | None = None) -> str:
        """What stands for something that was withheld: the code and the length in characters, never a part of it."""
        what = "a value" if length is None else f"{length} characters"
        return f"[reticent withheld {what}: {_code(error)}]"

    def _answer(self, work: Callable[[_V], _T], value: _V) -> _T | str:
        try:
            return work(value)
        except Exception as error:
            placeholder = self.withheld(error, len(value) if isinstance(value, str | bytes) else None)
            if self.strict:
                raise
            return placeholder

    def _bytes(self, data: Any) -> Any:
        return self._counted(self.serializer(data))

    def _json_line(self, text: str) -> str:
        """A line that is one JSON document, as log pipelines write them, is judged as JSON and stays one."""
        try:
            shown = self._counted(self.serializer(text)).decode()
        except MalformedInput:
            return self._counted(self.serializer.text(text))
        return _REMOVED if shown == "null" else shown

    def _value(self, value: Any) -> Any:
        try:
            return self._counted(self.serializer.value(value))
        except UnsupportedType:
            return self._counted(self.serializer.value(presentable(value, self._leaf)))

    def _leaf(self, value: Any) -> Any:
        try:
            return self.serializer.value(value)
        except UnsupportedType:
            return self.text(repr(value))

    def _shown(self, value: object) -> Shown | str:
        try:
            return Shown(self.text(str(value)), self.text(repr(value)))
        except Exception as error:  # noqa: BLE001 - the object's own methods can do anything
            return self.withheld(error, None)

    def _fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        try:
            judged = self._value(dict(fields))
        except Exception as error:
            if self.strict:
                self.withheld(error, None)
                raise
            return self._field_by_field(fields, error)
        # What is no dictionary any more had, as a whole, the shape of a carrier.
        return {str(name): item for name, item in judged.items()} if isinstance(judged, dict) else {}

    def _field_by_field(self, fields: Mapping[str, Any], error: Exception) -> dict[str, Any]:
        """The record with a placeholder for each field that cannot be judged; if that is not enough, for all."""
        told = {str(name): self.value(item) for name, item in fields.items()}
        try:
            judged = self._value(told)
        except Exception:  # noqa: BLE001 - the boundary that fails closed
            return {name: self.withheld(error, None) for name in told}
        return judged if isinstance(judged, dict) else {}

    def _counted(self, answer: _T) -> _T:
        report: Report = self.serializer.report
        if report.removals:
            with self._lock:
                for rule, removal in report.removals.items():
                    self.counts.removals[rule] = self.counts.removals.get(rule, 0) + removal.count
        return answer


def guards() -> tuple[Guard, ...]:
    """Every guard of this process that is still in use, by surface."""
    return tuple(sorted(_all, key=lambda guard: guard.surface))


def _resolve(source: PlanSource) -> Plan:
    if isinstance(source, Plan):
        return source
    from reticent.compiler import load_plan

    return load_plan(source)


def _code(error: BaseException) -> str:
    """The stable word for an error; another library's error may quote the payload, so nothing of it is told."""
    return error.code if isinstance(error, ReticentError) else "adapter-failure"
