"""``reticent probe``: a drill with marked messages, and its receipt."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import TableOption, TextJson, plan, write
from reticent.errors import ConfigurationError

_Paths = Annotated[list[Path] | None, typer.Option("--file", help="A file or folder to look into; may be repeated.")]
_Databases = Annotated[list[Path] | None, typer.Option("--sqlite", help="A database to look into; may be repeated.")]
_Dialects = Annotated[list[str] | None, typer.Option("--dialect", help="Only this dialect; may be repeated.")]
_Surfaces = Annotated[
    list[str] | None, typer.Option("--surface", metavar="SINK=NAME", help="Which surface a sink is; may be repeated.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("probe")
    def _probe(  # noqa: PLR0913, PLR0917 - each is an option of the command line
        target: Annotated[str, typer.Argument(help="The function that gets each message: MODULE:NAME.")],
        file: _Paths = None,
        sqlite: _Databases = None,
        logs: Annotated[bool, typer.Option("--logs", help="Watch the handlers of logging.")] = False,
        spans: Annotated[bool, typer.Option("--spans", help="Watch the exporters of OpenTelemetry.")] = False,
        dialect: _Dialects = None,
        surface: _Surfaces = None,
        table: TableOption = None,
        format_: Annotated[TextJson, typer.Option("--format", help="How to print the receipt.")] = TextJson.text,
    ) -> int:
        """Plant marked reasoning, let MODULE:NAME handle it, and look for the marks in every sink.

        Sinks are named files, database, logs and spans; a second database is named after its file.
        Exit code 1 when a mark got where it may not be, or the function failed.
        """
        from reticent.probe import FileSink, LogSink, Sink, SpanSink, SqlSink, probe

        sinks: list[Sink] = [FileSink(*file)] if file else []
        for at, path in enumerate(sqlite or ()):
            sinks.append(SqlSink(path, name="database" if at == 0 else path.stem))
        sinks += [LogSink()] if logs else []
        sinks += [SpanSink()] if spans else []
        receipt = probe(
            _function(target), sinks=sinks, dialects=dialect or (), surfaces=_surfaces(surface), plan=plan(table)
        )
        write(receipt.to_json() if format_ is TextJson.json else receipt.to_text())
        return CLEAN if receipt.clean else FINDINGS


def _function(target: str) -> Any:
    module, _, name = target.partition(":")
    sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:  # noqa: BLE001 - the application's own code; what it says may quote a payload
        found = None
        problem = type(error).__name__
    else:
        problem = "not a function"
    if not callable(found):
        raise ConfigurationError(f"{target}: cannot be loaded ({problem})")
    return found


def _surfaces(told: list[str] | None) -> dict[str, str]:
    pairs = [item.partition("=") for item in told or ()]
    if any(not (sink and equals and surface) for sink, equals, surface in pairs):
        raise ConfigurationError("--surface takes SINK=NAME, such as --surface database=task_store")
    return {sink: surface for sink, _, surface in pairs}
