"""Table in, plan out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from reticent.compiler._json import is_mapping
from reticent.compiler.answer import decisions_from, split_answer
from reticent.compiler.faults import ROW_CODES, worded
from reticent.compiler.plan import PLAN_VERSION, Plan, vocabulary_from
from reticent.compiler.plan_file import content_of, digest_of, from_json
from reticent.errors import ConfigurationError, EngineError, Fault, PlanError, TableError

if TYPE_CHECKING:
    from reticent.compiler.engine import Engine
    from reticent.evidence import EvidenceFile
    from reticent.surfaces import SurfaceTable, TableReading

EvidenceSource: TypeAlias = "str | Path | EvidenceFile | Iterable[str | Path | EvidenceFile]"
"""One evidence file or several, each by its path or as read."""

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
    source: str | Path | SurfaceTable | None = None,
    *,
    engine: Engine | None = None,
    today: date | None = None,
    evidence: EvidenceSource = (),
    now: float | None = None,
) -> Plan:
    """A plan from the shipped table (no ``source``), a YAML file, a compiled ``.json`` plan, or a table.

    ``engine`` defaults to the embedded one; ``today`` to the system's date, and decides which exceptions count.
    ``evidence`` is one evidence file or several, by path or as read; ``now`` (seconds since 1970, default: the system's
    clock) decides whether they are fresh. A condition that asks for evidence and is not shown to hold does not hold.

    Raises:
        TableError: the table has faults; every one of them is in it.
        PlanError: a compiled plan cannot be trusted.
        EvidenceRefused: an evidence file cannot be read, or was changed after it was signed.
        ConfigurationError: the file cannot be read, or evidence is given for a plan that is already compiled.
        EngineError: the engine gave no usable answer.
    """
    if source is not None and isinstance(source, str | Path) and _is_plan(Path(source)):
        if evidence:
            raise ConfigurationError("a compiled plan was compiled with its evidence; give evidence with a table")
        return from_json(Path(source), today=today, now=now)
    if source is None and engine is None and not evidence:
        return _shipped_plan(today) or compile_reading(_reading(None), today=today).plan_or_raise()
    reading = _reading(source) if source is None or isinstance(source, str | Path) else _made(source)
    files = trusted_evidence(evidence, reading.table) if reading.table is not None else ()
    return compile_reading(reading, engine, today=today, evidence=files, now=now).plan_or_raise()


def load_plan_as_shown(
    source: str | Path | None, engine: Engine | None, *, today: date, evidence: tuple[EvidenceFile, ...]
) -> Plan:
    """As :func:`load_plan`, for servers: evidence that was tampered with stops nothing.

    It reaches the rules as such, and closes what rests on it.

    Raises:
        TableError, PlanError, ConfigurationError, EngineError: as there.
    """
    if not evidence or (source is not None and _is_plan(Path(source))):
        return load_plan(source, engine=engine, today=today, evidence=evidence)
    return compile_reading(_reading(source), engine, today=today, evidence=evidence).plan_or_raise()


def compile_table(
    table: SurfaceTable,
    engine: Engine | None = None,
    *,
    today: date | None = None,
    evidence: EvidenceSource = (),
    now: float | None = None,
) -> Plan:
    """Have ``table`` decided and freeze the answer.

    Raises:
        TableError: with every fault, at its line and column when the table was read from a file.
        EvidenceRefused: an evidence file cannot be read, or was changed after it was signed.
        EngineError: the engine gave no usable answer.
    """
    files = trusted_evidence(evidence, table)
    return compile_reading(_made(table), engine, today=today, evidence=files, now=now).plan_or_raise()


def compile_reading(
    reading: TableReading,
    engine: Engine | None = None,
    *,
    today: date | None = None,
    evidence: Iterable[EvidenceFile] = (),
    now: float | None = None,
) -> Compilation:
    """Like :func:`compile_table`, with every fault of shape and of sense as a value.

    ``evidence`` is taken as it is: what was tampered with reaches the rules as such, and shows nothing.

    Raises:
        EngineError: the engine gave no usable answer.
    """
    asked, day = engine or _embedded(), today or _today()
    if reading.table is None:
        return Compilation(None, _faults_of_broken(reading, asked, day))
    document = reading.table.document(day, _facts(evidence, reading.table, now))
    plan, errors = split_answer(asked.decide(document))
    decisions = decisions_from(document, plan)
    if errors:
        return Compilation(None, tuple(sorted(worded(errors, reading.positions, decisions))))
    return Compilation(_stamped(document, reading.table.digest, plan, asked), ())


def trusted_evidence(source: EvidenceSource, table: SurfaceTable) -> tuple[EvidenceFile, ...]:
    """Evidence files as read, none of them changed after a signer of ``table`` signed it.

    Raises:
        EvidenceRefused: one cannot be read, or was changed.
    """
    from reticent.evidence import EvidenceFile, read_evidence, refuse_tampered

    files: list[EvidenceFile] = []
    for item in [source] if isinstance(source, str | Path | EvidenceFile) else source:
        file = item if isinstance(item, EvidenceFile) else read_evidence(Path(item))
        refuse_tampered(file, table, "the evidence" if isinstance(item, EvidenceFile) else str(item))
        files.append(file)
    return tuple(files)


def _facts(evidence: Iterable[EvidenceFile], table: SurfaceTable, now: float | None) -> Mapping[str, Any]:
    from reticent.evidence import facts

    return facts(evidence, table, int(time() if now is None else now))


def compile_default(*, today: date | None = None) -> bytes:
    """The content of :data:`DEFAULT_PLAN`: the shipped table's plan, and the digest of the YAML it was made from."""
    plan = compile_reading(_reading(None), today=today).plan_or_raise()
    content = {**content_of(plan), "source_digest": _file_digest(_DEFAULT_TABLE)}
    stamped = {"digest": digest_of(content), **content}
    return orjson.dumps(stamped, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _stamped(document: Mapping[str, Any], table_digest: str, answer: Mapping[str, Any], engine: Engine) -> Plan:
    table = {key: value for key, value in document.items() if key not in ("today", "evidence")}
    evidence = dict(document["evidence"]) if "evidence" in document else None
    plan = Plan(
        plan_version=PLAN_VERSION,
        digest="",
        table_digest=table_digest,
        policy_digest=engine.policy_digest,
        engine=engine.name,
        compiled=date.fromisoformat(document["today"]),
        table=table,
        decisions=decisions_from(table, answer),
        vocabulary=vocabulary_from(table),
        moment=evidence.pop("now") if evidence else None,
        evidence=evidence,
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
    if path.suffix != ".json":
        return False
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


def _made(table: SurfaceTable) -> TableReading:
    from reticent.surfaces import TableReading

    return TableReading(None, table.positions, (), table)


def _embedded() -> Engine:
    from reticent.compiler.embedded import default_engine

    return default_engine()


def _today() -> date:
    return date.today()  # noqa: DTZ011 - expiry is a civil date where the plan is used
