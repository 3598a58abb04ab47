"""Two proxies as processes of their own, one store in PostgreSQL: long tasks go on wherever the next request lands."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import psycopg
from tests.servers.running import free_port
from tests.service.proxying import KEY, keys_file
from tests.service.serving import serving, wait_until
from tests.service.talking import Anthropic, Chat, Gemini, Responses, Talker
from tests.simulator.upstream import Upstream

if TYPE_CHECKING:
    from collections.abc import Generator

    import pytest
    from tests.servers.running import Server

ROOT = Path(__file__).parents[2]
STEPS = 50


@contextlib.contextmanager
def processes(number: int, *options: str) -> Generator[list[str]]:
    """Run `reticent proxy` several times; gives the addresses."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "policy"), str(ROOT / "service")])}
    program = [sys.executable, "-c", "import reticent.cli; reticent.cli.main()", "proxy"]
    with contextlib.ExitStack() as running:
        ports = [free_port() for _ in range(number)]
        for port in ports:
            process = running.enter_context(
                subprocess.Popen([*program, "--port", str(port), *options], env=env)  # noqa: S603 - our own
            )
            running.callback(process.terminate)
        urls = [f"http://127.0.0.1:{port}" for port in ports]
        for url in urls:
            wait_until(lambda url=url: _answers(url), 60)
        yield urls


def _answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/-/reticent/readyz").status_code == 200
    except httpx2.HTTPError:
        return False


def test_long_tasks_over_two_proxies(
    tmp_path: Path, postgres_server: Server, postgres_database: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Fifty steps, a second question, each request to the other proxy: all is accepted, and no thought is anywhere."""
    upstream = Upstream()
    log = tmp_path / "decisions.jsonl"
    seen = b""
    with serving(upstream) as behind:
        options = ["--upstream", f"http://127.0.0.1:{behind}", "--store", postgres_database]
        options += ["--keys", str(keys_file(tmp_path)), "--decision-log", str(log)]
        with processes(2, *options) as urls:
            for talker in (Anthropic, Responses, Chat, Gemini):
                with talker(urls[0], long=True) as talk:
                    for steps in (STEPS, 2):
                        upstream.steps = steps
                        assert steps == _work(talk, urls), talker
                    assert [] == upstream.refused, talker
                    assert 1 == len(talk.tasks), talker
                    seen += talk.client.seen
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    files = b"".join(path.read_bytes() for path in postgres_server.folder.rglob("*") if path.is_file())
    told = log.read_bytes() + "".join(capfd.readouterr()).encode()
    assert b"reticent_turns" in files
    assert [] == [word for word in upstream.secrets if any(word.encode() in place for place in (seen, files, told))]
    assert KEY.encode() not in files + told
    assert len(upstream.secrets) > 4 * STEPS


def _work(talk: Talker, urls: list[str]) -> int:
    """Ask one question and answer calls until there are none; how many turns had calls."""
    talk.say("How many, and why?")
    turns = 0
    while calls := talk.turn(stream=turns % 3 != 1):
        talk.answer(calls)
        turns += 1
        talk.url = urls[turns % 2]
    return turns
