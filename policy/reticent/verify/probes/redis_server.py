"""Redis: keys end by themselves, only known users can read them, and nothing of them is written to a disk."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, StringConstraints

from reticent.verify.probing import NotHeld, Settings, ShippedProbe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reticent.verify.probing import Probe

_SECONDS: Final = 5.0
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}

# `ACL DRYRUN` came with 7.0: https://redis.io/docs/latest/commands/acl-dryrun/ (read 2026-11-29).
MAJOR_VERSIONS: Final = range(7, 9)

_READS: Final = ("GET", "HGETALL", "LRANGE", "SMEMBERS", "ZRANGE", "XRANGE", "DUMP", "GETRANGE", "SORT", "COPY")
_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "LRANGE": ("0", "-1"),
    "ZRANGE": ("0", "-1"),
    "XRANGE": ("-", "+"),
    "GETRANGE": ("0", "-1"),
    "COPY": ("reticent-probe",),
}


class RedisSettings(Settings):
    """Where the server is."""

    url: str = Field(min_length=1)
    server_versions: tuple[int, ...] = ()


class TtlSettings(RedisSettings):
    """Which keys, and how long each of them may last at most."""

    keys: str = Field(min_length=1)
    longest: Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,5}[smhd]$")]
    sample: int = Field(default=1000, ge=1, le=1_000_000)


class AclSettings(RedisSettings):
    """Which keys, by a prefix, and the only users that may read them."""

    prefix: str = Field(min_length=1)
    only: tuple[str, ...] = Field(min_length=1)


class PersistenceSettings(RedisSettings):
    """Whether copies on other servers are part of the store; then each of them needs a look of its own."""

    replicas: bool = False


def ttl(settings: TtlSettings) -> str:
    """Every key of a sample ends by itself, and soon enough."""
    longest = int(settings.longest[:-1]) * _UNITS[settings.longest[-1]]
    with _connected(settings) as client:
        seen = 0
        for key in client.scan_iter(match=settings.keys, count=500):
            left = client.pttl(key)
            # -2: it ended meanwhile
            if left == -1:
                raise NotHeld("never-ends", f"a key of {len(key)} bytes has no time to live")
            if left > longest * 1000:
                raise NotHeld("ends-late", f"a key of {len(key)} bytes lasts {left // 1000} seconds more")
            seen += 1
            if seen >= settings.sample:
                break
    return f"{seen} keys end by themselves"


def acl(settings: AclSettings) -> str:
    """No user but those named can read a key with the prefix; a user that is switched off cannot log in."""
    with _connected(settings) as client:
        missing = sorted(set(settings.only) - set(map(_text, client.acl_users())))
        if missing:
            raise NotHeld("not-found", f"no user {', '.join(missing)}")
        others = [name for name in map(_text, client.acl_users()) if name not in settings.only]
        readers = [name for name in others if _enabled(client, name) and _reads(client, name, settings.prefix)]
        if readers:
            raise NotHeld("readable", f"{settings.prefix}* can be read by {', '.join(sorted(readers))}")
    return f"{len(others)} other users read nothing"


def persistence(settings: PersistenceSettings) -> str:
    """Neither snapshots nor a log of commands are written, and no other server has a copy."""
    with _connected(settings) as client:
        told = {_text(name): _text(value) for name, value in client.config_get("save", "appendonly").items()}
        if told.get("save", "?").strip():
            raise NotHeld("persisted", "snapshots are written (save)")
        if told.get("appendonly") != "no":
            raise NotHeld("persisted", "commands are logged (appendonly)")
        copies: Any = client.info("replication")
        others = int(copies.get("connected_slaves", 0)) + (copies.get("role") != "master")
        if others and not settings.replicas:
            raise NotHeld("replicated", f"{others} other servers have a copy")
    return "in memory only"


def _enabled(client: Any, user: str) -> bool:
    told = client.acl_getuser(user)
    return told is not None and "on" in map(_text, told["flags"])


def _reads(client: Any, user: str, prefix: str) -> bool:
    """Whether the server would let ``user`` read; it runs nothing for this question."""
    return any(
        _text(client.execute_command("ACL", "DRYRUN", user, command, f"{prefix}probe", *_ARGUMENTS.get(command, ())))
        == "OK"
        for command in _READS
    )


@contextlib.contextmanager
def _connected(settings: RedisSettings) -> Generator[Any]:
    """A client with time limits; what goes wrong is raised as ``NotHeld``."""
    import redis
    from redis.exceptions import NoPermissionError

    try:
        with redis.Redis.from_url(settings.url, socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS) as client:
            major = int(str(client.info("server")["redis_version"]).partition(".")[0])
            if major not in MAJOR_VERSIONS and major not in settings.server_versions:
                known = f"{MAJOR_VERSIONS[0]} and {MAJOR_VERSIONS[-1]}"
                raise NotHeld("server-version", f"Redis {major}; this probe knows {known}")
            yield client
    except NoPermissionError:
        raise NotHeld("lacks-rights", "the probe's user may not ask what it has to") from None
    except redis.TimeoutError:
        raise NotHeld("hung", f"no answer in {_SECONDS:g} seconds") from None
    except (redis.ConnectionError, ValueError) as error:
        raise NotHeld("unreachable", type(error).__name__) from None


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


PROBES: Final[Mapping[str, Probe]] = {
    "redis-acl": ShippedProbe(AclSettings, acl),
    "redis-persistence": ShippedProbe(PersistenceSettings, persistence),
    "redis-ttl": ShippedProbe(TtlSettings, ttl),
}
