"""``reticent scrub``: take out reasoning that rests in files and databases."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reticent.cli._exit import CLEAN, FINDINGS, REFUSED
from reticent.cli._options import TableOption, TextJson, write
from reticent.cli.scan import (
    Exclude,
    MaxBytes,
    Surface,
    Tables,
    Targets,
    Unknown,
    UnknownTypes,
    progress,
    settings_from,
)
from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from reticent.scan import Receipt


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("scrub")
    def _scrub(  # noqa: PLR0913, PLR0917 - each is an option of the command line
        targets: Targets,
        surface: Surface = "warehouse",
        write_: Annotated[bool, typer.Option("--write", help="Change what was found; needs --receipt.")] = False,
        receipt: Annotated[
            Path | None, typer.Option("--receipt", metavar="FILE", help="Where the receipt of --write goes.")
        ] = None,
        vacuum: Annotated[bool, typer.Option("--vacuum", help="Give up the space in which old rows stood.")] = False,
        tables: Tables = None,
        exclude: Exclude = None,
        unknown_types: Unknown = UnknownTypes.suspect,
        max_bytes: MaxBytes = None,
        table: TableOption = None,
        format_: Annotated[TextJson, typer.Option("--format", help="How to print it.")] = TextJson.text,
    ) -> int:
        """Take out what reticent scan finds, or say what would go; everything else stays as it is.

        Without --write nothing is changed, and exit code 1 says that something would be.
        Exit code 3 when something could not be read or changed.
        """
        from reticent.scan import Scrub, scrub

        if write_ != (receipt is not None):
            raise ConfigurationError("--write and --receipt FILE go together")
        settings = settings_from(table, surface, unknown_types, max_bytes)
        with ExitStack() as stack:
            advance = progress(stack, targets, exclude or ())
            done = scrub(Scrub(targets, settings, tables or (), exclude or (), receipt, vacuum, advance))
        write(done.to_json() if format_ is TextJson.json else done.to_text())
        return _code(done)


def _code(receipt: Receipt) -> int:
    if receipt.kept:
        return REFUSED
    return FINDINGS if receipt.removals and not receipt.written else CLEAN
