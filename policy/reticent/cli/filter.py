"""``reticent filter``: bytes in, what may rest on a surface out."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import orjson
import typer

from reticent.cli._options import EvidenceOption, OpaOption, TableOption, open_input, plan

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = 256 * 1024
_LONG = 8 * 1024 * 1024


class Input(StrEnum):
    """What standard input holds."""

    auto = "auto"
    json = "json"
    jsonl = "jsonl"
    sse = "sse"
    text = "text"
    log = "log"
    aws_eventstream = "aws-eventstream"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("filter")
    def _filter(  # noqa: PLR0913, PLR0917 - the options of the contract
        surface: Annotated[str, typer.Option("--surface", help="The destination, as the table names it.")],
        file: Annotated[Path | None, typer.Argument(help="Input; default: standard input.", show_default=False)] = None,
        table: TableOption = None,
        dialect: Annotated[str, typer.Option("--dialect", help="auto, or the id of the payload's dialect.")] = "auto",
        input_: Annotated[Input, typer.Option("--input", help="What the input is.")] = Input.auto,
        starts_inside: Annotated[
            bool, typer.Option("--starts-inside", help="The text starts inside reasoning: its template opened the tag.")
        ] = False,
        report: Annotated[bool, typer.Option("--report", help="Counts by rule to standard error, as JSON.")] = False,
        evidence: EvidenceOption = None,
        opa: OpaOption = None,
    ) -> int:
        """Filter FILE (or standard input) for one surface, to standard output; streams.

        On a pass surface the same bytes come out. On a strip surface reasoning is cut and everything else is copied;
        input that cannot be judged is refused with exit code 3.
        """
        shown = plan(table, opa, evidence).stream(
            surface, wire=input_.value, dialect=None if dialect == "auto" else dialect, starts_inside=starts_inside
        )
        out = sys.stdout.buffer
        with open_input(file) as source:
            for chunk in _chunks(source, file):
                out.write(shown.feed(chunk))
                out.flush()
            out.write(shown.flush())
        out.flush()
        if report:
            sys.stderr.buffer.write(orjson.dumps(shown.report.to_dict(), option=orjson.OPT_APPEND_NEWLINE))
        return 0


def _chunks(source: IO[bytes], file: Path | None) -> Iterator[bytes]:
    """Pieces as they arrive, with a progress bar where a person waits for a long file."""
    read = getattr(source, "read1", source.read)
    size = file.stat().st_size if file is not None and file.is_file() else 0
    if size < _LONG or not sys.stderr.isatty():
        while chunk := read(_CHUNK):
            yield chunk
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("filtering", total=size)
        while chunk := read(_CHUNK):
            yield chunk
            progress.advance(task, len(chunk))
