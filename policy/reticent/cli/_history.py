"""What the history commands share: their input, their options, and how a context is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reticent.cli._options import open_input
from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from reticent.history.document import Document
    from reticent.history.entries import Context

FileArgument = Annotated[
    Path | None,
    typer.Argument(
        help="A history: JSON array, request body (messages, input or contents), or JSON Lines; default: stdin.",
        show_default=False,
    ),
]
DialectOption = Annotated[str, typer.Option("--dialect", help="auto, or the id of the history's dialect.")]
ContextOption = Annotated[
    Path | None,
    typer.Option("--context", help="What the harness knows, as JSON: task states, terminal tools, abandoned calls."),
]


def document(file: Path | None) -> Document:
    """The history in FILE or on standard input."""
    from reticent.history.document import read_document

    with open_input(file) as source:
        return read_document(source.read())


def context(file: Path | None) -> Context | None:
    """The context in a file, None without one.

    Raises:
        ConfigurationError: it cannot be read or is no context.
    """
    if file is None:
        return None
    from reticent.history.context_json import read_context

    try:
        values = json.loads(file.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read ({type(error).__name__})") from None
    except (ValueError, RecursionError):
        raise ConfigurationError(f"{file}: not JSON") from None
    return read_context(values)
