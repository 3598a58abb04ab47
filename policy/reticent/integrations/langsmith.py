"""LangSmith: the anonymizer of its client, and the hook that sees whole runs.

.. code-block:: python

    from langsmith import Client
    from reticent.integrations.langsmith import hooks

    client = Client(**hooks("logs"))

The anonymizer sees inputs, outputs, metadata and the text of an error, one at a time. What it does not see, the events
of a run among it (where streamed tokens are kept), only the hook for buffered runs does; the client takes that one with
the size of its buffer. https://docs.langchain.com/langsmith/mask-inputs-outputs
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from langsmith import Client

from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["hooks"]

_ANSWERS: Final = ("output", "error")
"""Where a traced function's plain text, or the text of an exception, stands."""
_BUFFER: Final = 100
_PARTS: Final = ("inputs", "outputs", "error", "events", "extra", "serialized", "name", "tags")


def hooks(surface: str, *, plan: PlanSource = None, buffer_size: int = _BUFFER) -> dict[str, Any]:
    """The options for ``langsmith.Client`` that the installed release has, by name.

    ``buffer_size`` is the number of runs that the client gathers before it sends them.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    guard = Guard(surface, plan=plan)
    known = inspect.signature(Client).parameters
    found: dict[str, Any] = {"anonymizer": _Anonymizer(guard)}
    if "process_buffered_run_ops" in known:
        found |= {"process_buffered_run_ops": _Runs(guard), "run_ops_buffer_size": buffer_size}
    return found


class _Anonymizer:
    """Answers one part of a run: always a dictionary, as the client expects."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard

    def __call__(self, part: dict[str, Any]) -> dict[str, Any]:
        return part if self.guard.passes else _part(self.guard, part)


class _Runs:
    """Answers whole runs; their ids and times stay."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard

    def __call__(self, runs: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
        return runs if self.guard.passes else [self._run(run) for run in runs]

    def _run(self, run: dict[str, Any]) -> dict[str, Any]:
        told = dict(run)
        for name in _PARTS:
            if told.get(name) is not None:
                told[name] = self._answered(told[name])
        return told

    def _answered(self, part: Any) -> Any:
        if isinstance(part, dict):
            return _part(self.guard, part)
        return self.guard.text(part) if isinstance(part, str) else self.guard.value(part)


def _part(guard: Guard, part: dict[str, Any]) -> dict[str, Any]:
    text: Callable[[str], str] = guard.text
    kept = guard.fields(part)
    return {name: text(item) if name in _ANSWERS and isinstance(item, str) else item for name, item in kept.items()}
