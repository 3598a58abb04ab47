"""The command line: ``reticent COMMAND``.

Exit codes are the same for every command and format: 0 clean, 1 findings, 2 usage or configuration, 3 refused input
or internal failure (then nothing unfiltered was written).
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated, Final

import typer

from reticent.cli import _exit

_COMMANDS: Final = (
    "filter",
    "table",
    "explain",
    "check",
    "diff",
    "expectations",
    "compile",
    "boundary",
    "compact",
    "fold",
    "signals",
    "conformance",
    "lint",
    "new",
    "serve",
    "proxy",
    "ext_proc",
    "tasks",
    "replay",
    "doctor",
    "probe",
    "verify",
    "scan",
    "scrub",
    "demo",
)
"""Modules of this package, one command (or group) each, in the order that ``--help`` lists them."""

_VERSION: Final = "Say the release, the digest of its rules, and whether the native pass is in use."


def build_app() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name="reticent",
        help=(
            "Decide once, per destination, whether model reasoning may rest there, and strip it where it may not.\n\n"
            "Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 refused input or internal failure."
        ),
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None if _plain_terminal() else "rich",
    )
    app.callback()(_main)
    for name in _COMMANDS:
        import_module(f"reticent.cli.{name}").register(app)
    return app


def _main(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=lambda told: _version() if told else None, help=_VERSION),
    ] = False,
) -> None:
    # The help of the group is that of `build_app`.
    pass


def _version() -> None:
    from reticent.about import about

    sys.stdout.write(about().text())
    raise typer.Exit(_exit.CLEAN)


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(_exit.run(build_app()))


def _plain_terminal() -> bool:
    return not sys.stdout.isatty() or "NO_COLOR" in os.environ
