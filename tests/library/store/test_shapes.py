"""Gaps are filled the same way in values and in bytes, and in objects of SDKs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from anthropic.types import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion
from openai.types.responses import Response
from tests.library.store.turns import anthropic, bedrock, deepseek, responses

from reticent.edits import DROP, Cut, Put, apply
from reticent.errors import NotReplayable
from reticent.store.filling import fill, fill_bytes
from reticent.store.gaps import decode, encode, gaps, on_the_wire
from reticent.store.holding import raw_at
from reticent.store.rules import replay_rules, rule_for, rule_named

if TYPE_CHECKING:
    from reticent.store import Tasks

SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
)


@st.composite
def edited(draw: st.DrawFn) -> tuple[Any, Any]:
    """A value and edits of it."""
    value = draw(st.lists(VALUES, min_size=1, max_size=4) | st.dictionaries(st.text(max_size=4), VALUES, min_size=1))
    return value, draw(_edits(value))


def _edits(value: Any) -> st.SearchStrategy[Any]:
    names = list(value) if isinstance(value, dict) else range(len(value))
    return st.fixed_dictionaries({}, optional={name: _edit(value[name]) for name in names})


def _edit(value: Any) -> st.SearchStrategy[Any]:
    kinds: list[Any] = [st.just(DROP), st.builds(Put, SCALARS)]
    if isinstance(value, str) and value:
        spans = st.integers(0, len(value) - 1).map(lambda at: Cut(((at, at + 1, "+"),)))
        kinds.append(spans)
    if isinstance(value, dict | list) and value:
        kinds.append(_edits(value))
    return st.one_of(kinds)


SPELLINGS: list[dict[str, Any]] = [{"separators": (",", ":"), "ensure_ascii": False}, {}, {"indent": 1}]


@settings(max_examples=60)
@given(case=edited(), spelling=st.sampled_from(SPELLINGS))
def test_gaps_are_edits_turned_round(case: tuple[Any, Any], spelling: dict[str, Any]) -> None:
    """What was taken out of a value comes back, key by key and byte by byte, in values and in bytes alike."""
    value, edit = case
    carriers: list[bytes] = []
    raw = json.dumps(value, **spelling).encode()

    def take(path: tuple[Any, ...], text: str | None) -> int:
        carriers.append(encode(text) if text is not None else raw_at(raw, path))
        return len(carriers) - 1

    gap = gaps(value, edit, (), take)
    assert gap is not None
    left = apply(value, edit)
    told = type(gap).from_json(json.loads(json.dumps(gap.to_json())))

    assert json.dumps(value) == json.dumps(fill(left, told, carriers))
    assert json.dumps(value) == json.dumps(
        json.loads(fill_bytes(json.dumps(left, **spelling).encode(), told, carriers))
    )


def test_bytes_that_are_not_filled_are_copied(local: Tasks) -> None:
    """Around what goes back, numbers keep their spelling, texts their escapes, and white space stays."""
    thought = b'{"type":"thinking","thinking":"\\u00e9","signature":"c2ln", "n": 1.50},'
    answer = b'{"role": "assistant", "content": [ ' + thought + b' {"type": "text", "text": "caf\\u00e9"} ]}'
    shown = local.hold("t", answer)
    body = b'\xef\xbb\xbf {"big": 12345678901234567890123, "messages": [' + shown + b' ], "temperature": 1.0}\n'

    assert shown == answer.replace(thought + b" ", b"")
    restored = local.restore("t", body)
    assert body.replace(b'[ {"type": "text"', b"[ " + thought + b'{"type": "text"') == restored


SDKS = [(Message, anthropic), (Response, responses), (ChatCompletion, deepseek)]


@pytest.mark.parametrize(("model", "make"), SDKS)
def test_objects_of_sdks(model: Any, make: Any, local: Tasks) -> None:
    """An SDK object is held and shown as its class, and a history with its parts in it is restored."""
    case = make()
    turn = model.construct(**case.answer)

    visible = local.hold("t", turn)
    assert isinstance(visible, model)
    assert not any(canary in repr(visible) for canary in case.canaries)
    if model is Message:
        history: list[Any] = [{"role": "assistant", "content": visible.content}]
    else:
        history = visible.output if model is Response else [visible.choices[0].message]
    restored = local.restore("t", {case.name: history})[case.name]
    assert all(canary in json.dumps(restored, default=str) for canary in case.canaries)


def test_bytes_of_boto3(local: Tasks) -> None:
    """Redacted content that an SDK gives as bytes goes back as bytes, and documents beside it stay what they are."""
    turn = bedrock().answer
    turn["output"]["message"]["content"].insert(0, {"reasoningContent": {"redactedContent": b"\x00\xff"}})
    visible = local.hold("t", turn)
    asked = {"role": "user", "content": [{"document": {"source": {"bytes": b"\x01"}}}]}

    restored = local.restore("t", [asked, visible["output"]["message"]])
    assert [asked, turn["output"]["message"]] == restored
    assert '"AP8="' in on_the_wire(encode({"a": b"\x00\xff"})).decode()
    assert {"a": b"\x00\xff", "b": 1} == decode(encode({"a": b"\x00\xff", "b": 1}))
    with pytest.raises(NotReplayable):
        encode({"a": object()})


@pytest.mark.parametrize(
    ("dialect", "model", "name"),
    [
        ("anthropic-messages", "claude-opus-5-1-20260801", "anthropic-prefix-bound"),
        ("anthropic-messages", "claude-opus-4-6", "anthropic"),
        ("anthropic-messages", None, "anthropic"),
        ("bedrock-converse", "us.anthropic.claude-opus-5-5-v1:0", "anthropic-prefix-bound"),
        ("bedrock-converse", "us.deepseek.r1-v1:0", "bedrock-deepseek-r1"),
        ("openai-chat", "deepseek-reasoner", "deepseek-r1"),
        ("openai-chat", "deepseek/deepseek-v4", "deepseek"),
        ("openai-chat", "moonshotai/kimi-k2-thinking", "kimi"),
        ("openai-chat", "groq/qwen3", "groq"),
        ("openai-chat", "somebody/model", "openrouter-and-other-chat"),
        ("gemini", "models/gemini-3-pro", "gemini"),
        ("nothing-known", None, "openrouter-and-other-chat"),
    ],
)
def test_rules(dialect: str, model: str | None, name: str) -> None:
    """A rule is found by dialect and model as an API names it, and every rule says where it was read."""
    assert name == rule_for(dialect, model).name
    assert name == rule_named(name).name
    assert "openrouter-and-other-chat" == rule_named("gone").name
    assert all(rule.url.startswith("https://") and rule.read for rule in replay_rules().values())
