"""``reticent scan``: reasoning that rests in files and databases that should hold none."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reticent.cli._exit import CLEAN, FINDINGS, REFUSED
from reticent.cli._options import TableOption, plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.scan import Settings
    from reticent.scan.render import Renderer


class Format(StrEnum):
    """How to print findings."""

    text = "text"
    json = "json"
    jsonl = "jsonl"
    sarif = "sarif"


class UnknownTypes(StrEnum):
    """What to think of block types that no vocabulary has."""

    suspect = "suspect"
    withhold = "withhold"
    carry = "carry"


Targets = Annotated[list[str], typer.Argument(help="Files, folders, postgresql:// addresses.", show_default=False)]
Surface = Annotated[str, typer.Option("--surface", help="The surface whose row says what may not be there.")]
Tables = Annotated[
    list[str] | None, typer.Option("--tables", metavar="NAME", help="Only this table (schema.name); may be repeated.")
]
Exclude = Annotated[
    list[str] | None, typer.Option("--exclude", metavar="PATTERN", help="Leave these files out; may be repeated.")
]
Unknown = Annotated[UnknownTypes, typer.Option("--unknown-types", help="Block types that nobody listed.")]
MaxBytes = Annotated[
    int | None,
    typer.Option("--max-bytes", min=1024, help="The longest document, line or cell; default: the row's limit, 64 MiB."),
]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("scan")
    def _scan(  # noqa: PLR0913, PLR0917 - each is an option of the command line
        targets: Targets,
        surface: Surface = "warehouse",
        tables: Tables = None,
        exclude: Exclude = None,
        jobs: Annotated[int, typer.Option("--jobs", min=1, help="Files that are looked through at a time.")] = 1,
        state: Annotated[
            Path | None, typer.Option("--state", metavar="FILE", help="Keep how far it got, to go on when interrupted.")
        ] = None,
        unknown_types: Unknown = UnknownTypes.suspect,
        max_bytes: MaxBytes = None,
        table: TableOption = None,
        format_: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.text,
        output: Annotated[Path | None, typer.Option("--output", help="Write the report there instead.")] = None,
    ) -> int:
        """Find reasoning that rests in files, SQLite and Parquet files, and PostgreSQL databases.

        Tells the place, the rule, the class and the length of each finding, never text.
        Exit code 1 when there are findings, 3 when something could not be read, with or without findings.
        """
        from reticent.scan import Scan, scan
        from reticent.scan.render import FORMATS

        settings = settings_from(table, surface, unknown_types, max_bytes)
        with ExitStack() as stack:
            out = sys.stdout if output is None else stack.enter_context(output.open("w", encoding="utf-8"))
            renderer = FORMATS[format_.value](out.write)
            advance = progress(stack, targets, exclude or ())
            wanted = Scan(targets, settings, tables or (), exclude or (), jobs, state, advance)
            for note in scan(wanted):
                renderer.note(note)
            renderer.end(advance.count)
            out.flush()
        return code_of(renderer)


def settings_from(table: Path | None, surface: str, unknown_types: UnknownTypes, max_bytes: int | None) -> Settings:
    """What to look for."""
    from dataclasses import replace

    from reticent.scan import settings_of

    found = settings_of(plan(table), surface, unknown_types=unknown_types.value)
    return found if max_bytes is None else replace(found, options=replace(found.options, max_bytes=max_bytes))


def code_of(renderer: Renderer) -> int:
    """The exit code that a report means: that something was not read counts for more than what was found."""
    if renderer.gaps:
        return REFUSED
    return FINDINGS if renderer.findings else CLEAN


class Progress:
    """Counts sources, and moves a bar where a person watches."""

    def __init__(self, move: Callable[[int], object] | None) -> None:
        """Tell ``move`` how many bytes were done."""
        self.count = 0
        self._move = move

    def __call__(self, size: int) -> None:
        """One more source is done, which has ``size`` bytes."""
        self.count += 1
        if self._move is not None:
            self._move(size)


def progress(stack: ExitStack, targets: list[str], exclude: list[str] | tuple[str, ...]) -> Progress:
    """A progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        return Progress(None)
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from reticent.scan.sources import File, sources

    total = sum(one.size for one in sources(targets, exclude) if isinstance(one, File))
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    bar = stack.enter_context(Bar(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task("scanning", total=total or None)
    return Progress(lambda size: bar.advance(task, size))
