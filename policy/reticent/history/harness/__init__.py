"""A harness for your own agent: does it still finish, with the same tools and values, when it is compacted anywhere?

.. code-block:: python

    script = Script(opening=[], requests=["Close order 4921"], agent=my_agent, tools=my_tools, dialect="openai-chat")
    found = await sweep(script, my_compaction, identifiers=[r"ORD-[0-9]+"])
    assert not found.broken, found.render()
"""

from __future__ import annotations

from reticent.history.harness.playing import Agent, Compacting, Played, RecordedTools, Script, Tools, play
from reticent.history.harness.sweep import Point, Sweep, sweep

__all__ = ["Agent", "Compacting", "Played", "Point", "RecordedTools", "Script", "Sweep", "Tools", "play", "sweep"]
