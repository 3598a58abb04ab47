"""Message framing by control tokens: gpt-oss harmony, and Muse, which uses the same skeleton.

A message is ``<|start|>role<|channel|>channel<|message|>content`` and a terminator; a completion begins in the middle,
because ``<|start|>assistant`` was the end of the prompt. Sources, read 2026-11-29:
https://github.com/openai/harmony/blob/main/docs/format.md (channels, recipients, terminators) and
https://github.com/vllm-project/vllm ``muse_glimmer_utils.py`` (recipients ``self`` and ``user``, ``<|eom|>``).

Servers that drop control tokens leave the degraded form ``analysis…assistantfinal…``, which has no token at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from reticent.streams._marker_forms import Marker, any_of, growing, spelled

Kind = Literal["reasoning", "answer", "kept"]


@dataclass(frozen=True, slots=True)
class Header:
    """The opening of one message: ``kind`` says what its content is, which starts at ``end``."""

    end: int
    kind: Kind


# Role, channel and constraint are short words; the limits bound what a stream may have to hold back.
_HEADER = re.compile(
    r"(?:<\|start\|>(?P<role>[^<]{0,160}))?(?:<\|channel\|>(?P<channel>[^<]{0,160}))?"
    r"(?:<\|constrain\|>[^<]{0,80})?(?P<own>to=(?:self|user))?<\|message\|>"
)
_OPENINGS = ("<|start|>", "<|channel|>", "to=self<|message|>", "to=user<|message|>")
_HEADER_GROWS = re.compile(
    r"(?:<\|start\|>[^<]{0,160})?(?:<\|channel\|>[^<]{0,160})?(?:<\|constrain\|>[^<]{0,80})?"
    + any_of(
        growing(spelled(token))
        for token in ("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", *_OPENINGS[2:])
    )
    + r"?\Z"
)
_BARE_ANALYSIS = re.compile(r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*analysis\b")
_BY_RECIPIENT: dict[str, Kind] = {"self": "reasoning", "user": "answer"}  # Muse; every other recipient is a tool
_BY_CHANNEL: dict[str, Kind] = {"analysis": "reasoning", "thinking": "reasoning", "final": "answer"}
_RECIPIENT = re.compile(r"\bto=([\w.\-]+)")

TERMINATOR = re.compile(r"<\|(?:end|return|call|eom|eot)\|>")
TERMINATOR_GROWS = re.compile(
    any_of(growing(spelled(f"<|{name}|>")) for name in ("end", "return", "call", "eom", "eot", "start")) + r"\Z"
)
NEXT_MESSAGE = re.compile(r"<\|(?:end|return|call|eom|eot)\|>|(?P<stop><\|start\|>)")


def _framed(name: str, close: str, ends: tuple[str, ...]) -> Marker:
    tail = any_of(growing(spelled(end)) for end in ends) + r"\Z"
    return Marker(name, (), (), token=True, lone=False, close=re.compile(close), growing=re.compile(tail))


# A new message ends the old one even when its terminator was lost.
ANALYSIS = _framed(
    "harmony-analysis",
    r"<\|(?:end|return|call|eom|eot)\|>|(?P<stop><\|start\|>|<\|channel\|>)",
    ("<|end|>", "<|return|>", "<|call|>", "<|eom|>", "<|eot|>", "<|start|>", "<|channel|>"),
)
DEGRADED = _framed(
    "harmony-degraded",
    r"assistantfinal|(?P<stop>assistantcommentary)",
    ("assistantfinal", "assistantcommentary"),
)

DEGRADED_OPENER = "analysis"
# "analysisThe user asks": a capital, a quote or a letter without case glued to the word. Prose goes on with a blank,
# a small letter or punctuation, and is believed only when "assistantfinal" follows.
DEGRADED_SURE = re.compile(r"analysis(?=[^\W\d_a-z]|[\"“「*])")
DEGRADED_CLOSE = re.compile(r"assistantfinal")


def opens_message(text: str, at: int) -> bool:
    """Whether a message header starts, or may be starting, at ``at``."""
    return text.startswith(_OPENINGS, at) or (
        len(text) - at < len(_OPENINGS[2]) and any(opening.startswith(text[at:]) for opening in _OPENINGS)
    )


def read_header(text: str, at: int) -> Header | None:
    """The message header at ``at``; ``None`` when there is none or it is not complete."""
    found = _HEADER.match(text, at)
    if found is None or (found["role"] is None and found["channel"] is None and found["own"] is None):
        return None
    return Header(found.end(), _kind(found["role"], found["channel"], found["own"]))


def header_may_grow(text: str, at: int) -> bool:
    """Whether all of ``text`` from ``at`` on is the beginning of a header."""
    return _HEADER_GROWS.match(text, at) is not None


def read_bare_analysis(text: str, at: int) -> Header | None:
    """``<|channel|>analysis`` whose header is broken: what follows is withheld all the same."""
    found = _BARE_ANALYSIS.match(text, at)
    return Header(found.end(), "reasoning") if found else None


def _kind(role: str | None, channel: str | None, own: str | None) -> Kind:
    author = (role or "assistant").split(maxsplit=1)
    if author and author[0] != "assistant":
        return "kept"
    found = _RECIPIENT.search(f"{role or ''} {channel or ''} {own or ''}")
    recipient = found[1] if found else None
    name = (channel or "").split(maxsplit=1)
    if recipient is not None:
        return _BY_RECIPIENT.get(recipient, "kept")
    return _BY_CHANNEL.get(name[0], "kept") if name else "kept"
