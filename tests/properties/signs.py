"""Payloads made of nothing but signs, and what each way of settling answers about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import strategies as st

from reticent.conformance import load_vectors
from reticent.dialects import all_dialects
from reticent.errors import EgressRefused
from reticent.serializers import cutting
from reticent.serializers.program import Options, Program, compile_program
from reticent.serializers.report import Report
from reticent.serializers.walk import Walk

if TYPE_CHECKING:
    from reticent.edits import Edit

SECRET = "CANARY-scan-77c1"
OPTIONS = (
    Options(),
    Options(unknown_types="carry"),
    Options(withhold=frozenset({"opaque"})),
    Options(on_strip="mark"),
)


def compiled(options: Options, *, native: bool = False) -> Program:
    """A program that settles in Python, or with the native pass where that is installed."""
    program = compile_program(all_dialects(), options)
    if not native:
        program._settler = (None,)
    return program


PROGRAMS = tuple(compiled(options) for options in OPTIONS)
PROGRAM = PROGRAMS[0]
VECTORS = load_vectors(Path(__file__).parent.parent / "conformance")
FRAGMENTS = (
    *("<think>", "</think>", "< ", "<b>", "[THINK]", "[/THINK]", "[1]", "\u25c1think\u25b7", "/*PLANNING*/", "/* "),
    *("Here's my thought process:", "Here", "Thought: x\nAction:", "analysis", "to=", "assistantfinal"),
    *("reason", "THINK", "think", "thought", "signature", "o\u017f", "\u0131", "(", "=", "{", "}", "[", "]", ":", ","),
    *("'", '"', "\\", "\\u0069", "\n", "\t", " ", "\u00a0", "\u3000", "...", "\u2026", "call_1__thought__Zm9v"),
    *("reasoning_content: ", "ReasoningContent=", '"[""<think>x""]"', '1,"{""role"":""assistant""}"', "AiMessage {"),
    *("{'type': 'thinking', 'thinking': 'x'}", "ThinkingBlock(thinking='x')", "type=thinking", '{"reasoning":"x y"}'),
    *('{"type":"thinking","thinking":"x"}', '{"a": 1, "a": 2}', '[{"type":"thinking","thinking":"x"}]', "[]", "{}"),
)
KEYS = (
    *("type", "role", "content", "parts", "output", "text", "thinking", "signature", "data", "reasoning", "message"),
    *("messages", "input", "id", "events", "metadata", "adk_thought", "finish_reason", "choices", "system", "name"),
    *("reasoning_content", "summary", "llm.input_messages.0.message.role", "attributes", "steps", "other"),
)
WORDS = (
    *("thinking", "redacted_thinking", "text", "tool_use", "tool_result", "message", "reasoning", "summary_text"),
    *("assistant", "user", "system", "model", "tool", "rs_1", "frobnicate", "output_text", "response"),
)


def texts() -> st.SearchStrategy[str]:
    """Strings put together from everything that some reader of strings looks for."""
    return st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=6).map("".join)


def values() -> st.SearchStrategy[Any]:
    """Objects of keys and types that rules name, in any mixture."""
    leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(WORDS) | texts()
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
        max_leaves=25,
    )


def histories() -> st.SearchStrategy[Any]:
    """Messages with blocks that go alone, and with others."""
    thinking = st.fixed_dictionaries(
        {"type": st.just("thinking"), "thinking": texts()},
        optional={"signature": texts(), "cache_control": values(), "providerMetadata": values()},
    )
    block = thinking | st.fixed_dictionaries({"type": st.just("text"), "text": texts()}) | values()
    message = st.fixed_dictionaries(
        {"role": st.sampled_from(["assistant", "assistant", "user", "system"]), "content": st.lists(block, max_size=4)},
        optional={"id": st.text(max_size=3), "input": values(), "output": values()},
    )
    return st.fixed_dictionaries(
        {"messages": st.lists(message | values(), max_size=6)},
        optional={"system": values(), "type": st.sampled_from(WORDS), "content": st.lists(block, max_size=3)},
    )


def records() -> st.SearchStrategy[Any]:
    """Log records around messages, under names that place what stands below them and under others."""
    names = st.sampled_from(
        ["answer", "answer", "reply", "system", "input", "arguments", "message", "choices", "output"]
    )
    held = st.one_of(histories().map(lambda told: (told["messages"] or [{}])[0]), values())
    told = st.sampled_from(["turn", "content-block-start", "system-prompt", "text", "data-x"]) | values()
    beside = st.dictionaries(st.sampled_from(["event", "part_kind", "kind", "lc", "author", "level"]), told, max_size=2)
    return st.builds(lambda one, other: {**one, **other}, st.dictionaries(names, held, min_size=1, max_size=3), beside)


def by_walk(value: Any, program: Program, report: Report) -> Edit | None:
    """What the walk finds, without any look at the bytes."""
    return Walk(program, report).root(value)


def answer(data: bytes, program: Program, find: cutting.Find) -> Any:
    """Bytes, whether they are the input, and the report; or the refusal."""
    report = Report()
    try:
        out = cutting.cut_bytes(data, program, report, find)
    except EgressRefused as refusal:
        return type(refusal)
    return out, out is data, report.to_dict()


def agrees(data: bytes, program: Program = PROGRAM) -> bool:
    """Whether the search changes nothing about the answer."""
    return bool(answer(data, program, cutting.everything) == answer(data, program, by_walk))


def spellings(value: Any) -> list[bytes]:
    """A value as several writers spell it."""
    return [
        orjson.dumps(value),
        json.dumps(value).encode(),
        json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace"),
    ]
