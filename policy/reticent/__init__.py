"""reticent: every exit of a system that runs reasoning models asks one question, and reasoning stays where it may.

>>> import reticent
>>> to_logs = reticent.load_plan().serializer("logs")
>>> to_logs(b'{"role":"assistant","reasoning_content":"the customer is wrong","content":"Done."}')
b'{"role":"assistant","content":"Done."}'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from reticent.errors import EgressRefused, ReticentError, TableError

if TYPE_CHECKING:
    from reticent.compiler import compile_table, load_plan
    from reticent.compiler.decision import Decision
    from reticent.compiler.plan import Plan
    from reticent.held import Held
    from reticent.surfaces import Surface, SurfaceTable, load_table

__version__ = "0.1.0"

__all__ = [
    "Decision",
    "EgressRefused",
    "Held",
    "Plan",
    "ReticentError",
    "Surface",
    "SurfaceTable",
    "TableError",
    "__version__",
    "compile_table",
    "load_plan",
    "load_table",
]

_HOMES = {
    "Decision": "reticent.compiler.decision",
    "Held": "reticent.held",
    "Plan": "reticent.compiler.plan",
    "Surface": "reticent.surfaces",
    "SurfaceTable": "reticent.surfaces",
    "compile_table": "reticent.compiler",
    "load_plan": "reticent.compiler",
    "load_table": "reticent.surfaces",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that importing reticent costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
