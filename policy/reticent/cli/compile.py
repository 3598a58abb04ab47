"""``reticent compile``: the plan as an artifact that other languages can read and people can review."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reticent.cli._options import EvidenceOption, OpaOption, plan, write
from reticent.errors import ConfigurationError


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("compile")
    def _compile(
        output: Annotated[Path, typer.Option("--output", "-o", metavar="PLAN", help="Where the plan goes (JSON).")],
        file: Annotated[
            Path | None, typer.Argument(help="The table; default: the one shipped.", show_default=False)
        ] = None,
        evidence: EvidenceOption = None,
        opa: OpaOption = None,
    ) -> None:
        """Compile a table into a digest-stamped plan."""
        compiled = plan(file, opa, evidence)
        try:
            output.write_bytes(compiled.to_json())
        except OSError as error:
            raise ConfigurationError(f"{output}: cannot be written ({type(error).__name__})") from None
        write(f"{output}: {len(compiled.surfaces)} surfaces, {compiled.digest}")
