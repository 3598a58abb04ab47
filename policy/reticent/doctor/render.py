"""A report as lines for people, and in the forms that programs and CI read."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.doctor._findings import Report

__all__ = ["to_json", "to_sarif", "to_text"]

_OPEN = "exit-open"
_CAPTURES = "setting-captures-content"
_RULES = {
    _OPEN: "A way out of the process that no guard stands before",
    _CAPTURES: "A setting under which a library writes prompts and answers down",
}


def to_text(report: Report) -> str:
    """One line for each exit and each setting, open ones first, what is installed, and a line that sums up."""
    lines = [f"open     {found.library}: {found.name} ({found.fix})" for found in report.open]
    lines += [f"guarded  {found.library}: {found.name} by {found.surface}" for found in report.exits if found.guarded]
    lines += [f"setting  {item.library}: {item.name} is {item.value} ({item.fix})" for item in report.settings]
    for state in report.guards:
        if state.failures:
            told = ", ".join(f"{code} {count}" for code, count in sorted(state.failures.items()))
            lines.append(f"withheld {state.surface}: {told}")
    lines += report.about.text().splitlines()
    lines.append(f"{len(report.exits)} exits known, {len(report.open)} open")
    return "\n".join(lines) + "\n"


def to_json(report: Report) -> str:
    """The report as JSON."""
    content = {
        "clean": report.clean,
        "about": asdict(report.about),
        "exits": [{**asdict(found), "guarded": found.guarded} for found in report.exits],
        "settings": [asdict(item) for item in report.settings],
        "guards": [
            {"surface": state.surface, "failures": dict(state.failures), "removed": state.removed}
            for state in report.guards
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def to_sarif(report: Report) -> str:
    """SARIF 2.1.0, with logical locations: an exit of a process has no line.

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    """
    rules = [{"id": code, "shortDescription": {"text": text}} for code, text in _RULES.items()]
    told = report.about
    driver = {"name": "reticent", "version": told.version, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "properties": {"rules": told.rules, "native": told.native},
        "results": list(_results(report)),
    }
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _results(report: Report) -> Iterator[dict[str, Any]]:
    for found in report.open:
        yield _result(_OPEN, "error", f"{found.library}: {found.name} is open. {found.fix}", found.name)
    for item in report.settings:
        yield _result(_CAPTURES, "note", f"{item.library}: {item.name} is {item.value}. {item.fix}", item.name)


def _result(code: str, level: str, text: str, name: str) -> dict[str, Any]:
    return {
        "ruleId": code,
        "level": level,
        "message": {"text": text},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": name}]}],
    }
