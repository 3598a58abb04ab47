"""Python iterators of a stream's events: SDK event objects or dicts in, the same kind out.

An event is judged in the JSON form that its SDK read from the wire, and what is to go is carried out on the object. An
event that was made up (text that was held back, a mark) is of the class that such events had in this stream.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from reticent.edits import DROP, apply
from reticent.errors import DialectFailure, EgressRefused, InputTooDeep, UnsupportedType
from reticent.serializers import objects
from reticent.serializers.plain import plain
from reticent.streams.tags import TextFilter

if TYPE_CHECKING:
    from reticent.serializers.report import Report
    from reticent.serializers.session import Session

_TELLERS: Final = ("type", "event", "event_kind", "event_type", "object")


class EventFilter:
    """The events of one stream to one surface, one at a time."""

    def __init__(self, session: Session, report: Report, max_depth: int, *, starts_inside: bool) -> None:
        """Start before the first event."""
        self._session = session
        self._report = report
        self._max_depth = max_depth
        self._text = TextFilter(starts_inside=starts_inside)
        self._seen: dict[Any, Any] = {}
        self._last: Any = None

    def feed(self, event: Any) -> list[Any]:
        """What goes on of the next event, with events made up in front of it; possibly nothing.

        A ``str`` is a piece of text.

        Raises:
            EgressRefused: the event cannot be judged.
        """
        if isinstance(event, str):
            shown = self._text.feed(event)
            return [shown] if shown else []
        if isinstance(event, (bytes, bytearray, memoryview)):
            raise UnsupportedType("bytes are no event: they go through feed() and flush()")
        value = plain(event, max_depth=self._max_depth, hidden=True)
        self._remember(event, value)
        outcome = self._session.event(value)
        made = [self._made(new) for new in outcome.before]
        if outcome.edit is DROP:
            return made
        return [*made, event if outcome.edit is None else self._edited(event, value, outcome.edit)]

    def close(self) -> list[Any]:
        """Text that was held back until the stream ended."""
        rest = self._text.flush()
        for rule, length in self._text.removed:
            self._report.add(rule, length)
        return [*([rest] if rest else []), *(self._made(new) for new in self._session.close())]

    def _remember(self, event: Any, value: Any) -> None:
        self._last = event
        if isinstance(value, dict):
            self._seen[_kind(value)] = event

    def _edited(self, event: Any, value: Any, edit: Any) -> Any:
        try:
            return objects.edited(event, edit)
        except objects.Unfaithful:
            return self._like(event, apply(value, edit))

    def _made(self, new: Any) -> Any:
        like = self._seen.get(_kind(new), self._last) if isinstance(new, dict) else self._last
        if isinstance(like, tuple) and isinstance(new, list) and len(like) == len(new):
            return tuple(map(self._like, like, new))
        return self._like(like, new)

    @staticmethod
    def _like(like: Any, value: Any) -> Any:
        """An object as ``like`` is; the JSON values themselves where its class does not take them."""
        try:
            return objects.made(like, value)
        except objects.Unfaithful:
            return value


def _kind(value: dict[str, Any]) -> Any:
    """What an event calls itself, or the members it is told by."""
    told = next((value[name] for name in _TELLERS if isinstance(value.get(name), str)), None)
    return told if told is not None else frozenset(value)


def filtered(judge: EventFilter, events: Iterable[Any], surface: str) -> Iterator[Any]:
    """The events that may go on, as they come."""
    for event in events:
        yield from guarded(partial(judge.feed, event), surface)
    yield from guarded(judge.close, surface)


async def afiltered(judge: EventFilter, events: AsyncIterable[Any], surface: str) -> AsyncIterator[Any]:
    """As ``filtered``, for an asynchronous source."""
    async for event in events:
        for shown in guarded(partial(judge.feed, event), surface):
            yield shown
    for shown in guarded(judge.close, surface):
        yield shown


def guarded(work: Callable[[], list[Any]], surface: str) -> list[Any]:
    """What ``work`` gives; whatever it raises, no error quotes a payload."""
    try:
        return work()
    except EgressRefused:
        raise
    except RecursionError:
        failure: EgressRefused = InputTooDeep("nested deeper than the interpreter goes")
    except Exception as error:  # noqa: BLE001 - the boundary that fails closed
        failure = DialectFailure(f"{type(error).__name__} in a stream for {surface!r}; it is withheld")
    raise failure
