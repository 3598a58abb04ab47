"""What stands beside the payload of a server-sent event: comments, and lines that no standard knows.

A browser ignores both, which makes them a place where a proxy's debug output hides. Comments are judged as log text
and go when they hold reasoning; lines that are no fields never leave a strip surface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reticent.serializers import literals, logtext

if TYPE_CHECKING:
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report
    from reticent.streams import Frame


_TELLING_NAMES: Final = frozenset(
    {
        "agent_thought",
        "reasoning",
        "reasoning_content",
        "reasoning_delta",
        "thinking",
        "thinking_delta",
        "thought",
        "thought_delta",
        "thoughts",
    }
)
"""Names of events that servers give to reasoning when the payload itself does not say what it is."""
_TEXTS: Final = ("text", "content", "delta", "data", "token", "chunk", "value", "message")


def names_reasoning(name: str | None, value: Any) -> bool:
    """Whether the name of an event says that its payload, which has no type of its own, is reasoning."""
    if name is None or name.lower().replace("-", "_").replace(".", "_") not in _TELLING_NAMES:
        return False
    if isinstance(value, dict):
        return "type" not in value and any(isinstance(value.get(name), str) for name in _TEXTS)
    return isinstance(value, str)


def has_comment(raw: bytes) -> bool:
    """Whether some line of an event is a comment."""
    return raw[:1] == b":" or b"\n:" in raw or b"\r:" in raw


def original(frame: Frame) -> bytes:
    """The bytes of a frame that may be copied: all of them, but for lines that are neither fields nor comments."""
    if frame.data is None or getattr(frame, "stray", None) is None:
        return frame.raw
    return frame.with_data(frame.data)


def without_suspect_comments(raw: bytes, program: Program, report: Report) -> bytes:
    """``raw`` without the comments that hold reasoning."""
    lines = raw.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(b":") or _is_clean(line, program, report))


def _is_clean(line: bytes, program: Program, report: Report) -> bool:
    text = line[1:].decode("utf-8", "surrogateescape")
    if literals.holds_members(text):  # a payload that was broken in front of a colon
        report.add("sse/comment", len(text))
        return False
    return not literals.may_hold(text) or logtext.strip(text, program, report) == text
