"""Literals in text: every form that SDKs print reasoning in, written here and printed by the SDKs themselves."""

from __future__ import annotations

import importlib
import json
import pprint
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from reticent.errors import InputTooDeep
from reticent.streams.reprs import MAX_DEPTH, cut, find_literals, item_at, parse_literal, requote

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.streams.reprs import Item, Node

CANARY = "KANARI-b45d45"
OTHER = "visible-19ac"


def only(text: str) -> Node:
    """Give the one literal of a text."""
    (node,) = find_literals(text)
    return node


def place(node: Node, *path: str | int) -> Item:
    """Give an item that must be there."""
    item = item_at(node, path)
    assert item is not None
    return item


def dig(value: object, *path: str | int) -> object:
    """Follow a path through a value."""
    for key in path:
        assert isinstance(value, (dict, list))
        value = value[key]  # type: ignore[index]
    return value


FORMS: dict[str, tuple[str, tuple[str | int, ...]]] = {
    "anthropic": (
        "ERROR Message(id='m', content=[ThinkingBlock(signature='S', thinking=\"it's {}\"), TextBlock(text='hi')])",
        ("content", 0, "thinking"),
    ),
    "anthropic redacted": ("RedactedThinkingBlock(data='{}', type='redacted_thinking')", ("data",)),
    "claude agent sdk": ("ThinkingBlock(thinking='{}', signature='SIG==')", ("thinking",)),
    "llama-index": ("ThinkingBlock(block_type='thinking', content='{}', num_tokens=3)", ("content",)),
    "openai responses": (
        "ResponseReasoningItem(id='rs_1', summary=[Summary(text='{}', type='summary_text')], type='reasoning')",
        ("summary", 0, "text"),
    ),
    "openai extras": ("ChatCompletionMessage(content='hi', reasoning_content='{}')", ("reasoning_content",)),
    "ollama str": ("role='assistant' content='hi' thinking='{}' images=None", ("thinking",)),
    "cohere str": ("type='thinking' thinking='{}'", ("thinking",)),
    "mistral": (
        "ThinkChunk(thinking=[TextChunk(text='{}', type='text')], signature=Unset(), closed=None)",
        ("thinking", 0, "text"),
    ),
    "pydantic-ai": ("ThinkingPart(content='{}', id='x', provider_name='anthropic')", ("content",)),
    "google-genai": ("Part(\n  text='{}',\n  thought=True,\n  thought_signature=b'..'\n)", ("text",)),
    "google-genai, several lines": ('Part(\n  text="""it\'s\n{}\n""",\n  thought=True\n)', ("text",)),
    "langchain": (
        "AIMessage(content=[{{'type': 'thinking', 'thinking': '{}', 'signature': 'S'}}], additional_kwargs={{}})",
        ("content", 0, "thinking"),
    ),
    "request options": (
        "Request options: {{'method': 'post', 'json_data': {{'messages': [{{'thinking': '{}'}}]}}}}",
        ("json_data", "messages", 0, "thinking"),
    ),
    "an SSE line": ('data: {{"type":"content_block_delta","delta":{{"thinking":"{}"}}}}', ("delta", "thinking")),
    "JSON behind a prefix": ('WARN reply: {{"reasoning_content": "{}"}} dropped', ("reasoning_content",)),
    "JSON in a quoted string with a prefix": ('"reply: {{\\"thinking\\": \\"{}\\"}}"', ("thinking",)),
    "a dictionary in a frame variable": ("raw = {{'type': 'thinking', 'thinking': '{}'}}", ("raw", "thinking")),
    "logfmt": ('level=info msg="turn over" thinking="{}"', ("thinking",)),
    "one line of indented JSON": ('    "thinking": "{}",', ("thinking",)),
    "positional": ("Foo(1, ThinkingPart(content='{}'))", ("__args__", 1, "content")),
    "inside an opaque repr": ("<Result [{{'thinking': '{}'}}]>", (0, "thinking")),
    "a dataclass in a module": ("app.models.Thought(text='{}')", ("text",)),
}


@pytest.mark.parametrize(("form", "path"), FORMS.values(), ids=FORMS)
def test_every_form_is_read_and_cut(form: str, path: tuple[str | int, ...]) -> None:
    """The value is found where it stands, and taking its item out leaves nothing of it."""
    text = form.format(CANARY)
    node = only(text)
    value = dig(node.value, *path)
    assert isinstance(value, str)
    assert CANARY in value
    item = place(node, *path)
    left = cut(text, [(item, "")])
    assert CANARY not in left
    assert CANARY in text[item.start : item.end]
    whole = cut(text, [(node, "[removed]")])
    assert CANARY not in whole
    assert "[removed]" in whole


@pytest.mark.parametrize(("form", "path"), FORMS.values(), ids=FORMS)
def test_every_form_may_be_cut_off_anywhere(form: str, path: tuple[str | int, ...]) -> None:
    """A text that ends early still shows the value it holds, and says that it is not complete."""
    text = form.format(CANARY)
    end = text.index(CANARY) + len(CANARY)
    nodes = [node for node in find_literals(text[:end]) if CANARY in text[node.start : node.end]]
    assert len(nodes) == 1
    assert not nodes[0].complete
    assert nodes[0].end == end
    assert path


def blocks() -> str:
    """Print a message of the anthropic package."""
    types = pytest.importorskip("anthropic.types")
    thinking = types.ThinkingBlock(type="thinking", thinking=f'it\'s\n{CANARY} "q"', signature="S")
    usage = types.Usage(input_tokens=1, output_tokens=2)
    text = types.TextBlock(type="text", text=OTHER)
    content = [thinking, text]
    return repr(types.Message(id="m", type="message", role="assistant", model="x", content=content, usage=usage))


def reasoning_item() -> str:
    """Print an item of the openai package."""
    types = pytest.importorskip("openai.types.responses")
    summary = [{"type": "summary_text", "text": CANARY}]
    return f"{OTHER} {types.ResponseReasoningItem(id='rs', type='reasoning', summary=summary)!r}"


def chat_message() -> str:
    """Print a message with fields that the openai package does not know."""
    types = pytest.importorskip("openai.types.chat")
    return repr(types.ChatCompletionMessage(role="assistant", content=OTHER, reasoning_content=CANARY))


def ollama_message() -> str:
    """Print a message of the ollama package as ``str`` does."""
    ollama = pytest.importorskip("ollama")
    return str(ollama.Message(role="assistant", content=OTHER, thinking=CANARY))


def cohere_item() -> str:
    """Print a content item of the cohere package as ``str`` does."""
    types = pytest.importorskip("cohere.types.assistant_message_response_content_item")
    return f"{OTHER} {types.ThinkingAssistantMessageResponseContentItem(thinking=CANARY)}"


def mistral_chunk() -> str:
    """Print a chunk of the mistralai package."""
    models = pytest.importorskip("mistralai.client.models")
    return f"{OTHER} {models.ThinkChunk(thinking=[models.TextChunk(text=CANARY)])!r}"


def groq_message() -> str:
    """Print a message of the groq package."""
    types = pytest.importorskip("groq.types.chat")
    return repr(types.ChatCompletionMessage(role="assistant", content=OTHER, reasoning=CANARY))


def pydantic_ai_response() -> str:
    """Print a response of the pydantic-ai package."""
    messages = pytest.importorskip("pydantic_ai.messages")
    return repr(messages.ModelResponse(parts=[messages.ThinkingPart(CANARY), messages.TextPart(OTHER)]))


def genai_content() -> str:
    """Print content of the google-genai package, over several lines."""
    types = pytest.importorskip("google.genai.types")
    thought = types.Part(text=f"it's\n{CANARY}\n", thought=True, thought_signature=b"\x00sig")
    return repr(types.Content(role="model", parts=[thought, types.Part(text=OTHER)]))


def langchain_message() -> str:
    """Print a message of the langchain-core package."""
    messages = pytest.importorskip("langchain_core.messages")
    return repr(messages.AIMessage(content=[{"type": "thinking", "thinking": CANARY}, OTHER]))


PRINTED = [
    blocks,
    reasoning_item,
    chat_message,
    ollama_message,
    cohere_item,
    mistral_chunk,
    groq_message,
    pydantic_ai_response,
    genai_content,
    langchain_message,
]


def holders(node: Node) -> list[Item]:
    """Find the innermost items whose value is a string with the canary."""
    found = []
    for item in node.items:
        if isinstance(item.node.value, str) and CANARY in item.node.value:
            found.append(item)
        found.extend(holders(item.node))
    return found


@pytest.mark.filterwarnings("ignore")  # what the packages warn of while they are imported is not ours
@pytest.mark.parametrize("printed", PRINTED, ids=lambda function: function.__name__)
def test_what_the_packages_print_is_read(printed: Callable[[], str]) -> None:
    """The canary in a real repr is in exactly one item; cut out, the rest reads as before."""
    text = printed()
    assert CANARY in text
    items = [item for node in find_literals(text) for item in holders(node)]
    assert len(items) == 1
    left = cut(text, [(items[0], "")])
    assert CANARY not in left
    assert OTHER in left
    assert all(node.complete for node in find_literals(left))


def test_pydantic_prints_the_two_ends_of_an_input() -> None:
    """The middle is cut out of ``input_value``: it is one elided value, and everything around it is read."""
    pydantic = importlib.import_module("pydantic")
    model = pydantic.create_model("X", content=(str, ...))
    rejected = [{"type": "thinking", "thinking": "x" * 80 + CANARY[:8], "signature": "S"}]
    with pytest.raises(pydantic.ValidationError) as caught:
        model(content=rejected)
    text = str(caught.value)
    node = only(text)
    item = place(node, "input_value")
    assert (item.node.kind, item.node.complete, node.complete) == ("elided", False, False)
    left = cut(text, [(item.node, "[removed]")])
    assert "input_value=[removed], input_type=list]" in left
    assert CANARY[:8] not in left


def test_an_input_printed_whole_is_a_value() -> None:
    """A short ``input_value`` is read like anything else."""
    node = only("[type=string_type, input_value={'thinking': 'x'}, input_type=dict]")
    assert node.complete
    assert dig(node.value, "input_value", "thinking") == "x"


def test_strings_are_decoded_as_python_and_json_have_them() -> None:
    """Escapes, prefixes, quotes inside and surrogate pairs all give the text that was meant."""
    spellings = {
        r"'it\'s'": "it's",
        '"it\'s"': "it's",
        r'"a\"b\\"': 'a"b\\',
        r'"\u2019\n\x41\U0001F600"': "\u2019\nA😀",
        r'"\ud83d\ude00"': "😀",
        r'"\ud83d"': "\ufffd",
        r"b'\x00\xff'": b"\x00\xff",
        r"b'\u'": b"\\u",
        r"r'\n'": "\\n",
        "'a'  'b'": "ab",
        "'''a\n'b'''": "a\n'b",
    }
    for spelling, value in spellings.items():
        node = parse_literal(f"[{spelling}]", 0)
        assert node is not None
        assert node.value == [value]
        assert node.complete


def test_json_in_json_in_json() -> None:
    """Quotes with one and with three backslashes are quotes of the inner text."""
    inner = {"thinking": f'{CANARY} "quoted" \\ back', "n": [1, {"a": None}]}
    once = json.dumps(inner)
    for text in (once, json.dumps(once)[1:-1], json.dumps(json.dumps(once))[3:-3]):
        assert only(f"log {text} end").value == inner


def test_requote_keeps_quotes_and_escapes() -> None:
    """A new value is written as the old one was, at every depth of escaping."""
    value = 'it\'s "new" \\ \n'
    once = json.dumps(json.dumps({"msg": "old"}))[1:-1]
    for text in ("{'msg': 'old'}", '{"msg": "old"}', once):
        item = place(only(text), "msg")
        changed = cut(text, [(item.node, requote(text, item.node, value))])
        assert dig(only(changed).value, "msg") == value


def test_pprint_output_is_read() -> None:
    """Long strings that are broken over lines are one value again."""
    value = {"thinking": f"{CANARY} " * 40, "signature": b"abc" * 40, "n": (1, 2)}
    node = only(pprint.pformat(value))
    assert node.value == {**value, "n": [1, 2]}
    assert node.complete


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("[A(x=1), B(y=2), C()]", [0], "[B(y=2), C()]"),
        ("[A(x=1), B(y=2), C()]", [1], "[A(x=1), C()]"),
        ("[A(x=1), B(y=2), C()]", [2], "[A(x=1), B(y=2)]"),
        ("[A(x=1), B(y=2), C()]", [1, 2], "[A(x=1)]"),
        ("[A(x=1), B(y=2), C()]", [0, 2], "[B(y=2)]"),
        ("[A(x=1), B(y=2), C()]", [0, 1, 2], "[]"),
        ("[1, 2,]", [1], "[1]"),
        ("[1,]", [0], "[]"),
        ("{'a': 1, 'b': 2}", ["a"], "{'b': 2}"),
        ("{'a': 1, 'b': 2}", ["b"], "{'a': 1}"),
        ("f(a=1, b=2)", ["a", "b"], "f()"),
        ("a='1' b='2' c='3'", ["b"], "a='1' c='3'"),
        ("a='1' b='2' c='3'", ["c"], "a='1' b='2'"),
        ("P(\n  a=1,\n  b=2\n)", ["b"], "P(\n  a=1\n)"),
        ("[k=1, v=2]", ["k"], "[v=2]"),
    ],
)
def test_cut_takes_a_separator_along(text: str, gone: list[str | int], left: str) -> None:
    """What is left has neither a comma too many nor one too few."""
    node = only(text)
    assert cut(text, [(place(node, key), "") for key in gone]) == left


def test_cut_replaces_and_nests() -> None:
    """A replaced node keeps its place, and an edit inside another goes with it."""
    text = "x=M(a=[1, 2], b=3)"
    node = only(text)
    outer, inner = place(node, "x", "a"), place(node, "x", "a", 0)
    assert cut(text, [(inner, ""), (outer.node, "[…]")]) == "x=M(a=[…], b=3)"
    assert cut(text, [(outer, "…"), (inner, "")]) == "x=M(…, b=3)"
    assert cut(text, []) == text


def test_a_line_that_was_cut_does_not_swallow_the_next() -> None:
    """A string without its end closes what is open at the end of its line; the next line is read afresh."""
    text = f"a {{'thinking': '{CANARY}\nb {{'role': 'user'}}"
    first, second = find_literals(text)
    assert (first.complete, first.end) == (False, text.index("\n"))
    assert (second.complete, second.value) == (True, {"role": "user"})


def test_a_string_over_lines_ends_at_its_quote() -> None:
    """Text that somebody formatted by hand, raw line breaks included, is one value."""
    node = only(f"Foo(thinking='one\n{CANARY}\nthree', n=1)")
    assert node.value == {"thinking": f"one\n{CANARY}\nthree", "n": 1, "__class__": "Foo"}


def test_prose_is_left_alone() -> None:
    """Apostrophes, parentheses and comparisons in prose hide nothing that follows."""
    text = "don't (it's fine, users' choice) if a == b: 5' x {'thinking': 'y'}"
    assert [node.value for node in find_literals(text)] == [{"thinking": "y"}]
    assert list(find_literals("nothing of the kind, really.")) == []


def test_doubtful_objects_are_not_complete() -> None:
    """A repeated key, and a value without a key, are marked: no serializer writes them."""
    assert not only('{"type": "thinking", "type": "text"}').complete
    assert not only("{'type': 'thinking', 'th...g'}").complete
    assert only("{'a', 'b'}").value == ["a", "b"]


def test_too_much_depth_is_refused_without_quoting() -> None:
    """Past the limit comes the typed refusal; at the limit the value is read."""
    node = parse_literal("[" * MAX_DEPTH + "]" * MAX_DEPTH, 0)
    assert node is not None
    assert node.complete
    text = f"['{CANARY}', " + "[" * MAX_DEPTH
    with pytest.raises(InputTooDeep) as caught:
        list(find_literals(text))
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("text", ["", "plain", "-", "'", ")", "=", "\\", "(" * 10])
def test_parse_literal_answers_for_any_start(text: str) -> None:
    """Where no literal starts the answer is ``None`` or something that is not complete."""
    node = parse_literal(text, 0)
    assert node is None or not node.complete


@pytest.mark.parametrize(
    "unit", ["[", "\\", '\\"', "'", "a-", "a.", "x='a\n", "{}", "]", "[(]", "a=1 ", '"k": ', "it's (a) ", "1_", '"""']
)
def test_floods_are_read(unit: str) -> None:
    """Repetition of any construct ends, in the refusal or in nodes that lie in order."""
    text = "[" + unit * 5_000
    try:
        nodes = list(find_literals(text))
    except InputTooDeep:
        return
    assert all(one.end <= other.start for one, other in pairwise(nodes))
