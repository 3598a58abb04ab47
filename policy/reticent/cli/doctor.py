"""``reticent doctor``: which exits of an application are guarded."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any

import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import write
from reticent.errors import ConfigurationError


class Format(StrEnum):
    """How to print a report."""

    text = "text"
    json = "json"
    sarif = "sarif"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("doctor")
    def _doctor(
        target: Annotated[
            str | None,
            typer.Argument(help="What configures the application: MODULE or MODULE:NAME.", show_default=False),
        ] = None,
        factory: Annotated[bool, typer.Option("--factory", help="NAME is a function; call it.")] = False,
        format_: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.text,
    ) -> int:
        """Say which known exits are guarded by which surface, which are open, and which settings capture content.

        The module is imported, so that it configures what it configures. Exit code 1 when an exit is open.
        """
        from reticent import doctor

        found = doctor.report(*_applications(target, factory=factory))
        render = {Format.text: doctor.to_text, Format.json: doctor.to_json, Format.sarif: doctor.to_sarif}
        write(render[format_](found))
        return CLEAN if found.clean else FINDINGS


def _applications(target: str | None, *, factory: bool) -> list[Any]:
    """The application that ``target`` names, imported as a server would; none when it names a module alone."""
    if target is None:
        return []
    module, _, name = target.partition(":")
    sys.path.insert(0, "")
    found = _loaded(target, lambda: import_module(module))
    for part in name.split(".") if name else ():
        found = _loaded(target, lambda holder=found, part=part: getattr(holder, part))
    if factory:
        found = _loaded(target, found)
    return [found] if name else []


def _loaded(target: str, load: Any) -> Any:
    try:
        return load()
    except Exception as error:  # noqa: BLE001 - the application's own code; what it says may quote a payload
        problem = type(error).__name__
    raise ConfigurationError(f"{target}: cannot be loaded ({problem})")
