"""``reticent verify``: look at what a table claims, and sign what was found."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import TextJson, write
from reticent.errors import ConfigurationError, EvidenceRefused, ReticentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reticent.evidence import EvidenceFile, Statement
    from reticent.surfaces import SurfaceTable

_Timeout = Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds that probes may take, all together.")]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("verify")
    def _verify(  # noqa: PLR0913, PLR0917 - the options of the contract
        table: Annotated[
            Path | None, typer.Argument(help="The table; default: the one shipped.", show_default=False)
        ] = None,
        evidence: Annotated[Path, typer.Option("--evidence", help="The file that is written with --key.")] = Path(
            "evidence.json"
        ),
        key: Annotated[Path | None, typer.Option("--key", help="The private key to sign with (PEM).")] = None,
        watch: Annotated[
            bool, typer.Option("--watch", help="Look again and again, before evidence is too old.")
        ] = False,
        new_key: Annotated[
            Path | None,
            typer.Option("--new-key", metavar="FILE", help="Make a key, and print what the table says of it."),
        ] = None,
        timeout: _Timeout = 30.0,
        format_: Annotated[TextJson, typer.Option("--format", help="How to print it.")] = TextJson.text,
    ) -> int:
        """Run the probes that a table's conditions name, and write signed evidence of what they found.

        Without `--key` nothing is written. Exit code 1 when a condition does not hold.
        """
        if new_key is not None:
            return _make_key(new_key)
        if watch:
            return _watch(table, evidence, key, timeout, format_)
        statements = _once(table, evidence, key, timeout)[0]
        _print(statements, format_)
        return CLEAN if all(said.held for said in statements) else FINDINGS


def _make_key(path: Path) -> int:
    from reticent.evidence import SigningKey

    made = SigningKey.generate()
    made.save(path)
    write(f'signers:\n  NAME: {{key: "{made.public}", owner: OWNER}}')
    return CLEAN


def _once(
    source: Path | None, target: Path, key: Path | None, timeout: float
) -> tuple[Sequence[Statement], SurfaceTable]:
    """What holds now; with a key, it is signed and written as well."""
    from reticent.evidence import SigningKey
    from reticent.surfaces import load_table
    from reticent.verify import state, verify, write_evidence

    table = load_table(source)
    if key is None:
        return state(table, timeout=timeout), table
    signed = verify(table, key=SigningKey.load(key), before=_before(target, table), timeout=timeout)
    write_evidence(signed, target)
    return signed.statements, table


def _before(target: Path, table: SurfaceTable) -> EvidenceFile | None:
    """The evidence that will be written over, for since when things are as they are; none if it cannot be trusted."""
    from reticent.evidence import read_evidence, refuse_tampered

    try:
        before = read_evidence(target)
        refuse_tampered(before, table, str(target))
    except EvidenceRefused:
        return None
    return before


def _watch(source: Path | None, target: Path, key: Path | None, timeout: float, format_: TextJson) -> int:
    """Until interrupted: print what is found at first, and then what changed."""
    from reticent.verify import next_look, watch

    if key is None:
        raise ConfigurationError("--watch writes evidence, so it needs --key")

    def once() -> tuple[Sequence[Statement], float]:
        statements, table = _once(source, target, key, timeout)
        return statements, next_look(table)

    shown: dict[tuple[str, str], tuple[bool, str]] = {}
    for outcome in watch(once):
        if isinstance(outcome, ReticentError):
            sys.stderr.write(f"{outcome.code}: {outcome}\n")
            continue
        new = [said for said in outcome if shown.get((said.surface, said.condition)) != (said.held, said.code)]
        shown |= {(said.surface, said.condition): (said.held, said.code) for said in new}
        if new:
            _print(new, format_)
    return CLEAN


def _print(statements: Sequence[Statement], format_: TextJson) -> None:
    from reticent.evidence import moment_text

    if format_ is TextJson.json:
        rows = [said.to_dict() for said in statements]
        write(orjson.dumps({"statements": rows}, option=orjson.OPT_INDENT_2).decode())
        return
    write("\n".join(_line(said, moment_text(said.since)) for said in statements))


def _line(said: Statement, since: str) -> str:
    word = "held" if said.held else f"NOT HELD: {said.code}"
    tail = f" ({said.detail})" if said.detail else ""
    return f"{said.surface}.{said.condition}: {word}{tail}, since {since} (probe {said.probe})"
