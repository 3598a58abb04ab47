"""Boundary and compaction per 1,000 entries, beside one `orjson` round trip of the same history.

The times are processor time, the best of several runs, in milliseconds per 1,000 entries. Growth is linear when a
column says the same at every length.
"""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

import orjson

from reticent.history import Tracker, boundary_report, compact

if TYPE_CHECKING:
    from collections.abc import Callable

LENGTHS = (1_000, 10_000, 100_000)
PROFILE = "anthropic-keep-all"
STEPS = 6
BODY = "b" * 400
THOUGHT = "t" * 200

Entries = list[dict[str, Any]]


def anthropic(task: int) -> Entries:
    """A settled task in Anthropic Messages."""
    thought = {"type": "thinking", "thinking": THOUGHT, "signature": "s" * 60}
    entries: Entries = [{"role": "user", "content": [{"type": "text", "text": f"task {task}"}]}]
    for step in range(STEPS):
        name = f"c{task}_{step}"
        used = {"type": "tool_use", "id": name, "name": "q", "input": {"n": step}}
        entries.append({"role": "assistant", "content": [thought, used], "stop_reason": "tool_use"})
        entries.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": BODY}]})
    answer = {"role": "assistant", "content": [thought, {"type": "text", "text": "done"}], "stop_reason": "end_turn"}
    return [*entries, answer]


def responses(task: int) -> Entries:
    """A settled task in OpenAI Responses."""
    entries: Entries = [{"type": "message", "role": "user", "content": f"task {task}"}]
    for step in range(STEPS):
        name = f"c{task}_{step}"
        entries.append({"type": "reasoning", "id": f"rs_{name}", "summary": [], "encrypted_content": THOUGHT})
        entries.append({"type": "function_call", "id": f"fc_{name}", "call_id": name, "name": "q", "arguments": "{}"})
        entries.append({"type": "function_call_output", "call_id": name, "output": BODY})
    content = [{"type": "output_text", "text": "done"}]
    return [*entries, {"type": "message", "role": "assistant", "phase": "final_answer", "content": content}]


def chat(task: int) -> Entries:
    """A settled task in Chat Completions."""
    entries: Entries = [{"role": "user", "content": f"task {task}"}]
    for step in range(STEPS):
        name = f"c{task}_{step}"
        call = {"id": name, "type": "function", "function": {"name": "q", "arguments": "{}"}}
        entries.append({"role": "assistant", "content": "", "reasoning_content": THOUGHT, "tool_calls": [call]})
        entries.append({"role": "tool", "tool_call_id": name, "content": BODY})
    return [*entries, {"role": "assistant", "content": "done", "finish_reason": "stop"}]


def gemini(task: int) -> Entries:
    """A settled task in Gemini."""
    entries: Entries = [{"role": "user", "parts": [{"text": f"task {task}"}]}]
    for step in range(STEPS):
        name = f"c{task}_{step}"
        call = {"functionCall": {"id": name, "name": "q", "args": {}}, "thoughtSignature": THOUGHT}
        done = {"functionResponse": {"id": name, "name": "q", "response": {"v": BODY}}}
        entries += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [done]}]
    return [*entries, {"role": "model", "parts": [{"text": "done"}], "finishReason": "STOP"}]


def bedrock(task: int) -> Entries:
    """A settled task in Bedrock Converse."""
    thought = {"reasoningContent": {"reasoningText": {"text": THOUGHT, "signature": "s" * 60}}}
    entries: Entries = [{"role": "user", "content": [{"text": f"task {task}"}]}]
    for step in range(STEPS):
        name = f"c{task}_{step}"
        used = {"toolUse": {"toolUseId": name, "name": "q", "input": {}}}
        done = {"toolResult": {"toolUseId": name, "content": [{"text": BODY}]}}
        entries += [{"role": "assistant", "content": [thought, used]}, {"role": "user", "content": [done]}]
    return [*entries, {"role": "assistant", "content": [{"text": "done"}], "stopReason": "end_turn"}]


TASKS: dict[str, Callable[[int], Entries]] = {
    "anthropic-messages": anthropic,
    "openai-responses": responses,
    "openai-chat": chat,
    "gemini": gemini,
    "bedrock-converse": bedrock,
}


def history(length: int, dialect: str) -> Entries:
    """Settled tasks of six steps, and the opener of the next."""
    entries: Entries = []
    task = 0
    while len(entries) < length:
        entries += TASKS[dialect](task)
        task += 1
    return [*entries, TASKS[dialect](task)[0]]


def best(action: Callable[[], object], runs: int) -> float:
    """The least processor time of several runs, in milliseconds."""
    times: list[float] = []
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times) * 1000


def appended(entries: Entries, dialect: str) -> float:
    """Milliseconds for one more entry and a report by the tracker, over the last hundred entries."""
    tracker = Tracker(dialect)
    tracker.append(entries[:-100])
    tracker.report()
    start = time.process_time()
    for entry in entries[-100:]:
        tracker.append([entry])
        tracker.report()
    return (time.process_time() - start) * 10


def row(dialect: str, length: int) -> str:
    """One line of the table."""
    entries = history(length, dialect)
    per = 1000 / len(entries)
    runs = 5 if length <= LENGTHS[0] else 2
    trip = best(lambda: orjson.loads(orjson.dumps(entries)), runs) * per
    found = best(lambda: boundary_report(entries, dialect=dialect), runs) * per
    whole = best(lambda: compact(entries, dialect=dialect, profile=PROFILE), runs) * per
    tracked = appended(entries, dialect)
    cells = f"{len(entries):>8} {trip:>8.2f} {found:>9.2f} {found / trip:>6.1f}x {whole:>9.2f} {whole / trip:>6.1f}x"
    return f"{dialect:<20} {cells} {tracked:>9.3f}"


def main() -> None:
    """Print the table."""
    print(f"{'dialect':<20} {'entries':>8} {'orjson':>8} {'boundary':>9} {'':>7} {'compact':>9} {'':>7} {'append':>9}")
    for dialect in TASKS:
        for length in LENGTHS if dialect == "anthropic-messages" else LENGTHS[:2]:
            print(row(dialect, length), flush=True)
    print("milliseconds per 1,000 entries; append: milliseconds for one more entry and a report by the tracker")


if __name__ == "__main__":
    main()
