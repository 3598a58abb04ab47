"""Table in, plan out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from reticent.compiler._json import is_mapping
from reticent.compiler.answer import decisions_from, split_answer
from reticent.compiler.faults import ROW_CODES, worded
from reticent.compiler.plan import PLAN_VERSION, Plan, vocabulary_from
from reticent.compiler.plan_file import content_of, digest_of, from_json
from reticent.errors import EngineError, Fault, PlanError, TableError

if TYPE_CHECKING:
    from reticent.compiler.engine import Engine
    from reticent.surfaces import SurfaceTable, TableReading

DEFAULT_PLAN = Path(__file__).with_name("default_plan.json")
"""The shipped table, compiled; used only while it is proved to be made from what is installed."""

_DEFAULT_TABLE = Path(__file__).parents[1] / "surfaces" / "default.yaml"


@dataclass(frozen=True, slots=True)
class Compilation:
    """What came of a table: ``plan`` is None exactly when there are ``faults``."""

    plan: Plan | None
    faults: tuple[Fault, ...]

    def plan_or_raise(self) -> Plan:
        """The plan.

        Raises:
            TableError: there is none; every fault is in the error.
        """
        if self.plan is None:
            raise TableError(self.faults)
        return self.plan


def load_plan(
    source: str | Path | SurfaceTable | None = None, *, engine: Engine | None = None, today: date | None = None
) -> Plan:
    """A plan from the shipped table (no ``source``), a YAML file, a compiled ``.json`` plan, or a table.

    ``engine`` defaults to the embedded one; ``today`` to the system's date, and decides which exceptions count.

    Raises:
        TableError: the table has faults; every one of them is in it.
        PlanError: a compiled plan cannot be trusted.
        ConfigurationError: the file cannot be read.
        EngineError: the engine gave no usable answer.
    """
    if source is None and engine is None:
        return _shipped_plan(today) or compile_reading(_reading(None), today=today).plan_or_raise()
    if source is None or isinstance(source, str | Path):
        if source is not None and Path(source).suffix == ".json" and _is_plan(Path(source)):
            return from_json(Path(source), today=today)
        return compile_reading(_reading(source), engine, today=today).plan_or_raise()
    return compile_table(source, engine, today=today)


def compile_table(table: SurfaceTable, engine: Engine | None = None, *, today: date | None = None) -> Plan:
    """Have ``table`` decided and freeze the answer.

    Raises:
        TableError: with every fault, at its line and column when the table was read from a file.
        EngineError: the engine gave no usable answer.
    """
    from reticent.surfaces import TableReading

    reading = TableReading(None, table.positions, (), table)
    return compile_reading(reading, engine, today=today).plan_or_raise()


def compile_reading(reading: TableReading, engine: Engine | None = None, *, today: date | None = None) -> Compilation:
    """Like :func:`compile_table`, with every fault of shape and of sense as a value.

    Raises:
        EngineError: the engine gave no usable answer.
    """
    asked, day = engine or _embedded(), today or _today()
    if reading.table is None:
        return Compilation(None, _faults_of_broken(reading, asked, day))
    document = reading.table.document(day)
    plan, errors = split_answer(asked.decide(document))
    decisions = decisions_from(document, plan)
    if errors:
        return Compilation(None, tuple(sorted(worded(errors, reading.positions, decisions))))
    table = {key: value for key, value in document.items() if key != "today"}
    return Compilation(_stamped(table, reading.table.digest, plan, asked, day), ())


def compile_default(*, today: date | None = None) -> bytes:
    """The content of :data:`DEFAULT_PLAN`: the shipped table's plan, and the digest of the YAML it was made from."""
    plan = compile_reading(_reading(None), today=today).plan_or_raise()
    content = {**content_of(plan), "source_digest": _file_digest(_DEFAULT_TABLE)}
    stamped = {"digest": digest_of(content), **content}
    return orjson.dumps(stamped, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _stamped(table: Mapping[str, Any], table_digest: str, answer: Mapping[str, Any], engine: Engine, day: date) -> Plan:
    plan = Plan(
        plan_version=PLAN_VERSION,
        digest="",
        table_digest=table_digest,
        policy_digest=engine.policy_digest,
        engine=engine.name,
        compiled=day,
        table=table,
        decisions=decisions_from(table, answer),
        vocabulary=vocabulary_from(table),
    )
    return replace(plan, digest=digest_of(content_of(plan)))


def _faults_of_broken(reading: TableReading, engine: Engine, day: date) -> tuple[Fault, ...]:
    """The faults of shape, and those of sense that the rules still find in what can be read."""
    if not is_mapping(reading.data):
        return reading.faults
    try:
        _, errors = split_answer(engine.decide({**reading.data, "today": day.isoformat()}))
        more = list(worded((error for error in errors if error["code"] not in ROW_CODES), reading.positions, {}))
    except EngineError:
        return reading.faults
    return tuple(sorted({*reading.faults, *(fault for fault in more if not _covered(fault, reading.faults))}))


def _covered(fault: Fault, known: tuple[Fault, ...]) -> bool:
    """True when a fault of shape already speaks of this path, or of something around it."""
    return any(fault.path == other.path or fault.path.startswith(f"{other.path}.") for other in known if other.path)


def _shipped_plan(today: date | None) -> Plan | None:
    """The plan that ships, if it is proved current; None when it is not there or not made from what is installed."""
    from reticent.compiler.embedded import stamp

    try:
        told = orjson.loads(DEFAULT_PLAN.read_bytes())
        current = told["source_digest"] == _file_digest(_DEFAULT_TABLE) and told["policy_digest"] == stamp()["sources"]
        return from_json(orjson.dumps(told), today=today) if current else None
    except (OSError, ValueError, KeyError, TypeError, PlanError):
        return None


def _is_plan(path: Path) -> bool:
    """A table may be written as JSON as well; only a plan has a version of its own."""
    try:
        told = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return not (is_mapping(told) and "version" in told and "plan_version" not in told)


def _file_digest(path: Path) -> str:
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def _reading(source: str | Path | None) -> TableReading:
    from reticent.surfaces import read_table

    return read_table(source)


def _embedded() -> Engine:
    from reticent.compiler.embedded import default_engine

    return default_engine()


def _today() -> date:
    return date.today()  # noqa: DTZ011 - expiry is a civil date where the plan is used
