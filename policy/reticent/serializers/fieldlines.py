"""Fields of a log line that nothing quotes: ``reasoning_content: The user wants …``.

A call such as ``log.info("reasoning_content=%s", text)`` leaves a name and a text without an end. Only names that mean
nothing but a carrier count, and what follows one of them goes to the end of the record; in ``key=value`` pairs, inside
quotation marks, in an XML element and in a dump of PHP a value has an end of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reticent.streams.tags import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES: Final = (
    "ReasoningContent",
    "encrypted_content",
    "reasoning_content",
    "reasoning_details",
    "reasoning_text",
    "redacted_thinking",
    "thinking_blocks",
    "thinking_content",
    "thinking_text",
    "thought_signature",
)
"""Members of the wire formats that are never anything but reasoning; a word like ``thinking`` is prose as well."""
OPAQUE: Final = frozenset({"encrypted_content", "redacted_thinking", "thought_signature"})
"""Those of the names whose values are ciphertext."""
RULE: Final = "log-text/field"

_NAMED: Final = f"(?P<name>{'|'.join(NAMES)})"
_FIELD: Final = re.compile(rf"(?<![\w'\"])(?:\w+\.)*{_NAMED}\b(?:\]|\))?[ \t]*(?P<arrow>=>|->|[=:])[ \t]*(?P<value>\S)")
_DUMPED: Final = re.compile(rf'\["{_NAMED}"\]=>\s*string\((?P<size>\d{{1,9}})\) "')
"""A member as PHP's ``var_dump`` writes it: nothing is escaped, the size counts bytes."""
_ELEMENT: Final = re.compile(rf"<{_NAMED}(?:\s[^<>]*)?>(?:.*?</(?P=name)\s*>|.*\Z)", re.DOTALL)
_EMPTY: Final = re.compile(
    r"(?:None|null|True|False|true|false|missing|absent|empty|n/a|[-+]?\d[\d.,]*|<[\w.\s-]+>|\[reasoning removed\])"
    r"(?=[\s,;.)\]}]|$)"
)
"""Values that say nothing, or say that there is nothing."""
_PAIR: Final = re.compile(r"\S+(?=[ \t]+[\w.]+=|[ \t]*$)", re.MULTILINE)
"""One value of a line of ``key=value`` pairs, which the search for literals judges."""
_TRIPLE: Final = ('"""', "'''")
_WRAPPED: Final = re.compile(r'(?:Some|Just)[( ]"')
"""An optional value as Rust and Haskell write it out."""
_NEXT_RECORD: Final = re.compile(
    r"\n(?=[\[<(]?(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\d{10}|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b)"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d|[IWEFD]\d{4} \d\d:|Traceback \(most"
    r'|\{"(?:@?timestamp|time|ts|level|severity|msg|message|event|logger|name|log)":)'
)
"""A line that a log begins a record with, not one that a text goes on with."""
_SIBLING: Final = re.compile(
    r"\n(?=[ \t]*(?:content|text|role|answer|response|output|output_text|refusal|tool_calls|function_call|finish_reason"
    r"|stop_reason|usage|model|id|name|type|index|logprobs|annotations|audio|created|object|metadata|additional_kwargs"
    r"|response_metadata):(?:[ \t\r\n]|$))"
)
"""The next member of a message that is written as YAML; the names are those of a message."""


def names_one(text: str) -> bool:
    """Whether some name stands in ``text``, whatever follows it."""
    return ("_" in text or NAMES[0] in text) and any(name in text for name in NAMES)


def may_hold(text: str) -> bool:
    """Whether some name stands in ``text`` with a value behind it."""
    return names_one(text) and any(form.search(text) is not None for form in (_FIELD, _DUMPED, _ELEMENT))


def spans(text: str) -> Iterator[Span]:
    """The values of such fields, with their names; in order, none inside another. Time is linear in the length."""
    at = 0
    for start, end, name in sorted([*_fields(text), *_dumped(text), *_elements(text)]):
        if start >= at:
            yield Span(start, end, RULE, "opaque" if name in OPAQUE else "text")
            at = end


def _fields(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while (field := _FIELD.search(text, at)) is not None:
        end = _end(text, field)
        if end > field.start("value"):
            yield field.start(), end, field["name"]
        at = max(end, field.end())


def _dumped(text: str) -> Iterator[tuple[int, int, str]]:
    for field in _DUMPED.finditer(text):
        size = int(field["size"])
        value = text[field.end() : field.end() + size].encode("utf-8", "surrogateescape")[:size]
        yield field.end(), field.end() + len(value.decode("utf-8", "ignore")), field["name"]


def _elements(text: str) -> Iterator[tuple[int, int, str]]:
    return ((found.start(), found.end(), found["name"]) for found in _ELEMENT.finditer(text))


def is_open(text: str) -> bool:
    """Whether such a value reaches to the end of ``text``, so that it may go on in the next line of a log."""
    found = list(spans(text)) if may_hold(text) else []
    return bool(found) and found[-1].end == len(text)


def begins_record(line: str) -> bool:
    """Whether a line of a log looks like the first of a record: a time, a level, JSON, a traceback."""
    return _NEXT_RECORD.match("\n" + line) is not None


def _end(text: str, field: re.Match[str]) -> int:
    """Where the value of ``field`` ends; where it begins, when it is to stay or others look at it."""
    start = field.start("value")
    first = field["value"]
    if _EMPTY.match(text, start) or (first in "{[(" and field["arrow"] in "=:"):
        return start
    if (triple := text[start : start + 3]) in _TRIPLE:
        end = text.find(triple, start + 3)
        return len(text) if end < 0 else end + 3
    if (wrapped := _WRAPPED.match(text, start)) is not None:
        end = _closing(text, wrapped.end() - 1, '"')
        return end + text.startswith(")", end)
    if first in "'\"":
        return _closing(text, start, first) if field["arrow"] != "=" else start
    if field["arrow"] == "=" and _PAIR.match(text, start):
        return start
    ends = [_NEXT_RECORD.search(text, start)]
    if not text[text.rfind("\n", 0, field.start()) + 1 : field.start()].strip():
        ends.append(_SIBLING.search(text, start))
    return min((end.start() for end in ends if end is not None), default=len(text))


def _closing(text: str, start: int, quote: str) -> int:
    end = re.compile(rf"(?:[^{quote}\\]|\\.)*+{quote}", re.DOTALL).match(text, start + 1)
    return len(text) if end is None else end.end()
