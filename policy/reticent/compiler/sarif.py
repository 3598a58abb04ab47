"""SARIF 2.1.0, which code hosts show at the line: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@dataclass(frozen=True, slots=True)
class SarifResult:
    """One finding: ``level`` is error, warning or note; ``line`` and ``column`` count from 1, 0 for none."""

    rule: str
    level: str
    message: str
    file: str
    path: str
    line: int = 0
    column: int = 0


def to_sarif(results: Sequence[SarifResult], rules: Mapping[str, str]) -> str:
    """A log with one run; ``rules`` has a sentence for each rule."""
    used = sorted({result.rule for result in results})
    driver = {
        "name": "reticent",
        "rules": [{"id": rule, "shortDescription": {"text": rules.get(rule, rule)}} for rule in used],
    }
    run = {"tool": {"driver": driver}, "results": list(map(_result, results)), "columnKind": "unicodeCodePoints"}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _result(told: SarifResult) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": told.file}}
    if told.line:
        location["region"] = {"startLine": told.line, "startColumn": told.column}
    return {
        "ruleId": told.rule,
        "level": told.level,
        "message": {"text": told.message},
        "locations": [{"physicalLocation": location, "logicalLocations": [{"fullyQualifiedName": told.path}]}],
    }
