"""Datadog and other exporters: what they write down, as far as it can be told from what anybody else wrote.

Messages with a role of their own are data (``kinds.yaml``). What is code: the span that Datadog names ``reasoning`` and
fills with an agent's rationale. An exporter that writes thinking as a plain assistant message leaves no trace of it:
there the filter has to run on the object before the exporter does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._positions import Position
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_SPAN = "reasoning"


def _recognise(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("meta"), dict)
        and {"span_id", "ml_app"} & value.keys() != set()
    )


def drop_rationale(walker: Walker, node: Mapping[str, Any], edits: Children, position: int) -> Edit | None:
    """Input and output of a span that stands for the model's reasoning; the span keeps its place in the trace."""
    meta = node.get("meta")
    if (
        position == Position.DATA
        or node.get("name") != _SPAN
        or not isinstance(meta, dict)
        or not walker.withholds("text")
    ):
        return None
    for name in ("input", "output"):
        if meta.get(name):
            walker.withhold(f"exporters/{_SPAN}", meta[name])
            edits["meta"] = {**_dict(edits.get("meta")), name: DROP}
    return None


def _dict(edit: Edit | None) -> Children:
    return edit if isinstance(edit, dict) else {}


DIALECT = Dialect(
    "exporters",
    kinds("exporters"),
    recognise=_recognise,
    hooks={"meta": (drop_rationale,)},
    signs={"meta": (f'"name":"{_SPAN}"',)},
)
