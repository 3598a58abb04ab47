"""Finds, in Python source, what a model wrote on its way into a sink that nobody guards.

The finder reads, it does not run. It follows answers of known clients through assignments, containers and the functions
of the project, forgets them where something of reticent judges them, and reports where they are logged, stored, sent or
traced. What it cannot follow it leaves alone: a finding should be worth reading.

``sources`` says what counts as an answer, ``sinks`` what counts as an exit, ``project`` which guards there are,
``flow`` follows, ``suppressions`` reads the comments that allow a line, ``render`` prints.
"""

from __future__ import annotations

from reticent.lint.codes import CODES, Code
from reticent.lint.run import LintReport, lint

__all__ = ["CODES", "Code", "LintReport", "lint"]
