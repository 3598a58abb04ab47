r"""String literals in text: where one ends, what it says, and how to write another in the same quotes.

Python and JSON spellings are read alike, also when they stand inside another string and every quote carries
backslashes (``\"thinking\": \"…\"``).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

OPENING = re.compile(r"""(?<!\w)(?P<prefix>[bBuUrRfF]{0,2})(?P<escape>\\*+)(?P<quote>\"{3}|'{3}|["'])""")

_BODY = {
    '"': re.compile(r'(?:[^"\\\n]++|\\.)*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]++|\\.)*+", re.DOTALL),
    '"""': re.compile(r'(?:[^"\\]++|\\.|"(?!""))*+', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]++|\\.|'(?!''))*+", re.DOTALL),
}
_TO_QUOTE = {
    '"': re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\]++|\\.)*+", re.DOTALL),
}
_ESCAPED_QUOTE = {'"': re.compile(r'\\*+"|\n'), "'": re.compile(r"\\*+'|\n")}
_DELIMITER = re.compile(r"[ \t]*(?:[,)\]}:;]|\r?\n|\Z)")
_ESCAPE = re.compile(
    r"\\(?:u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|x(?P<x>[0-9a-fA-F]{2})|(?P<o>[0-7]{1,3})|(?P<c>.))", re.DOTALL
)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "\n": ""}
_SURROGATE = re.compile("[\ud800-\udfff]")
_LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Literal:
    """A string literal: its body is ``text[body:body_end]``; ``end`` is behind the closing quote.

    ``complete`` is false when the closing quote is missing; the literal then ends with its line or with the text.
    """

    start: int
    body: int
    body_end: int
    end: int
    complete: bool
    prefix: str
    escape: str
    quote: str


def read_string(text: str, at: int) -> Literal | None:
    """The string literal that starts at ``at``, prefix included; ``None`` when there is none."""
    found = OPENING.match(text, at)
    if found is None:
        return None
    prefix, escape, quote = found["prefix"], found["escape"], found["quote"]
    if escape:
        if len(escape) % 2 == 0:
            return None
        quote = quote[0]
        body = found.start("quote") + 1
        body_end, end = _escaped_end(text, body, quote, len(escape))
    else:
        body = found.end()
        body_end, end = _plain_end(text, body, quote)
    complete = end > body_end
    return Literal(at, body, body_end, end, complete, prefix, escape, quote)


def _plain_end(text: str, body: int, quote: str) -> tuple[int, int]:
    found = _BODY[quote].match(text, body)
    end = found.end() if found else body
    if text.startswith(quote, end):
        return end, end + len(quote)
    if end < len(text) and text[end] == "\n":
        return _over_lines(text, end, quote)
    return len(text), len(text)


def _over_lines(text: str, end: int, quote: str) -> tuple[int, int]:
    # No repr and no JSON has a raw line break in a string: it was cut off here, or somebody formatted the text by
    # hand. The next quote tells: a real end is followed by a delimiter.
    found = _TO_QUOTE[quote].match(text, end)
    close = found.end() if found else end
    if text.startswith(quote, close) and _DELIMITER.match(text, close + 1):
        return close, close + 1
    return end, end


def _escaped_end(text: str, body: int, quote: str, depth: int) -> tuple[int, int]:
    """The end of a string whose quotes carry ``depth`` backslashes: those inside it carry more."""
    for found in _ESCAPED_QUOTE[quote].finditer(text, body):
        count = found.end() - found.start() - 1
        if found[0] == "\n" or count < depth:  # the string around this one ended first
            return found.start(), found.start()
        if count % (2 * (depth + 1)) == depth:
            return found.end() - 1 - depth, found.end()
    return len(text), len(text)


def decode(text: str, literal: Literal) -> str | bytes:
    """What the literal says. Lone surrogates become U+FFFD, so that the result can always be encoded."""
    body = text[literal.body : literal.body_end]
    depth = len(literal.escape)
    while depth > 0:
        body, depth = _unescape(body), depth // 2
    binary = "b" in literal.prefix.lower()
    if "r" not in literal.prefix.lower():
        body = _unescape(body, binary=binary)
    if binary:
        return body.encode("latin-1") if body.isascii() or max(body) <= "\xff" else body.encode("utf-8", "replace")
    return body


def _unescape(body: str, *, binary: bool = False) -> str:
    if "\\" not in body:
        return body
    decoded = _ESCAPE.sub(_binary_escape if binary else _escape, body)
    if _SURROGATE.search(decoded):
        return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return decoded


def _escape(found: re.Match[str]) -> str:
    code = found["u"] or found["U"] or found["x"]
    if code is not None:
        number = int(code, 16)
        return chr(number) if number <= _LAST_CODE_POINT else found[0]
    if found["o"] is not None:
        return chr(int(found["o"], 8))
    return _PLAIN.get(found["c"], found["c"])


def _binary_escape(found: re.Match[str]) -> str:
    if found["u"] or found["U"] or found["c"] in {"u", "U", "N"}:
        return found[0]  # bytes have no such escape
    return _escape(found)


def requote(literal: Literal, value: str) -> str:
    """``value`` as a literal in the prefix, quotes and escapes of ``literal``."""
    quote = literal.quote[0]
    body = json.dumps(value, ensure_ascii=False)[1:-1]
    if quote == "'":
        body = body.replace('\\"', '"').replace("'", "\\'")
    depth = len(literal.escape)
    spelled = f"{quote}{body}{quote}"
    while depth > 0:
        spelled, depth = spelled.replace("\\", "\\\\").replace(quote, f"\\{quote}"), depth // 2
    prefix = literal.prefix.lower().replace("r", "").replace("f", "")
    return f"{prefix}{spelled}"
