"""From a table, wherever it is, to a plan."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING, cast

import orjson
import pytest

import reticent
from reticent.compiler import CLASSES, DEFAULT_PLAN, compile_default, compile_table, compiling, load_plan
from reticent.errors import EngineAnswerInvalid, EngineUnavailable, TableError, UnknownSurface
from reticent.surfaces import load_table
from reticent.surfaces.document import Positions
from reticent.surfaces.load import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from reticent.compiler import Answer, Document
    from reticent.compiler.embedded import EmbeddedEngine


class Scripted:
    """An engine that answers what it was told to."""

    name = "scripted"
    policy_digest = "sha256:0"

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[Document] = []

    def decide(self, document: Document) -> Answer:
        """Give the scripted answer, or raise it."""
        self.asked.append(document)
        if isinstance(self.answer, Exception):
            raise self.answer
        return cast("Answer", self.answer)


def test_table_that_ships_is_decided_as_it_is_signed() -> None:
    """The packaged plan passes the three surfaces where reasoning may be, and strips the other five."""
    plan = load_plan()

    assert {"provider_roundtrip", "request_memory", "task_store"} == {
        name for name in plan.surfaces if plan.decision(name).verdict == "pass"
    }
    assert all(plan.decision(name).path for name in plan.surfaces if plan.decision(name).verdict == "strip")
    assert ("logs", "log_aggregator", "on_call") == plan.decision("logs").path


def test_derived_text_is_carried_on_strip_surfaces() -> None:
    """A compaction block may go where reasoning may not, unless a row says otherwise."""
    classes = load_plan().decision("logs").classes

    assert {"text": "strip", "summary": "strip", "opaque": "strip", "derived": "pass"} == dict(classes)
    assert CLASSES == tuple(classes)


def test_plan_that_ships_is_current() -> None:
    """The packaged plan is what the packaged table and rules make on the day it was compiled."""
    compiled = date.fromisoformat(orjson.loads(DEFAULT_PLAN.read_bytes())["compiled"])

    assert compile_default(today=compiled) == DEFAULT_PLAN.read_bytes()


@pytest.mark.parametrize("key", ["source_digest", "policy_digest"])
def test_plan_that_is_not_current_is_not_used(
    key: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, today: date
) -> None:
    """A packaged plan of another table or other rules is set aside and the table is compiled."""
    stale = orjson.loads(DEFAULT_PLAN.read_bytes())
    stale[key], stale["engine"] = "sha256:0", "stale"
    path = tmp_path / "default_plan.json"
    path.write_bytes(orjson.dumps(stale))
    monkeypatch.setattr(compiling, "DEFAULT_PLAN", path)

    assert "embedded" == load_plan(today=today).engine


def test_yaml_text_and_table_give_one_plan(today: date, tmp_path: Path) -> None:
    """A file and the table read from it are decided alike, with one digest."""
    path = tmp_path / "surfaces.yaml"
    path.write_text(compiling._DEFAULT_TABLE.read_text(encoding="utf-8"), encoding="utf-8")

    assert load_plan().digest == load_plan(path, today=today).digest == load_plan(load_table(path), today=today).digest
    assert load_plan().digest == load_plan(str(path), today=today).digest


def test_plan_file_is_loaded_by_its_name(tmp_path: Path) -> None:
    """A ``.json`` file that is a plan is read as one; one that is a table is compiled."""
    plan, table = tmp_path / "plan.json", tmp_path / "table.json"
    plan.write_bytes(load_plan().to_json())
    table.write_bytes(orjson.dumps(load_table().model_dump(mode="json", by_alias=True, exclude_none=True)))

    assert load_plan().digest == load_plan(plan).digest == load_plan(table).digest


def test_every_fault_of_sense_has_its_line(tables: Path, today: date) -> None:
    """Rows that disagree with the proof are reported together, each with its path."""
    with pytest.raises(TableError) as caught:
        load_plan(tables / "broken" / "disagrees.yaml", today=today)

    assert [
        (7, "verdict-disagrees", "logs says pass, but logs → aggregator → on_call (person)"),
        (13, "verdict-disagrees", "memory says strip, but no reader can be reached from it"),
        (22, "derived-disagrees", "sealed passes everything, so derived cannot be strip"),
    ] == [(fault.line, fault.code, fault.message) for fault in caught.value.faults]


def test_faults_of_shape_and_of_sense_come_together(tables: Path, today: date) -> None:
    """A table that cannot even be read is still searched for names and cuts that do not fit."""
    with pytest.raises(TableError) as caught:
        load_plan(tables / "broken" / "words.yaml", today=today)
    codes = {fault.code for fault in caught.value.faults}

    assert {"unknown-word", "wrong-shape", "wrong-date", "missing-key", "unknown-name", "cut-without-flow"} <= codes
    assert "idle-condition" in codes
    assert "verdict-disagrees" not in codes


def test_one_thing_is_complained_of_once(tables: Path, today: date) -> None:
    """What the model found is not said again by the rules."""
    for path in sorted((tables / "broken").glob("*.yaml")):
        with pytest.raises(TableError) as caught:
            load_plan(path, today=today)
        places = [(fault.path, fault.code) for fault in caught.value.faults]

        assert len(places) == len(set(places))


def test_table_made_in_python_has_faults_without_lines(today: date) -> None:
    """Without a file there is no line; the path still says where."""
    table = load_table()
    row = table.surfaces["logs"].model_copy(update={"flows": ("nowhere",)})
    broken = table.model_copy(update={"surfaces": {**table.surfaces, "logs": row}}).read_at(Positions())

    with pytest.raises(TableError) as caught:
        compile_table(broken, today=today)
    assert [(0, "surfaces.logs.flows.0", "unknown-name")] == [
        (fault.line, fault.path, fault.code) for fault in caught.value.faults
    ]


def test_unknown_surface_suggests_the_nearest() -> None:
    """A name that is nearly right is answered with the right one."""
    with pytest.raises(UnknownSurface, match="Did you mean 'logs'"):
        load_plan().decision("log")


@pytest.mark.parametrize("answer", [None, {}, {"plan": {}, "errors": []}, {"plan": None, "errors": []}])
def test_engine_that_answers_nothing_is_refused(answer: object, today: date) -> None:
    """No plan comes of an answer that has holes."""
    with pytest.raises(EngineAnswerInvalid):
        load_plan(engine=Scripted(answer), today=today)


def test_engine_that_reports_an_unknown_fault_is_refused(embedded: EmbeddedEngine, today: date) -> None:
    """A fault that nobody has words for is not passed over."""
    answer = {**embedded.decide(load_table().document(today)), "errors": [{"code": "odd", "at": []}]}

    with pytest.raises(EngineAnswerInvalid):
        load_plan(engine=Scripted(answer), today=today)


def test_engine_that_is_away_is_an_error_and_not_a_plan(today: date) -> None:
    """An engine that cannot be asked leaves no plan, not even of the table that ships."""
    with pytest.raises(EngineUnavailable):
        load_plan(engine=Scripted(EngineUnavailable("away")), today=today)


def test_broken_table_is_reported_also_when_the_engine_is_away() -> None:
    """Faults of shape need no engine."""
    reading = read_text("version: 1\nplaces: {}\nsurfaces: {log: {}}\n")

    assert reading.faults == compiling.compile_reading(reading, Scripted(EngineUnavailable("away"))).faults


def test_engine_sees_the_table_and_the_day(today: date, embedded: EmbeddedEngine) -> None:
    """What an engine is given is the table's facts and a date, and nothing else."""
    asked = Scripted(embedded.decide(load_table().document(today)))
    load_plan(engine=asked, today=today)

    assert [load_table().document(today)] == asked.asked


def test_loading_the_packaged_plan_loads_no_engine_and_no_reader() -> None:
    """Importing reticent and loading its plan brings in neither YAML nor pydantic nor WebAssembly."""
    code = (
        "import sys, reticent; reticent.load_plan(); "
        "print([name for name in ('pydantic', 'ruamel.yaml', 'wasmtime', 'opapywasm', 'opa_client', 'requests') "
        "if name in sys.modules])"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], env=_environment(), capture_output=True, text=True, check=True
    )

    assert "[]" == done.stdout.strip()


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": ":".join(path for path in sys.path if path)}


def test_public_functions_are_those_of_the_package() -> None:
    """What reticent exports is what the compiler has."""
    assert (load_plan, compile_table) == (reticent.load_plan, reticent.compile_table)
