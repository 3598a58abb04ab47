"""Laws of the text machines, for texts made of their own markers and for anything at all."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from reticent.streams.reprs import Node, cut, find_literals, item_at, parse_literal
from reticent.streams.tags import HOLD_BACK, PROSE_WINDOW, TextFilter, may_hold_reasoning, reasoning_spans

PIECES = [
    *("<think>", "</think>", "<THINK a='>'>", "<think/>", "</thinking>", "< / think >", "<think", "</thi", "nk>"),
    *("`", "``", "```", "```\n", "~~~", "\n", "\n\n", "\r\n", " ", "    ", "> ", "- ", "1. ", "a", "word. "),
    *('"', "“", "(", "<", ">", "/", "*", "é", "中", "[THINK]", "[/THINK]", "[", "◁think▷", "◁/think▷"),
    *(
        "<|channel|>",
        "analysis",
        "final",
        "commentary to=f",
        "<|message|>",
        "<|end|>",
        "<|start|>",
        "assistant",
        "user",
    ),
    *("<|return|>", "<|call|>", "<|", "|>", "to=self", "<|channel>", "<channel|>", "<|open|>", "think", "<|sep|>"),
    *("<|close|>", "<|content_thinking|>", "<|end_message|>", "<|message_model|>", "/*PLANNING*/", "/*FINAL_ANSWER*/"),
    *("Thought:", " x", "\nAction:", "Answer:", "Here is my thought process:", "Here's my response:"),
    *("analysisW", "assistantfinal", "assistantanalysis", "assistantcommentary", "<answer>", "</answer>", "<response>"),
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=16).map("".join)
cuttings = st.lists(st.integers(1, 9), min_size=1, max_size=8)


def pieces(text: str, sizes: list[int]) -> Iterator[str]:
    """Divide a text, the sizes taken in turn."""
    at, turn = 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        yield text[at : at + size]
        at, turn = at + size, turn + 1


def without_spans(text: str, *, starts_inside: bool, live: bool) -> str:
    """Cut the spans out, and check on the way that they are in order and disjoint."""
    kept, at = [], 0
    for span in reasoning_spans(text, starts_inside=starts_inside, live=live):
        assert at <= span.start < span.end <= len(text)
        kept.append(text[at : span.start])
        at = span.end
    return "".join([*kept, text[at:]])


@settings(max_examples=200, deadline=None)
@given(texts, cuttings, st.booleans())
def test_streamed_is_whole(text: str, sizes: list[int], starts_inside: bool) -> None:
    """However a text is divided, what comes out is the text without its spans."""
    stream = TextFilter(starts_inside=starts_inside)
    out = ""
    for piece in pieces(text, sizes):
        out += stream.feed(piece)
        assert stream.held <= max(HOLD_BACK, PROSE_WINDOW)
    out += stream.flush()
    assert out == without_spans(text, starts_inside=starts_inside, live=True)
    assert sum(length for _, length in stream.removed) == len(text) - len(out)


@settings(max_examples=100, deadline=None)
@given(texts)
def test_every_cut_point(text: str) -> None:
    """One cut, at each place in turn, changes nothing."""
    expected = without_spans(text, starts_inside=False, live=True)
    for at in range(len(text) + 1):
        stream = TextFilter()
        assert stream.feed(text[:at]) + stream.feed(text[at:]) + stream.flush() == expected


@settings(max_examples=200, deadline=None)
@given(texts, st.booleans())
def test_the_quick_look_misses_nothing(text: str, live: bool) -> None:
    """Where there is a span, the quick look said that there might be one."""
    assert may_hold_reasoning(text) or not reasoning_spans(text, live=live)


@settings(max_examples=200, deadline=None)
@given(texts)
def test_a_whole_text_loses_at_least_what_a_stream_loses(text: str) -> None:
    """Knowing the end can only make more of a text reasoning: the shown text is no longer than the streamed one."""
    whole = without_spans(text, starts_inside=False, live=False)
    live = without_spans(text, starts_inside=False, live=True)
    assert len(whole) <= len(live)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abc .,\n", max_size=60), st.text(alphabet="abc <>`'\n", max_size=60))
def test_a_block_never_comes_through(before: str, inside: str) -> None:
    """Whatever stands before it on other lines and inside it, a block on a line of its own is gone."""
    canary = "KANARI0815"
    text = f"{before}\n<think>{canary}{inside}{canary}</think>after"
    assert canary not in without_spans(text, starts_inside=False, live=True)
    assert without_spans(text, starts_inside=False, live=True).endswith("after")


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
keys = st.text(min_size=1)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)
prefixes = st.sampled_from(["", "data: ", "2026-11-29 ERROR failed: ", "it's (a b) ", "[INFO] ", "x = "])


def found(text: str) -> object:
    """The value of the last literal, out of the pair it may be in."""
    node = list(find_literals(text))[-1]
    assert node.complete
    value = node.value
    return value["x"] if node.kind == "run" and isinstance(value, dict) else value


@settings(max_examples=200, deadline=None)
@given(st.lists(values, min_size=1, max_size=3) | st.dictionaries(keys, values, min_size=1, max_size=3), prefixes)
def test_what_was_printed_is_read_back(value: object, prefix: str) -> None:
    """JSON, indented JSON, reprs, and JSON inside a JSON string behind any prefix come back as the value."""
    as_json = json.dumps(value)
    assert found(prefix + as_json) == value
    assert found(prefix + json.dumps(value, ensure_ascii=False, indent=1)) == value
    assert found(prefix + repr(value)) == value
    assert found(prefix.replace("'", "") + json.dumps(as_json)[1:-1]) == value


LITERAL_PIECES = [
    *"()[]{}'\"\\,:=; \n.",
    "b'",
    '"""',
    "input_value=",
    "..., input_type=",
    "x='",
    "thinking=",
    "None",
    "f(",
]
garbage = st.lists(st.sampled_from(LITERAL_PIECES) | st.text(max_size=2), max_size=40).map("".join)


def check(node: Node, start: int, end: int) -> None:
    """A node lies within its parent, and so does each of its items."""
    assert start <= node.start <= node.end <= end
    for item in node.items:
        assert node.start <= item.before <= item.start <= item.node.start <= item.end <= item.after <= node.end
        check(item.node, node.start, node.end)


@settings(max_examples=200, deadline=None)
@given(garbage)
def test_garbage_is_read_without_complaint(text: str) -> None:
    """Any text gives literals in order, each within its bounds."""
    at = 0
    for node in find_literals(text):
        assert node.start >= at
        check(node, 0, len(text))
        at = node.end
        for item in node.items:
            assert len(cut(text, [(item, "")])) <= len(text)
    for start in range(len(text)):
        parse_literal(text, start)


@settings(max_examples=200, deadline=None)
@given(st.lists(values, min_size=1, max_size=5), st.data())
def test_a_cut_leaves_a_literal(value: list[object], data: st.DataObject) -> None:
    """Taking elements out of the text is taking them out of the value."""
    gone = data.draw(st.sets(st.integers(0, len(value) - 1)))
    for text in (json.dumps(value), repr(value), json.dumps(value, indent=2)):
        node = parse_literal(text, 0)
        assert node is not None
        items = [item_at(node, [at]) for at in gone]
        left = parse_literal(cut(text, [(item, "") for item in items if item is not None]), 0)
        assert left is not None
        assert left.value == [element for at, element in enumerate(value) if at not in gone]
