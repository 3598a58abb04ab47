"""From an address to a store."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from reticent.errors import ConfigurationError
from reticent.store.keys import Keyset
from reticent.store.stores import AsyncStore, Backend, Clock, InThread, Store

if TYPE_CHECKING:
    from collections.abc import Generator

    from reticent.store.keys import KeyWrapper

_SCHEMES: Final = {
    "sqlite": "sqlite",
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "redis": "redis",
    "rediss": "redis",
}
AWS_KMS: Final = "aws-kms"
_EXAMPLES: Final = ("sqlite:///FILE", "postgresql://HOST/DATABASE", "redis://HOST/NUMBER")


def open_store(url: str, *, keys: KeyWrapper, clock: Clock = time.time, timeout: float = 10.0) -> Store:
    """The task store at ``url``; tables are made when they are not there yet.

    ``url`` is ``sqlite:///tasks.db``, ``postgresql://...`` (extra ``postgresql``) or ``redis://...`` (extra ``redis``).
    ``keys`` wraps the key of each task; ``clock`` tells seconds since 1970; ``timeout`` is how many seconds to wait for
    the store, each time.

    Raises:
        ConfigurationError: the address names no store, its extra is not installed, or another release's rows are in it.
        StoreUnavailable: it cannot be reached.
        StoreEvicts: it may throw live rows away.
    """
    return Store(_backend(url, timeout), keys, clock=clock)


async def open_async_store(
    url: str,
    *,
    keys: KeyWrapper,
    clock: Clock = time.time,
    timeout: float = 10.0,  # noqa: ASYNC109 - of every use of the store, not of this call
) -> AsyncStore:
    """As ``open_store``, awaited: PostgreSQL and Redis by their own asynchronous clients, SQLite in a thread."""
    scheme = _scheme(url)
    with _extra(scheme):
        if scheme == "postgresql":
            from reticent.store.postgresql import AsyncPostgresBackend

            return AsyncStore(await AsyncPostgresBackend.connected(url, timeout=timeout), keys, clock=clock)
        if scheme == "redis":
            from reticent.store.redis import AsyncRedisBackend

            return AsyncStore(await AsyncRedisBackend.connected(url, timeout=timeout), keys, clock=clock)
    return AsyncStore(InThread(await asyncio.to_thread(_backend, url, timeout)), keys, clock=clock)


def open_keys(address: str | os.PathLike[str]) -> KeyWrapper:
    """The keys at ``address``: a keyset file, or ``aws-kms:KEY`` for a key in AWS KMS (an id, an ARN, an alias).

    For AWS the client is made by boto3 from its own environment and files. Build ``AwsKms`` for any other.

    Raises:
        ConfigurationError: there is no such file, it is no keyset, the extra is not installed, or no region is set.
    """
    scheme, _, key = os.fspath(address).partition(":")
    if scheme != AWS_KMS:
        return Keyset.load(address)
    try:
        import boto3
        from botocore.exceptions import BotoCoreError
    except ModuleNotFoundError:
        raise ConfigurationError("keys in AWS KMS need the extra: pip install 'reticent[aws-kms]'") from None
    from reticent.store.aws_kms import AwsKms

    try:
        return AwsKms(boto3.client("kms"), key)
    except BotoCoreError as error:
        failure = type(error).__name__
    raise ConfigurationError(f"no client for AWS KMS can be made ({failure}); set a region and credentials")


def _backend(url: str, timeout: float) -> Backend:
    scheme = _scheme(url)
    with _extra(scheme):
        if scheme == "postgresql":
            from reticent.store.postgresql import PostgresBackend

            return PostgresBackend(url, timeout=timeout)
        if scheme == "redis":
            from reticent.store.redis import RedisBackend

            return RedisBackend(url, timeout=timeout)
    from reticent.store.sqlite import SqliteBackend, path_of

    return SqliteBackend(path_of(url), timeout=timeout)


def _scheme(url: str) -> str:
    """The back end that an address names.

    Raises:
        ConfigurationError: it names none. The address is not told, because it can hold a password.
    """
    scheme = urlsplit(url).scheme
    if scheme not in _SCHEMES:
        raise ConfigurationError(f"no store is at {scheme!r}; known are {', '.join(_EXAMPLES)}")
    return _SCHEMES[scheme]


@contextmanager
def _extra(name: str) -> Generator[None]:
    """Say which extra is missing when a client cannot be imported.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"psycopg", "psycopg_pool", "redis"}:
            raise
    else:
        return
    raise ConfigurationError(f"a store in {name} needs the extra: pip install 'reticent[{name}]'")
