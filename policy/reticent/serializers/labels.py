"""Text of a model inside somebody else's: an answer that a record holds, and one that a log line quotes.

A log line or an error message quotes what a model wrote behind a label: ``Could not parse LLM output: <think>…``,
``response='<think>…'``. Inside a line a tag is a mention (``docs/decisions/0020-inline-tags.md``); directly behind such
a label it is where the quoted text begins, and so it counts. Labels that name what a person, an application or a
configuration wrote (``prompt=``, ``user:``, ``start_token=``) make a mention of it after all, and what stands inside
an object or a call was judged by its own members.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reticent.streams import _markers as markers
from reticent.streams.reprs import find_literals
from reticent.streams.tags import Span, may_hold_marker, reasoning_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reticent.streams._marker_forms import Marker

ANSWER_KEYS: Final = frozenset(
    {
        "actualOutput",  # https://deepeval.com/docs/evaluation-test-cases
        "actual_output",
        "answer",
        "answer_text",
        "completion",
        "completions",
        "generated_text",
        "generated_answer",
        "generation",
        "input_value",
        "last_assistant_message",
        "llm_output",
        "llm_response",
        "model_output",
        "model_response",
        "output",
        "outputText",
        "output_text",
        "outputs",
        "raw_output",
        "raw_response",
        "replies",
        "reply",
        "response",
        "response_text",
        "textResponse",
    }
)
"""Members of a record under which a text is what a model answered."""
OPENING_KEYS: Final = frozenset({"content", "text", "message", "msg", "event", "value", "data", "body", "result", None})
"""Members under which a text may be anybody's: it is a model's when it opens with a block."""
TITLE_KEYS: Final = frozenset({"title", "summary", "conversation_title", "thread_title", "subject", "headline"})
"""Members under which side calls of a model end up; people write there too, so only a closed block counts."""
LOG_KEYS: Final = frozenset(
    {
        "body",
        "detail",
        "details",
        "error",
        "error_message",
        "errorText",
        "event",
        "exc_info",
        "exception",
        "line",
        "log",
        "message",
        "msg",
        "stack",
        "stack_trace",
        "stacktrace",
        "stderr",
        "stdout",
        "traceback",
        "value",
        None,
    }
)
"""Members of a record under which a text is a line of a log or the message of an error."""

_BEGINNING: Final = re.compile(r"[<\[\u25c1\uff1c/]")
_LABEL: Final = re.compile(
    r"(?P<label>[^\n:=]{0,60})(?<=[\w'\")\]])[ \t]?[:=][ \t]?(?P<quote>(?:[bBuUrR]?['\"`])?)(?:\s|\\[nrt])*\Z"
)
_LABEL_REACH: Final = 96
_OTHERS: Final = re.compile(
    r"(?:^|[\W_])(?:users?|humans?|prompts?|system|developer|questions?|query|inputs?|instructions?|templates?|tags?"
    r"|tokens?|starts?|begins?|opens?|opener|closes?|closer|stops?|examples?|delimiters?|patterns?|regex|formats?"
    r"|markers?|schemas?|uses?|wrap|parser|prefix|suffix|like|expected|missing|docs?|documents?)(?:$|[\W_])",
    re.IGNORECASE,
)
_QUOTES: Final = "'\"`"
_SENTENCE: Final = 16
"""Characters of a block that a quotation opens with, so that it is a thought and not the name of a tag."""
_SENTENCE_REACH: Final = 65_536
_QUOTES_INPUT: Final = "input_value"
_CONTAINERS: Final = frozenset({"dict", "list", "call"})
_MENTION: Final = ("'", '"', "`", "\u2026", "...")


def answer_spans(text: str, key: str | None) -> Sequence[Span]:
    """Reasoning in the text of a record that stands under ``key`` and that nobody signed."""
    if key in ANSWER_KEYS:
        return reasoning_spans(text)
    # The words of harmony's degraded form are ordinary ones; its tokens are nobody's but a model's.
    spans = reasoning_spans(text, live=True, harmony=text.lstrip().startswith("<|"))
    if not spans or text[: spans[0].start].strip():
        return ()
    return spans if key in OPENING_KEYS or spans[0].end < len(text) else ()


def quoted_spans(text: str) -> Sequence[Span]:
    """Blocks directly behind a label of a log line: each to its closer, or to the end of what is quoted.

    Time is linear in the length of the text.
    """
    if not may_hold_marker(text):
        return ()
    judged = iter(
        [(node.start, node.end) for node in find_literals(text) if node.kind in _CONTAINERS and node.complete]
    )
    found: list[Span] = []
    unclosed: set[Marker] = set()
    start = stop = end = 0
    for at, quote, reading in _labelled(text):
        while stop <= at and (following := next(judged, None)) is not None:
            start, stop = following
        if at < end or start < at < stop:
            continue
        if reading is None:
            return [*found, *_harmony(text, at)]
        span = _block(text, at, quote, reading, unclosed)
        if span is not None:
            found.append(span)
            end = span.end
    return found


def is_open(text: str) -> bool:
    """Whether ``text`` ends with a block, closed there or not, that its next line could belong to."""
    if not may_hold_marker(text):
        return False
    spans = [*quoted_spans(text), *answer_spans(text, None), *reasoning_spans(text, live=True)[-1:]]
    return any(span.end == len(text) for span in spans)


def _labelled(text: str) -> Iterator[tuple[int, str, markers.Reading | None]]:
    """Where blocks open behind a label, the quotation mark between, and the opener (None: perhaps of harmony)."""
    for beginning in _BEGINNING.finditer(text):
        at = beginning.start()
        reading = markers.read_marker(text, at)
        opens = text.startswith("<|", at) if reading is None else not reading.closes
        if not opens or (reading is not None and text.startswith(_MENTION, reading.end)):
            continue
        label = _LABEL.search(text[max(0, at - _LABEL_REACH) : at])
        if label is not None:
            if not _is_mention(label["label"]):
                yield at, label["quote"][-1:], reading
        elif reading is not None and _is_quoted_answer(text, at, reading):
            yield at, text[at - 1], reading


def _is_quoted_answer(text: str, at: int, reading: markers.Reading) -> bool:
    """Whether a quotation opens with a block that holds a sentence, and goes on behind it: a whole answer.

    A quotation without an end was cut short, and with it perhaps the sentence.
    """
    quote = text[at - 1 : at]
    if quote not in _QUOTES or not quote:
        return False
    end = text.find(quote, reading.end)
    if end < 0:
        closer = reading.marker.close.search(text, reading.end, reading.end + _SENTENCE_REACH)
        return bool(text[reading.end : closer and closer.start()].strip())
    closer = reading.marker.close.search(text, reading.end, min(end, reading.end + _SENTENCE_REACH))
    if closer is None or closer.end() == end:
        return False
    inside = text[reading.end : closer.start()].strip()
    return len(inside) >= _SENTENCE and " " in inside


def _is_mention(label: str) -> bool:
    words = label.rstrip("'\" \t")
    return not words.endswith(_QUOTES_INPUT) and _OTHERS.search(" ".join(words.split()[-3:])) is not None


def _block(text: str, at: int, quote: str, reading: markers.Reading, unclosed: set[Marker]) -> Span | None:
    """The block that opens at ``at``; ``unclosed`` are markers that have no closer in the rest of the text."""
    marker = reading.marker
    closer = None if marker in unclosed else marker.close.search(text, reading.end)
    if closer is not None:
        return Span(at, closer.start() if closer.lastgroup == "stop" else closer.end(), marker.rule)
    unclosed.add(marker)
    if text.startswith(" ", reading.end):
        return None  # "the tag: <think> opens it"
    return Span(at, _quotation_end(text, at, quote), marker.rule)


def _quotation_end(text: str, at: int, quote: str) -> int:
    """Where a quotation that was cut short ends: at the last such mark of its line, or with the text."""
    line = text.find("\n", at)
    last = text.rfind(quote, at, line if line >= 0 else len(text)) if quote else -1
    return last if last > at else len(text)


def _harmony(text: str, at: int) -> Iterator[Span]:
    """The spans of harmony messages that begin at ``at``; they reach as far as the text is read as such."""
    for number, span in enumerate(reasoning_spans(text[at:], live=True)):
        if (number == 0 and span.start) or not span.rule.startswith("harmony/"):
            return
        yield Span(at + span.start, at + span.end, span.rule)
