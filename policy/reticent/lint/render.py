"""Findings as lines for people, and in the forms that editors and CI read."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from reticent.lint.codes import CODES

if TYPE_CHECKING:
    from reticent.errors import Fault
    from reticent.lint.run import LintReport

__all__ = ["to_json", "to_sarif", "to_text"]


def to_text(report: LintReport) -> str:
    """One line for each finding, as compilers write them, and a line that sums up."""
    lines = [str(fault) for fault in report.findings]
    count = len(report.findings)
    allowed = f", {len(report.allowed)} allowed" if report.allowed else ""
    files = f"{report.files} file{'' if report.files == 1 else 's'}"
    return "\n".join([*lines, f"{files}: {count} finding{'' if count == 1 else 's'}{allowed}"]) + "\n"


def to_json(report: LintReport) -> str:
    """The report as JSON."""
    content = {
        "clean": report.clean,
        "files": report.files,
        "findings": [asdict(fault) for fault in report.findings],
        "allowed": [asdict(fault) | {"reason": reason} for fault, reason in report.allowed],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def to_sarif(report: LintReport) -> str:
    """SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html."""
    rules = [{"id": code.code, "shortDescription": {"text": code.title}} for code in CODES.values()]
    results = [_result(fault, None) for fault in report.findings]
    results += [_result(fault, reason) for fault, reason in report.allowed]
    run = {
        "tool": {"driver": {"name": "reticent", "rules": rules}},
        "results": results,
        "columnKind": "unicodeCodePoints",
    }
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _result(fault: Fault, reason: str | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "ruleId": fault.code,
        "level": "warning",
        "message": {"text": f"{fault.message}. {fault.fix}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": fault.file},
                    "region": {"startLine": fault.line, "startColumn": fault.column},
                }
            }
        ],
    }
    if reason is not None:
        told["suppressions"] = [{"kind": "inSource", "justification": reason}]
    return told
