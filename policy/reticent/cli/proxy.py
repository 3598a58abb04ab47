"""``reticent proxy``: a reverse proxy in front of a model's API, for clients that must not see reasoning."""

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

    @app.command("proxy")
    def _proxy(  # noqa: PLR0913, PLR0917 - the options of the contract
        upstream: Annotated[str, typer.Option("--upstream", metavar="URL", help="The API that is asked.")],
        store: Annotated[
            str, typer.Option("--store", metavar="URL", help="Task store: sqlite:///…, postgresql://… or redis://…")
        ],
        keys: Annotated[str, typer.Option("--keys", metavar="ADDRESS", help=_options.KEYS_HELP)],
        surface: Annotated[str, typer.Option("--surface", help="The surface that clients are.")] = "browser_stream",
        host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
        port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")] = 8378,
        table: TableOption = None,
        opa: OpaOption = None,
        anonymous: Annotated[
            bool, typer.Option("--anonymous", help="Serve clients without credentials, all of them as one.")
        ] = False,
        workers: Annotated[int, typer.Option("--workers", min=1, help="Number of processes.")] = 1,
        decision_log: Annotated[
            str | None, typer.Option("--decision-log", help="off, stderr, stdout or a file; one line of JSON each.")
        ] = None,
    ) -> int:
        """Stand between clients and a model's API: restore requests, hold and strip answers, until interrupted.

        A client changes its base URL and nothing else. Settings that are no option here are read from
        `RETICENT_SERVICE_*`.
        """
        options: dict[str, str | Path | None] = {
            "upstream": upstream,
            "store": store,
            "keys": _options.keys_address(keys),
            "surface": surface,
            "table": table and table.absolute(),
            "opa": opa,
            "anonymous": "true" if anonymous else None,
            "decision_log": decision_log,
        }
        return _run({name: str(value) for name, value in options.items() if value is not None}, host, port, workers)


def _run(options: dict[str, str], host: str, port: int, workers: int) -> int:
    try:
        from reticent_service.proxy.running import prepare, run
    except ImportError:
        raise ConfigurationError("`reticent proxy` needs the extra: pip install 'reticent[service]'") from None
    settings = prepare(options)
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"reticent: http://{shown}:{port}/ in front of {settings.upstream}\n")
    sys.stderr.flush()
    run(host=host, port=port, workers=workers)
    return 0
