"""Asking a summariser, and believing its answer only when it holds up.

The model is any async callable. It is called without tools and under the task's own rights. An answer counts when its
model stopped by itself, has every section, is shorter than what it was given, holds every literal it has to, and does
not repeat the standing instructions. Anything else is a reason, by a stable word, and never a text.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reticent.history.entries import StopClass
from reticent.streams.tags import may_hold_reasoning, reasoning_spans

if TYPE_CHECKING:
    from reticent.history.summaries.templates import Template

OVERLAP = 12
"""Words in a row that show a standing instruction was copied."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a summariser may return instead of a plain string, to say how its model stopped."""

    text: str = field(repr=False)
    stop: StopClass = StopClass.NATURAL


Summariser = Callable[[str], Awaitable["str | Summary"]]
"""Takes the whole prompt as one text, gives the summary."""

_STOPS = {
    StopClass.TOOL: "summariser-called-a-tool",
    StopClass.CONTINUE: "summary-cut-off",
    StopClass.REFUSED: "summary-refused",
    StopClass.UNSURE: "summary-stop-unknown",
    StopClass.ABSENT: "summary-stop-unknown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A summary that may be used, or the word that says why there is none; ``detail`` is a type or a number."""

    text: str = field(default="", repr=False)
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What an answer has to fulfil."""

    template: Template | None
    material: str = field(repr=False)
    literals: tuple[str, ...] = field(default=(), repr=False)
    instructions: str = field(default="", repr=False)


async def ask(
    model: Summariser,
    prompt: str,
    demands: Demands,
    *,
    timeout: float | None = None,  # noqa: ASYNC109 - the caller names a time, and how it is kept is ours
) -> Answer:
    """Call ``model`` once. It may raise, hang or answer badly; the answer then says how, by type alone.

    ``timeout`` counts seconds. A cancelled caller is cancelled: that is no fault of the model.
    """
    try:
        raw = await asyncio.wait_for(model(prompt), timeout)
    except TimeoutError:
        return Answer(reason="summariser-timeout")
    except Exception as error:  # noqa: BLE001 - whatever a model's client raises, the history stays
        return Answer(reason="summariser-failed", detail=type(error).__name__)
    return judged(raw, demands)


def judged(raw: Any, demands: Demands) -> Answer:
    """Judge what a summariser returned."""
    stop = raw.stop if isinstance(raw, Summary) else StopClass.NATURAL
    text = raw.text if isinstance(raw, Summary) else raw
    if not isinstance(text, str):
        return Answer(reason="summary-not-text")
    if stop is not StopClass.NATURAL:
        return Answer(reason=_STOPS[stop])
    text = without_inline_reasoning(text).strip()
    fault = _fault(text, demands)
    return Answer(reason=fault[0], detail=fault[1]) if fault is not None else Answer(text=text)


def _fault(text: str, demands: Demands) -> tuple[str, str] | None:
    if not text:
        return "summary-blank", ""
    if len(text) >= len(demands.material):
        return "summary-not-shorter", ""
    missing = missing_sections(text, demands.template) if demands.template is not None else []
    if missing:
        return "sections-missing", str(len(missing))
    if any(literal not in text for literal in demands.literals):
        return "literal-lost", ""
    return ("instructions-restated", "") if restates(text, demands.instructions) else None


_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)


def sections_of(text: str) -> dict[str, str]:
    """The headings of a summary with what stands under each, in order."""
    found: dict[str, str] = {}
    end = len(text)
    for mark in reversed(list(_HEADING.finditer(text))):
        found[mark[1]] = text[mark.end() : end].strip()
        end = mark.start()
    return dict(reversed(found.items()))


def missing_sections(text: str, template: Template) -> list[str]:
    """Headings that a summary lacks, leaves empty, or has out of order; one without content says ``none``."""
    found = sections_of(text)
    known = [title for title in found if title in template.titles]
    ordered = known == [title for title in template.titles if title in found]
    return [title for title in template.titles if not found.get(title)] if ordered else list(template.titles)


def restates(text: str, instructions: str) -> bool:
    """Whether twelve words in a row of the standing instructions are in ``text``."""
    words = instructions.split()
    runs = {tuple(words[i : i + OVERLAP]) for i in range(len(words) - OVERLAP + 1)}
    said = text.split()
    return any(tuple(said[i : i + OVERLAP]) in runs for i in range(len(said) - OVERLAP + 1))


def without_inline_reasoning(text: str) -> str:
    """``text`` of a model without the thoughts it wrote between tags."""
    if not may_hold_reasoning(text):
        return text
    kept: list[str] = []
    at = 0
    for span in reasoning_spans(text):
        kept.append(text[at : span.start])
        at = span.end
    return "".join([*kept, text[at:]])
