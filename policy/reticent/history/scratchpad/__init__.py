r"""A typed scratchpad outside the transcript: facts and failed attempts from tools, notes from models, kept apart.

.. code-block:: python

    from reticent.history.keeping import Keeping, compact_with_scratchpad
    from reticent.history.scratchpad import From, Scratchpad, Sources, Tool, view

    sources = Sources(tools=[Tool(name="get_order")], identifiers=[r"ORD-\d+"])
    keeping = Keeping(sources=sources, schema=OrderFacts)
    kept = await compact_with_scratchpad(messages, Scratchpad(task_id="t1"), keeping, model="claude-sonnet-4-5")
    view(kept.pad, OrderFacts).total        # Decimal("1845.00"), as get_order returned it
"""

from __future__ import annotations

from reticent.history.scratchpad.block import literals_in, read_block, render
from reticent.history.scratchpad.flush import Flushed, Unflushed, flush, record
from reticent.history.scratchpad.records import Attempt, Fact, Note, Scratchpad
from reticent.history.scratchpad.schema import From, view
from reticent.history.scratchpad.sources import Sources, Tool, ToolKind, read_sources
from reticent.history.scratchpad.stored import from_json, to_json

__all__ = [
    "Attempt",
    "Fact",
    "Flushed",
    "From",
    "Note",
    "Scratchpad",
    "Sources",
    "Tool",
    "ToolKind",
    "Unflushed",
    "flush",
    "from_json",
    "literals_in",
    "read_block",
    "read_sources",
    "record",
    "render",
    "to_json",
    "view",
]
