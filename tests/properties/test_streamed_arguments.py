"""Arguments of calls in pieces: what a stream shows of them is what is left of the whole."""

from __future__ import annotations

import json
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reticent
from reticent.errors import InputTooLarge
from reticent.streams.arguments import LIMIT, ArgumentsFilter

CANARY = "KANARI-61d0c2"
BLOCKS = st.sampled_from(
    [
        f"<think>{CANARY}</think>",
        f'  <thinking>\n{CANARY} \u00e4 "x"\n</thinking>\n\n',
        f"[THINK]{CANARY}[/THINK]",
        f"\u25c1think\u25b7{CANARY}\u25c1/think\u25b7",
        f"<think>{CANARY}",
        "</think>",
        "<thin",
        "<div>",
        "[1]",
        "",
    ]
)
TEXTS = st.builds(
    lambda block, rest: block + rest, BLOCKS, st.text(alphabet='ab \n"\\<>{}[]:,\u00e9\U0001f914', max_size=12)
)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "<think>", "b"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def in_pieces(text: str, cuts: list[int]) -> str:
    """What the filter shows of ``text``, cut at ``cuts``."""
    stream = ArgumentsFilter()
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    shown = [stream.feed(text[start:end]) for start, end in pairwise(bounds)]
    return "".join([*shown, stream.flush()])


def whole(text: str) -> str:
    """What the serializer leaves of the same arguments in a whole message."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": text}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    shown = orjson.loads(reticent.load_plan().serializer("logs")(orjson.dumps(message)))
    found: str = shown["tool_calls"][0]["function"]["arguments"]
    return found


@given(
    value=st.dictionaries(st.sampled_from(["text", "to", "<think>"]), VALUES, max_size=3),
    ascii_only=st.booleans(),
    data=st.data(),
)
def test_streamed_arguments_are_the_whole_ones(value: object, ascii_only: bool, data: st.DataObject) -> None:
    """However the JSON text of arguments is cut, the stream shows what is left of it in a whole message."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    assert in_pieces(text, cuts) == in_pieces(text, list(range(len(text)))) == whole(text)


@given(text=st.text(alphabet='{}[]:,"\\u<think>/ab1 ', max_size=60), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_text_that_is_no_json_comes_out_the_same_however_it_is_cut(text: str, cuts: list[int]) -> None:
    """Garbage raises nothing, and its cuts do not matter."""
    assert in_pieces(text, cuts) == in_pieces(text, [])


def test_nothing_is_held_back_that_cannot_be_a_thought() -> None:
    """Keys, ordinary values and what follows a value goes on at once."""
    stream = ArgumentsFilter()
    assert stream.feed('{"<think>": "plain') == '{"<think>": "plain'
    assert stream.feed(' text <think>", "n": [1, "') == ' text <think>", "n": [1, "'
    assert (stream.feed("<think>a"), stream.held) == ("", len("<think>a"))
    assert stream.feed('"]}') == '<think>a"]}'


def test_a_value_that_may_be_a_thought_for_too_long_is_refused() -> None:
    """Memory stays bounded: a value that is never decided is an error, which quotes nothing of it."""
    stream = ArgumentsFilter()
    stream.feed('{"a": "<think>')
    with pytest.raises(InputTooLarge) as refused:
        stream.feed(CANARY.ljust(LIMIT, "x"))
    assert CANARY not in str(refused.value)
