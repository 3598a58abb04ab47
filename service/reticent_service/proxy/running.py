"""How `reticent proxy` runs the application."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import uvicorn

from reticent_service.proxy.app import Proxy
from reticent_service.proxy.settings import ProxySettings
from reticent_service.running import server_options
from reticent_service.settings import PREFIX
from reticent_service.task_store import prove_keys, read_keys

if TYPE_CHECKING:
    from collections.abc import Mapping


def prepare(options: Mapping[str, str]) -> ProxySettings:
    """Settings from the environment and from ``options`` (field to value), proved to lead to a proxy.

    Raises:
        ConfigurationError: a setting, the table or the keyset is wrong, or one is missing.
        EngineError: the engine gave no usable answer.
        KeyUnavailable: the keys of tasks are in a key service, and it cannot be used.
    """
    os.environ.update({f"{PREFIX}{field.upper()}": value for field, value in options.items()})
    settings = ProxySettings.from_environment()
    Proxy(settings).close()
    prove_keys(read_keys(settings))
    return settings


def run(*, host: str, port: int, workers: int) -> None:
    """Serve until told to stop; turns under way may end."""
    uvicorn.run("reticent_service.proxy.app:create_proxy", host=host, port=port, workers=workers, **server_options())
