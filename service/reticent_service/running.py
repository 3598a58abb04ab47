"""How `reticent serve` runs the application."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from uvicorn.supervisors import Multiprocess

from reticent.errors import ConfigurationError
from reticent_service.callers import hash_of, is_loopback
from reticent_service.plan_holder import PlanHolder
from reticent_service.settings import PREFIX, Settings
from reticent_service.task_store import prove_keys, read_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

APPLICATION: Final = "reticent_service.app:create_app"

GRACEFUL_SECONDS: Final = 30
"""How long streams under way have to end after the service was told to stop."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A service that can be run: its settings, and the token that was made for it, if one was needed."""

    settings: Settings
    token: str | None


def prepare(options: Mapping[str, str], *, host: str) -> Prepared:
    """Settings from the environment and from ``options`` (field to value), proved to lead to a plan.

    Without callers, without an operator and without the development mode, a token is made that may do everything: a
    service that nobody may call is no use.

    Raises:
        ConfigurationError: a setting, the table or the callers file is wrong, or the development mode would be open
            to other machines.
        EngineError: the engine gave no usable answer.
        KeyUnavailable: the keys of tasks are in a key service, and it cannot be used.
    """
    os.environ.update({f"{PREFIX}{field.upper()}": value for field, value in options.items()})
    settings, token = Settings.from_environment(), None
    if settings.development and not (host == "localhost" or is_loopback(host)):
        raise ConfigurationError("the development mode needs no token, so it listens on the loopback interface only")
    if not (settings.development or settings.callers or settings.operator_sha256):
        token = secrets.token_urlsafe(32)
        # Workers read it from the environment, and only its hash is there.
        os.environ[f"{PREFIX}OPERATOR_SHA256"] = hash_of(token)
        settings = Settings.from_environment()
    PlanHolder(settings)
    prove_keys(read_keys(settings))
    return Prepared(settings, token)


def run(*, host: str, port: int, workers: int) -> None:
    """Serve until told to stop; new connections are refused then, and streams under way may end."""
    if workers != 1:
        # Each process would keep its own, and know nothing of what was closed in another.
        os.environ[f"{PREFIX}BREAK_GLASS"] = "false"
    config = uvicorn.Config(APPLICATION, host=host, port=port, workers=workers, **server_options())
    if workers == 1:
        uvicorn.Server(config).run()
    else:
        Workers(config, sockets=[config.bind_socket()]).run()


class Workers(Multiprocess):
    """Several processes that share a socket."""

    def terminate_all(self) -> None:
        """Let go of the socket, then tell every worker to stop.

        As long as one process has it open, the kernel takes connections that nobody will serve.
        """
        for bound in self.sockets:
            bound.close()
        super().terminate_all()


def server_options() -> dict[str, Any]:
    """What is fixed about the server.

    It logs no requests, since the decision log does, and takes nobody's word for where a request comes from.
    """
    return {
        "factory": True,
        "http": "reticent_service.protocol:GuardedProtocol",
        "ws": "none",
        "proxy_headers": False,
        "server_header": False,
        "access_log": False,
        "log_level": "warning",
        "timeout_graceful_shutdown": GRACEFUL_SECONDS,
    }
