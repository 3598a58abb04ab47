"""A real PostgreSQL, made by ``initdb`` for this test run."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psycopg
import pytest
from psycopg import sql
from tests.servers.running import Program, Server, data_folder, give_away, ordinary_user, running

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "wal_level": "logical",  # publications and subscriptions can be made
    "fsync": "off",  # tests kill clients, never the machine
    "shared_buffers": "16MB",
    "max_connections": "200",
    "timezone": "UTC",
}


@contextlib.contextmanager
def postgresql() -> Generator[tuple[Server, Program]]:
    """Run a PostgreSQL of one's own with a superuser; what it writes to disk stands in the server's folder."""
    programs = _programs()
    password = secrets.token_urlsafe(12)
    with data_folder("postgres") as folder:
        cluster = _cluster(programs, folder, password)
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]

        def command(port: int) -> list[str]:
            return [str(programs / "postgres"), "-D", str(cluster), "-p", str(port), *settings]

        def ready(port: int) -> bool:
            try:
                psycopg.connect(_url(password, port), connect_timeout=2).close()
            except psycopg.OperationalError:
                return False
            return True

        with running(Program(command, folder / "log", ready), signal.SIGINT) as program:
            yield Server(_url(password, program.port), cluster, program.pid), program


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """Run a PostgreSQL for all tests."""
    with postgresql() as (server, _):
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres_server: Server) -> str:
    """Give the address of a superuser of a real PostgreSQL whose write-ahead log is logical."""
    return postgres_server.url


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[str]:
    """Give the address of an empty database that no other test uses."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield postgres_url.removesuffix("/postgres") + f"/{name}"
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _programs() -> Path:
    on_path = shutil.which("initdb")
    # Debian keeps the server's programs off the PATH, in one folder for each major version.
    found = [Path(on_path).resolve().parent] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found or not (found[-1] / "postgres").is_file():
        pytest.skip("no PostgreSQL: neither the PATH nor Debian's folders have initdb")
    return found[-1]


def _cluster(programs: Path, folder: Path, password: str) -> Path:
    words = folder / "password"
    words.write_text(password, encoding="ascii")
    words.chmod(0o600)
    give_away(words)
    cluster = folder / "cluster"
    subprocess.run(  # noqa: S603 - a program found on this machine
        [
            str(programs / "initdb"),
            "--no-sync",
            "--locale=C",
            "--encoding=UTF8",
            "--username=postgres",
            "--auth=scram-sha-256",
            f"--pwfile={words}",
            str(cluster),
        ],
        check=True,
        cwd=folder,
        env={"PATH": os.defpath, "LC_ALL": "C"},
        stdout=subprocess.DEVNULL,
        **ordinary_user(),
    )
    words.unlink()
    return cluster


def _url(password: str, port: int) -> str:
    return f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"
