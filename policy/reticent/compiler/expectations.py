"""Expectations written next to a table, and what came of them: surface by class by message → verdict or output.

::

    version: 1
    table: surfaces.yaml                # beside this file; left out: the table that ships
    evidence: assumed                   # conditions are taken at their word; left out: those that ask for it are lost
    messages:
      turn: {role: assistant, content: [{type: thinking, thinking: a thought, signature: s}, {type: text, text: hello}]}
    expect:
      - {surface: logs, verdict: strip, classes: {derived: pass}, path: [logs, log_aggregator, on_call]}
      - {surface: logs, message: turn, output: {role: assistant, content: [{type: text, text: hello}]}}
      - {surface: task_store, message: turn, unchanged: true}
      - {surface: logs, message: turn, absent: [a thought], present: [hello]}

A message that is not as expected is told by place, kind and length, never by its text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from reticent.compiler._json import is_list, is_mapping
from reticent.errors import ConfigurationError, Fault, ReticentError, TableError

if TYPE_CHECKING:
    from reticent.compiler.engine import Engine
    from reticent.compiler.plan import Plan

PATTERN = "*.expect.yaml"
"""How files of expectations are named."""

ASSUMED = "assumed"

_KEYS = frozenset(
    {"surface", "verdict", "classes", "path", "reaches", "message", "output", "unchanged", "absent", "present"}
)


@dataclass(frozen=True, slots=True)
class Result:
    """One expectation: ``problems`` is empty when it was met."""

    file: str
    line: int
    title: str
    problems: tuple[str, ...]

    @property
    def met(self) -> bool:
        """True when the table does what was expected."""
        return not self.problems


def find_expectations(path: str | Path) -> tuple[Path, ...]:
    """``path`` itself if it is a file, else every file of expectations below it.

    Raises:
        ConfigurationError: there is nothing at ``path``.
    """
    place = Path(path)
    if place.is_dir():
        return tuple(sorted(place.rglob(PATTERN)))
    if place.is_file():
        return (place,)
    msg = f"{place}: there is nothing here"
    raise ConfigurationError(msg)


def run_expectations(
    path: str | Path, *, engine: Engine | None = None, today: date | None = None
) -> tuple[Result, ...]:
    """Try every expectation in the file ``path`` against its table.

    Raises:
        ConfigurationError: the file cannot be read or understood.
        TableError: the table has faults.
    """
    from reticent.compiler.compiling import load_plan
    from reticent.surfaces import load_table
    from reticent.surfaces.document import read_document

    file = Path(path)
    try:
        document = read_document(file.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read ({type(error).__name__})"
        raise ConfigurationError(msg) from error
    faults = [*document.faults, *_shape(document.data, document.positions)]
    if faults:
        raise TableError(faults)
    table = document.data.get("table")
    source = file.parent / table if table else None
    assumed = document.data.get("evidence") == ASSUMED
    plan = load_plan(load_table(source).taken_as_said() if assumed else source, engine=engine, today=today)
    return tuple(_results(plan, document.data, document.positions))


def _results(plan: Plan, data: Mapping[str, Any], positions: Any) -> Iterator[Result]:
    messages = data.get("messages", {})
    for index, wanted in enumerate(data["expect"]):
        line, _ = positions.find(("expect", index))
        yield Result(positions.file, line, _title(wanted), tuple(_problems(plan, wanted, messages)))


def _problems(plan: Plan, wanted: Mapping[str, Any], messages: Mapping[str, Any]) -> Iterator[str]:
    try:
        yield from _decision_problems(plan, wanted)
        if "message" in wanted:
            yield from _output_problems(plan, wanted, messages[wanted["message"]])
    except ReticentError as error:
        yield f"{error.code}: {error}"


def _decision_problems(plan: Plan, wanted: Mapping[str, Any]) -> Iterator[str]:
    decision = plan.decision(wanted["surface"])
    if wanted.get("verdict", decision.verdict) != decision.verdict:
        yield f"verdict: expected {wanted['verdict']}, is {decision.verdict}"
    for name, verdict in wanted.get("classes", {}).items():
        told = dict(decision.classes).get(name, "no class of that name")
        if told != verdict:
            yield f"{name}: expected {verdict}, is {told}"
    if "path" in wanted and tuple(wanted["path"]) != decision.path:
        yield f"path: expected {' → '.join(wanted['path'])}, is {' → '.join(decision.path) or 'none'}"
    reached = {reader.place for reader in decision.readers}
    if "reaches" in wanted and set(wanted["reaches"]) != reached:
        yield f"reaches: expected {sorted(wanted['reaches'])}, is {sorted(reached)}"


def _output_problems(plan: Plan, wanted: Mapping[str, Any], message: Any) -> Iterator[str]:
    output = plan.serializer(wanted["surface"]).value(message)
    expected = message if wanted.get("unchanged") else wanted.get("output", output)
    difference = next(_differences(expected, output, "output"), None)
    if difference:
        yield difference
    text = orjson.dumps(output).decode()
    for kind, should in (("absent", False), ("present", True)):
        for index, marker in enumerate(wanted.get(kind, ())):
            if (orjson.dumps(marker).decode().strip('"') in text) is not should:
                yield f"{kind}.{index}: a marker of {len(marker)} characters is {'not ' if should else ''}there"


def _differences(expected: Any, actual: Any, where: str) -> Iterator[str]:
    if is_mapping(expected) and is_mapping(actual):
        for key in sorted({*expected, *actual}, key=str):
            if key not in actual or key not in expected:
                yield f"{where}.{key}: {'missing' if key not in actual else 'not expected'}"
            else:
                yield from _differences(expected[key], actual[key], f"{where}.{key}")
    elif is_list(expected) and is_list(actual):
        if len(expected) != len(actual):
            yield f"{where}: expected {len(expected)} entries, has {len(actual)}"
        for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
            yield from _differences(left, right, f"{where}.{index}")
    elif type(expected) is not type(actual) or expected != actual:
        yield f"{where}: expected {_kind(expected)}, has another {_kind(actual)}"


def _kind(value: Any) -> str:
    return f"text of {len(value)} characters" if isinstance(value, str) else type(value).__name__


def _title(wanted: Mapping[str, Any]) -> str:
    about = [key for key in ("verdict", "classes", "path", "reaches") if key in wanted]
    return f"{wanted['surface']}: {wanted.get('message') or ', '.join(about) or 'nothing'}"


def _shape(data: Any, positions: Any) -> Iterator[Fault]:
    if not is_mapping(data) or data.get("version") != 1 or not is_list(data.get("expect")):
        yield positions.fault((), "wrong-shape", "a file of expectations has version: 1 and a list under expect")
        return
    if data.get("evidence", ASSUMED) != ASSUMED:
        yield positions.fault(("evidence",), "unknown-word", "evidence can only be assumed here", f"write {ASSUMED}")
    messages = data.get("messages", {})
    for index, wanted in enumerate(data["expect"]):
        path = ("expect", index)
        if not is_mapping(wanted) or not isinstance(wanted.get("surface"), str):
            yield positions.fault(path, "wrong-shape", "an expectation names its surface", "write surface: NAME")
            continue
        for key in sorted(set(wanted) - _KEYS):
            yield positions.fault((*path, key), "unknown-key", f"{key!r} is not a key of an expectation")
        if set(wanted) == {"surface"} or set(wanted) == {"surface", "message"}:
            yield positions.fault(
                path, "wrong-shape", "this expects nothing", "say the verdict, the classes, or the output"
            )
        if "message" in wanted and wanted["message"] not in messages:
            yield positions.fault(
                (*path, "message"), "unknown-name", "no message has this name", f"known here: {', '.join(messages)}"
            )
