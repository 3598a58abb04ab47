"""Options that several commands share, and how they are read."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Final

import typer

from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from reticent.compiler import Engine, Plan
    from reticent.compiler.following import FollowedPlan

_OPA: Final = ("TOKEN", "CA", "CERTIFICATE", "KEY")
"""Variables ``RETICENT_OPA_…``: what goes with ``--opa`` and is no option, because it is the same for every command."""

TableOption = Annotated[
    Path | None, typer.Option("--table", help="Surface table (YAML) or compiled plan (JSON); default: the one shipped.")
]
OpaOption = Annotated[
    str | None, typer.Option("--opa", metavar="URL", help="Let this OPA server decide instead of the embedded engine.")
]


KEYS_HELP: Final = "What wraps the keys of tasks: a keyset file, or aws-kms:KEY."
KeysOption = Annotated[str | None, typer.Option("--keys", metavar="ADDRESS", help=KEYS_HELP)]

EvidenceOption = Annotated[
    list[Path] | None,
    typer.Option("--evidence", metavar="FILE", help="Evidence that `reticent verify` wrote; may be repeated."),
]


class TextJson(StrEnum):
    """Formats of commands that people and programs read."""

    text = "text"
    json = "json"


class TextJsonMarkdown(StrEnum):
    """Formats of commands whose output also goes into a pull request."""

    text = "text"
    json = "json"
    markdown = "markdown"


def engine(url: str | None) -> Engine | None:
    """The engine that a ``--opa`` option names, None for the embedded one."""
    if url is None:
        return None
    try:
        from reticent.compiler.opa_server import OpaServer, ServerSettings, client_files
    except ImportError:
        raise ConfigurationError("--opa needs the extra: pip install 'reticent[opa]'") from None
    token, authorities, certificate, key = (os.environ.get(f"RETICENT_OPA_{word}") or None for word in _OPA)
    shown = client_files(certificate, key)
    return OpaServer(ServerSettings(url=url, token=token, ca_file=authorities, client_cert=shown))


def plan(table: Path | None, opa: str | None = None, evidence: list[Path] | None = None) -> Plan:
    """The plan that the options name."""
    from reticent.compiler import load_plan

    return load_plan(table, engine=engine(opa), evidence=evidence or ())


def followed_plan(table: Path | None, opa: str | None, surface: str, evidence: Path | None) -> FollowedPlan:
    """The plan that the options name, which follows its files and has a surface."""
    from reticent.compiler.following import FollowedPlan

    return FollowedPlan(table, engine=engine(opa), evidence=evidence, surfaces=[surface])


def keys_address(told: str) -> str:
    """The address of keys, which means the same whatever folder a worker runs in."""
    from reticent.store.opening import AWS_KMS

    return told if told.startswith(f"{AWS_KMS}:") else str(Path(told).absolute())


def open_input(file: Path | None) -> IO[bytes]:
    """FILE, or standard input.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    if file is None or str(file) == "-":
        return sys.stdin.buffer
    try:
        return file.open("rb")
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read ({type(error).__name__})") from None


def write(text: str) -> None:
    """Text to standard output, ending with one newline."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()
