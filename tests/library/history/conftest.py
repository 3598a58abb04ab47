"""What the tests of histories share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import typer

from reticent.cli import _exit, boundary, compact, fold, signals

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., tuple[int, bytes, bytes]]:
    """Run a command over a history; gives exit code, standard output and standard error."""
    app = typer.Typer()
    for command in (boundary, compact, fold, signals):
        command.register(app)

    def call(*arguments: str) -> tuple[int, bytes, bytes]:
        code = _exit.run(app, list(arguments))
        out, err = capsysbinary.readouterr()
        return code, out, err

    return call
