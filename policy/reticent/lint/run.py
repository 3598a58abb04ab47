"""One run over files and folders: findings, sorted, and what comments allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reticent.errors import ConfigurationError, Fault
from reticent.lint.codes import CODES
from reticent.lint.flow import Flow
from reticent.lint.project import Function, Project, read_project
from reticent.lint.suppressions import Suppression, suppressions

if TYPE_CHECKING:
    from reticent.lint.project import Module

__all__ = ["LintReport", "lint"]

_MOST_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class LintReport:
    """What one run found: ``findings`` by place, ``allowed`` with the reason that the source gives, files read."""

    findings: tuple[Fault, ...]
    allowed: tuple[tuple[Fault, str], ...]
    files: int

    @property
    def clean(self) -> bool:
        """Whether nothing was found that is not allowed."""
        return not self.findings


def lint(paths: Iterable[Path]) -> LintReport:
    """Look through Python files, and folders of them.

    Raises:
        ConfigurationError: a path does not exist.
    """
    given = list(paths)
    missing = [str(path) for path in given if not path.exists()]
    if missing:
        raise ConfigurationError(f"{', '.join(missing)}: no such file or folder")
    project, broken = read_project(given)
    found = list(_found(project))
    findings = [_fault("RET192", path, line, column, "") for path, line, column in broken]
    allowed: list[tuple[Fault, str]] = []
    for module in project.modules:
        mine = [fault for fault in found if fault.file == str(module.path)]
        _sort(module, mine, findings, allowed)
    return LintReport(tuple(sorted(findings)), tuple(sorted(allowed)), len(project.modules) + len(broken))


def _found(project: Project) -> Iterator[Fault]:
    """The findings of the last of as many rounds as it takes until nothing new is learned."""
    scopes: list[tuple[Module, Function | None]] = [(module, None) for module in project.modules]
    scopes += [(function.module, function) for function in project.functions.values()]
    hits: dict[tuple[str, int, int, str], Fault] = {}
    for _ in range(_MOST_ROUNDS):
        changed = False
        for module, function in scopes:
            flow = Flow(project, module, function)
            flow.walk()
            changed |= flow.changed
            spot = function.node.name if function else ""
            for line, column, code in flow.hits:
                hits[str(module.path), line, column, code] = _fault(code, module.path, line, column + 1, spot)
        if not changed:
            break
    yield from hits.values()


def _fault(code: str, path: Path, line: int, column: int, where: str) -> Fault:
    told = CODES[code]
    return Fault(str(path), line, column, where, code, told.title, told.fix)


def _sort(module: Module, found: list[Fault], findings: list[Fault], allowed: list[tuple[Fault, str]]) -> None:
    comments = list(suppressions(module.lines))
    used: set[Suppression] = set()
    for fault in found:
        fitting = [one for one in comments if one.allows == fault.line and fault.code in one.codes]
        used.update(fitting)
        if fitting and fitting[0].reason:
            allowed.append((fault, fitting[0].reason))
        else:
            findings.append(fault)
    for comment in comments:
        if not comment.reason:
            findings.append(_fault("RET190", module.path, comment.line, comment.column, ""))
        elif comment not in used:
            findings.append(_fault("RET191", module.path, comment.line, comment.column, ""))
