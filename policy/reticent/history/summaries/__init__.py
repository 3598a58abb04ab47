"""Summaries: what is asked of a model, what it is shown, and when its answer counts."""

from __future__ import annotations

from reticent.history.summaries.asking import Summariser, Summary
from reticent.history.summaries.pins import MemoryPins, Pins, SealedPins
from reticent.history.summaries.templates import FOLD, SQUEEZE, SURVIVAL, Section, Template

__all__ = [
    "FOLD",
    "SQUEEZE",
    "SURVIVAL",
    "MemoryPins",
    "Pins",
    "SealedPins",
    "Section",
    "Summariser",
    "Summary",
    "Template",
]
