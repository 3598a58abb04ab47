"""What filtering a stream costs for each event: ``python tests/benchmarks/bench_streams.py``.

Figures are ratios taken in one run.

Two floors: cutting at empty lines and one ``orjson.loads`` and ``dumps`` per event, which is the least that any filter
in Python does that looks at all; and the same behind ``httpx-sse``, which is how most code reads such a stream. Time is
this process's own, candidates take turns, and the fastest of many rounds counts.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
from httpx_sse._decoders import SSEDecoder

import reticent

_ROUNDS = 15
_EVENTS = 4000
_CHUNK = 16 * 1024
_WORDS = (
    "order",
    "parcel",
    "refund",
    "customer",
    "address",
    "delivery",
    "status",
    "invoice",
    "number",
    "total",
    "it's",
)

Chunks = list[bytes]


def _event(body: dict[str, Any], *, named: bool) -> bytes:
    name = f"event: {body['type']}\n".encode() if named else b""
    return name + b"data: " + orjson.dumps(body) + b"\n\n"


def _token(number: int) -> str:
    # Every twentieth token ends a sentence or a line, as in prose.
    return ".\n\n" if number % 120 == 0 else "." if number % 20 == 0 else f" {_WORDS[number % len(_WORDS)]}"


def anthropic(*, reasoning: bool) -> Chunks:
    """A stream of the Anthropic API, one event each; a third of it thinking, or none."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}}
    ]
    blocks = [("thinking", _EVENTS // 3), ("text", _EVENTS - _EVENTS // 3)] if reasoning else [("text", _EVENTS)]
    for at, (kind, count) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": at, "content_block": {"type": kind, kind: ""}})
        deltas = ({"type": f"{kind}_delta", kind: _token(number)} for number in range(1, count + 1))
        events += [{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": at})
    return [_event(event, named=True) for event in [*events, {"type": "message_stop"}]]


def chat(*, reasoning: bool) -> Chunks:
    """A stream of Chat Completions of a clone; a third of it ``reasoning_content``, or none."""
    shell = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1764400000, "model": "m"}
    hidden = _EVENTS // 3 if reasoning else 0
    names = ["reasoning_content"] * hidden + ["content"] * (_EVENTS - hidden)
    deltas = [{name: _token(number)} for number, name in enumerate(names, 1)]
    choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None} for delta in deltas]
    return [*(_event({**shell, "choices": [one]}, named=False) for one in choices), b"data: [DONE]\n\n"]


def padded(*, reasoning: bool) -> Chunks:
    """The Anthropic stream with blanks in front of the last brace, as the API sends them to hide how long a text is."""
    return [
        event.replace(b"}\n\n", b" " * (number % 9) + b"}\n\n")
        for number, event in enumerate(anthropic(reasoning=reasoning))
    ]


def responses(*, reasoning: bool) -> Chunks:
    """A stream of OpenAI Responses, whose events are numbered; a third of it a summary of reasoning, or none."""
    kinds = [("reasoning", "response.reasoning_summary_text.delta", _EVENTS // 3)] if reasoning else []
    kinds.append(("message", "response.output_text.delta", _EVENTS - sum(count for _, _, count in kinds)))
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "object": "response", "output": []}}
    ]
    for at, (kind, name, count) in enumerate(kinds):
        place = {"item_id": f"i{at}", "output_index": at, "content_index": 0}
        events.append(
            {"type": "response.output_item.added", "output_index": at, "item": {"id": f"i{at}", "type": kind}}
        )
        events += [{"type": name, **place, "delta": _token(number)} for number in range(1, count + 1)]
    return [_event({**event, "sequence_number": number}, named=True) for number, event in enumerate(events)]


def together(chunks: Chunks) -> Chunks:
    """The same bytes in chunks as a socket gives them."""
    data = b"".join(chunks)
    return [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]


def filtered(plan: reticent.Plan, chunks: Chunks) -> int:
    """Through a filter of this library."""
    stream = plan.stream("browser_stream", wire="sse")
    return sum(len(stream.feed(chunk)) for chunk in chunks) + len(stream.flush())


def naive(chunks: Chunks) -> int:
    """Cut at empty lines, and one parse and one dump per event; the chunks end where events do."""
    size = 0
    for chunk in chunks:
        for event in chunk.split(b"\n\n"):
            at = event.find(b"data: ")
            if at >= 0 and event[at + 6 :] != b"[DONE]":
                size += len(orjson.dumps(orjson.loads(event[at + 6 :])))
    return size


def httpx_sse(chunks: Chunks) -> int:
    """Read with httpx-sse, and one parse and one dump per event."""
    decoder, size = SSEDecoder(), 0
    for chunk in chunks:
        for line in chunk.decode().splitlines():
            event = decoder.decode(line)
            if event is not None and event.data != "[DONE]":
                size += len(orjson.dumps(orjson.loads(event.data)))
    return size


def measure(candidates: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Seconds of this process for one call of each candidate."""
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(_ROUNDS):
        for name, call in candidates.items():
            began = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - began)
    return best


def main() -> None:
    """Print the table."""
    logging.disable(logging.CRITICAL)
    plan = reticent.load_plan()
    makers = {"Anthropic": anthropic, "Anthropic, padded": padded, "Chat Completions": chat, "Responses": responses}
    sys.stdout.write(f"{'':48}{'ns/event':>10}{'naive':>9}{'httpx-sse':>11}\n")
    for title, make in makers.items():
        for reasoning in (True, False):
            events = make(reasoning=reasoning)
            for label, chunks in (("1 event", events), ("16 KiB", together(events))):
                times = measure(
                    {
                        "ours": partial(filtered, plan, chunks),
                        "naive": partial(naive, events),
                        "httpx-sse": partial(httpx_sse, events),
                    }
                )
                ours = times["ours"]
                name = f"{title}, {'a third' if reasoning else 'no'} reasoning, {label}"
                ratios = f"{ours / times['naive']:>9.2f}{ours / times['httpx-sse']:>11.2f}"
                sys.stdout.write(f"{name:<52}{ours / len(events) * 1e9:>6.0f}{ratios}\n")


if __name__ == "__main__":
    main()
