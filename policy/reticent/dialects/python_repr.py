"""Objects of SDKs as Python prints them: classes that are reasoning as a whole, nearly all of it data (``kinds.yaml``).

An object in a text is found and read elsewhere (``reticent.serializers``); its class stands under ``__class__``. A
class that nobody listed counts by its name: ``AcmeReasoningChunk``, but not ``ReasoningConfig``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from reticent.dialects._dialect import Dialect, Walker
from reticent.dialects._rules import kinds
from reticent.edits import DROP, Children, Edit

_KINDS: Final = kinds("python-repr")
_NAMED_SO: Final = re.compile(
    rf"\w*(?:Thinking|Reasoning|Thought)\w*?(?:{'|'.join(_KINDS.data['carriers'])})(?:Param|Event|Item|Delta)?"
)


def looks_so(name: str) -> bool:
    """Whether a class is named like one that holds reasoning: by the word, and by what carriers are called."""
    return _NAMED_SO.fullmatch(name) is not None


def drop_named_so(walker: Walker, node: Mapping[str, Any], _edits: Children, _position: int) -> Edit | None:
    """An object of a class that no release of this vocabulary knew, but whose name says what it holds."""
    name = node["__class__"]
    if not isinstance(name, str) or not looks_so(name) or not walker.withholds("text"):
        return None
    if not any(isinstance(value, (str, list)) and value for key, value in node.items() if key != "__class__"):
        return None
    walker.withhold("python-repr/named-so", node)
    return DROP


DIALECT = Dialect("python-repr", _KINDS, hooks={"__class__": (drop_named_so,)})
