"""The servers that tests run against are the real ones, set up as the tests need them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import redis

if TYPE_CHECKING:
    from tests.servers.running import Server


def test_postgresql_is_real(postgres_server: Server, postgres_database: str) -> None:
    """PostgreSQL takes a publication in a database of its own, and runs as an ordinary user."""
    with psycopg.connect(postgres_database) as connection:
        connection.execute("CREATE TABLE a (b int)")
        connection.execute("CREATE PUBLICATION p FOR ALL TABLES")
        level = connection.execute("SHOW wal_level").fetchone()

    assert ("logical",) == level
    assert (postgres_server.folder / "pg_wal").is_dir()
    assert 0 != Path(f"/proc/{postgres_server.pid}").stat().st_uid if Path("/proc/self").exists() else os.getuid() != 0


def test_redis_is_real(redis_server: Server, redis_url: str) -> None:
    """Redis writes what it is told to its append-only file, and evicts nothing."""
    with redis.Redis.from_url(redis_url) as client:
        policy: Any = client.config_get("maxmemory-policy")
        client.set("servers:mark", "5e3c9a")
        client.delete("servers:mark")

    assert {"maxmemory-policy": "noeviction"} == policy
    written = b"".join(path.read_bytes() for path in (redis_server.folder / "appendonlydir").iterdir())
    assert b"5e3c9a" in written
