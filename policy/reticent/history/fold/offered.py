"""The fold as a tool that an agent may call: its declaration in each dialect, its argument, and what it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from reticent.errors import UnknownDialect
from reticent.history.exchanges import parsed
from reticent.history.knobs import Knobs
from reticent.history.operations.marks import TOOL

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.history.fold.outcome import FoldOutcome

DESCRIPTION = (
    "Replace the older tool results of finished work by a structured summary, so that the context has room again. "
    "The latest results stay as they are. Use it when many large results are no longer needed literally."
)


def schema(knobs: Knobs | None = None) -> dict[str, Any]:
    """The JSON Schema of its one optional argument."""
    keep = (knobs or Knobs()).compact_history_default_keep
    number = {
        "type": "integer",
        "minimum": 1,
        "default": keep,
        "description": f"How many of the latest tool results stay as they are; {keep} when left out.",
    }
    return {"type": "object", "properties": {"keep_last_n_calls": number}, "additionalProperties": False}


_FORMS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "anthropic-messages": lambda s: {"name": TOOL, "description": DESCRIPTION, "input_schema": s},
    "openai-chat": lambda s: {
        "type": "function",
        "function": {"name": TOOL, "description": DESCRIPTION, "parameters": s},
    },
    "openai-responses": lambda s: {"type": "function", "name": TOOL, "description": DESCRIPTION, "parameters": s},
    "gemini": lambda s: {
        "functionDeclarations": [{"name": TOOL, "description": DESCRIPTION, "parametersJsonSchema": s}]
    },
    "bedrock-converse": lambda s: {"toolSpec": {"name": TOOL, "description": DESCRIPTION, "inputSchema": {"json": s}}},
}


def tool_for(dialect: str, knobs: Knobs | None = None) -> dict[str, Any]:
    """The declaration of the tool for a request in ``dialect``.

    Raises:
        UnknownDialect: no history is read in it.
    """
    if dialect not in _FORMS:
        raise UnknownDialect(dialect, _FORMS)
    return _FORMS[dialect](schema(knobs))


def keep_of(arguments: Any, knobs: Knobs | None = None) -> int:
    """The argument of a call, as JSON or as the text a provider writes it as; the knob's default for anything else.

    A model's bad argument is no fault of the program: it gets the default.
    """
    given = parsed(arguments) if isinstance(arguments, str) else arguments
    known = knobs or Knobs()
    value = cast("Mapping[str, Any]", given).get("keep_last_n_calls") if isinstance(given, Mapping) else None
    if value is None or isinstance(value, bool):
        return known.compact_history_default_keep
    try:
        number = int(str(value))
    except ValueError:
        return known.compact_history_default_keep
    return number if number >= 1 else known.compact_history_default_keep


def answer_of(outcome: FoldOutcome) -> str:
    """What the agent's call is answered with."""
    report = outcome.report
    if outcome.folded:
        return f"{report.results} tool results were folded into a summary; the latest {report.kept} stay as they are."
    return f"Nothing was folded: {report.reason}."
