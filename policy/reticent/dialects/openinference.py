"""OpenInference spans of Phoenix and Arize: messages flattened into names with dots.

Members are data (``kinds.yaml``); flattened messages are put together and judged (``_attributes``). Some stores keep
the same names as nested objects: there a content without its only member is no content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reticent.dialects._attributes import read_attributes, read_list, triggers
from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_CONTENT = "message_content"


def _recognise(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    attributes = value.get("attributes", value)
    return isinstance(attributes, dict) and "openinference.span.kind" in attributes


def drop_content(_walker: Walker, node: Mapping[str, Any], edits: Children, _position: int) -> Edit | None:
    """An element whose content is gone."""
    return DROP if edits.get(_CONTENT) is DROP and len(node) == 1 else None


DIALECT = Dialect(
    "openinference",
    kinds("openinference"),
    recognise=_recognise,
    hooks={
        _CONTENT: (drop_content,),
        "attributes": (read_list,),
        **dict.fromkeys(triggers(), (read_attributes,)),
    },
)
