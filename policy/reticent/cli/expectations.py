"""``reticent test``: expectations that were written next to a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from reticent.cli._exit import CLEAN, CONFIGURATION, FINDINGS
from reticent.cli._options import OpaOption, TextJson, engine, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.compiler.expectations import Result


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("test")
    def _test(
        path: Annotated[Path, typer.Argument(help="A file of expectations, or a folder of *.expect.yaml.")] = Path(),
        format_: Annotated[TextJson, typer.Option("--format", help="How to print it.")] = TextJson.text,
        enumerate_: Annotated[
            bool, typer.Option("--enumerate", help="Review the whole space of a table (PATH) instead.")
        ] = False,
        most: Annotated[
            int, typer.Option("--most", min=1, help="With --enumerate: the most states of conditions to try.")
        ] = 4096,
        opa: OpaOption = None,
    ) -> int:
        """Try expectations: surface by class by message, verdict or output.

        With `--enumerate`, every verdict over surfaces, classes and conditions held or lost is listed and held against
        a second proof: no row may pass with a person, another system or an outliving store in reach. PATH is a table
        then. Exit code 1 when one is not met, 2 when there is none to try.
        """
        if enumerate_:
            return _enumerate(path, most, opa, format_)
        from reticent.compiler.expectations import find_expectations, run_expectations

        asked = engine(opa)
        results = [result for file in find_expectations(path) for result in run_expectations(file, engine=asked)]
        write(_json(results) if format_ is TextJson.json else _text(results))
        if not results:
            return CONFIGURATION
        return CLEAN if all(result.met for result in results) else FINDINGS


def _enumerate(path: Path, most: int, opa: str | None, format_: TextJson) -> int:
    from reticent.compiler import enumeration

    told = enumeration.enumerate_table(None if path == Path() else path, engine=engine(opa), most=most)
    write(enumeration.to_json(told) if format_ is TextJson.json else enumeration.to_text(told))
    return FINDINGS if told.leaks else CLEAN


def _text(results: Sequence[Result]) -> str:
    lines = [
        f"{result.file}:{result.line}: {result.title}: {problem}" for result in results for problem in result.problems
    ]
    failed = sum(not result.met for result in results)
    return "\n".join([*lines, f"{len(results) - failed} met, {failed} not met"])


def _json(results: Sequence[Result]) -> str:
    rows = [
        {"file": result.file, "line": result.line, "title": result.title, "problems": list(result.problems)}
        for result in results
    ]
    return orjson.dumps({"results": rows}, option=orjson.OPT_INDENT_2).decode()
