"""A response that arrives as a stream, put together as the whole that the API would have answered with.

What is held is a turn, and a turn that was streamed exists nowhere as one piece. ``StreamedTurn`` stands in the stream:
it lets events through as they come, builds the whole beside them, and keeps back the events that tell the reader how
the response ended, so that the turn can be held before anybody acts on it.

Text and signatures are joined character by character, which is what a producer demands of what comes back to it.
"""

from __future__ import annotations

from reticent.store.accumulate.accumulator import DIALECTS, Accumulator, open_accumulator
from reticent.store.accumulate.streamed_turn import StreamedTurn

__all__ = ["DIALECTS", "Accumulator", "StreamedTurn", "open_accumulator"]
