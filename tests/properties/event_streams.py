"""Event streams of every protocol, made from one message, and the small readers that put a message together again.

A message is a list of blocks; a protocol turns it into the events its vendor would send, and its reader does what the
vendor's SDK does with events. The law that tests state with them: reading a filtered stream gives what filtering the
message gives that the unfiltered stream is read as.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from hypothesis import strategies as st

from reticent.streams.aws_eventstream import make_message
from reticent.streams.detect import open_framing

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a message and the pieces its text comes in."""

    kind: Literal["text", "reasoning", "call"]
    pieces: tuple[str, ...]
    signature: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)


Message = Sequence[Block]


def messages(secret: str, *, tagged: bool = False, held: bool = True) -> st.SearchStrategy[Message]:
    """Messages whose reasoning holds ``secret``, cut anywhere; ``tagged`` ones may open with an inline tag as well.

    Unless ``held``, nothing of a text has to wait for what follows it.
    """
    alphabet = 'abc é漢😀.,\n"\\{<' if held else 'abc é漢😀.,"\\{'
    pieces = st.lists(st.text(alphabet=alphabet, min_size=1, max_size=12), min_size=1, max_size=4)
    visible = pieces.map(lambda found: Block("text", ("Visible ", *found)))
    hidden = st.tuples(_cut(secret), st.booleans()).map(
        lambda drawn: Block("reasoning", drawn[0], f"{secret}-sig" if drawn[1] else "")
    )
    blocks = st.lists(visible | hidden | st.just(Block("call", ('{"thought":', '"kept"}'))), min_size=1, max_size=5)
    if not tagged:
        return blocks
    # Where a protocol has one channel of text, a tag after other text would be a mention.
    form = st.sampled_from(["<think>{}</think>\n\nDone.", "<thinking>\n{}\n</thinking>Done.", "[THINK]{}[/THINK]Ok"])
    first = st.tuples(form, _cut(secret)).map(lambda drawn: [Block("text", _tagged(*drawn))])
    return st.tuples(first | st.just([]), blocks).map(lambda drawn: [*drawn[0], *drawn[1]])


def _cut(secret: str) -> st.SearchStrategy[tuple[str, ...]]:
    places = st.lists(st.integers(1, len(secret) - 1), max_size=3, unique=True).map(sorted)
    return places.map(lambda at: tuple(secret[a:b] for a, b in zip([0, *at], [*at, len(secret)], strict=True)))


def _tagged(form: str, secret: tuple[str, ...]) -> tuple[str, ...]:
    before, after = form.split("{}")
    return (before[:3], before[3:], *secret, after[:4], after[4:])


# --- Anthropic -------------------------------------------------------------------------------------------------------


def anthropic(message: Message) -> list[Event]:
    """Messages of the Anthropic API."""
    opening: Event = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "c",
        "content": [],
        "stop_reason": None,
    }
    events: list[Event] = [
        {"type": "message_start", "message": {**opening, "usage": {"input_tokens": 3, "output_tokens": 1}}}
    ]
    for at, block in enumerate(message):
        start, deltas = _anthropic_block(block)
        events.append({"type": "content_block_start", "index": at, "content_block": start})
        events += [{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": at})
    ending = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}
    return [*events, {"type": "ping"}, ending, {"type": "message_stop"}]


def _anthropic_block(block: Block) -> tuple[Event, list[Event]]:
    if block.kind == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in block.pieces]
    if block.kind == "call":
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in block.pieces]
        return {"type": "tool_use", "id": "t", "name": "f", "input": {}}, deltas
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in block.pieces]
    if block.signature:
        deltas.append({"type": "signature_delta", "signature": block.signature})
    return {"type": "thinking", "thinking": "", "signature": ""}, deltas


def read_anthropic(events: Iterable[Event]) -> Any:
    """The message; its blocks must come in order, as the official accumulator wants them."""
    message: Event = {}
    arguments: dict[int, str] = {}
    for event in events:
        kind = event["type"]
        if kind == "message_start":
            message = {**event["message"], "content": []}
        elif kind == "content_block_start":
            assert event["index"] == len(message["content"])
            message["content"].append(dict(event["content_block"]))
        elif kind == "content_block_delta":
            _extend_anthropic(message["content"][event["index"]], event, arguments)
        elif kind == "message_delta":
            message |= event["delta"]
    for at, text in arguments.items():
        message["content"][at]["input"] = orjson.loads(text)
    return message


def _extend_anthropic(block: Event, event: Event, arguments: dict[int, str]) -> None:
    for name, piece in event["delta"].items():
        if name == "partial_json":
            arguments[event["index"]] = arguments.get(event["index"], "") + piece
        elif name != "type":
            block[name] = block.get(name, "") + piece


# --- OpenAI Responses ------------------------------------------------------------------------------------------------


def responses(message: Message) -> list[Event]:
    """The Responses API; the last event repeats the whole response."""
    items = [_response_item(block, at) for at, block in enumerate(message)]
    opening = {"id": "resp", "object": "response", "created_at": 1, "model": "m", "output": [], "status": "in_progress"}
    events: list[Event] = [{"type": "response.created", "response": opening}]
    for at, block in enumerate(message):
        events += _response_events(block, at, items[at])
    events.append({"type": "response.completed", "response": {**opening, "output": items, "status": "completed"}})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _response_item(block: Block, at: int) -> Event:
    if block.kind == "text":
        part = {"type": "output_text", "text": block.text, "annotations": []}
        return {"type": "message", "id": f"i{at}", "role": "assistant", "status": "completed", "content": [part]}
    if block.kind == "call":
        return {"type": "function_call", "id": f"i{at}", "call_id": f"c{at}", "name": "f", "arguments": block.text}
    summary = [{"type": "summary_text", "text": block.text}]
    return {"type": "reasoning", "id": f"i{at}", "summary": summary, "encrypted_content": block.signature or None}


def _response_events(block: Block, at: int, item: Event) -> list[Event]:
    def event(kind: str, **rest: Any) -> Event:
        return {"type": f"response.{kind}", "output_index": at, **rest}

    inside: list[Event]
    if block.kind == "text":
        where = {"item_id": item["id"], "content_index": 0}
        bare = {**item, "content": []}
        part = {"type": "output_text", "text": "", "annotations": []}
        inside = [
            event("content_part.added", **where, part=part),
            *(event("output_text.delta", **where, delta=piece, logprobs=[]) for piece in block.pieces),
            event("output_text.done", **where, text=block.text, logprobs=[]),
            event("content_part.done", **where, part=item["content"][0]),
        ]
    elif block.kind == "call":
        bare = {**item, "arguments": ""}
        inside = [event("function_call_arguments.delta", item_id=item["id"], delta=piece) for piece in block.pieces]
        inside.append(event("function_call_arguments.done", item_id=item["id"], name="f", arguments=block.text))
    else:
        bare = {**item, "summary": [], "encrypted_content": None}
        where = {"item_id": item["id"], "summary_index": 0}
        inside = [
            event("reasoning_summary_part.added", **where, part={"type": "summary_text", "text": ""}),
            *(event("reasoning_summary_text.delta", **where, delta=piece) for piece in block.pieces),
            event("reasoning_summary_text.done", **where, text=block.text),
            event("reasoning_summary_part.done", **where, part=item["summary"][0]),
        ]
    return [event("output_item.added", item=bare), *inside, event("output_item.done", item=item)]


def read_responses(events: Iterable[Event]) -> Any:
    """The response as deltas tell it, which must be what the last event says; sequence numbers have no gap."""
    output: list[Event] = []
    last: Any = None
    for number, event in enumerate(events):
        assert event["sequence_number"] == number
        kind = event["type"]
        if kind == "response.output_item.added":
            assert event["output_index"] == len(output)
            output.append(orjson.loads(orjson.dumps(event["item"])))
        elif kind == "response.content_part.added":
            output[event["output_index"]]["content"].append(dict(event["part"]))
        elif kind == "response.output_text.delta":
            output[event["output_index"]]["content"][event["content_index"]]["text"] += event["delta"]
        elif kind == "response.function_call_arguments.delta":
            output[event["output_index"]]["arguments"] += event["delta"]
        elif kind == "response.output_item.done" and event["item"]["type"] == "reasoning":
            output[event["output_index"]] = event["item"]
        elif kind == "response.completed":
            last = event["response"]
    assert last is None or last["output"] == output
    return last


# --- Chat Completions and its clones ---------------------------------------------------------------------------------


def _chunk(delta: Event, finish: str | None = None) -> Event:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def chat(message: Message) -> list[Event]:
    """Chunks of a clone that puts reasoning into ``reasoning_content``."""
    events = [_chunk({"role": "assistant", "content": ""})]
    for block in message:
        if block.kind == "call":
            call = {"index": 0, "id": "t", "type": "function"}
            events += [
                _chunk({"tool_calls": [{**call, "function": {"name": "f", "arguments": ""}}]}),
                *(_chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in block.pieces),
            ]
        else:
            name = "content" if block.kind == "text" else "reasoning_content"
            events += [_chunk({name: piece}) for piece in block.pieces]
    return [*events, _chunk({}, "stop")]


def openrouter(message: Message) -> list[Event]:
    """Chunks of OpenRouter: readable reasoning twice, and its details with signatures."""
    events = [_chunk({"role": "assistant", "content": ""})]
    for block in message:
        if block.kind == "reasoning":
            events += [_chunk({"content": "", "reasoning": piece, **_details(piece)}) for piece in block.pieces]
        elif block.kind == "text":
            events += [_chunk({"content": piece}) for piece in block.pieces]
    return [*events, _chunk({}, "stop")]


def _details(piece: str) -> Event:
    return {"reasoning_details": [{"type": "reasoning.text", "text": piece, "index": 0, "signature": None}]}


def mistral_chat(message: Message) -> list[Event]:
    """Chunks of Mistral: content that is a list of chunks while it thinks and a string afterwards."""
    events = [_chunk({"role": "assistant", "content": ""})]
    for block in message:
        if block.kind == "reasoning":
            thoughts = ([{"type": "text", "text": piece}] for piece in block.pieces)
            events += [_chunk({"content": [{"type": "thinking", "thinking": thought}]}) for thought in thoughts]
        elif block.kind == "text":
            events += [_chunk({"content": piece}) for piece in block.pieces]
    return [*events, _chunk({}, "stop")]


def read_chat(events: Iterable[Event]) -> Any:
    """The completion: deltas added up by name, calls by index."""
    message: Event = {"role": "assistant", "content": ""}
    finish = None
    for event in events:
        for choice in event["choices"]:
            finish = choice["finish_reason"] or finish
            for name, piece in choice["delta"].items():
                _add_delta(message, name, piece)
    return {
        "id": "c",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }


def read_mistral_chat(events: Iterable[Event]) -> Any:
    """The completion, whose content is a list of chunks; pieces of the same type in a row are one chunk."""
    chunks: list[Event] = []
    for event in events:
        content = event["choices"][0]["delta"].get("content") or []
        for chunk in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            kind = chunk["type"]
            if not chunks or kind not in chunks[-1] or "withheld" in chunk or "withheld" in chunks[-1]:
                chunks.append(dict(chunk))
            else:
                chunks[-1][kind] = chunks[-1][kind] + chunk[kind]
    message = {"role": "assistant", "content": chunks}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c", "object": "chat.completion", "choices": [choice]}


def _add_delta(message: Event, name: str, piece: Any) -> None:
    if name == "tool_calls":
        for call in piece:
            calls = message.setdefault(name, [])
            if len(calls) <= call["index"] or "id" in call:
                calls.append({"index": call["index"], "id": "t", "type": "function", "function": {"arguments": ""}})
            calls[-1]["function"]["arguments"] += call["function"]["arguments"]
    elif name == "content" and isinstance(piece, list):
        message["reasoning_content"] = message.get("reasoning_content", "") + str(orjson.dumps(piece))
    elif name == "reasoning_details":
        message.setdefault(name, []).extend(piece)
    elif name != "role":
        message[name] = message.get(name, "") + piece


# --- Gemini ----------------------------------------------------------------------------------------------------------


def gemini(message: Message) -> list[Event]:
    """Chunks of ``streamGenerateContent``."""
    parts = [part for block in message for part in _gemini_parts(block)]
    events: list[Event] = [{"candidates": [{"index": 0, "content": {"role": "model", "parts": [p]}}]} for p in parts]
    ending = {"index": 0, "content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}
    return [*events, {"candidates": [ending], "usageMetadata": {"thoughtsTokenCount": 3}}]


def _gemini_parts(block: Block) -> list[Event]:
    if block.kind == "text":
        return [{"text": piece} for piece in block.pieces]
    if block.kind == "call":
        return [{"functionCall": {"name": "f", "args": {"thought": "kept"}}, **_signed(block)}]
    found: list[Event] = [{"text": piece, "thought": True} for piece in block.pieces]
    return [*found, {"text": "", "thoughtSignature": block.signature}] if block.signature else found


def _signed(block: Block) -> Event:
    return {"thoughtSignature": block.signature} if block.signature else {}


def read_gemini(events: Iterable[Event]) -> Any:
    """The response: parts in order, text that follows text of the same kind added to it, empty text left out."""
    parts: list[Event] = []
    for event in events:
        for candidate in event.get("candidates", ()):
            for part in candidate["content"].get("parts", ()):
                same = parts and set(part) == set(parts[-1]) and set(part) <= {"text", "thought"}
                if same:
                    parts[-1]["text"] += part["text"]
                elif part != {"text": ""}:
                    parts.append(dict(part))
    return {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}


# --- Bedrock Converse ------------------------------------------------------------------------------------------------


def bedrock(message: Message) -> list[Event]:
    """Events of ``ConverseStream``, told by their only member; reasoning blocks have no start."""
    events: list[Event] = [{"messageStart": {"role": "assistant"}}]
    for at, block in enumerate(message):
        if block.kind == "call":
            start = {"contentBlockIndex": at, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}
            events.append({"contentBlockStart": start})
        deltas = _bedrock_deltas(block)
        events += [{"contentBlockDelta": {"contentBlockIndex": at, "delta": delta}} for delta in deltas]
        events.append({"contentBlockStop": {"contentBlockIndex": at}})
    return [*events, {"messageStop": {"stopReason": "end_turn"}}, {"metadata": {"usage": {"outputTokens": 2}}}]


def _bedrock_deltas(block: Block) -> list[Event]:
    if block.kind == "text":
        return [{"text": piece} for piece in block.pieces]
    if block.kind == "call":
        return [{"toolUse": {"input": piece}} for piece in block.pieces]
    found: list[Event] = [{"reasoningContent": {"text": piece}} for piece in block.pieces]
    return [*found, {"reasoningContent": {"signature": block.signature}}] if block.signature else found


def read_bedrock(events: Iterable[Event]) -> Any:
    """The message as an SDK's example builds it: a block is appended on its stop, where its index must say so."""
    content: list[Event] = []
    block: Event = {}
    for event in events:
        name, body = next(iter(event.items()))
        if name == "contentBlockStart":
            call = body["start"].get("toolUse")
            block = dict(body["start"]) if call is None else {"toolUse": {**call, "input": ""}}
        elif name == "contentBlockDelta":
            _extend_bedrock(block, body["delta"])
        elif name == "contentBlockStop":
            assert body["contentBlockIndex"] == len(content)
            content.append(block)
            block = {}
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "end_turn"}


def _extend_bedrock(block: Event, delta: Event) -> None:
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    elif "toolUse" in delta:
        block["toolUse"]["input"] += delta["toolUse"]["input"]
    else:
        text = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {})
        for key, value in delta["reasoningContent"].items():
            text[key] = text.get(key, "") + value


# --- Cohere ----------------------------------------------------------------------------------------------------------


def cohere(message: Message) -> list[Event]:
    """Chat v2."""
    events: list[Event] = [{"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}}]
    shown = [block for block in message if block.kind != "call"]
    for at, block in enumerate(shown):
        name = "text" if block.kind == "text" else "thinking"
        events.append(_cohere("content-start", at, {"type": name, name: ""}))
        events += [_cohere("content-delta", at, {name: piece}) for piece in block.pieces]
        events.append({"type": "content-end", "index": at})
    return [*events, {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}]


def _cohere(kind: str, at: int, content: Event) -> Event:
    return {"type": kind, "index": at, "delta": {"message": {"content": content}}}


def read_cohere(events: Iterable[Event]) -> Any:
    """The message; contents come in order."""
    content: list[Event] = []
    for event in events:
        if event["type"] == "content-start":
            assert event["index"] == len(content)
            content.append(dict(event["delta"]["message"]["content"]))
        elif event["type"] == "content-delta":
            for name, piece in event["delta"]["message"]["content"].items():
                content[event["index"]][name] += piece
    return {"message": {"role": "assistant", "content": content}, "finish_reason": "COMPLETE"}


# --- Ollama ----------------------------------------------------------------------------------------------------------


def ollama(message: Message) -> list[Event]:
    """Lines of ``/api/chat``."""
    names = {"text": "content", "reasoning": "thinking"}
    bodies = [
        {"role": "assistant", "content": "", names[block.kind]: piece}
        for block in message
        if block.kind in names
        for piece in block.pieces
    ]
    lines: list[Event] = [{"model": "q", "message": body, "done": False} for body in bodies]
    return [*lines, {"model": "q", "message": {"role": "assistant", "content": ""}, "done": True, "eval_count": 3}]


def read_ollama(events: Iterable[Event]) -> Any:
    """The answer: texts added up by name."""
    message: Event = {"role": "assistant", "content": ""}
    for event in events:
        for name, piece in event["message"].items():
            if name != "role":
                message[name] = message.get(name, "") + piece
    return {"model": "q", "message": message, "done": True}


# --- Gemini Interactions ---------------------------------------------------------------------------------------------


def interactions(message: Message) -> list[Event]:
    """Numbered steps."""
    events: list[Event] = []
    for at, block in enumerate(message):
        step, deltas = _step(block)
        events.append({"index": at, "step": step, "event_type": "step.start"})
        events += [{"index": at, "delta": delta, "event_type": "step.delta"} for delta in deltas]
        events.append({"index": at, "event_type": "step.stop"})
    shell = {"id": "", "object": "interaction"}
    created = {"interaction": {**shell, "status": "in_progress"}, "event_type": "interaction.created"}
    completed = {"interaction": {**shell, "status": "completed"}, "event_type": "interaction.completed"}
    return [created, *events, completed]


def _step(block: Block) -> tuple[Event, list[Event]]:
    if block.kind == "text":
        return {"type": "model_output"}, [{"type": "text", "text": piece} for piece in block.pieces]
    if block.kind == "call":
        return {"type": "function_call", "id": "c", "name": "f", "arguments": {"thought": "kept"}}, []
    deltas: list[Event] = [
        {"type": "thought_summary", "content": {"type": "text", "text": piece}} for piece in block.pieces
    ]
    return {"type": "thought"}, [*deltas, {"type": "thought_signature", "signature": block.signature}]


def read_interactions(events: Iterable[Event]) -> Any:
    """The interaction; steps come in order."""
    steps: list[Event] = []
    for event in events:
        if event["event_type"] == "step.start":
            assert event["index"] == len(steps)
            steps.append(dict(event["step"]))
        elif event["event_type"] == "step.delta":
            _extend_step(steps[event["index"]], event["delta"])
    return {"object": "interaction", "status": "completed", "steps": steps}


def _extend_step(step: Event, delta: Event) -> None:
    if delta["type"] == "text":
        content = step.setdefault("content", [{"type": "text", "text": ""}])
        content[0]["text"] += delta["text"]
    elif delta["type"] == "thought_summary":
        step.setdefault("summary", []).append(delta["content"])
    else:
        step["signature"] = delta["signature"]


# --- PydanticAI ------------------------------------------------------------------------------------------------------


def pydantic_ai(message: Message) -> list[Event]:
    """Events that start, extend and end a part; the end repeats it."""
    events: list[Event] = []
    kinds = {"text": "text", "reasoning": "thinking"}
    shown = [block for block in message if block.kind in kinds]
    for at, block in enumerate(shown):
        kind = kinds[block.kind]
        first, *rest = block.pieces
        before = kinds[shown[at - 1].kind] if at else None
        after = kinds[shown[at + 1].kind] if at + 1 < len(shown) else None
        part = {"content": first, "part_kind": kind}
        events.append({"index": at, "part": part, "previous_part_kind": before, "event_kind": "part_start"})
        for piece in rest:
            delta = {"content_delta": piece, "part_delta_kind": kind}
            events.append({"index": at, "delta": delta, "event_kind": "part_delta"})
        whole = {"content": block.text, "part_kind": kind}
        events.append({"index": at, "part": whole, "next_part_kind": after, "event_kind": "part_end"})
    return events


def read_pydantic_ai(events: Iterable[Event]) -> Any:
    """The response; the part that an end repeats must be the one that the deltas made."""
    parts: list[Event] = []
    for event in events:
        if event["event_kind"] == "part_start":
            assert event["index"] == len(parts)
            parts.append(dict(event["part"]))
        elif event["event_kind"] == "part_delta":
            parts[event["index"]]["content"] += event["delta"]["content_delta"]
        elif event["event_kind"] == "part_end":
            assert parts[event["index"]] == event["part"]
    return {"kind": "response", "parts": parts}


# --- AI SDK ----------------------------------------------------------------------------------------------------------


def ai_sdk(message: Message) -> list[Event]:
    """The UI message stream of versions 5 to 7."""
    events: list[Event] = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]
    for at, block in enumerate(message):
        if block.kind == "call":
            call = {"toolCallId": f"c{at}", "toolName": "f"}
            events.append({"type": "tool-input-available", **call, "input": {"thought": "kept"}})
            continue
        name = block.kind
        signed = {"providerMetadata": {"anthropic": {"signature": block.signature}}} if block.signature else {}
        events.append({"type": f"{name}-start", "id": f"p{at}"})
        events += [{"type": f"{name}-delta", "id": f"p{at}", "delta": piece} for piece in block.pieces]
        events.append({"type": f"{name}-end", "id": f"p{at}", **signed})
    return [*events, {"type": "finish-step"}, {"type": "finish"}]


def read_ai_sdk(events: Iterable[Event]) -> Any:
    """The UI message: parts in the order of their starts."""
    parts: dict[Any, Event] = {}
    for event in events:
        kind = event["type"]
        if kind.endswith("-start") and "id" in event:
            parts[event["id"]] = {"type": kind.removesuffix("-start"), "text": ""}
        elif kind in ("text-delta", "reasoning-delta"):
            parts[event["id"]]["text"] += event["delta"]
        elif kind in ("text-end", "reasoning-end") and "providerMetadata" in event:
            parts[event["id"]]["providerMetadata"] = event["providerMetadata"]
        elif kind.startswith("data-"):
            parts[len(parts)] = event
        elif kind == "tool-input-available":
            part = {"type": "tool-f", "toolCallId": event["toolCallId"], "input": event["input"]}
            parts[event["toolCallId"]] = {**part, "state": "input-available"}
    return {"id": "m", "role": "assistant", "parts": [{"type": "step-start"}, *parts.values()]}


def ai_sdk_v4(message: Message) -> list[tuple[str, Any]]:
    """The data stream of version 4: a letter and a value on each line."""
    lines: list[tuple[str, Any]] = [("f", {"messageId": "m"})]
    for block in message:
        if block.kind == "text":
            lines += [("0", piece) for piece in block.pieces]
        elif block.kind == "call":
            lines.append(("9", {"toolCallId": "c", "toolName": "f", "args": {"thought": "kept"}}))
        else:
            lines += [("g", piece) for piece in block.pieces]
            lines += [("j", {"signature": block.signature})] if block.signature else []
    return [*lines, ("d", {"finishReason": "stop"})]


# --- AG-UI -----------------------------------------------------------------------------------------------------------


def ag_ui(message: Message) -> list[Event]:
    """Events of a run."""
    events: list[Event] = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]
    for at, block in enumerate(message):
        name = {"type": "", "messageId": f"m{at}"}
        if block.kind == "text":
            events.append({**name, "type": "TEXT_MESSAGE_START", "role": "assistant"})
            events += [{**name, "type": "TEXT_MESSAGE_CONTENT", "delta": piece} for piece in block.pieces]
            events.append({**name, "type": "TEXT_MESSAGE_END"})
        elif block.kind == "reasoning":
            events.append({**name, "type": "REASONING_MESSAGE_START", "role": "reasoning"})
            events += [{**name, "type": "REASONING_MESSAGE_CONTENT", "delta": piece} for piece in block.pieces]
            events.append({**name, "type": "REASONING_MESSAGE_END"})
    return [*events, {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}]


def read_ag_ui(events: Iterable[Event]) -> Any:
    """The messages of the run."""
    found: dict[str, Event] = {}
    for event in events:
        if event["type"].endswith("MESSAGE_START"):
            role = event["role"]
            found[event["messageId"]] = {"id": event["messageId"], "role": role, "content": ""}
        elif event["type"].endswith("MESSAGE_CONTENT"):
            found[event["messageId"]]["content"] += event["delta"]
        elif event["type"] == "ACTIVITY_SNAPSHOT":
            told = {name: event[name] for name in ("activityType", "content")}
            found[event["messageId"]] = {"id": event["messageId"], "role": "activity", **told}
    return {"threadId": "t", "runId": "r", "messages": [one for one in found.values() if one["content"]]}


# --- LangChain and Mistral Conversations -----------------------------------------------------------------------------


def langchain(message: Message) -> list[Event]:
    """Message chunks with the blocks of the Anthropic integration."""
    events: list[Event] = []
    for at, block in enumerate(message):
        name = {"text": "text", "reasoning": "thinking"}.get(block.kind)
        if name:
            events += [_lc([{"type": name, name: piece, "index": at}]) for piece in block.pieces]
        if block.signature:
            events.append(_lc([{"type": "thinking", "signature": block.signature, "index": at}]))
    return [*events, {**_lc([]), "chunk_position": "last"}]


def _lc(content: list[Event]) -> Event:
    return {"type": "AIMessageChunk", "id": "lc", "content": content, "additional_kwargs": {}, "response_metadata": {}}


def read_langchain(events: Iterable[Event]) -> Any:
    """The message: blocks merge by their index."""
    blocks: dict[Any, Event] = {}
    for event in events:
        for block in event["content"]:
            if "index" not in block:
                blocks["mark", len(blocks)] = block
                continue
            mine = blocks.setdefault(block["index"], {"type": block["type"], "index": block["index"]})
            for name in {"text", "thinking", "signature"} & block.keys():
                mine[name] = mine.get(name, "") + block[name]
    return {"type": "ai", "id": "lc", "content": list(blocks.values()), "additional_kwargs": {}}


def langgraph(message: Message) -> list[Event]:
    """The event protocol of LangGraph; a finish repeats the block."""
    events: list[Event] = [{"event": "message-start", "id": "m", "role": "ai"}]
    names = {"text": "text", "reasoning": "reasoning"}
    for at, block in enumerate([block for block in message if block.kind in names]):
        name = names[block.kind]
        events.append({"event": "content-block-start", "index": at, "content": {"type": name, name: ""}})
        deltas = [{"type": f"{name}-delta", name: piece} for piece in block.pieces]
        events += [{"event": "content-block-delta", "index": at, "delta": delta} for delta in deltas]
        events.append({"event": "content-block-finish", "index": at, "content": {"type": name, name: block.text}})
    return [*events, {"event": "message-finish"}]


def read_langgraph(events: Iterable[Event]) -> Any:
    """The message; what a finish repeats must be what the deltas made."""
    content: list[Event] = []
    for event in events:
        if event["event"] == "content-block-start":
            assert event["index"] == len(content)
            content.append(dict(event["content"]))
        elif event["event"] == "content-block-delta":
            delta = event["delta"]
            name = delta["type"].removesuffix("-delta")
            content[event["index"]][name] += delta[name]
        elif event["event"] == "content-block-finish":
            assert content[event["index"]] == event["content"]
    return {"type": "ai", "id": "m", "content": content, "additional_kwargs": {}}


def conversations(message: Message) -> list[Event]:
    """The Conversations stream of Mistral."""
    events: list[Event] = [{"type": "conversation.response.started", "conversation_id": "c"}]
    for at, block in enumerate(message):
        for piece in block.pieces:
            text: Any = {"type": "text", "text": piece}
            content = {"type": "thinking", "thinking": [text]} if block.kind == "reasoning" else text
            if block.kind != "call":
                events.append(
                    {
                        "type": "message.output.delta",
                        "id": "o",
                        "output_index": 0,
                        "content_index": at,
                        "content": content,
                    }
                )
    return [*events, {"type": "conversation.response.done", "usage": {"completion_tokens": 3}}]


def read_conversations(events: Iterable[Event]) -> Any:
    """The entry: chunks by their index."""
    chunks: dict[int, Event] = {}
    for event in events:
        if event["type"] == "message.output.delta":
            content = event["content"]
            if isinstance(content, str):
                content = {"type": "text", "text": content}
            kind = content["type"]
            if "withheld" in content:
                chunks[event["content_index"]] = content
                continue
            mine = chunks.setdefault(event["content_index"], {"type": kind, kind: "" if kind == "text" else []})
            mine[kind] += content[kind]
    return {"object": "entry", "type": "message.output", "role": "assistant", "content": list(chunks.values())}


# --- Protocols on their wires ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a message becomes bytes, and bytes a message again."""

    name: str
    wire: str
    events: Callable[[Message], list[Any]]
    read: Callable[[Iterable[Any]], Any] | None
    named: bool = False
    settle: Callable[[Any], Any] = lambda message: message
    """Makes messages alike that differ in nothing a reader sees."""

    def encode(self, message: Message) -> bytes:
        """The stream of ``message``."""
        return join(self.wire, self.events(message), named=self.named)

    def decode(self, data: bytes) -> Any:
        """The message in a stream; None for protocols without a reader here."""
        return None if self.read is None else self.read(values(self.wire, data))


def join(wire: str, events: Iterable[Any], *, named: bool = False) -> bytes:
    """``events`` as the bytes of a wire."""
    if wire == "sse":
        names = [f"event: {event['type']}\n" if named else "" for event in events]
        bodies = [orjson.dumps(event).decode() for event in events]
        return "".join(f"{name}data: {body}\n\n" for name, body in zip(names, bodies, strict=True)).encode()
    if wire == "json-array":
        return b"[" + b",\r\n".join(map(orjson.dumps, events)) + b"]"
    if wire == "ai-sdk-v4":
        return b"".join(name.encode() + b":" + orjson.dumps(value) + b"\n" for name, value in events)
    if wire == "aws-eventstream":
        return b"".join(make_message(name, orjson.dumps(body)) for event in events for name, body in event.items())
    return b"".join(orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE) for event in events)


def values(wire: str, data: bytes) -> list[Any]:
    """The events of a stream."""
    framing = open_framing(wire)
    frames = [frame for frame in [*framing.feed(data), *framing.flush()] if frame.data is not None]
    found = [(frame.event, orjson.loads(frame.data)) for frame in frames if frame.data and frame.data != b"[DONE]"]
    return [{name: value} for name, value in found] if wire == "aws-eventstream" else [value for _, value in found]


def _wrapped(
    make: Callable[[Message], list[Event]], wrap: Callable[[Event], Event]
) -> Callable[[Message], list[Event]]:
    return lambda message: [wrap(event) for event in make(message)]


def _unwrapped(
    read: Callable[[Iterable[Event]], Any], unwrap: Callable[[Event], Event]
) -> Callable[[Iterable[Event]], Any]:
    return lambda events: read(map(unwrap, events))


def _joined_chat(whole: Event) -> Any:
    """A completion as ``read_mistral_chat`` reads it."""
    content = whole["choices"][0]["message"]["content"]
    return read_mistral_chat([{"choices": [{"delta": {"content": content}}]}])


def _in_chunk(event: Event) -> Event:
    return {"chunk": {"bytes": base64.b64encode(orjson.dumps(event)).decode()}}


def _from_chunk(event: Event) -> Event:
    inner: Event = orjson.loads(base64.b64decode(event["chunk"]["bytes"]))
    return inner


PROTOCOLS = (
    Protocol("anthropic", "sse", anthropic, read_anthropic, named=True),
    Protocol("anthropic-lines", "jsonl", anthropic, read_anthropic),
    Protocol("responses", "sse", responses, read_responses, named=True),
    Protocol("chat", "sse", chat, read_chat),
    Protocol("openrouter", "sse", openrouter, read_chat),
    Protocol("mistral-chat", "sse", mistral_chat, read_mistral_chat, settle=_joined_chat),
    Protocol("mistral-conversations", "sse", conversations, read_conversations, named=True),
    Protocol("gemini", "sse", gemini, read_gemini, settle=lambda whole: read_gemini([whole])),
    Protocol("gemini-array", "json-array", gemini, read_gemini, settle=lambda whole: read_gemini([whole])),
    Protocol("interactions", "sse", interactions, read_interactions),
    Protocol("bedrock", "aws-eventstream", bedrock, read_bedrock),
    Protocol("bedrock-lines", "jsonl", bedrock, read_bedrock),
    Protocol("cohere", "sse", cohere, read_cohere, named=True),
    Protocol("ollama", "jsonl", ollama, read_ollama),
    Protocol("pydantic-ai", "jsonl", pydantic_ai, read_pydantic_ai),
    Protocol("ai-sdk", "sse", ai_sdk, read_ai_sdk),
    Protocol("ai-sdk-v4", "ai-sdk-v4", ai_sdk_v4, None),
    Protocol("ag-ui", "sse", ag_ui, read_ag_ui),
    Protocol("langchain", "jsonl", langchain, read_langchain),
    Protocol("langgraph", "sse", langgraph, read_langgraph),
    Protocol(
        "claude-agent-sdk",
        "jsonl",
        _wrapped(anthropic, lambda event: {"type": "stream_event", "session_id": "s", "uuid": "u", "event": event}),
        _unwrapped(read_anthropic, lambda event: event["event"]),
    ),
    Protocol(
        "openai-agents-sdk",
        "jsonl",
        _wrapped(responses, lambda event: {"type": "raw_response_event", "data": event}),
        _unwrapped(read_responses, lambda event: event["data"]),
    ),
    Protocol("bedrock-invoke-model", "jsonl", _wrapped(anthropic, _in_chunk), _unwrapped(read_anthropic, _from_chunk)),
)
"""Every protocol that a handler serves, as it goes over a wire."""

BY_NAME = {protocol.name: protocol for protocol in PROTOCOLS}
