"""Panels of a terminal around a thought: ``╭─ Thinking ─╮`` and the lines below it, as rich and its like draw them.

The title stands in the upper edge. Only one that says nothing but that the model thought counts; a panel of settings
(``Reasoning settings``) is none. Agno's console output is drawn so.
https://rich.readthedocs.io/en/stable/panel.html, https://github.com/agno-agi/agno (read 2026-11-30)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reticent.streams.tags import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE: Final = "log-text/panel"
CORNERS: Final = ("\u256d\u2500", "\u250f\u2501", "\u250c\u2500", "\u2554\u2550")
"""How a panel begins: light with round corners, heavy, light, double."""
_TITLE: Final = (
    r"(?:[^\w\s\u2500-\u257f]{1,3}[ \t]{0,2})?(?:Thinking|Thoughts?|Reasoning)(?: (?:process|steps?))?(?:\.{3}|\u2026)?"
    r"(?: ?\([^()\n]{1,24}\)| for \d[\w. ]{0,16})?"
)
_RUN: Final = r"[\u2500\u2501\u2550]{0,400}"
_EDGE: Final = (
    rf"(?:{'|'.join(CORNERS)}){_RUN}[ \t]{{1,4}}{_TITLE}[ \t]{{1,4}}{_RUN}"
    r"[\u256e\u2513\u2510\u2557]?[ \t]*"
)
_LINES: Final = r"(?:\r?\n[ \t]*[\u2502\u2503\u2551][^\n]*)"
_OPEN: Final = re.compile(rf"{_EDGE}{_LINES}*+\Z", re.IGNORECASE)
_PANEL: Final = re.compile(
    rf"{_EDGE}{_LINES}++"
    r"(?:\r?\n[ \t]*[\u2570\u2517\u2514\u255a][\u2500\u2501\u2550]*[\u256f\u251b\u2518\u255d]?)?",
    re.IGNORECASE,
)


def may_hold(text: str) -> bool:
    """Whether some panel begins in ``text``."""
    return "\u2500" in text or "\u2501" in text or "\u2550" in text


def is_open(text: str) -> bool:
    """Whether ``text`` ends inside such a panel, so that the next line of a log is a line of it."""
    return may_hold(text) and _OPEN.search(text) is not None


def spans(text: str) -> Iterator[Span]:
    """The panels of thoughts, edges included; in order. Time is linear in the length of the text."""
    return (Span(found.start(), found.end(), RULE) for found in _PANEL.finditer(text))
