"""Marks in prose, which count at the very beginning of a text only, and the wrapper around what follows them.

Every row was read on 2026-11-29 or 30 at the address in its comment.
"""

from __future__ import annotations

import re

from reticent.streams._marker_forms import FLAGS, Marker, any_of, exactly, growing, marker_of, spelled

_IS = r"(?:'(?:s)?|\u2019(?:s)?| (?:i(?:s)?)?)"

# Granite 3: https://github.com/vllm-project/vllm, granite_reasoning_parser.py
GRANITE = marker_of(
    "granite",
    (*spelled("Here"), _IS, *spelled(" my thought process:")),
    (*spelled("Here"), _IS, *spelled(" my response:")),
)
GRANITE_OPENER = re.compile("".join(GRANITE.opener))
# aider writes a thought that it replays or prints between two quoted lines: reasoning_tags.py, the same place
_AIDER_QUOTED = marker_of("aider-quoted", exactly("> Thinking ..."), exactly("> ... done thinking."), lone=False)
# A text that was escaped for HTML on its way
_ESCAPED = marker_of(
    "escaped",
    (*exactly("&lt;think"), "(?:ing)?", *exactly("&gt;")),
    (*exactly("&lt;/think"), "(?:ing)?", *exactly("&gt;")),
    lone=False,
)
# OpenClaw sends a thought to a chat channel as lines in italics under a heading, up to the first line that is not:
# https://github.com/openclaw/openclaw/issues/24886
_ITALICS = Marker(
    "italics",
    exactly("Reasoning:\n_"),
    (),
    token=False,
    lone=False,
    close=re.compile(r"\n(?=[^_\s])"),
    growing=re.compile(r"\n\Z"),
)
# Poe quotes a thought below a line in italics; read in a copied conversation with GPT 5.5
_QUOTED = Marker(
    "quoted",
    exactly("*Thinking...*\n\n> "),
    (),
    token=False,
    lone=False,
    close=re.compile(r"\n(?=[^>\s])"),
    growing=re.compile(r"\n\Z"),
)
_PHRASES = {"*": _QUOTED, "H": GRANITE, ">": _AIDER_QUOTED, "&": _ESCAPED, "R": _ITALICS}
_PHRASE_OPENS = {marker: re.compile("".join(marker.opener)) for marker in _PHRASES.values()}
_PHRASE_GROWS = {marker: re.compile(growing(marker.opener) + r"\Z") for marker in _PHRASES.values()}
# Front ends of terminals print a thought between two such lines, and their transcripts are pasted and stored
BRACKETED = re.compile(r"\[(?i:thinking)\]")
BRACKETED_CLOSE = re.compile(r"\[(?:/|End(?: of)? )Thinking\]", re.IGNORECASE)
_BRACKET_GROWS = re.compile(growing(spelled("[thinking]")) + r"\Z", FLAGS)
# ReAct prompts (LlamaIndex, LangChain, smolagents): believed only when the second half follows within a limit.
REACT_CLOSE = re.compile(r"\n[ \t]{0,8}(?=(?:Action|Answer|Final Answer|Code):)")

# Some models wrap the answer as well: ERNIE 4.5 (ernie45_reasoning_parser.py), Hunyuan A13B
# (hunyuan_a13b_reasoning_parser.py). The wrapper is taken off directly after a removed block.
WRAPPER_NAMES = ("answer", "response")


def read_phrase(text: str, at: int) -> tuple[Marker, int] | None:
    """The phrase at ``at`` that opens a text of reasoning, and where it ends."""
    marker = _PHRASES.get(text[at])
    found = _PHRASE_OPENS[marker].match(text, at) if marker is not None else None
    return None if marker is None or found is None else (marker, found.end())


def phrase_may_grow(text: str, at: int) -> bool:
    """Whether all of ``text`` from ``at`` on is the beginning of such a phrase."""
    marker = _PHRASES.get(text[at])
    return marker is not None and _PHRASE_GROWS[marker].match(text, at) is not None


def bracket_may_grow(text: str, at: int) -> bool:
    """Whether all of ``text`` from ``at`` on is the beginning of ``[Thinking]``, but not all of it."""
    return text[-1] != "]" and _BRACKET_GROWS.match(text, at) is not None


_WRAPPER = re.compile(any_of(f"<{name}>" for name in WRAPPER_NAMES), FLAGS)
_WRAPPER_GROWS = re.compile(any_of(growing(spelled(f"<{name}>")) for name in WRAPPER_NAMES) + r"\Z", FLAGS)


def read_wrapper(text: str, at: int) -> re.Match[str] | None:
    """``<answer>`` or ``<response>`` at ``at``."""
    return _WRAPPER.match(text, at)


def wrapper_may_grow(text: str, at: int) -> bool:
    """Whether the end of ``text`` may still become an answer wrapper."""
    return _WRAPPER_GROWS.match(text, at) is not None
