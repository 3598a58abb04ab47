"""``reticent compact``: a history in, a smaller one that its provider still takes back out."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from reticent.cli._history import ContextOption, DialectOption, FileArgument, context, document
from reticent.cli._options import TextJson
from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from reticent.history import Compaction, Window


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("compact")
    def _compact(  # noqa: PLR0913, PLR0917 - typer makes one option of each argument
        file: FileArgument = None,
        profile: Annotated[
            str | None,
            typer.Option("--profile", help="What the provider demands; default: by --model, else strictest."),
        ] = None,
        model: Annotated[
            str | None, typer.Option("--model", help="Model id; default: the request body's own `model`.")
        ] = None,
        keep_turns: Annotated[
            int, typer.Option("--keep-turns", min=0, help="Settled assistant turns that stay as they are, at least.")
        ] = 0,
        window: Annotated[
            int | None, typer.Option("--window", min=1, help="Context window in tokens: compact only when it is due.")
        ] = None,
        operation: Annotated[
            list[str] | None, typer.Option("--operation", help="Limit the rungs to these, in this order; repeatable.")
        ] = None,
        dialect: DialectOption = "auto",
        harness: ContextOption = None,
        report: Annotated[bool, typer.Option("--report", help="The report to standard error.")] = False,
        format_: Annotated[TextJson, typer.Option("--format", help="How to print the report.")] = TextJson.text,
    ) -> int:
        """Compact the settled part of a history, to standard output; the live task is copied byte for byte.

        When nothing can be done the history comes out as it went in, the reason goes to standard error, and the exit
        code is 1.
        """
        from reticent.history import compact

        read = document(file)
        if read.wrapped:
            raise ConfigurationError("this is a session log, not a history to send; `reticent boundary` reads it")
        done = compact(
            read.entries,
            profile=profile,
            model=model or read.model,
            dialect=None if dialect == "auto" else dialect,
            context=context(harness),
            keep_turns=keep_turns,
            budget=_budget(window),
            operations=operation or None,
        )
        sys.stdout.buffer.write(read.rewritten(done.removed))
        sys.stdout.buffer.flush()
        stuck = _is_stuck(done)
        if report or stuck:
            sys.stderr.write(_shown(done, format_) + "\n")
        return 1 if stuck else 0


def _budget(window: int | None) -> Window | None:
    from reticent.history import Window

    return None if window is None else Window(tokens=window)


def _is_stuck(done: Compaction) -> bool:
    """Whether a compaction was asked for or due, and none ran; a history that is compact already is not stuck."""
    if done.removed or not done.history or done.report.decision.verdict.value == "not-due":
        return False
    return not done.report.decision.acts or bool(done.report.refused)


def _shown(done: Compaction, format_: TextJson) -> str:
    report = done.report
    return json.dumps(report.to_json(), indent=2) if format_ is TextJson.json else report.render()
