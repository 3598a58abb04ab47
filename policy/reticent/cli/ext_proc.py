"""``reticent ext-proc``: answers Envoy, so that a route of it can have a surface."""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reticent.cli import _options
from reticent.cli._options import OpaOption, TableOption
from reticent.errors import ConfigurationError


class SideOption(StrEnum):
    """Whose bodies are judged."""

    response = "response"
    request = "request"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("ext-proc")
    def _ext_proc(  # noqa: PLR0913, PLR0917 - one parameter for each option
        surface: Annotated[str, typer.Option("--surface", help="The surface that bodies arrive at.")],
        host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
        port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")] = 8379,
        table: TableOption = None,
        evidence: Annotated[
            Path | None, typer.Option("--evidence", metavar="FILE", help="The evidence file for the table.")
        ] = None,
        opa: OpaOption = None,
        side: Annotated[SideOption, typer.Option("--side", help="Whose bodies are judged.")] = SideOption.response,
        tls_cert: Annotated[
            Path | None, typer.Option("--tls-cert", metavar="FILE", help="Certificate and chain (PEM); with --tls-key.")
        ] = None,
        tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key (PEM).")] = None,
        client_ca: Annotated[
            Path | None,
            typer.Option("--client-ca", metavar="FILE", help="Answer only clients with a certificate of these (PEM)."),
        ] = None,
    ) -> int:
        """Answer Envoy's external processing filter over gRPC until interrupted.

        The filter has to send bodies in the mode FULL_DUPLEX_STREAMED. Without --tls-cert the connection is not
        encrypted. Table and evidence are looked at every two seconds, and a change counts for the exchanges that begin
        then; a table that cannot be loaded leaves the last good plan. The same port answers `grpc.health.v1`.
        """
        try:
            from reticent.integrations.envoy import Tls, serve
        except ImportError:
            raise ConfigurationError("`reticent ext-proc` needs the extra: pip install 'reticent[envoy]'") from None
        shown = f"[{host}]" if ":" in host else host
        if (tls_cert is None) != (tls_key is None) or (client_ca is not None and tls_cert is None):
            raise ConfigurationError("--tls-cert and --tls-key go together, and --client-ca needs both")
        tls = None if tls_cert is None or tls_key is None else Tls(tls_cert, tls_key, client_ca)
        plan = _options.followed_plan(table, opa, surface, evidence)

        def started(at: int) -> None:
            sys.stderr.write(f"reticent: {surface} on {shown}:{at} for Envoy{', over TLS' if tls else ''}\n")
            sys.stderr.flush()

        address = f"{shown}:{port}"
        _until_told(serve(surface, address=address, plan=plan, side=side.value, tls=tls, started=started))
        return 0


def _until_told(work: Coroutine[None, None, None]) -> None:
    """Run until SIGINT or SIGTERM."""
    import asyncio
    import contextlib
    import signal

    async def run() -> None:
        task = asyncio.ensure_future(work)
        for number in (signal.SIGINT, signal.SIGTERM):
            # Windows has no such handlers, and ends the process.
            with contextlib.suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())
