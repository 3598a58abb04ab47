"""``reticent serve``: the HTTP service and its review page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from reticent.cli import _options
from reticent.cli._options import OpaOption, TableOption
from reticent.errors import ConfigurationError


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("serve")
    def _serve(  # noqa: PLR0913, PLR0917 - the options of the contract
        host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
        port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")] = 8377,
        table: TableOption = None,
        evidence: Annotated[Path | None, typer.Option("--evidence", help="The evidence file for the table.")] = None,
        evidence_key: Annotated[
            Path | None, typer.Option("--evidence-key", help="Verify by itself, with this key, and write that file.")
        ] = None,
        opa: OpaOption = None,
        callers: Annotated[Path | None, typer.Option("--callers", help="Who may call, and for what (YAML).")] = None,
        store: Annotated[
            str | None,
            typer.Option("--store", metavar="URL", help="Task store: sqlite:///…, postgresql://… or redis://…"),
        ] = None,
        keys: _options.KeysOption = None,
        dev: Annotated[
            bool, typer.Option("--dev", help="Let programs on this machine do everything without a token.")
        ] = False,
        workers: Annotated[int, typer.Option("--workers", min=1, help="Number of processes.")] = 1,
        decision_log: Annotated[
            str | None, typer.Option("--decision-log", help="off, stderr, stdout or a file; one line of JSON each.")
        ] = None,
    ) -> int:
        """Serve the HTTP API and the review page until interrupted.

        Settings that are no option here are read from `RETICENT_SERVICE_*`. Without callers and without `--dev` a
        token is made for this run and written to standard error.
        """
        options: dict[str, str | Path | None] = {
            "table": table and table.absolute(),
            "evidence": evidence and evidence.absolute(),
            "evidence_key": evidence_key and evidence_key.absolute(),
            "opa": opa,
            "callers": callers and callers.absolute(),
            "store": store,
            "keys": keys and _options.keys_address(keys),
            "development": "true" if dev else None,
            "decision_log": decision_log,
        }
        return _run({name: str(value) for name, value in options.items() if value is not None}, host, port, workers)


def _run(options: dict[str, str], host: str, port: int, workers: int) -> int:
    try:
        from reticent_service.running import prepare, run
    except ImportError:
        raise ConfigurationError("`reticent serve` needs the extra: pip install 'reticent[service]'") from None
    prepared = prepare(options, host=host)
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"reticent: http://{shown}:{port}/ (plan in force when it answers /readyz)\n")
    if prepared.token is not None:
        sys.stderr.write(f"reticent: token for this run, which may do everything: {prepared.token}\n")
    sys.stderr.flush()
    run(host=host, port=port, workers=workers)
    return 0
