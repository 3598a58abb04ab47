"""The message lab: one payload, and what each surface would hold of it. Nothing that is pasted is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from reticent.errors import EgressRefused

if TYPE_CHECKING:
    from reticent.compiler import Plan
    from reticent.serializers import Report

MAX_BYTES: Final = 64 * 1024
_MARKED_TOKENS: Final = 4000
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

SAMPLES: Final = {
    "A message with signed thinking": (
        '{"role":"assistant","content":[{"type":"thinking","thinking":"The story changed twice; do not say so.",'
        '"signature":"EqoBCkgIARAB"},{"type":"text","text":"Your refund is on its way."}],'
        '"usage":{"input_tokens":412,"output_tokens":96}}'
    ),
    "A stream of chunks": (
        'data: {"choices":[{"index":0,"delta":{"reasoning_content":"Order 4921 arrived broken."}}]}\n\n'
        'data: {"choices":[{"index":0,"delta":{"content":"Your refund is on its way."}}]}\n\ndata: [DONE]\n\n'
    ),
    "Text with inline tags": "<think>Possibly dishonest.</think>Your refund is on its way.",
    "A line of a log": '2026-11-29 INFO reply={"reasoning_content":"Possibly dishonest.","content":"On its way."}',
}
"""What can be tried with one click; the texts were made up."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of the payload that a surface keeps, or loses."""

    text: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """One surface's answer; ``refusal`` is a code when there is none."""

    surface: str
    verdict: str
    pieces: tuple[Piece, ...]
    removals: tuple[tuple[str, int, int], ...]
    unknown_types: int
    refusal: str | None = None


def show(plan: Plan, surfaces: Iterable[str], payload: str) -> list[Shown]:
    """What each of ``surfaces`` would hold of ``payload``."""
    return [_shown(plan, name, payload) for name in surfaces]


def _shown(plan: Plan, name: str, payload: str) -> Shown:
    verdict = plan.decision(name).verdict
    filtered = plan.stream(name)
    try:
        raw = payload.encode()
        out = (filtered.feed(raw) + filtered.flush()).decode(errors="replace")
    except (EgressRefused, UnicodeEncodeError) as error:
        code = error.code if isinstance(error, EgressRefused) else "malformed-input"
        return Shown(name, verdict, (), (), 0, refusal=code)
    report = filtered.report
    unknown = sum(report.unknown_types.values())
    return Shown(name, verdict, tuple(_pieces(payload, out)), _removals(report), unknown)


def _removals(report: Report) -> tuple[tuple[str, int, int], ...]:
    return tuple((rule, removal.count, removal.length) for rule, removal in sorted(report.removals.items()))


def _pieces(before: str, after: str) -> Iterable[Piece]:
    """The payload with what went marked; for a long one only what stayed."""
    if before == after:
        return [Piece(after, kept=True)]
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if max(len(old), len(new)) > _MARKED_TOKENS:
        return [Piece(after, kept=True)]
    found: list[Piece] = []
    for _, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, stayed = "".join(old[first:last]), "".join(new[start:end])
        if gone == stayed:
            found.append(Piece(stayed, kept=True))
            continue
        found += [Piece(gone, kept=False)] if gone else []
        found += [Piece(stayed, kept=True)] if stayed else []
    return found
