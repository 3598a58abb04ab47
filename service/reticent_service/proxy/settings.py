"""What the environment tells the proxy: all that it tells the service, and what only the proxy needs."""

from __future__ import annotations

from pydantic import AnyHttpUrl, Field, SecretStr

from reticent_service.settings import Settings


class ProxySettings(Settings):
    """The proxy's configuration; every field is read from ``RETICENT_SERVICE_<FIELD>``. Times are seconds."""

    upstream: AnyHttpUrl | None = None
    """The API that is asked; no request can name another."""

    anonymous: bool = False
    """Whether clients without credentials are served, all as one; for upstreams that ask for none."""

    clients_key: SecretStr | None = Field(default=None, min_length=32)
    """The secret, of 32 characters or more, that names of clients are made with. Needed when ``keys`` is in a key
    service: a keyset has a secret of its own for it. Another one makes strangers of all clients with open tasks."""

    task_hours: float = Field(default=168.0, gt=0)
    """How long after its last turn a task expires, in hours."""

    connect_seconds: float = Field(default=10.0, gt=0)
    """The longest wait for a connection to the upstream."""

    idle_seconds: float = Field(default=600.0, gt=0)
    """The longest wait for the upstream's next bytes: a model that thinks is silent."""

    max_body_bytes: int = Field(default=64 * 1024 * 1024, ge=1024)
    """The longest body of a request for a turn."""
