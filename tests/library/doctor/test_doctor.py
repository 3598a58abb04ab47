"""The doctor: open exits are found, guarded ones are named with their surface."""

from __future__ import annotations

import contextlib
import io
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from rich.logging import RichHandler
from tests.sarif import faults

from reticent import doctor
from reticent.cli import build_app
from reticent.cli._exit import CONFIGURATION, FINDINGS, run
from reticent.doctor import Exit, GuardState, Report, Setting, _logging
from reticent.integrations._guard import Guard
from reticent.integrations.stdlib_logging import guard_handlers
from reticent.integrations.structlog import ReticentProcessor

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextlib.contextmanager
def root_handlers(*handlers: logging.Handler) -> Generator[None]:
    """The root logger with these handlers and no others."""
    root = logging.getLogger()
    before = list(root.handlers)
    root.handlers[:] = handlers
    try:
        yield
    finally:
        root.handlers[:] = before


def exits(library: str, *applications: Any) -> dict[str, str | None]:
    """The exits of a library that the doctor finds, with their surfaces."""
    return {found.name: found.surface for found in doctor.report(*applications).exits if found.library == library}


def test_open_handlers_are_found() -> None:
    """A handler without a guard is open, with the call that guards it; with one it names the surface."""
    with root_handlers(logging.StreamHandler(io.StringIO())):
        before = doctor.report()
        guard_handlers("logs")
        after = exits("logging")

    (found,) = [found for found in before.open if found.name == "root: StreamHandler"]
    assert "guard_handlers" in found.fix
    assert not before.clean
    assert "logs" == after["root: StreamHandler"]


def test_last_resort_counts_without_handlers() -> None:
    """Without handlers the root logger writes through the last resort, and that is an exit."""
    with root_handlers():
        assert "root: _StderrHandler" in exits("logging") or "lastResort: _StderrHandler" in exits("logging")


def test_handlers_of_other_loggers_are_found() -> None:
    """A handler on any logger is an exit, guarded by a filter on its logger as well."""
    logger = logging.getLogger("reticent_tests.doctor")
    handler = logging.StreamHandler(io.StringIO())
    logger.addHandler(handler)
    try:
        assert exits("logging")["reticent_tests.doctor: StreamHandler"] is None
        guard_handlers("logs", logger=logger)
        assert "logs" == exits("logging")["reticent_tests.doctor: StreamHandler"]
    finally:
        logger.removeHandler(handler)


def test_structlog_is_looked_at() -> None:
    """Configured processors are one exit, unless they hand on to ``logging``."""
    try:
        structlog.configure(processors=[structlog.processors.JSONRenderer()])
        assert {"configured processors": None} == exits("structlog")
        structlog.configure(processors=[ReticentProcessor("logs"), structlog.processors.JSONRenderer()])
        assert {"configured processors": "logs"} == exits("structlog")
        structlog.configure(processors=[structlog.stdlib.ProcessorFormatter.wrap_for_formatter])
        assert {} == exits("structlog")
    finally:
        structlog.reset_defaults()


def test_capturing_settings_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that capture content are told with value, fix and documentation."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry", pytest)
    chatty = logging.getLogger("httpcore")
    level = chatty.level
    chatty.setLevel(logging.DEBUG)
    try:
        with root_handlers(RichHandler(tracebacks_show_locals=True)):
            found = {item.name: item for item in doctor.report().settings}
    finally:
        chatty.setLevel(level)

    assert "SPAN_ONLY" == found["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"].value
    assert {"logger httpcore", "tracebacks_show_locals"} <= found.keys()
    assert all(item.url.startswith("https://") for item in found.values())


def test_settings_of_libraries_that_are_not_loaded_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable for a library that is not there is no finding."""
    monkeypatch.setenv("DD_LLMOBS_ENABLED", "true")

    assert "ddtrace" not in {item.library for item in doctor.report().settings}


def test_guards_are_counted() -> None:
    """The report tells what each guard withheld and removed."""
    guard = Guard("conversation_db")
    guard.text("x" * 3)
    guard.withheld(ValueError(), None)

    assert GuardState("conversation_db", {"adapter-failure": 1}, 0) in doctor.report().guards


def test_what_cannot_be_read_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library whose insides are not as expected is an open exit, not a crash."""

    def loguru() -> Any:
        raise AttributeError("moved")

    monkeypatch.setattr(_logging, "INSPECTORS", (loguru,))
    (found,) = [found for found in doctor.report().open if found.library == "loguru"]

    assert "AttributeError" in found.fix


REPORT = Report(
    (Exit("logging", "root: StreamHandler", None, "guard it"), Exit("structlog", "processors", "logs")),
    (Setting("sentry", "include_local_variables", "True", "set it to False", "https://docs.sentry.io/"),),
    (GuardState("logs", {"cyclic-input": 2}, 7),),
)


def test_text_puts_open_exits_first() -> None:
    """The text has a line for each exit, setting and failing guard, and a sum."""
    assert [
        "open     logging: root: StreamHandler (guard it)",
        "guarded  structlog: processors by logs",
        "setting  sentry: include_local_variables is True (set it to False)",
        "withheld logs: cyclic-input 2",
        *REPORT.about.text().splitlines(),
        "2 exits known, 1 open",
    ] == doctor.to_text(REPORT).splitlines()


def test_json_and_sarif_tell_the_same() -> None:
    """JSON has everything; SARIF has the open exits as errors and the settings as notes."""
    told = json.loads(doctor.to_json(REPORT))
    sarif = json.loads(doctor.to_sarif(REPORT))
    (result_run,) = sarif["runs"]
    assert [] == faults(sarif)

    assert [False, True] == [found["guarded"] for found in told["exits"]]
    assert {"surface": "logs", "failures": {"cyclic-input": 2}, "removed": 7} == told["guards"][0]
    assert [("exit-open", "error"), ("setting-captures-content", "note")] == [
        (item["ruleId"], item["level"]) for item in result_run["results"]
    ]


def test_command_imports_and_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """The command imports what configures the application, and exits with 1 when an exit is open."""
    (tmp_path / "reticent_doctor_app.py").write_text("def make():\n    return object()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    code = run(build_app(), ["doctor", "reticent_doctor_app:make", "--factory", "--format", "json"])
    told = json.loads(capsys.readouterr().out)

    assert FINDINGS == code
    assert {"asgi"} <= {found["library"] for found in told["exits"]}


def test_command_refuses_what_it_cannot_load(capsys: Any) -> None:
    """A module that is not there is a configuration error."""
    assert CONFIGURATION == run(build_app(), ["doctor", "no_such_module_of_ours:app"])
    assert "ModuleNotFoundError" in capsys.readouterr().err
