"""Session files of Claude Code: one line for each block, each line a node of the ``parentUuid`` tree.

Data alone, and that of the Messages API: a line that only held thinking stays, with empty content, because later
lines name it as their parent.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and "parentUuid" in value and "sessionId" in value


DIALECT = Dialect("claude-code", kinds("claude-code"), recognise=_recognise)
