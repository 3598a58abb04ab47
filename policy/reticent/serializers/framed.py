"""Streams of frames: each payload is judged, and its frame goes on as it came, with another payload, or not at all.

A frame that never ended does not go on: half an event can hold half a thought.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from reticent.edits import DROP, apply
from reticent.serializers import jsonbytes, logtext, sidelines, textpayloads
from reticent.serializers.repeats import Repeats
from reticent.serializers.report import Report, measure
from reticent.serializers.runs import Answer
from reticent.serializers.walk import Walk
from reticent.streams import Frame, Framing, StreamFilter
from reticent.streams.aws_eventstream import AwsMessage
from reticent.streams.jsonlines import JsonLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reticent.dialects._stream import Event
    from reticent.serializers.program import Program
    from reticent.serializers.session import Session

_DONE = b"[DONE]"
_LINE = "ai-sdk-v4/"


class FramedStream(StreamFilter):
    """Frames with a payload each."""

    def __init__(self, framing: Framing, session: Session, program: Program, report: Report) -> None:
        self._framing = framing
        self._session = session
        self._program = program
        self._report = report
        self._template: Frame | None = None
        self._texts = textpayloads.TextPayloads(program, report, starts_inside=session.starts_inside)
        self._last_text: Frame | None = None
        self._fault: Exception | None = None
        self._repeats = Repeats(report) if framing.name == "sse" else None
        self._plain = False
        """Whether the answer to the event at hand depends on nothing but the event and the session."""

    def feed(self, chunk: bytes) -> bytes:
        """What may go on of the events that are whole now."""
        repeats = self._repeats
        if repeats is None or self._fault is not None:
            return self._frames(chunk)
        if not self._framing.held:
            taken = repeats.take(chunk)
            if taken is not None:
                known, chunk = taken
                return known + self._one_by_one(chunk, repeats) if chunk else known
        return self._one_by_one(chunk, repeats) if repeats.is_running else self._frames(chunk)

    def _one_by_one(self, chunk: bytes, repeats: Repeats) -> bytes:
        """What goes on for ``chunk``: runs at a stroke, and what lies between them event by event."""
        out: list[bytes] = []
        while chunk and self._fault is None:
            taken = None if self._framing.held else repeats.take(chunk)
            if taken is not None:
                known, chunk = taken
                out.append(known)
                continue
            # An event ends here, or somewhere near: the framing does not mind how the bytes are cut.
            end = chunk.find(b"\n\n") + 2 if repeats.is_running else 0
            piece, chunk = (chunk[:end], chunk[end:]) if end > 1 else (chunk, b"")
            out.append(self._frames(piece, known=any(out)))
        return b"".join(out)

    def flush(self) -> bytes:
        """What was held back, judged as the end of the stream."""
        out = self._frames(None)
        return out if self._fault is not None else out + self._end()

    def _frames(self, chunk: bytes | None, *, known: bool = False) -> bytes:
        """What goes on for the frames that ``chunk`` ends, None being the end of the stream.

        However the bytes were cut, frames in front of a fault go on; the next call raises it.
        """
        out: list[bytes] = []
        if self._fault is None:
            try:
                for frame in self._framing.flush() if chunk is None else self._framing.feed(chunk):
                    out.append(self._frame(frame))  # noqa: PERF401 - what was done before a fault must not be lost
            except Exception as fault:  # noqa: BLE001 - raised by the next call
                self._fault = fault
        if self._fault is not None and not out and not known:
            raise self._fault
        return b"".join(out)

    def _end(self) -> bytes:
        """What was held back when the stream, or the part of it before a terminator, is over."""
        return self._end_text() + self._extra(self._session.close())

    def _end_text(self) -> bytes:
        frame, self._last_text = self._last_text, None
        if frame is None:
            return b""
        rest = self._texts.end()
        return self._framing.join(frame, frame.with_data(_encode(rest))) if rest else b""

    def _frame(self, frame: Frame) -> bytes:
        repeats = self._repeats
        if repeats is None:
            return self._judged(frame)
        if frame.data is None:
            return self._judged(frame)
        taken = repeats.take(frame.raw)
        if taken is not None and not taken[1]:
            return taken[0]
        repeats.settle()
        before = self._report.counts()
        self._plain = False
        out = self._judged(frame)
        if self._plain and (counted := self._report.counted_since(before)) is not None:
            repeats.learn(Answer(frame.raw, out, tuple(self._session.feeds), counted, self._session.numbers))
        else:
            repeats.forget()
        return out

    def _judged(self, frame: Frame) -> bytes:
        data = frame.data
        if data is None:
            return self._beside(frame)
        if not frame.complete and not self._is_whole(data):
            return self._framing.join(frame, b"")
        if data.strip() == _DONE:
            return self._end() + self._framing.join(frame, sidelines.original(frame))
        has_comment = self._has_comment(frame.raw)
        out = self._payload(frame, data)
        if not has_comment:
            return out
        self._plain = False
        return sidelines.without_suspect_comments(out, self._program, self._report)

    def _beside(self, frame: Frame) -> bytes:
        """Comments, separators and fields without a payload; the end of an array comes after all its elements."""
        raw = frame.raw
        if frame.kind == "separator" and raw.rstrip().endswith(b"]"):
            return self._extra(self._session.close()) + self._framing.join(frame, raw)
        if self._has_comment(raw):
            raw = sidelines.without_suspect_comments(raw, self._program, self._report)
        return self._framing.join(frame, raw)

    def _payload(self, frame: Frame, data: bytes) -> bytes:
        try:
            value = orjson.loads(data)
        except ValueError:
            return self._no_json(frame, data)
        canonical = jsonbytes.is_canonical(data, value)
        value, cleaned, superseded = (value, data, 0) if canonical else jsonbytes.without_superseded(data, value)
        if self._is_named(frame, value):
            return self._framing.join(frame, frame.without_data())
        self._template = frame
        member = _member(frame)
        outcome = self._session.event(value if member is None else {member: value})
        edit = outcome.edit
        if member is not None and isinstance(edit, dict):
            edit = edit.get(member)
        session = self._session
        self._plain = (
            not outcome.before and not superseded and (session.partial if session.feeds else not session.marks)
        )
        before = self._extra(outcome.before)
        if edit is None and not superseded:
            return before + self._framing.join(frame, sidelines.original(frame))
        if edit is DROP:
            left = frame.without_data()
        elif canonical:
            left = frame.with_data(orjson.dumps(apply(value, edit)))
        else:
            left = frame.with_data(cleaned if edit is None else jsonbytes.splice(cleaned, edit))
        return before + self._framing.join(frame, left)

    def _no_json(self, frame: Frame, data: bytes) -> bytes:
        """A payload that is text: of a model, where every event is a piece of it, or a line of a log."""
        text = data.decode("utf-8", "surrogateescape")
        member = _member(frame)
        if member is not None and self._named_gone(member, text):
            return self._framing.join(frame, frame.without_data())
        if self._is_named(frame, text):
            return self._framing.join(frame, frame.without_data())
        always = self._framing.name == "json-array"
        textpayloads.check_broken(text, always_json=always, among_json=self._template is not None)
        if frame.kind == "data" and self._framing.name == "sse":
            self._last_text = frame
            shown = self._texts.feed(text)
        else:
            shown = logtext.strip(text, self._program, self._report)
        if shown == text:
            return self._framing.join(frame, sidelines.original(frame))
        return self._framing.join(frame, frame.with_data(_encode(shown)) if shown else frame.without_data())

    def _has_comment(self, raw: bytes) -> bool:
        """Whether some line of a frame is a comment; in a binary frame a colon opens the name of a header."""
        return self._framing.name == "sse" and sidelines.has_comment(raw)

    def _is_named(self, frame: Frame, value: Any) -> bool:
        """Whether an event is reasoning by its name alone, and withheld for it."""
        withholds = "text" in self._program.options.withhold and self._framing.name == "sse"
        if not withholds or not sidelines.names_reasoning(frame.event, value):
            return False
        self._report.add("sse/event-name", measure(value))
        return True

    def _named_gone(self, member: str, text: str) -> bool:
        """Whether the name that stands beside a broken payload says that it is reasoning."""
        edit = Walk(self._program, self._report).root({member: text})
        return edit is DROP or (isinstance(edit, dict) and edit.get(member) is DROP)

    def _extra(self, events: Any) -> bytes:
        template = self._template
        if template is None:
            return b""
        frames = [template.with_data(orjson.dumps(data), event=name) for name, data in _named(template, events)]
        return b"".join([self._framing.join(template, frame) for frame in frames])

    @staticmethod
    def _is_whole(data: bytes) -> bool:
        try:
            orjson.loads(data)
        except ValueError:
            return data.strip() == _DONE
        return True


def _member(frame: Frame) -> str | None:
    """The member of a union that a frame is, where the framing names it outside of the payload, as AWS does.

    Dialects know such events in the form that SDKs give them: ``{"contentBlockDelta": {...}}``; lines of AI SDK 4 as
    ``{"ai-sdk-v4/0": "text"}``.
    """
    if isinstance(frame, JsonLine):
        return f"{_LINE}{frame.event}" if frame.event is not None else None
    return frame.event if isinstance(frame, AwsMessage) else None


def _named(template: Frame, events: Iterable[Event]) -> Iterator[tuple[str | None, Any]]:
    """Name and payload of made-up events, where the stream names its events."""
    for event in events:
        if isinstance(event, list):
            yield None, event
            continue
        if _member(template) is not None and len(event) == 1:
            name, data = next(iter(event.items()))
            yield name.removeprefix(_LINE), data
            continue
        kind = event.get("type", event.get("event_type"))
        yield kind if template.event is not None and isinstance(kind, str) else None, event


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
