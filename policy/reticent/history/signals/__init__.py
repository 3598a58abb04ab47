"""Signals that a compaction lost something, while it runs and in a transcript afterwards."""

from __future__ import annotations

from reticent.history.signals.loop import LoopAlert, LoopDetector
from reticent.history.signals.symptoms import Symptom, claimed_done
from reticent.history.signals.transcript import SignalsReport, signals_of
from reticent.history.signals.weights import Weight, weigh

__all__ = ["LoopAlert", "LoopDetector", "SignalsReport", "Symptom", "Weight", "claimed_done", "signals_of", "weigh"]
