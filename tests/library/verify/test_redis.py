"""Probes against a real Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import redis
from tests.described import code, one_condition

from reticent.verify import state
from reticent.verify.probes import redis_server as probes

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "verify-tasks:"


@pytest.fixture
def server(redis_url: str) -> Iterator[Any]:
    """Give a server that keeps nothing, with tasks that end by themselves and one other user."""
    with redis.Redis.from_url(redis_url) as client:
        before: Any = client.config_get("save", "appendonly")
        client.config_set("save", "")
        client.config_set("appendonly", "no")
        for number in range(20):
            client.set(f"{PREFIX}{number}", "x", ex=600)
        client.acl_setuser("support", enabled=True, passwords=["+secret"], categories=["+@read"], keys=["visible:*"])
        yield client
        client.acl_deluser("support")
        client.delete(*client.keys(f"{PREFIX}*"))
        for name, value in before.items():
            client.config_set(name, value)


def codes(url: str) -> dict[str, str]:
    """Tell what each probe finds."""
    settings: dict[str, dict[str, Any]] = {
        "redis-ttl": {"keys": f"{PREFIX}*", "longest": "15m"},
        "redis-acl": {"prefix": PREFIX, "only": ["default"]},
        "redis-persistence": {},
    }
    return {probe: code(probe, {"url": url, **more}) for probe, more in settings.items()}


LOSSES: dict[str, tuple[Any, Any, str, str]] = {
    "a key for ever": (
        lambda client: client.set(f"{PREFIX}for-ever", "x"),
        lambda client: client.delete(f"{PREFIX}for-ever"),
        "redis-ttl",
        "never-ends",
    ),
    "a key for long": (
        lambda client: client.expire(f"{PREFIX}1", 5000),
        lambda client: client.expire(f"{PREFIX}1", 600),
        "redis-ttl",
        "ends-late",
    ),
    "all keys granted": (
        lambda client: client.execute_command("ACL", "SETUSER", "support", "allkeys"),
        lambda client: client.execute_command("ACL", "SETUSER", "support", "resetkeys", "~visible:*"),
        "redis-acl",
        "readable",
    ),
    "one command granted": (
        lambda client: client.execute_command("ACL", "SETUSER", "support", "-@all", "+dump", "~verify-*"),
        lambda client: client.execute_command("ACL", "SETUSER", "support", "-@all", "resetkeys"),
        "redis-acl",
        "readable",
    ),
    "snapshots": (
        lambda client: client.config_set("save", "3600 1"),
        lambda client: client.config_set("save", ""),
        "redis-persistence",
        "persisted",
    ),
    "a log of commands": (
        lambda client: client.config_set("appendonly", "yes"),
        lambda client: client.config_set("appendonly", "no"),
        "redis-persistence",
        "persisted",
    ),
}


def test_each_loss_is_found_by_its_probe(server: Any, redis_url: str) -> None:
    """Each setting that lets something out or keeps it is found by the probe for it, and found to be right again."""
    fine = dict.fromkeys(("redis-ttl", "redis-acl", "redis-persistence"), "held")
    told: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    for name, (lose, restore, _, _) in LOSSES.items():
        lose(server)
        lost = codes(redis_url)
        restore(server)
        told[name] = lost, codes(redis_url)

    assert {name: ({**fine, probe: word}, fine) for name, (_, _, probe, word) in LOSSES.items()} == told


def test_user_that_is_switched_off_reads_nothing(server: Any, redis_url: str) -> None:
    """A user that cannot log in is no reader, and one that the settings name must be there."""
    server.execute_command("ACL", "SETUSER", "support", "off", "allkeys")
    settings = {"url": redis_url, "prefix": PREFIX}

    assert "held" == code("redis-acl", {**settings, "only": ["default"]})
    assert "not-found" == code("redis-acl", {**settings, "only": ["default", "nobody"]})


def test_probe_without_rights_or_server_shows_nothing(
    server: Any, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user that may not ask, a wrong password, a server of another version and one that is away are told apart."""
    server.execute_command("ACL", "SETUSER", "support", "+info")
    host = redis_url.rpartition("@")[2]
    poor = state(one_condition("redis-persistence", {"url": f"redis://support:secret@{host}"}))[0]
    away = state(one_condition("redis-persistence", {"url": "redis://user:secret@127.0.0.1:9/0"}))[0]
    monkeypatch.setattr(probes, "MAJOR_VERSIONS", range(3, 5))

    assert "lacks-rights" == poor.code
    assert "unreachable" == away.code
    assert "secret" not in f"{poor.detail}{away.detail}"
    assert "server-version" == code("redis-persistence", {"url": redis_url})
    assert "held" == code("redis-persistence", {"url": redis_url, "server_versions": [7]})
