"""A whole response as the events in which its provider would have streamed it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

Event = dict[str, Any]
Cut = Callable[[str], list[str]]
"""Cuts a text into the pieces of its deltas."""


def halves(text: str) -> list[str]:
    """A text in two pieces."""
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def events(dialect: str, whole: Event, cut: Cut = halves) -> list[Event]:
    """The events of ``whole``."""
    return list(_STREAMS[dialect](whole, cut))


def as_sse(dialect: str, stream: list[Event]) -> bytes:
    """Events on the wire."""
    named = dialect in {"anthropic-messages", "openai-responses"}
    frames = [
        (f"event: {event['type']}\n".encode() if named else b"") + b"data: " + _dumped(event) + b"\n\n"
        for event in stream
    ]
    return b"".join(frames) + (b"data: [DONE]\n\n" if dialect == "openai-chat" else b"")


def as_array(stream: list[Event]) -> bytes:
    """Events as the elements of one array, as Gemini sends them without ``alt=sse``."""
    return b"[" + b"\n,\r\n".join(_dumped(event) for event in stream) + b"\n]\n"


def _dumped(event: Event) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _anthropic(whole: Event, cut: Cut) -> Iterator[Event]:
    start = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": start}
    yield {"type": "ping"}
    for index, block in enumerate(whole["content"]):
        yield from ({**event, "index": index} for event in _block(block, cut))
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def _block(block: Event, cut: Cut) -> Iterator[Event]:
    empty = {"thinking": "", "signature": "", "text": "", "input": {}}
    yield {
        "type": "content_block_start",
        "content_block": {name: empty.get(name, value) if name != "type" else value for name, value in block.items()},
    }
    deltas: list[Event] = []
    if block["type"] == "thinking":
        deltas += [{"type": "thinking_delta", "thinking": piece} for piece in cut(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    elif block["type"] == "text":
        deltas += [{"type": "text_delta", "text": piece} for piece in cut(block["text"])]
    elif block["type"] == "tool_use":
        pieces = cut(json.dumps(block["input"]))
        deltas += [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    yield from ({"type": "content_block_delta", "delta": delta} for delta in deltas)
    yield {"type": "content_block_stop"}


def _responses(whole: Event, cut: Cut) -> Iterator[Event]:
    for number, event in enumerate(_responses_unnumbered(whole, cut)):
        yield {**event, "sequence_number": number}


def _responses_unnumbered(whole: Event, cut: Cut) -> Iterator[Event]:
    begun = {**whole, "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(whole["output"]):
        for event in _item(item, cut):
            yield {**event, "output_index": index}
    yield {"type": "response.completed", "response": whole}


def _item(item: Event, cut: Cut) -> Iterator[Event]:
    hidden = {"encrypted_content", "content", "arguments", "summary"}
    begun = {name: value for name, value in item.items() if name not in hidden}
    begun |= {"arguments": ""} if "arguments" in item else {}
    lists: Event = {name: [] for name in ("content", "summary") if name in item}
    here: Event = {"item_id": item.get("id")}
    yield {"type": "response.output_item.added", "item": {**begun, **lists, "status": "in_progress"}}
    for index, part in enumerate(item.get("summary", ())):
        at = {**here, "summary_index": index}
        yield {"type": "response.reasoning_summary_part.added", **at, "part": {**part, "text": ""}}
        for piece in cut(part["text"]):
            yield {"type": "response.reasoning_summary_text.delta", **at, "delta": piece}
        yield {"type": "response.reasoning_summary_text.done", **at, "text": part["text"]}
        yield {"type": "response.reasoning_summary_part.done", **at, "part": part}
    for index, part in enumerate(item.get("content", ())):
        at = {**here, "content_index": index}
        yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
        for piece in cut(part["text"]):
            yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []}
        yield {"type": "response.content_part.done", **at, "part": part}
    if "arguments" in item:
        for piece in cut(item["arguments"]):
            yield {"type": "response.function_call_arguments.delta", **here, "delta": piece}
        done = {"name": item["name"], "arguments": item["arguments"]}
        yield {"type": "response.function_call_arguments.done", **here, **done}
    yield {"type": "response.output_item.done", "item": item}


def _chat(whole: Event, cut: Cut) -> Iterator[Event]:
    frame = {name: value for name, value in whole.items() if name not in {"choices", "usage", "object"}}
    frame["object"] = "chat.completion.chunk"

    def chunk(delta: Event, finish: str | None = None) -> Event:
        return {**frame, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}

    [choice] = whole["choices"]
    message = choice["message"]
    yield chunk({"role": "assistant", "content": None if message.get("content") is None else ""})
    for name, value in message.items():
        if isinstance(value, str) and name != "role":
            for piece in cut(value):
                yield chunk({name: piece})
    for entry in message.get("reasoning_details", ()):
        yield from (chunk({"reasoning_details": [piece]}) for piece in _detail(entry, cut))
    for index, call in enumerate(message.get("tool_calls", ())):
        yield from (chunk({"tool_calls": [{"index": index, **piece}]}) for piece in _call(call, cut))
    yield chunk({}, choice["finish_reason"])
    yield {**frame, "choices": [], "usage": whole["usage"]}


def _detail(entry: Event, cut: Cut) -> Iterator[Event]:
    same: Event = {name: entry[name] for name in ("type", "index", "format") if name in entry}
    for name in ("text", "summary", "data"):
        for piece in cut(entry.get(name, "")):
            yield {**same, name: piece}
    if "signature" in entry:
        yield {**same, "signature": entry["signature"]}


def _call(call: Event, cut: Cut) -> Iterator[Event]:
    inner = call["function"]
    begun = {name: value for name, value in call.items() if name != "function"}
    yield {**begun, "function": {"name": inner["name"], "arguments": ""}}
    for piece in cut(inner["arguments"]):
        yield {"function": {"arguments": piece}}


def _gemini(whole: Event, cut: Cut) -> Iterator[Event]:
    [candidate] = whole["candidates"]
    frame = {name: value for name, value in whole.items() if name not in {"candidates", "usageMetadata"}}

    def chunk(part: Event, **more: Any) -> Event:
        return {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, **more}], **frame}

    last: Event | None = None
    for part in candidate["content"]["parts"]:
        pieces = cut(part["text"]) if part.keys() <= {"text", "thought"} else []
        for piece in [{**part, "text": text} for text in pieces] or [part]:
            if last is not None:
                yield chunk(last)
            last = piece
    ending = {"finishReason": candidate["finishReason"]}
    yield chunk(last or {"text": ""}, **ending) | {"usageMetadata": whole["usageMetadata"]}


_STREAMS: dict[str, Callable[[Event, Cut], Iterator[Event]]] = {
    "anthropic-messages": _anthropic,
    "openai-responses": _responses,
    "openai-chat": _chat,
    "gemini": _gemini,
}
