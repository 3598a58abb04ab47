"""Runs the conformance vectors against reticent and a few public redactors, and writes the table in the docs.

``python scripts/compare_redactors.py`` needs the ``bench`` extra; ``--check`` says whether the page is what a run
makes. None of the others was made for this job: they are what teams have at hand, set up as well as they can be with
the names of reasoning that are most widely known. The page says so.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

import orjson

from reticent.conformance import Vector, load_vectors
from reticent.conformance.judge import judge
from reticent.conformance.run import Filter, own_filter
from reticent.errors import ReticentError
from reticent.streams.detect import open_framing

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "conformance.md"
BEGIN: Final = "<!-- comparison: written by scripts/compare_redactors.py -->\n"
END: Final = "<!-- end of comparison -->\n"
NAMES: Final = ("thinking", "redacted_thinking", "reasoning", "reasoning_content", "thought", "signature")
"""What a team would think of: block types, and members of messages."""
FRAMED: Final = ("sse", "jsonl", "json-array")
FORMS: Final = {"message": "documents", "history": "documents", "stream": "streams", "text": "text", "log": "log lines"}

Value: TypeAlias = Any
"""A JSON value."""
OnValue: TypeAlias = Callable[[Value], Value]


@dataclass(slots=True)
class Score:
    """How many vectors of one form leaked, lost something, or kept to the vector in both."""

    vectors: int = 0
    leaked: int = 0
    lost: int = 0
    failed: int = 0


@dataclass(slots=True)
class Result:
    """One tool, and its scores by form."""

    tool: str
    how: str
    scores: dict[str, Score] = field(default_factory=dict[str, Score])


# --- the tools -------------------------------------------------------------------------------------------------------


def naive_types(value: Value) -> Value:
    """The filter that teams write first: blocks of three types go."""
    if isinstance(value, dict):
        return {key: naive_types(item) for key, item in value.items()}
    if isinstance(value, list):
        return [naive_types(item) for item in value if not (isinstance(item, dict) and item.get("type") in NAMES[:3])]
    return value


def litellm_parser() -> OnValue:
    """LiteLLM's own way to part a message's reasoning from its content, on every message."""
    from litellm.litellm_core_utils.prompt_templates.reasoning_utils import extract_reasoning_content

    def parsed(value: Value) -> Value:
        if isinstance(value, list):
            return [parsed(item) for item in value]
        if not isinstance(value, dict):
            return value
        if value.get("role") == "assistant" and "content" in value:
            _, content = extract_reasoning_content(value)
            value = {key: item for key, item in value.items() if key not in NAMES} | {"content": content}
        return {key: parsed(item) for key, item in value.items()}

    return parsed


def sentry_scrubber() -> OnValue:
    """Sentry's scrubber with the names as its deny list, recursive."""
    from sentry_sdk.scrubber import EventScrubber

    scrubber = EventScrubber(denylist=list(NAMES), recursive=True)

    def scrubbed(value: Value) -> Value:
        holder: dict[str, Any] = {"value": value}
        scrubber.scrub_dict(holder)
        return holder["value"]

    return scrubbed


def logfire_scrubber() -> OnValue:
    """Logfire's scrubber with the names as extra patterns."""
    from logfire._internal.scrubbing import Scrubber

    scrubber = Scrubber([rf"\b{name}\b" for name in NAMES])
    return lambda value: scrubber.scrub_value(("attributes", "payload"), value)[0]


def logging_redactor() -> OnValue:
    """Loggingredactor with the names as keys to mask."""
    from loggingredactor import RedactingFilter

    mask = RedactingFilter(mask_keys=set(NAMES), mask="[masked]")
    redact: OnValue = mask.redact
    return redact


def langsmith_anonymizer() -> OnValue:
    """LangSmith's anonymizer with a replacer that masks every string under one of the names."""
    from langsmith.anonymizer import create_anonymizer

    def replace(text: str, path: list[str | int]) -> str:
        return "[masked]" if any(part in NAMES for part in path) else text

    return create_anonymizer(replace, max_depth=20)


def tag_expression() -> OnValue:
    """The expression from a hundred answers on the web: ``<think>…</think>`` in any string."""
    pattern = re.compile(r"<think>.*?</think>", re.DOTALL)

    def cut(value: Value) -> Value:
        if isinstance(value, str):
            return pattern.sub("", value)
        if isinstance(value, list):
            return [cut(item) for item in value]
        return {key: cut(item) for key, item in value.items()} if isinstance(value, dict) else value

    return cut


TOOLS: Final[tuple[tuple[str, str | None, str, Callable[[], OnValue]], ...]] = (
    ("blocks by type", None, "drops blocks whose type is one of three", lambda: naive_types),
    ("`<think>` expression", None, "one regular expression over every string", tag_expression),
    ("LiteLLM", "litellm", "`extract_reasoning_content` on every message, the six names dropped", litellm_parser),
    ("Sentry SDK", "sentry-sdk", "`EventScrubber` with the six names as deny list", sentry_scrubber),
    ("Logfire", "logfire", "scrubber with the six names as patterns", logfire_scrubber),
    ("loggingredactor", "loggingredactor", "`mask_keys` with the six names", logging_redactor),
    ("LangSmith", "langsmith", "`create_anonymizer` that masks what lies under the six names", langsmith_anonymizer),
)


# --- running them ----------------------------------------------------------------------------------------------------


def on_bytes(work: OnValue) -> Filter:
    """A tool for values as a filter of bytes: it is given the document, or the payload of each event, or the text."""

    def one(data: bytes) -> bytes:
        try:
            value = orjson.loads(data)
        except ValueError:
            return str(work(data.decode("utf-8", "replace"))).encode()
        return orjson.dumps(work(value), default=str)

    def filtered(vector: Vector) -> bytes:
        if vector.wire not in FRAMED:
            return one(vector.payload)
        framing = open_framing(vector.wire)
        frames = [*framing.feed(vector.payload), *framing.flush()]
        bodies = [f.raw if f.data is None or f.data == b"[DONE]" else f.with_data(one(f.data)) for f in frames]
        return b"".join(framing.join(frame, body) for frame, body in zip(frames, bodies, strict=True))

    return filtered


def run(tool: str, how: str, work: Filter, vectors: Iterable[Vector]) -> Result:
    """The scores of one tool."""
    result = Result(tool, how, {form: Score() for form in dict.fromkeys(FORMS.values())})
    for vector in vectors:
        score = result.scores[FORMS[vector.form]]
        score.vectors += 1
        try:
            kinds = {finding.kind for finding in judge(vector, work(vector))}
        except (ReticentError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            score.failed += 1
            continue
        score.leaked += "leak" in kinds
        score.lost += "lost" in kinds
    return result


def compared() -> list[Result]:
    """Every tool over every vector of a strip surface that a tool without frames of its own can read."""
    logging.disable(logging.CRITICAL)
    vectors = [one for one in load_vectors() if one.surface_class == "strip" and one.wire in (*FRAMED, "json", "text")]
    found = [run(f"**reticent** {version('reticent')}", "as it comes", own_filter(), vectors)]
    for name, package, how, make in TOOLS:
        tool = f"{name} {version(package)}" if package else name
        found.append(run(tool, how, on_bytes(make()), vectors))
    return found


def table(results: list[Result]) -> str:
    """The results as Markdown."""
    forms = list(dict.fromkeys(FORMS.values()))
    counts = {form: results[0].scores[form].vectors for form in forms}
    lines = [
        f"Measured on {datetime.now(tz=UTC):%Y-%m-%d}, {sum(counts.values())} vectors.",
        "*Leaks* are vectors in which a canary came out, *losses* those in which something visible did not.",
        "",
        "| tool | set up as | " + " | ".join(f"{form} ({counts[form]}): leaks / losses" for form in forms) + " |",
        "|---|---|" + "---|" * len(forms),
    ]
    for result in results:
        cells = [_cell(result.scores[form]) for form in forms]
        lines.append(f"| {result.tool} | {result.how} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(score: Score) -> str:
    failed = f", {score.failed} errors" if score.failed else ""
    return f"{score.leaked} / {score.lost}{failed}"


def main() -> int:
    """Write the table into the page, or check that it is there."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    written = before + BEGIN + table(compared()) + END + after
    if "--check" in sys.argv[1:]:
        dated = re.compile(r"^Measured on [\d-]+", re.MULTILINE)
        return int(dated.sub("", written) != dated.sub("", page))
    PAGE.write_text(written, encoding="utf-8")
    sys.stdout.write(table(compared()) if "--print" in sys.argv[1:] else f"wrote {PAGE.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
