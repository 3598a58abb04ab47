"""A task about orders: tools, schema and steps, for tests of the scratchpad and of what is built on it."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel
from tests.simulator.messages import KEEP_ALL, asked, said

from reticent.history.boundary import analyse
from reticent.history.keeping import Keeping, Kept, compact_with_scratchpad
from reticent.history.scratchpad import Flushed, From, Scratchpad, Sources, Tool, ToolKind, flush

if TYPE_CHECKING:
    from reticent.history.progress import Step


class Order(BaseModel):
    """What a task about orders knows."""

    total: Annotated[Decimal | None, From("get_order", "/total")] = None
    order: Annotated[str | None, From("get_order", "/id")] = None
    paid: Annotated[bool | None, From("get_order", "/paid")] = None
    policy: Annotated[str | None, From("search_policies", pattern=r"POL-\d+ v\d+")] = None


SOURCES = Sources(
    tools=[
        Tool(name="get_order"),
        Tool(name="search_policies"),
        Tool(name="crm", found="/hits"),
        Tool(name="shipment"),
        Tool(name="calculator", kind=ToolKind.COMPUTE),
        Tool(name="echo", kind=ToolKind.ECHO),
    ],
    identifiers=[r"\bORD-\d+\b"],
)


def use(call: str, tool: str, body: str, *, error: bool = False, **arguments: Any) -> list[dict[str, Any]]:
    """One tool step in Anthropic messages."""
    block = {"type": "tool_use", "id": call, "name": tool, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": call, "content": body} | ({"is_error": True} if error else {})
    return [
        {"role": "assistant", "content": [block], "stop_reason": "tool_use"},
        {"role": "user", "content": [result]},
    ]


def task(*steps: list[dict[str, Any]], answer: str = "done") -> list[dict[str, Any]]:
    """A settled task of these steps, and the next request."""
    return [asked("goal: close the order"), *(entry for step in steps for entry in step), said(answer), asked("next")]


def flushed(history: list[dict[str, Any]], pad: Scratchpad | None = None, sources: Sources = SOURCES) -> Flushed:
    """What the settled part leaves."""
    analysis = analyse(history, dialect="anthropic-messages")
    return flush(analysis, pad or Scratchpad(), sources, Order, end=analysis.report.boundary)


def kept(history: list[dict[str, Any]], pad: Scratchpad | None = None, **options: Any) -> tuple[Kept, list[Step]]:
    """A compaction that writes before, and its steps."""
    steps: list[Step] = []
    names = ("sources", "schema", "summariser", "scope", "pins")
    own: dict[str, Any] = {"sources": SOURCES, "schema": Order}
    own |= {key: options.pop(key) for key in names if key in options}
    keeping = Keeping(**own)
    given_in: Any = {"profile": KEEP_ALL, "dialect": "anthropic-messages", "progress": steps.append, **options}
    return asyncio.run(compact_with_scratchpad(history, pad or Scratchpad(), keeping, **given_in)), steps


ORDER = '{"id": "ORD-4921", "total": 1845.00, "paid": true, "note": "caf\\u00e9"}'
