"""Tasks over HTTP: the caller is the tenant, and reasoning comes back only to who was granted it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.service.proxying import keys_file
from tests.service.serving import callers_file, client, settings

from reticent_service.app import create_app
from reticent_service.routes import tasks as routes

SECRET = f"PRIV-{secrets.token_hex(8)}"
CALLERS = {
    "worker": {"may": [{"verbs": ["tasks", "restore"]}]},
    "edge": {"may": [{"verbs": ["tasks"]}]},
    "reader": {"may": [{"verbs": ["plan"]}]},
}
CALL = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
TURN = {"role": "assistant", "content": None, "reasoning_content": SECRET, "tool_calls": [CALL]}
ANSWER: dict[str, Any] = {
    "model": "deepseek-v4",
    "choices": [{"index": 0, "message": TURN, "finish_reason": "tool_calls"}],
}
VISIBLE = {name: told for name, told in TURN.items() if name != "reasoning_content"}
HISTORY = [{"role": "user", "content": "hi"}, VISIBLE, {"role": "tool", "tool_call_id": "c1", "content": "42"}]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TestClient]:
    """A service with a task store and three callers."""
    store = {"store": f"sqlite:///{tmp_path}/tasks.db", "keys": keys_file(tmp_path)}
    chosen = settings(callers=callers_file(tmp_path, CALLERS), **store)
    with TestClient(create_app(chosen), raise_server_exceptions=False) as running:
        yield running


def _as(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer {name}"}


def _hold(service: TestClient, name: str = "worker", **more: Any) -> Any:
    return service.post("/v1/tasks/t1/turns", json={"turn": ANSWER, **more}, headers=_as(name))


def test_hold_and_restore(service: TestClient) -> None:
    """What is held comes back, the answer to the client has none of it, and counts tell no content."""
    held = _hold(service, request={"messages": HISTORY[:1]})
    assert 200 == held.status_code
    assert {**ANSWER, "choices": [{**ANSWER["choices"][0], "message": VISIBLE}]} == held.json()
    counts = service.get("/v1/tasks/t1", headers=_as("worker"))
    assert {"task": "t1", "turns": 1, "carriers": 1, "dialects": ["openai-chat"]} == counts.json()
    restored = service.post("/v1/tasks/t1/restore", json={"messages": HISTORY}, headers=_as("worker"))
    assert {"messages": [HISTORY[0], TURN, HISTORY[2]]} == restored.json()
    assert "no-store" == restored.headers["cache-control"]


def test_an_ended_task_is_gone(service: TestClient) -> None:
    """A finished task says so with 410, twice finished too, and its reasoning is nowhere."""
    _hold(service)
    ended = service.post("/v1/tasks/t1/finish", json={"state": "failed"}, headers=_as("worker"))
    assert ("failed", 1, 1) == tuple(ended.json()[name] for name in ("state", "turns", "carriers"))
    again = [
        service.post("/v1/tasks/t1/finish", headers=_as("worker")),
        service.post("/v1/tasks/t1/restore", json=HISTORY, headers=_as("worker")),
        _hold(service),
    ]
    for answer in again:
        assert 410 == answer.status_code
        assert "urn:reticent:problem:task-finished" == answer.json()["type"]
        assert SECRET not in answer.text


def test_the_caller_is_the_tenant(service: TestClient) -> None:
    """Another caller's task does not exist, whatever its name."""
    _hold(service, "edge")
    assert 404 == service.get("/v1/tasks/t1", headers=_as("worker")).status_code
    assert 200 == service.get("/v1/tasks/t1", headers=_as("edge")).status_code


@pytest.mark.parametrize(
    ("name", "path", "status"),
    [
        ("edge", "restore", 403),
        ("reader", "turns", 403),
        ("reader", "restore", 403),
        ("reader", "finish", 403),
        ("nobody", "turns", 401),
    ],
)
def test_what_is_not_granted_is_denied(service: TestClient, name: str, path: str, status: int) -> None:
    """Who may hold turns does not get reasoning back, and who may neither gets nothing."""
    _hold(service, "edge")
    answer = service.post(f"/v1/tasks/t1/{path}", json={"turn": ANSWER}, headers=_as(name))
    assert status == answer.status_code
    assert SECRET not in answer.text


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("turns", b"{", 422, "malformed-input"),
        ("turns", b"[]", 422, "malformed-input"),
        ("turns", b"{}", 422, "malformed-input"),
        ("turns", b'{"turn": {}, "model": 7}', 422, "malformed-input"),
        ("turns", b'{"turn": {"role": "user", "content": "x"}}', 422, "not-replayable"),
        ("restore", b"{", 422, "malformed-input"),
        ("finish", b'{"state": "asleep"}', 422, "invalid-request"),
    ],
)
def test_bad_input_is_named(service: TestClient, path: str, body: bytes, status: int, code: str) -> None:
    """What cannot be read is a problem with a name."""
    _hold(service)
    headers = {**_as("worker"), "content-type": "application/json"}
    answer = service.post(f"/v1/tasks/t1/{path}", content=body, headers=headers)
    assert (status, f"urn:reticent:problem:{code}") == (answer.status_code, answer.json()["type"])


def test_a_changed_history_is_refused(service: TestClient) -> None:
    """A call with other arguments than the model's is a conflict, and the answer has no word of either."""
    _hold(service)
    other = {**CALL, "function": {"name": "lookup", "arguments": '{"other": "words"}'}}
    history = [HISTORY[0], {**VISIBLE, "tool_calls": [other]}, HISTORY[2]]
    answer = service.post("/v1/tasks/t1/restore", json=history, headers=_as("worker"))
    assert (409, "urn:reticent:problem:restore-refused") == (answer.status_code, answer.json()["type"])
    assert SECRET not in answer.text
    assert "words" not in answer.text


def test_a_service_without_a_store_says_so() -> None:
    """Without a store there are no tasks, and the problem says how to get them."""
    answer = client().get("/v1/tasks/t1")
    assert (404, "urn:reticent:problem:no-store") == (answer.status_code, answer.json()["type"])


def test_the_examples_of_the_description_hold(service: TestClient) -> None:
    """The examples in the OpenAPI document are what the service answers."""
    held = service.post("/v1/tasks/example/turns", json=routes.EXAMPLE_TURN, headers=_as("worker"))
    restored = service.post("/v1/tasks/example/restore", json=routes.EXAMPLE_HISTORY, headers=_as("worker"))
    assert routes.EXAMPLE_VISIBLE == held.json()
    assert routes.EXAMPLE_RESTORED == restored.json()
    described = service.get("/openapi.json").json()["paths"]["/v1/tasks/{task}/turns"]["post"]
    assert routes.EXAMPLE_TURN == described["requestBody"]["content"]["application/json"]["example"]


def test_a_store_needs_its_keys(tmp_path: Path) -> None:
    """A store without a keyset is no service."""
    from reticent.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match="--keys"):
        create_app(settings(store=f"sqlite:///{tmp_path}/tasks.db"))
