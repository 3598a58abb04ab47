"""Comments that allow a finding, each with its reason: ``# reticent: allow RET101 - only counts are logged``.

A comment counts for its own line, or for the next one when it stands alone.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Suppression", "suppressions"]

_ALLOW: Final = re.compile(
    r"#\s*reticent:\s*allow\s+(?P<codes>RET\d+(?:\s*,\s*RET\d+)*)\s*(?:[-:]+\s*(?P<reason>\S.*))?$"
)


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: the line it allows, the codes, the reason (possibly empty), and where it stands."""

    allows: int
    codes: frozenset[str]
    reason: str
    line: int
    column: int


def suppressions(lines: Sequence[str]) -> Iterator[Suppression]:
    """Every such comment of a file."""
    source = "\n".join(lines) + "\n"
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        found = _ALLOW.search(token.string) if token.type == tokenize.COMMENT else None
        if found is None:
            continue
        line, column = token.start
        alone = not token.line[:column].strip()
        codes = frozenset(re.findall(r"RET\d+", found["codes"]))
        yield Suppression(line + 1 if alone else line, codes, (found["reason"] or "").strip(), line, column + 1)
