"""A scripted agent that looks orders up, and looks one up again when it can no longer see what it was told."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from reticent.history.harness import Script
from reticent.history.scratchpad import Sources, Tool
from reticent.history.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCES = Sources(tools=[Tool(name="get_order")], identifiers=[r"ORD-\d+/T-\d+"])
IDENTIFIERS = [r"ORD-\d+/T-\d+"]

STOPS = {
    "anthropic-messages": ("stop_reason", "tool_use", "end_turn"),
    "openai-chat": ("finish_reason", "tool_calls", "stop"),
    "bedrock-converse": ("stopReason", "tool_use", "end_turn"),
}


class Clerk:
    """Each request names orders; the answer to one that begins with ``report`` names their totals."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.shape = shape_of(dialect)
        self.calls = 0

    def __call__(self, history: list[Any]) -> list[Any]:
        """The next turn."""
        texts = [text for entry in history for text in strings(entry)]
        request = next(text for text in reversed(texts) if re.match(r"(report|prepare) ", text))
        known = {match[1]: match[0] for text in texts for match in re.finditer(r"(ORD-\d+)/T-\d+", text)}
        wanted = re.findall(r"ORD-\d+(?!/)", request)
        key, used, ended = STOPS[self.dialect]
        missing = next((order for order in wanted if order not in known), None)
        if missing is not None:
            self.calls += 1
            entry = self.shape.call_entry(f"call_{self.calls}", "get_order", {"id": missing})
            return [{**entry, key: used}]
        answer = "; ".join(known[order] for order in wanted) if request.startswith("report") else "prepared"
        return [{**self.shape.assistant_entry(answer), key: ended}]


def tools(name: str, arguments: Any) -> str:
    """What is on file for an order, at some length."""
    number = str(arguments["id"]).removeprefix("ORD-")
    return f"{name}: ORD-{number}/T-{int(number) + 1000} " + "on file since then " * 30


def script(requests: Sequence[str], dialect: str = "anthropic-messages", **more: Any) -> Script:
    """A conversation with the clerk."""
    agent = Clerk(dialect)
    return Script(opening=[], requests=requests, agent=agent, tools=tools, dialect=dialect, sources=SOURCES, **more)


def strings(value: Any) -> list[str]:
    """Every string in a JSON value; JSON in a string is left as it is."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in inner for text in strings(item)]


def without_results(history: list[Any], *, keep: int) -> list[Any]:
    """A compaction as it should not be: all results but the latest ``keep`` become empty, live ones as well."""
    places = [
        (i, j)
        for i, entry in enumerate(history)
        for j, block in enumerate(entry["content"])
        if block.get("type") == "tool_result"
    ]
    copied = json.loads(json.dumps(history))
    for i, j in places[: len(places) - keep]:
        copied[i]["content"][j]["content"] = "[cleared]"
    return list(copied)
