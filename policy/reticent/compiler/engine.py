"""What every engine is: something that is asked once about a whole table, and never about a payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

Document = Mapping[str, object]
"""A table as plain JSON values, with ``today`` beside its keys."""

Answer = Mapping[str, object]
"""``{"plan": {surface: decision}, "errors": [error]}`` as the rules give it, not yet checked."""

ENTRYPOINTS = ("plan", "errors")
"""The two documents of package ``reticent.main`` that an engine is asked for."""


@runtime_checkable
class Engine(Protocol):
    """Decides tables by the rules in ``rego/``."""

    @property
    def name(self) -> str:
        """A short word for the plan file: ``embedded``, ``opa-server``, ``recorded``."""
        ...

    @property
    def policy_digest(self) -> str:
        """Names the rules that this engine applies, as :func:`reticent._resources.policy_digest` does."""
        ...

    def decide(self, document: Document) -> Answer:
        """The answers to both entrypoints for one table.

        Raises:
            EngineUnavailable: it could not be asked.
            EngineAnswerInvalid: it gave no answer, or one without both documents.
        """
        ...
