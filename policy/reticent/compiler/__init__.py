"""From a table to a plan: the engine is asked once, its answer is checked, and the plan is frozen.

:func:`load_plan` is what most callers need; :func:`compile_table` takes a table made in Python, and
``reticent.compiler.check`` gives every fault as a value. Importing this module loads no engine and no YAML reader.
"""

from __future__ import annotations

from reticent.compiler.compiling import (
    DEFAULT_PLAN,
    Compilation,
    compile_default,
    compile_reading,
    compile_table,
    load_plan,
)
from reticent.compiler.decision import CLASSES, Condition, Decision, Limits, Reader, SignedYes
from reticent.compiler.engine import Answer, Document, Engine
from reticent.compiler.plan import PLAN_VERSION, Plan, Vocabulary, VocabularyName

__all__ = [
    "CLASSES",
    "DEFAULT_PLAN",
    "PLAN_VERSION",
    "Answer",
    "Compilation",
    "Condition",
    "Decision",
    "Document",
    "Engine",
    "Limits",
    "Plan",
    "Reader",
    "SignedYes",
    "Vocabulary",
    "VocabularyName",
    "compile_default",
    "compile_reading",
    "compile_table",
    "load_plan",
]
