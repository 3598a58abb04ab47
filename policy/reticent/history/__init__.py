"""History: where the live task begins, and a compactor that never rewrites it.

.. code-block:: python

    from reticent.history import Window, boundary_report, compact

    report = boundary_report(messages)                       # where, how sure, and why not further
    done = compact(messages, model="claude-sonnet-4-5", budget=Window(tokens=200_000))
    messages = done.history                                  # the object that came in, when nothing was done

The input is a list of messages or items as the provider's API has them; nothing in it is ever altered.
"""

from __future__ import annotations

from reticent.history.anomalies import Anomaly, AnomalyCode
from reticent.history.boundary import boundary_report, checkpoint_digest
from reticent.history.changes import Change, apply
from reticent.history.compaction import compact, compact_with_summary, repair
from reticent.history.entries import Context
from reticent.history.epochs import Epoch, Frozen, Sent, advance
from reticent.history.facts import Profile
from reticent.history.guard import Problem, SendGuard
from reticent.history.ladder import Floor
from reticent.history.legality import Refusal
from reticent.history.options import CompactOptions
from reticent.history.outcome import Compaction, CompactionReport
from reticent.history.prices import Prices, break_even
from reticent.history.profiles import profile_for, profile_named
from reticent.history.report import BoundaryReport
from reticent.history.shapes import recognise, sendable
from reticent.history.summaries.asking import Summary
from reticent.history.threshold import Decision, Verdict, Window
from reticent.history.tracker import Tracker
from reticent.history.turns import Confidence

__all__ = [
    "Anomaly",
    "AnomalyCode",
    "BoundaryReport",
    "Change",
    "CompactOptions",
    "Compaction",
    "CompactionReport",
    "Confidence",
    "Context",
    "Decision",
    "Epoch",
    "Floor",
    "Frozen",
    "Prices",
    "Problem",
    "Profile",
    "Refusal",
    "SendGuard",
    "Sent",
    "Summary",
    "Tracker",
    "Verdict",
    "Window",
    "advance",
    "apply",
    "boundary_report",
    "break_even",
    "checkpoint_digest",
    "compact",
    "compact_with_summary",
    "profile_for",
    "profile_named",
    "recognise",
    "repair",
    "sendable",
]
