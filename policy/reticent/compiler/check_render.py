"""A check as lines for people, and in the forms that editors and CI read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from reticent.compiler import sarif
from reticent.compiler.check import RULES

if TYPE_CHECKING:
    from reticent.compiler.check import CheckReport
    from reticent.errors import Fault


def to_text(report: CheckReport) -> str:
    """One line for each finding, as compilers write them, and a line that sums up."""
    lines = [*map(str, report.faults), *(f"{warning} [warning]" for warning in report.warnings)]
    if report.clean and report.plan is not None:
        passing = sum(decision.verdict == "pass" for decision in report.plan.decisions.values())
        total = len(report.plan.decisions)
        lines.append(f"{report.file}: {total} surfaces proved; {passing} pass, {total - passing} strip")
    else:
        lines.append(f"{report.file}: {len(report.faults)} fault{'' if len(report.faults) == 1 else 's'}")
    return "\n".join(lines) + "\n"


def to_json(report: CheckReport) -> str:
    """The report as JSON."""
    content = {
        "file": report.file,
        "clean": report.clean,
        "faults": [asdict(fault) for fault in report.faults],
        "warnings": [asdict(warning) for warning in report.warnings],
        "plan_digest": report.plan.digest if report.plan else None,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def to_github(report: CheckReport) -> str:
    """Workflow commands, which GitHub shows at the line: https://docs.github.com/actions/reference/workflow-commands."""
    lines = [_command("error", fault) for fault in report.faults] + [
        _command("warning", fault) for fault in report.warnings
    ]
    return "".join(f"{line}\n" for line in lines)


def to_sarif(report: CheckReport) -> str:
    """The findings for code hosts, each at its line."""
    levels = (("error", report.faults), ("warning", report.warnings))
    return sarif.to_sarif([_result(level, fault) for level, faults in levels for fault in faults], RULES)


def _result(level: str, fault: Fault) -> sarif.SarifResult:
    message = f"{fault.message}. {fault.fix}".strip()
    return sarif.SarifResult(fault.code, level, message, fault.file, fault.path, fault.line, fault.column)


def _command(level: str, fault: Fault) -> str:
    where = f"file={_escaped(fault.file, ':,')},line={max(fault.line, 1)},col={max(fault.column, 1)}"
    return f"::{level} {where},title={_escaped(fault.code, ':,')}::{_escaped(f'{fault.message} ({fault.fix})')}"


def _escaped(text: str, more: Sequence[str] = "") -> str:
    for character in ("%", "\r", "\n", *more):
        text = text.replace(character, f"%{ord(character):02X}")
    return text
