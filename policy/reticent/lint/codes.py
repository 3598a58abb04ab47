"""What the finder can find: codes that stay, each with a page in ``docs/lint/``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["CODES", "Code"]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding: a stable code, what is wrong, and what to write instead."""

    code: str
    title: str
    fix: str


def _codes(*rows: tuple[str, str, str]) -> dict[str, Code]:
    return {code: Code(code, title, fix) for code, title, fix in rows}


CODES: Final = _codes(
    ("RET101", "a model's answer is logged", "guard the logger, or log plan.serializer('logs').value(...)"),
    ("RET102", "a model's answer becomes an attribute of a span", "wrap the exporter in ReticentSpanExporter"),
    ("RET103", "a model's answer is stored in a column", "declare the column as ReticentJSON or ReticentText"),
    ("RET104", "a model's answer is written to a file", "write what plan.serializer(...) gives"),
    ("RET105", "a model's answer is returned as a response", "use json_response or stream_response of the surface"),
    ("RET106", "a model's answer goes into a cache or a queue", "send it through ValueSerializer"),
    ("RET107", "a model's answer is printed", "print plan.serializer('logs').value(...)"),
    ("RET108", "a model's answer is a parameter of a statement", "bind what plan.serializer(...) gives"),
    ("RET190", "a suppression gives no reason", "write '# reticent: allow CODE - why this is right'"),
    ("RET191", "a suppression allows nothing", "remove the comment"),
    ("RET192", "a file cannot be read as Python", "fix the syntax, or leave the file out"),
)
