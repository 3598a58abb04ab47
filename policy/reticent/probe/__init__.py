"""A drill: plant marked reasoning, let the application handle it, and look for the marks in every sink.

.. code-block:: python

    from reticent.probe import FileSink, LogSink, probe

    receipt = probe(handle, dialects=["anthropic-messages"], sinks=[LogSink(), FileSink("conversations.jsonl")])
    print(receipt.to_text())
    assert receipt.clean

``handle`` is the application's own function; it gets one message of each dialect, as a Python value or as text. Each
message carries random marks where its reasoning is and one where its visible text is. A mark of reasoning in a sink is
a leak, unless the sink is for a surface that may have it. The visible mark shows that the message came so far at all: a
sink that nothing reached proves nothing.
"""

from __future__ import annotations

from reticent.probe.drill import probe
from reticent.probe.marks import spellings_of
from reticent.probe.messages import ProbeMessage, message, messages
from reticent.probe.receipt import Leak, Receipt, SinkResult
from reticent.probe.sinks import FileSink, HttpSink, LogSink, Sink, SpanSink, SqlSink

__all__ = [
    "FileSink",
    "HttpSink",
    "Leak",
    "LogSink",
    "ProbeMessage",
    "Receipt",
    "Sink",
    "SinkResult",
    "SpanSink",
    "SqlSink",
    "message",
    "messages",
    "probe",
    "spellings_of",
]
