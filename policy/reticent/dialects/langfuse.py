"""Langfuse: observations that store input and output as given, in any dialect, as objects or as JSON text.

What is code: the output of a generation that is plain text is what a model wrote, so that inline tags count there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds

if TYPE_CHECKING:
    from reticent.edits import Children, Edit

_TYPES = frozenset({"GENERATION", "generation-create", "generation-update"})
_OBSERVATIONS = _TYPES | {"SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "trace-create", "span-create", "span-update"}


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    trace = value.get("trace")
    return str(value.get("type")) in _OBSERVATIONS or (isinstance(trace, dict) and "observations" in {*value, *trace})


def read_generation(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """The plain text that a generation put out."""
    for holder in (node, node.get("body")):
        if str(node.get("type")) not in _TYPES or not isinstance(holder, dict) or position != Position.OPEN:
            continue
        output = holder.get("output")
        if isinstance(output, str) and output.lstrip()[:1] not in ("{", "[", '"'):
            edit = walker.value(output, Position.ASSISTANT, "output_text", 1)
            if edit is not None and holder is node:
                edits["output"] = edit
            elif edit is not None:
                inner = edits.get("body")
                edits["body"] = {**(inner if isinstance(inner, dict) else {}), "output": edit}
    return None


DIALECT = Dialect(
    "langfuse",
    kinds("langfuse"),
    recognise=_recognise,
    hooks={"output": (read_generation,), "body": (read_generation,)},
    signs={"output": (), "body": ()},
)
