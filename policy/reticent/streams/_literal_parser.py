"""The parser under `reticent.streams.reprs`: one pass, an explicit stack, nothing that raises but too much depth."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from reticent.errors import InputTooDeep
from reticent.streams._literal_nodes import (
    Draft,
    Frame,
    Node,
    Part,
    concatenated,
    container_node,
    is_key,
    mixed,
    numbered,
)
from reticent.streams._literal_strings import decode, read_string

MAX_DEPTH = 256
"""Brackets inside brackets; deeper text is refused."""

_DIGITS = 4_000  # CPython refuses to convert longer integers
_NO_SEPARATOR = -1
_SYMBOL = 2
_ELIDED_WINDOW = 400  # pydantic shortens what it prints to about 50 characters

_CLOSERS = {")": "(", "]": "[", "}": "{"}
_CONSTANTS: dict[str, object] = {
    **dict.fromkeys(["None", "null", "undefined"]),
    **dict.fromkeys(["True", "true"], True),
    **dict.fromkeys(["False", "false"], False),
    **dict.fromkeys(["NaN", "nan"], math.nan),
    **dict.fromkeys(["Infinity", "inf"], math.inf),
}
_TOKEN = re.compile(
    r"""(?P<blank>\s++)|(?P<close>[)\]}])|(?P<open>[(\[{])|(?P<comma>[,;])|(?P<operator>=>|[:=])"""
    r"""|(?P<number>-?\d[\d_]*+(?:\.\d++)?(?:[eE][+\-]?\d++)?(?![\w.]))|(?P<word>[^\W\d][\w.]*+(?:['\u2019]\w++)*+)"""
    r"""|(?P<raw>\\++[^"'\\]?|[^\s,;:=()\[\]{}"'\\\w]++|\w++|.)""",
    re.DOTALL,
)
_PAIR = re.compile(
    r"""(?<![\w.\-])(?P<key>[^\W\d][\w.\-]*+)"""
    r"""(?:=(?=[^\s=>])|[ \t]{0,2}=[ \t]{0,2}(?=[\[{(]|[bBuUrR]{0,2}\\*["']|[^\W\d][\w.]*+\())"""
)
_QUOTED_KEY = re.compile(r"""\\*+(["'])(?P<key>[^"'\\\n]{1,120})\\*+\1[ \t]*:[ \t]*(?=\S)""")
_BARE_VALUE = re.compile(r"[^\s,;)\]}]*+")
_BETWEEN_PAIRS = re.compile(r"[ \t]*[,;]?[ \t]*")
_NAME_BEFORE_BRACKET = re.compile(r"(?P<name>[^\W\d][\w.]*+)(?:#\d{1,9})?(?=\()")  # pipecat numbers its frames


def opens_pair(text: str, at: int) -> bool:
    """Whether ``key=value`` or ``"key": value`` starts at ``at``."""
    return (_PAIR.match(text, at) or _QUOTED_KEY.match(text, at)) is not None


class Parser:
    """Reads values out of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[Frame] = []
        self._open = dict.fromkeys("([{", 0)

    def value(self, at: int) -> Node | None:
        """The string, number, constant, bracket or call at ``at``."""
        text = self._text
        if at >= len(text):
            return None
        if text[at] in "([{":
            return self._container(at, at, "")
        if (name := _NAME_BEFORE_BRACKET.match(text, at)) is not None:
            return self._container(at, name.end(), name["name"])
        if (string := self._string(at)) is not None:
            return string
        token = _TOKEN.match(text, at)
        if token is None or token.lastgroup not in {"number", "word"}:
            return None
        node = self._scalar(token)
        return node if node.kind != "raw" else None

    def run(self, at: int) -> Node:
        """Pairs that follow one another on a line, as ``str()`` of a model, a log formatter or a cut JSON has them."""
        drafts: list[Draft] = []
        text, start = self._text, at
        while (pair := _PAIR.match(text, at) or _QUOTED_KEY.match(text, at)) is not None:
            node = self._elided(pair["key"], pair.end()) or self.value(pair.end()) or self._bare(pair.end())
            drafts.append(Draft(pair["key"], at, node.end, node))
            between = _BETWEEN_PAIRS.match(text, node.end)
            at = between.end() if between and node.complete else len(text)
        quoted = text[start] in "\\\"'"  # only the rest of a JSON object looks so
        return self._run_node(drafts, complete=not quoted)

    def _run_node(self, drafts: list[Draft], *, complete: bool) -> Node:
        start, end = drafts[0].start, drafts[-1].end
        items = numbered(drafts, ~start, start)
        value = {draft.key: draft.node.value for draft in drafts}
        whole = complete and all(draft.node.complete for draft in drafts)
        return Node(value, start, end, whole, items=items, kind="run")

    def _bare(self, at: int) -> Node:
        found = _BARE_VALUE.match(self._text, at)
        end = found.end() if found else at
        return Node(self._text[at:end], at, end, complete=True)

    def _string(self, at: int) -> Node | None:
        literal = read_string(self._text, at)
        if literal is None:
            return None
        value = decode(self._text, literal)
        return Node(value, at, literal.end, literal.complete, kind="string")

    def _scalar(self, token: re.Match[str]) -> Node:
        word, start, end = token[0], token.start(), token.end()
        if token.lastgroup == "number" and len(word) < _DIGITS:
            digits = word.replace("_", "")
            number = int(digits) if digits.lstrip("-").isdecimal() else float(digits)
            return Node(number, start, end, complete=True, kind="number")
        if word in _CONSTANTS:
            return Node(_CONSTANTS[word], start, end, complete=True, kind="constant")
        return Node(word, start, end, complete=True)

    def _elided(self, key: str, at: int) -> Node | None:
        """What pydantic prints of a rejected input: the two ends of its repr, quotes and brackets cut apart."""
        if key != "input_value":
            return None
        end = self._text.find(", input_type=", at, at + _ELIDED_WINDOW)
        if end < 0 or "..." not in self._text[at:end]:
            return None
        return Node(self._text[at:end], at, end, complete=False, kind="elided")

    # Brackets.

    def _container(self, start: int, bracket: int, name: str) -> Node:
        self._stack.clear()
        self._open = dict.fromkeys("([{", 0)
        self._push(start, bracket, name)
        at = bracket + 1
        while True:
            at, root = self._step(at)
            if root is not None:
                return root

    def _push(self, start: int, bracket: int, name: str) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise InputTooDeep(f"brackets are nested deeper than {MAX_DEPTH} in a text of {len(self._text)} characters")
        char = self._text[bracket]
        self._open[char] += 1
        self._stack.append(Frame(char, name, start, bracket + 1))

    def _step(self, at: int) -> tuple[int, Node | None]:
        """Read one token; the outermost value when it is finished."""
        text, frame = self._text, self._stack[-1]
        if at >= len(text):
            return at, self._abandon(at)
        if text[at] in "\"'\\bBuUrRfF" and (string := self._string(at)) is not None:
            frame.parts.append(Part(at, string.end, string))
            return (string.end, None) if string.complete else (string.end, self._abandon(string.end))
        token = _TOKEN.match(text, at)
        if token is None or token.lastgroup is None:
            return at, self._abandon(at)
        if token.lastgroup == "close":
            return token.end(), self._close(token)
        if token.lastgroup != "blank":
            at = self._take(frame, token)
            return at, None
        return token.end(), None

    def _take(self, frame: Frame, token: re.Match[str]) -> int:
        kind, start, end = token.lastgroup, token.start(), token.end()
        if kind == "open":
            self._enter(frame, start)
        elif kind == "comma":
            self._finish_item(frame, end)
            frame.commas += 1
        elif kind == "operator":
            key = frame.parts[-1] if frame.parts else None
            frame.parts.append(Part(start, end, operator=True))
            if key is not None and key.word and (node := self._elided(self._text[key.start : key.end], end)):
                frame.parts.append(Part(node.start, node.end, node))
                return node.end
        else:
            node = self._scalar(token)
            frame.parts.append(Part(start, end, None if node.kind == "raw" else node, word=kind == "word"))
        return end

    def _enter(self, frame: Frame, bracket: int) -> None:
        last = frame.parts[-1] if frame.parts else None
        if self._text[bracket] == "(" and last is not None and last.word and last.end == bracket:
            frame.parts.pop()
            self._push(last.start, bracket, self._text[last.start : last.end])
        else:
            self._push(bracket, bracket, "")

    def _close(self, token: re.Match[str]) -> Node | None:
        opener = _CLOSERS[token[0]]
        if not self._open[opener]:
            self._stack[-1].parts.append(Part(token.start(), token.end()))
            return None
        while self._stack[-1].bracket != opener:
            self._pop(token.start(), complete=False)
        return self._pop(token.end(), complete=True)

    def _abandon(self, at: int) -> Node:
        """The text, or the line it was cut at, is over: close everything that is open."""
        while True:
            root = self._pop(at, complete=False)
            if root is not None:
                return root

    def _pop(self, end: int, *, complete: bool) -> Node | None:
        frame = self._stack.pop()
        self._open[frame.bracket] -= 1
        self._finish_item(frame, _NO_SEPARATOR)
        node = container_node(frame, end, complete=complete)
        if not self._stack:
            return node
        self._stack[-1].parts.append(Part(node.start, node.end, node))
        return None

    # Items.

    def _finish_item(self, frame: Frame, separator_end: int) -> None:
        parts, frame.parts = concatenated(frame.parts), []
        if len(parts) > _SYMBOL and parts[0].operator and parts[1].word and parts[2].operator:
            parts = parts[1:]  # Ruby's :name => value
        if not parts:
            if frame.drafts and separator_end != _NO_SEPARATOR:
                frame.drafts[-1].after = separator_end
            return
        keys = [at for at in range(len(parts) - 1) if parts[at + 1].operator and is_key(parts[at])]
        if len(keys) > 1:
            node = self._several(parts, keys)
            frame.drafts.append(Draft(None, node.start, node.end, node))
        elif keys == [0]:
            node = self._joined(parts[2:], parts[1].end)
            frame.drafts.append(Draft(self._key(parts[0]), parts[0].start, node.end, node))
        else:
            node = self._joined(parts, parts[0].start)
            frame.drafts.append(Draft(None, node.start, node.end, node))
        frame.drafts[-1].after = separator_end

    def _several(self, parts: Sequence[Part], keys: Sequence[int]) -> Node:
        """``a='x' b='y'`` between two commas: the ``str()`` of a model."""
        drafts: list[Draft] = []
        for at, following in zip(keys, [*keys[1:], len(parts)], strict=True):
            node = self._joined(parts[at + 2 : following], parts[at + 1].end)
            drafts.append(Draft(self._key(parts[at]), parts[at].start, node.end, node))
        run = self._run_node(drafts, complete=True)
        if keys[0] == 0:
            return run
        before = self._joined(parts[: keys[0]], parts[0].start)
        return mixed([before, run])

    def _joined(self, parts: Sequence[Part], at: int) -> Node:
        """One value from the parts of an item: its only one, or all of them in a row."""
        nodes: list[Node] = []
        for part in parts:
            if part.node is not None:
                nodes.append(part.node)
            elif nodes and nodes[-1].kind == "raw" and nodes[-1].complete and not nodes[-1].items:
                nodes[-1] = Node("", nodes[-1].start, part.end, complete=True)
            else:
                nodes.append(Node("", part.start, part.end, complete=True))
        if not nodes:
            return Node("", at, at, complete=False)
        nodes = [self._with_text(node) for node in nodes]
        return nodes[0] if len(nodes) == 1 else mixed(nodes)

    def _with_text(self, node: Node) -> Node:
        if node.kind != "raw":
            return node
        return Node(self._text[node.start : node.end], node.start, node.end, node.complete)

    def _key(self, part: Part) -> str:
        value = part.node.value if part.node is not None else self._text[part.start : part.end]
        return value if isinstance(value, str) else str(value)
