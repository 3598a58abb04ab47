"""A real OPA behind TLS, as teams that do not trust their network run it."""

from __future__ import annotations

import signal
import socket
from typing import TYPE_CHECKING, Any

import pytest
from tests.servers.certificates import Authority
from tests.servers.running import User, serving

from reticent._resources import policy_sources, rego_root
from reticent.compiler.opa_server import OpaServer, ServerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "token-canary-3390"
ALLOWED = f"""package system.authz

default allow := false

allow if input.identity == "{TOKEN}"
"""


class OpaOverTls:
    """Where two servers are, and who vouches for whom."""

    def __init__(self, folder: Path, token: str, mutual: str) -> None:
        """Make the certificates; the URLs are of an OPA that asks for a token, and of one for certificates."""
        self.folder = folder
        self.ours, self.other = Authority(folder), Authority(folder, "other")
        self.client, self.stranger = self.ours.issue("client"), self.other.issue("stranger")
        self.token, self.mutual = token, mutual

    def engine(self, url: str, **settings: Any) -> OpaServer:
        """Make an engine that trusts our authority and loses patience soon."""
        trusted: dict[str, Any] = {"ca_file": str(self.ours.file), "retries": 0}
        return OpaServer(ServerSettings(url=url, **trusted | settings))


@pytest.fixture(scope="session")
def opa_over_tls(opa_binary: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpaOverTls]:
    """Run both servers with the rules about tables and about callers."""
    folder = tmp_path_factory.mktemp("tls")
    place = OpaOverTls(folder, "", "")
    server = place.ours.issue("server", "127.0.0.1")
    (folder / "authz.rego").write_text(ALLOWED, encoding="utf-8")
    tls = [f"--tls-cert-file={server.certificate}", f"--tls-private-key-file={server.key}"]
    rules = [str(rego_root() / path) for path in [*policy_sources(), "reticent_access/access.rego"]]

    def command(port: int, *options: str) -> list[str]:
        told = ["run", "--server", f"--addr=127.0.0.1:{port}", "--log-level=error", *tls, *options]
        return [opa_binary, *told, *rules]

    def by_token(port: int) -> list[str]:
        return command(port, "--authentication=token", "--authorization=basic", str(folder / "authz.rego"))

    def by_certificate(port: int) -> list[str]:
        return command(port, "--authentication=tls", f"--tls-ca-cert-file={place.ours.file}")

    with (
        serving(by_token, folder / "token.log", _listens, signal.SIGTERM, User()) as (token, _),
        serving(by_certificate, folder / "mutual.log", _listens, signal.SIGTERM, User()) as (mutual, _),
    ):
        place.token, place.mutual = f"https://127.0.0.1:{token}", f"https://127.0.0.1:{mutual}"
        yield place


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
