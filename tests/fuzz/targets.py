"""What is fuzzed, and what must hold: one function of bytes for every family of recognisers and every entry.

A target raises AssertionError, or anything that is not the typed refusal, when it finds something. Two kinds of input
are made of the bytes: the bytes themselves, for which all that holds is that they are filtered or refused, alike for
every entry and every chunking; and conformance vectors in surroundings that the bytes decide, for which it holds that
no canary comes out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import orjson
from tests.fuzz.drawing import Draw

import reticent
from reticent.conformance import Vector, load_vectors
from reticent.conformance.judge import contains, haystack
from reticent.errors import EgressRefused

Target = Callable[[bytes], None]

PLAN = reticent.load_plan()
LOGS = PLAN.serializer("logs")
MEMORY = PLAN.serializer("request_memory")

FAMILIES = {
    "anthropic": ("anthropic-messages", "anthropic-betas", "claude-agent-sdk", "claude-code"),
    "openai": ("openai-responses", "openai-agents-sdk", "openai-agents-api", "codex", "chatgpt-export"),
    "chat": ("openai-chat", "openrouter", "litellm", "gateways", "xai", "mistral", "hosted-wrappers"),
    "google": ("gemini", "gemini-interactions", "gemini-openai", "google-adk"),
    "bedrock": ("bedrock-converse", "bedrock-invoke-model", "bedrock-agents", "strands-agents"),
    "others": ("cohere", "ollama"),
    "frameworks": ("langchain", "langchain-v1", "llamaindex", "pydantic-ai"),
    "user-interfaces": ("vercel-ai-sdk", "vercel-ai-sdk-v4", "ag-ui", "acp"),
    "records": ("otel-genai", "openinference", "langfuse", "exporters", "agent-sessions", "frameworks", "a2a", "mcp"),
    "text": ("inline-tags", "harmony", "python-repr"),
}
"""Families of dialects that are recognised by the same code."""

WIRES = ("sse", "jsonl", "json-array", "aws-eventstream", "ai-sdk-v4", "text", "log", "json", "auto")


def answer(work: Callable[[], Any]) -> Any:
    """What ``work`` gives, None when it refuses."""
    try:
        return work()
    except EgressRefused:
        return None


def streamed(pieces: list[bytes], wire: str, *, starts_inside: bool = False) -> tuple[bytes, bool]:
    """What comes out of a stream, and whether it was refused."""
    stream = PLAN.stream("browser_stream", wire=wire, starts_inside=starts_inside)
    out = b""
    try:
        for piece in pieces:
            out += stream.feed(piece)
        return out + stream.flush(), False
    except EgressRefused:
        return out, True


# --- any bytes -------------------------------------------------------------------------------------------------------


def document(data: bytes) -> None:
    """Bytes as one document: pass is identity, strip comes to rest, bytes and values agree, output is JSON.

    To rest, not at once: in broken JSON inside a string a mark can stand where a second pass counts it once more.
    """
    assert MEMORY(data) is data
    once = answer(lambda: LOGS(data))
    if once is None:
        return
    twice = LOGS(once)
    assert LOGS(twice) == twice
    value = orjson.loads(once)
    if once is not data:
        LOGS.value(orjson.loads(data))
    else:
        assert answer(lambda: LOGS.value(value)) == value


def line(data: bytes) -> None:
    """Bytes as a log line or a traceback: strip is idempotent, and nothing but a refusal is raised."""
    text = data.decode("utf-8", "surrogateescape")
    assert MEMORY.text(text) is text
    once = answer(lambda: LOGS.text(text))
    if once is not None:
        again = LOGS.text(once)
        assert len(again) <= len(once) + 32


def wire_target(wire: str) -> Target:
    """Bytes as a stream: the same for every chunking, refusals included."""

    def target(data: bytes) -> None:
        draw = Draw(data[-16:])
        assert streamed([data], wire) == streamed(draw.pieces(data), wire)

    return target


# --- vectors in surroundings -----------------------------------------------------------------------------------------


@cache
def vectors(family: str) -> tuple[Vector, ...]:
    """Vectors of a family that say what may not come out of one document."""
    found = [vector for name in FAMILIES[family] for vector in load_vectors(dialect=name)]
    return tuple(
        one for one in found if one.absent and one.surface_class == "strip" and one.form in ("message", "history")
    )


@cache
def stream_vectors(wire: str) -> tuple[Vector, ...]:
    """Vectors that come over a wire."""
    found = [one for one in load_vectors() if one.absent and one.surface_class == "strip"]
    return tuple(one for one in found if ("log" if one.form == "log" else one.wire) == wire)


def family_target(family: str) -> Target:
    """A vector of the family, spelt and surrounded as the bytes say: no canary in any entry's answer."""

    def target(data: bytes) -> None:
        draw = Draw(data)
        vector = draw.choice(vectors(family) or (None,))
        if vector is None:
            return None
        if vector.wire != "json":
            return check_text(vector, draw)
        value = surrounded(orjson.loads(vector.payload), draw)
        body = spelt(value, draw)
        check(vector, answer(lambda: LOGS(body)))
        check(vector, answer(lambda: orjson.dumps(LOGS.value(value))))
        return check_line(vector, f"{draw.key()}: {body.decode()} {draw.key()}")

    return target


def stream_target(wire: str) -> Target:
    """A vector of the wire, cut as the bytes say: no canary, and the same for every chunking."""

    def target(data: bytes) -> None:
        draw = Draw(data)
        vector = draw.choice(stream_vectors(wire) or (None,))
        if vector is None:
            return
        whole = streamed([vector.payload], wire, starts_inside=vector.starts_inside)
        check(vector, whole[0])
        assert streamed(draw.pieces(vector.payload), wire, starts_inside=vector.starts_inside) == whole
        cut = vector.payload[: draw.number(len(vector.payload) + 1)]
        check(vector, streamed([cut], wire, starts_inside=vector.starts_inside)[0])

    return target


def check_text(vector: Vector, draw: Draw) -> None:
    """A vector of text, cut as the bytes say."""
    wire = "log" if vector.form == "log" else vector.wire
    pieces = draw.pieces(vector.payload)
    check(vector, streamed(pieces, wire, starts_inside=vector.starts_inside)[0])


def check_line(vector: Vector, text: str) -> None:
    """No canary of ``vector`` in what becomes of a log line."""
    shown = answer(lambda: LOGS.text(text))
    check(vector, None if shown is None else shown.encode("utf-8", "surrogateescape"))


def check(vector: Vector, output: bytes | None) -> None:
    """No canary of ``vector`` in ``output``."""
    if output is None:
        return
    stack = haystack(output, vector.wire)
    found = [canary for canary in vector.absent if contains(stack, canary)]
    assert not found, f"{vector.id} leaks {found}"


def surrounded(value: Any, draw: Draw) -> Any:
    """``value`` somewhere inside a record: an element, a member, or JSON in a string."""
    for _ in range(draw.number(4)):
        how = draw.number(4)
        if how == 0:
            value = {draw.key(): draw.value(), "record": value, draw.key(): draw.value()}
        elif how == 1:
            value = [draw.value(), value]
        elif how == 2:
            value = {"record": json.dumps(value, ensure_ascii=bool(draw.number(2)))}
        else:
            value = reordered(value, draw)
    return value


def reordered(value: Any, draw: Draw) -> Any:
    """``value`` with the members of its outermost object in another order."""
    if not isinstance(value, dict) or len(value) < 2:
        return value
    at = draw.number(len(value))
    names = list(value)
    return {name: value[name] for name in [*names[at:], *names[:at]]}


def spelt(value: Any, draw: Draw) -> bytes:
    """``value`` as JSON in one of the ways that people write it."""
    indent = draw.choice([None, None, 2])
    separators = draw.choice([None, (",", ":")])
    text = json.dumps(value, ensure_ascii=bool(draw.number(2)), indent=indent, separators=separators)
    return text.encode("utf-8", "replace")


TARGETS: dict[str, Target] = {
    "document": document,
    "line": line,
    **{f"bytes-{wire}": wire_target(wire) for wire in WIRES},
    **{f"family-{family}": family_target(family) for family in FAMILIES},
    **{f"stream-{wire}": stream_target(wire) for wire in WIRES[:7]},
}
"""Every target by its name, which is the name of its folder of seeds."""
