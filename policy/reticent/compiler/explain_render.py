"""An explanation as text for people, as plain values for programs, and as a graph for a layout tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from reticent.compiler.decision import CLASSES, Condition
from reticent.compiler.explain import Explanation, Flip, evidence_text, path_text, reader_text

_SHAPES = {
    "surface": "box",
    "person": "oval",
    "system": "hexagon",
    "producer": "hexagon",
    "store": "cylinder",
    "unknown": "diamond",
}


def to_text(told: Explanation) -> str:
    """The explanation in plain lines, the answer first."""
    return "\n".join(_lines(told)) + "\n"


def to_json(told: Explanation) -> str:
    """The explanation as JSON; its keys are part of the contract."""
    decision = told.decision
    content = {
        "surface": decision.surface,
        "verdict": decision.verdict,
        "classes": dict(decision.classes),
        "answer": told.answer,
        "reasons": list(decision.reasons),
        "path": list(decision.path),
        "hops": [{"from": hop.source, "to": hop.target, "kind": hop.kind} for hop in told.hops],
        "reached": [{"kind": reader.kind, "place": reader.place, "path": list(path)} for reader, path in told.reached],
        "blocking": [_blocking(condition) for condition in told.blocking],
        "evidence": [
            {
                "surface": condition.surface,
                "condition": condition.name,
                "owner": told.owners[condition.surface],
                **asdict(condition.evidence),
            }
            for condition in told.asked
            if condition.evidence
        ],
        "flips": [_flip(flip) for flip in told.flips],
        "owner": decision.owner,
        "why": decision.why,
        "plan_digest": told.plan_digest,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def to_dot(told: Explanation) -> str:
    """The part of the graph that bears on the surface, in the DOT language: the path bold, cut arrows dashed."""
    on_path = {(hop.source, hop.target) for hop in told.hops}
    lines = [f"digraph {_quoted(told.decision.surface)} {{", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    for node, kind in told.kinds.items():
        style = ", penwidth=2" if node == told.decision.surface or any(node in arrow for arrow in on_path) else ""
        lines.append(f"  {_quoted(node)} [shape={_SHAPES[kind]}{style}];")
    for arrow in told.decision.arrows:
        style = " [penwidth=2, color=red]" if arrow in on_path else ""
        lines.append(f"  {_quoted(arrow[0])} -> {_quoted(arrow[1])}{style};")
    lines += [
        f"  {_quoted(source)} -> {_quoted(target)} [style=dashed, color=gray, label={_quoted(name)}];"
        for source, target, name in told.cut
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _lines(told: Explanation) -> Iterator[str]:
    decision = told.decision
    yield told.answer
    yield ""
    yield f"  why    {decision.why}"
    yield f"  owner  {decision.owner}"
    yield f"  {'  '.join(f'{name}: {decision.classes[name]}' for name in CLASSES)}"
    if told.reached:
        yield ""
        yield "Who and what it reaches:"
        yield from (f"  {path_text(path, reader)}" for reader, path in told.reached)
    if told.blocking:
        yield ""
        yield "Who and what is kept out, and by which condition:"
        for condition in told.blocking:
            yield from _kept_out(condition)
    if told.asked:
        yield ""
        yield "What evidence says of the conditions on its way:"
        yield from (f"  {line}" for line in evidence_lines(told))
    for exception in decision.exceptions:
        yield ""
        yield f"Exception for {', '.join(exception.classes)} until {exception.expires}, signed by {exception.owner}:"
        yield f"  {exception.reason}"
    yield ""
    yield from _change_lines(told)


def _kept_out(condition: Condition) -> Iterator[str]:
    does = f"cuts {', '.join(condition.cuts)}" if condition.cuts else f"bounds its own copy to the {condition.bounds}"
    yield f"  {condition.surface}.{condition.name} {does}"
    yield from (f"    keeps out {reader_text(reader)}" for reader in condition.keeps_out)


def evidence_lines(told: Explanation) -> Iterator[str]:
    """For each condition that asks for evidence: its status, since when and until when, who looks, and who owns it."""
    for condition in told.asked:
        owner = told.owners[condition.surface]
        yield f"{condition.surface}.{condition.name}: {evidence_text(condition)}; {owner} owns it"


def _change_lines(told: Explanation) -> Iterator[str]:
    first = told.flip
    if first is None:
        yield "No change of one fact, nor of this row alone, would flip the verdict."
        return
    single = len(first.changes) == 1
    yield (
        "The one change that would flip it:"
        if single
        else "No single change would flip it. All of these together would:"
    )
    yield from _change(first)
    if told.flips[1:]:
        yield "Any one of these would do so as well:"
        for other in told.flips[1:]:
            yield from _change(other)


def _change(flip: Flip) -> Iterator[str]:
    yield from (f"  {change.text}" for change in flip.changes)
    if flip.verdict == "strip" and flip.path and flip.reader:
        yield f"    then {path_text(flip.path, flip.reader)}: strip"
    else:
        yield f"    then {flip.verdict}"


def _flip(flip: Flip) -> dict[str, Any]:
    changes = [
        {"kind": change.kind, "surface": change.surface, "subject": change.subject, "text": change.text}
        for change in flip.changes
    ]
    return {"changes": changes, "verdict": flip.verdict, "path": list(flip.path)}


def _blocking(condition: Condition) -> dict[str, Any]:
    return {
        "surface": condition.surface,
        "condition": condition.name,
        "cuts": list(condition.cuts),
        "bounds": condition.bounds,
        "keeps_out": [{"kind": reader.kind, "place": reader.place} for reader in condition.keeps_out],
    }


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
