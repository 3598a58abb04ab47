"""Payloads of events that are not JSON: pieces of a text, or JSON that something broke.

Simple servers send a model's tokens as they are, one event each. Together they are one text, in which a tag can open
in one event and close in another. What begins like JSON and does not parse is no such token: the byte that is wrong
may be the one that says what the rest is, so the stream is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reticent.errors import MalformedInput
from reticent.serializers import logtext
from reticent.serializers.literals import holds_members
from reticent.streams.reprs import parse_literal
from reticent.streams.tags import TextFilter

if TYPE_CHECKING:
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report

_SHORTEST_CARRIER: Final = 20
"""Characters below which ``{`` or ``[`` may just as well be a token of a model that writes code."""
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class TextPayloads:
    """The text of one stream whose payloads are pieces of it."""

    def __init__(self, program: Program, report: Report, *, starts_inside: bool) -> None:
        """Start before the first piece."""
        self._program = program
        self._report = report
        self._filter = TextFilter(starts_inside=starts_inside)

    def feed(self, text: str) -> str:
        """What of the text so far may be shown now and was not shown yet."""
        return self._judged(self._filter.feed(text))

    def end(self) -> str:
        """The text is over: what was held back."""
        return self._judged(self._filter.flush())

    def _judged(self, shown: str) -> str:
        for rule, length in self._filter.take_removed():
            self._report.add(rule, length)
        return logtext.strip(shown, self._program, self._report, tags=False) if shown else ""


def check_broken(text: str, *, always_json: bool, among_json: bool) -> None:
    """Refuse a payload that begins like JSON, is none, and is no Python literal either.

    ``among_json``: other payloads of the stream were JSON, so that not even a bracket is a token of some text.

    Raises:
        MalformedInput: says how long the payload is, not what.
    """
    stripped = text.strip()
    opens = stripped[:1] in ("{", "[") and (among_json or len(stripped) >= _SHORTEST_CARRIER)
    looks_like_json = opens or holds_members(stripped)
    if always_json or (looks_like_json and not _is_literal(stripped)):
        raise MalformedInput(f"a payload of {len(text)} characters is not JSON")


def _is_literal(text: str) -> bool:
    """Whether all of ``text`` is one Python literal, as servers send that print a dict."""
    if _UNWRITABLE.search(text):
        return False
    node = parse_literal(text, 0)
    return node is not None and node.complete and node.end >= len(text)
