"""A proxy in front of the simulated provider, both behind real sockets, and clients that note every byte they get."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2
from tests.service.serving import serving

from reticent.store import Keyset
from reticent_service.proxy.app import create_proxy
from reticent_service.proxy.settings import ProxySettings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from tests.simulator.upstream import Upstream

KEY = "sk-client-one-0123456789"


@dataclass
class Place:
    """Where a proxy and its provider are."""

    url: str
    upstream_url: str
    upstream: Upstream
    settings: ProxySettings


class Noting(httpx2.HTTPTransport):
    """Notes all that comes back, headers too, as it is on the wire."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = bytearray()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask, and put a tap on the answer."""
        response = super().handle_request(request)
        for name, value in response.headers.raw:
            self.seen.extend(name + b": " + value + b"\n")
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Tap(response.stream, self.seen)
        return response


class _Tap(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, seen: bytearray) -> None:
        self._inner = inner
        self._seen = seen

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._inner:
            self._seen.extend(chunk)
            yield chunk

    def close(self) -> None:
        """Close the body."""
        self._inner.close()


@dataclass
class Client:
    """A client of one key, and what it saw."""

    transport: Noting = field(default_factory=Noting)

    def http(self, **options: Any) -> httpx2.Client:
        """A client of httpx2 over the noting transport."""
        return httpx2.Client(transport=self.transport, timeout=30, **options)

    @property
    def seen(self) -> bytes:
        """Every byte that came back."""
        return bytes(self.transport.seen)


def keys_file(folder: Path) -> Path:
    """A new keyset."""
    path = folder / "keys.json"
    if not path.exists():
        Keyset.generate().save(path)
    return path


def settings(folder: Path, upstream_url: str, **values: object) -> ProxySettings:
    """Settings of a proxy whose store and keys stand in ``folder``."""
    told = {"store": f"sqlite:///{folder}/tasks.db", "keys": keys_file(folder), "upstream": upstream_url}
    return ProxySettings.model_validate({**told, **values})


@contextlib.contextmanager
def proxying(folder: Path, upstream: Upstream, **values: object) -> Generator[Place]:
    """Run the provider and a proxy in front of it."""
    with serving(upstream) as behind:
        url = f"http://127.0.0.1:{behind}"
        chosen = settings(folder, url, **values)
        with serving(create_proxy(chosen)) as port:
            yield Place(f"http://127.0.0.1:{port}", url, upstream, chosen)
