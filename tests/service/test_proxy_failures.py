"""What goes wrong behind the proxy, before it and in its store: a typed error each time, and never a thought."""

from __future__ import annotations

import json
import logging
import secrets
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.proxying import KEY, Client, Place, proxying
from tests.service.serving import wait_until
from tests.service.talking import TALKERS, Anthropic, Chat, Responses, Talker, fails
from tests.simulator.upstream import Asked, Upstream

from reticent.errors import StoreFull, StoreUnavailable
from reticent.store import AsyncTasks

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where store, keys and decision log are."""
    return tmp_path_factory.mktemp("proxy")


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Place]:
    """One proxy for all tests of this file; each test is a client of its own."""
    with proxying(folder, Upstream(steps=2), decision_log=str(folder / "decisions.jsonl")) as place:
        yield place


@pytest.fixture
def place(running: Place) -> Iterator[Place]:
    """The proxy, with a provider that works and has refused nothing."""
    running.upstream.refused.clear()
    yield running
    running.upstream.fault = _works
    assert [] == running.upstream.refused


def _works(_asked: Asked) -> str | None:
    return None


def _wrong(word: str) -> Any:
    return lambda _asked: word


def _key() -> str:
    return f"sk-{secrets.token_hex(8)}"


def _unseen(place: Place, talk: Talker) -> None:
    assert [] == [word for word in place.upstream.secrets if word.encode() in talk.client.seen]


_TELLS = {
    "cut": "upstream-away",
    "overloaded": "busy",
    "redirect": "upstream-redirect",
    "wrong-type": "malformed-input",
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("talker", TALKERS)
@pytest.mark.parametrize("fault", _TELLS)
def test_an_upstream_thatfails(place: Place, talker: type[Talker], fault: str, stream: bool) -> None:
    """The client gets a legal error, nothing unfiltered, and the same request is answered once the provider works."""
    with talker(place.url, key=_key()) as talk:
        talk.say("How many?")
        talk.answer(talk.turn(stream=stream))
        place.upstream.fault = _wrong(fault)
        assert _TELLS[fault] in fails(talk, stream=stream)
        _unseen(place, talk)
        place.upstream.fault = _works
        while calls := talk.turn(stream=stream):
            talk.answer(calls)
        _unseen(place, talk)
        assert 1 == len(talk.tasks)


def test_an_error_of_the_provider_inside_a_stream_goes_on(place: Place) -> None:
    """It is the provider's own, in the provider's words, and the turn is not held."""
    for talker in (Anthropic, Responses):
        with talker(place.url, key=_key()) as talk:
            talk.say("How many?")
            place.upstream.fault = _wrong("error-event")
            fails(talk, stream=True)
            assert b"busy" in talk.client.seen
            assert b"reticent:" not in talk.client.seen
            _unseen(place, talk)


@pytest.mark.parametrize("talker", [Anthropic, Chat])
def test_an_error_that_repeats_reasoning_is_withheld(place: Place, talker: type[Talker]) -> None:
    """Some servers quote the request they refuse; what the proxy put into it does not come out that way."""
    with talker(place.url, key=_key()) as talk:
        talk.say("How many?")
        place.upstream.fault = _wrong("echo")
        assert "How many?" in fails(talk)
        place.upstream.fault = _works
        talk.answer(talk.turn(stream=False))
        place.upstream.fault = _wrong("echo")
        assert "upstream-echo" in fails(talk)
        _unseen(place, talk)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("talker", [Anthropic, Responses, Chat])
@pytest.mark.parametrize("failure", [StoreUnavailable, StoreFull])
def test_a_store_that_is_away_or_full(
    place: Place, talker: type[Talker], failure: type[Exception], stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is told that a turn ended which was not held: the stream ends with an error, a whole answer is none."""

    async def refuse(*_: Any, **__: Any) -> Any:
        raise failure("the store is not there")

    with talker(place.url, key=_key()) as talk:
        talk.say("How many?")
        with monkeypatch.context() as broken:
            broken.setattr(AsyncTasks, "hold", refuse)
            told = fails(talk, stream=stream)
        assert failure.code in told  # type: ignore[attr-defined]  # errors of the tree have codes
        seen = talk.client.seen
        for ending in (b"message_stop", b"response.completed", b'"finish_reason":"tool_calls"', b"[DONE]"):
            assert ending not in seen
        _unseen(place, talk)
        talk.answer(talk.turn(stream=stream))
        talk.turn(stream=stream)


_HELLO = {"role": "user", "content": [{"type": "text", "text": "hi"}]}


def test_a_client_that_leaves_stops_the_provider(place: Place, folder: Path) -> None:
    """The request to the provider is closed, nothing is held, and the log says that the turn is partial."""
    place.upstream.fault = _wrong("endless")
    client, key = Client(), _key()
    with client.http() as http:
        asked = {"model": "claude-opus-5-1", "stream": True, "messages": [_HELLO]}
        url = f"{place.url}/v1/messages"
        with http.stream("POST", url, json=asked, headers={"x-api-key": key}) as response:
            next(response.iter_raw())
    wait_until(lambda: place.upstream.closed)
    log = folder / "decisions.jsonl"
    wait_until(lambda: '"outcome":"partial"' in log.read_text(encoding="utf-8"))


# --- histories and tasks ----------------------------------------------------------------------------------------------


def test_a_changed_history_is_refused(place: Place) -> None:
    """What a signature covers cannot be changed: the reason is told, and the provider is not asked."""
    with Anthropic(place.url, key=_key()) as talk:
        talk.say("How many?")
        talk.answer(talk.turn(stream=False))
        talk.history[0] = {"role": "user", "content": [{"type": "text", "text": "Another question"}]}
        asked = len(place.upstream.asked)
        assert "prefix-changed" in fails(talk)
        assert asked == len(place.upstream.asked)


def test_a_task_that_never_was_and_one_that_ended(place: Place) -> None:
    """A named task that nobody held, and one that was finished, are errors that no library asks again for."""
    with Anthropic(place.url, key=_key()) as talk:
        talk.say("How many?")
        talk.answer(talk.turn(stream=False))
        [task] = talk.tasks
        talk.headers["reticent-task"] = "another"
        assert "unknown-task" in fails(talk)
        talk.headers["reticent-task"] = "no/name"
        assert "wrong-task" in fails(talk)
        own, told = f"{place.url}/-/reticent/tasks/{task}", {"x-api-key": talk.key}
        counts = talk.http.get(own, headers=told).json()
        assert (1, task) == (counts["turns"], counts["task"])
        assert 404 == talk.http.get(own, headers={"x-api-key": _key()}).status_code
        assert 400 == talk.http.post(f"{own}/finish", json={"state": "asleep"}, headers=told).status_code
        ended = talk.http.post(f"{own}/finish", json={"state": "cancelled"}, headers=told)
        assert "cancelled" == ended.json()["state"]
        talk.headers["reticent-task"] = task
        assert "task-finished" in fails(talk)


def test_one_client_cannot_have_what_another_was_thought(place: Place) -> None:
    """The same history under another key, or for another family of models, gets nothing back."""
    with Chat(place.url, key=_key()) as talk:
        talk.say("How many?")
        talk.answer(talk.turn(stream=False))
        for key, model in ((_key(), talk.model), (talk.key, "kimi-k2")):
            with Chat(place.url, key=key, model=model, history=list(talk.history)) as other:
                fails(other)
            assert b"reasoning_content" not in place.upstream.asked[-1].body
        assert place.upstream.refused
        place.upstream.refused.clear()
        talk.turn(stream=False)


def test_credentials_are_asked_for_and_never_told(place: Place, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A request without credentials is refused; those that came are with the provider and nowhere else."""
    caplog.set_level(logging.DEBUG)
    with Anthropic(place.url) as talk:
        body = {"model": talk.model, "messages": []}
        answer = talk.http.post(f"{place.url}/v1/messages", json=body)
        assert (401, "authentication_error") == (answer.status_code, answer.json()["error"]["type"])
        talk.say("How many?")
        talk.turn(stream=True)
        assert KEY.encode() in b" ".join(place.upstream.asked[-1].headers.values())
        assert KEY.encode() not in talk.client.seen
    written = b"".join(path.read_bytes() for path in folder.iterdir())
    assert b"decision" in written
    words = [KEY.encode(), *(word.encode() for word in place.upstream.secrets)]
    assert [] == [word for word in words if word in written or word.decode() in caplog.text]


def test_a_client_that_does_not_read_is_given_up(tmp_path: Path) -> None:
    """The provider is not asked for more than the client takes, and a client that takes nothing is left."""
    upstream = Upstream(steps=0, cut=lambda text: [text * 100_000] * 10 if text == "It is 42." else [text])
    with proxying(tmp_path, upstream, send_seconds=0.2, decision_log=str(tmp_path / "log")) as place:
        port = int(place.url.rpartition(":")[2])
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", port))
            body = json.dumps({"model": "deepseek-v4", "stream": True, "messages": [{"role": "user", "content": "x"}]})
            head = f"host: x\r\nx-api-key: k\r\ncontent-length: {len(body)}"
            connection.sendall(f"POST /v1/chat/completions HTTP/1.1\r\n{head}\r\n\r\n{body}".encode())
            wait_until(lambda: '"partial"' in (tmp_path / "log").read_text(encoding="utf-8"))
