"""``reticent conformance``: the vectors, run against any filter in any language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from reticent.cli._exit import CLEAN, CONFIGURATION, FINDINGS
from reticent.cli._options import TextJsonMarkdown, write
from reticent.cli.table import text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.conformance import Vector
    from reticent.conformance.run import Score

_HEADINGS = ("dialect", "vectors", "passed", "leaks", "losses", "changes", "crashes")
_KINDS = ("leak", "lost", "changed", "crash")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="The conformance vectors, run against any filter in any language.", no_args_is_help=True)
    app.add_typer(group, name="conformance")

    @group.command("run")
    def _run(
        command: Annotated[
            str | None,
            typer.Option("--command", help="The filter: input on stdin, answer on stdout. Default: this one."),
        ] = None,
        lines: Annotated[
            bool, typer.Option("--lines", help="The command stays up and speaks one JSON line per vector.")
        ] = False,
        dialect: Annotated[str | None, typer.Option("--dialect", help="Only this dialect.")] = None,
        vectors: Annotated[
            Path | None, typer.Option("--vectors", help="Folder of vectors; default: those shipped.")
        ] = None,
        format_: Annotated[TextJsonMarkdown, typer.Option("--format", help="How to print it.")] = TextJsonMarkdown.text,
        verbose: Annotated[bool, typer.Option("--verbose", help="Every finding, by vector.")] = False,
    ) -> int:
        """Run the vectors and print a table by dialect; exit code 1 when a vector fails."""
        from reticent.conformance import load_vectors

        cases = load_vectors(vectors, dialect=dialect)
        scores = _scores(cases, command, lines=lines)
        write(_render(scores, format_, verbose=verbose))
        if not cases:
            return CONFIGURATION
        return CLEAN if all(score.passed == score.vectors for score in scores) else FINDINGS

    @group.command("export")
    def _export(
        dialect: Annotated[str | None, typer.Option("--dialect", help="Only this dialect.")] = None,
    ) -> None:
        """Print every vector as one JSON line, payload in base64, for a runner of your own."""
        from reticent.conformance import encoded, load_vectors

        for vector in load_vectors(dialect=dialect):
            told = {**encoded(vector), "why": vector.why, "absent": vector.absent, "present": vector.present}
            write(orjson.dumps(told).decode())


def _scores(cases: Sequence[Vector], command: str | None, *, lines: bool) -> list[Score]:
    from reticent.conformance.run import LineFilter, command_filter, own_filter, run

    if command is None:
        return run(cases, own_filter())
    if not lines:
        return run(cases, command_filter(command))
    process = LineFilter(command)
    try:
        return run(cases, process)
    finally:
        process.close()


def _render(scores: Sequence[Score], format_: TextJsonMarkdown, *, verbose: bool) -> str:
    if format_ is TextJsonMarkdown.json:
        return orjson.dumps([_json(score) for score in scores], option=orjson.OPT_INDENT_2).decode()
    rows = [_row(score) for score in scores]
    total = ("total", *(str(sum(int(row[at]) for row in rows)) for at in range(1, len(_HEADINGS))))
    rows = [_HEADINGS, *rows, total]
    if format_ is TextJsonMarkdown.markdown:
        rows.insert(1, tuple("---" for _ in _HEADINGS))
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
    details = [f"{finding.vector}: {finding.kind}: {finding.what}" for score in scores for finding in score.findings]
    return "\n".join([*(details if verbose else ()), text_table(rows)])


def _row(score: Score) -> tuple[str, ...]:
    return (score.dialect, str(score.vectors), str(score.passed), *(str(score.count(kind)) for kind in _KINDS))


def _json(score: Score) -> dict[str, object]:
    findings = [{"vector": finding.vector, "kind": finding.kind, "what": finding.what} for finding in score.findings]
    return {"dialect": score.dialect, "vectors": score.vectors, "passed": score.passed, "findings": findings}
