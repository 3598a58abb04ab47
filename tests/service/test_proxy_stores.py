"""The proxy on PostgreSQL and Redis: real servers, also such that go away in the middle of a task and come back."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from tests.servers.postgresql import postgresql
from tests.servers.redis_server import redis_process
from tests.service.proxying import Place, proxying
from tests.service.talking import TALKERS, Anthropic, Call, Chat, Gemini, Responses, Talker, fails
from tests.simulator.upstream import Asked, Upstream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.running import Program, Server

ENDINGS = ("message_stop", "response.completed", '"finish_reason":"tool_calls"', '"finishReason"', "[DONE]")


@dataclass(frozen=True)
class Stored:
    """A proxy, and the store behind it, which can be stopped."""

    place: Place
    program: Program


@pytest.fixture(scope="module", params=[postgresql, redis_process], ids=["postgresql", "redis"])
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """A proxy on a server of its own; each test is a client of its own, and at the end the disk is searched."""
    folder = tmp_path_factory.mktemp("stores")
    with (
        request.param() as (server, program),
        proxying(folder, Upstream(steps=3), store=server.url, store_seconds=1.5) as place,
    ):
        yield Stored(place, program)
        found = _written(server)
    assert b"reticent" in found
    assert [] == [word for word in place.upstream.secrets if word.encode() in found]


def _written(server: Server) -> bytes:
    """Everything that a server has on disk."""
    if server.url.startswith("postgresql"):
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
    return b"".join(path.read_bytes() for path in server.folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("talker", TALKERS)
def test_a_task_of_three_steps(stored: Stored, talker: type[Talker], stream: bool) -> None:
    """The provider takes every history, and the client has no word of what it thought."""
    upstream = stored.place.upstream
    with talker(stored.place.url, key=f"sk-{talker.__name__}-{stream}") as talk:
        assert upstream.steps + 1 == talk.talk(stream=stream)
        assert [] == upstream.refused
        assert 1 == len(talk.tasks)
        assert [] == [word for word in upstream.secrets if word.encode() in talk.client.seen]
    assert len(upstream.secrets) > upstream.steps


AWAY: list[tuple[type[Talker], bool, signal.Signals]] = [
    (Anthropic, True, signal.SIGKILL),
    (Responses, False, signal.SIGINT),
    (Chat, True, signal.SIGINT),
    (Gemini, True, signal.SIGKILL),
]


@pytest.mark.parametrize(("talker", "stream", "number"), AWAY)
def test_a_store_that_goes_away(stored: Stored, talker: type[Talker], stream: bool, number: signal.Signals) -> None:
    """A turn that cannot be held is not shown to its end; when the store is back, nothing acknowledged is missing."""
    upstream = stored.place.upstream
    with talker(stored.place.url, key=f"sk-away-{talker.__name__}") as talk:
        talk.say("How many?")
        talk.answer(talk.turn(stream=stream))

        upstream.fault = _stopping(stored, number)
        told = fails(talk, stream=stream)
        assert "store-unavailable" in told
        assert [] == [ending for ending in ENDINGS if ending in told]
        asked = len(upstream.asked)
        assert "store-unavailable" in fails(talk, stream=stream)
        assert asked == len(upstream.asked)

        upstream.fault = lambda _asked: None
        stored.program.start()
        calls = _once_it_is_back(talk, stream=stream)
        while calls:
            talk.answer(calls)
            calls = talk.turn(stream=stream)
        assert [] == upstream.refused
        assert 1 == len(talk.tasks)
        assert [] == [word for word in upstream.secrets if word.encode() in talk.client.seen]


def _stopping(stored: Stored, number: signal.Signals) -> Any:
    """The store ends while the provider is asked."""

    def fault(_asked: Asked) -> None:
        stored.program.stop(number)

    return fault


def _once_it_is_back(talk: Talker, *, stream: bool) -> list[Call]:
    """Ask until there is an answer: a connection from before can still fail a request."""
    history = list(talk.history)
    for _ in range(10):
        with contextlib.suppress(Exception):
            if calls := talk.turn(stream=stream):
                return calls
        talk.history = list(history)
    raise AssertionError("the store is back, and the proxy does not see it")
