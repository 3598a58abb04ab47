"""Break-glass: who may see what, for how long, and what is told of it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.serving import THOUGHT, callers_file, client, settings, wait_until

from reticent.store import Keyset
from reticent.testing import canary
from reticent_service import break_glass

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from fastapi.testclient import TestClient

CONSOLE = ["support_console"]
CALLERS: dict[str, dict[str, object]] = {
    "amira": {"person": "amira", "may": [{"verbs": ["break-glass"], "surfaces": CONSOLE}]},
    "amira-laptop": {"person": "amira", "may": [{"verbs": ["break-glass", "approve"], "surfaces": CONSOLE}]},
    "boris": {"may": [{"verbs": ["approve"], "surfaces": CONSOLE}]},
    "cleo": {"may": [{"verbs": ["read", "filter", "reasoning"], "surfaces": ["*"]}]},
    "agents": {"may": [{"verbs": ["tasks", "restore"], "surfaces": []}]},
}
WANTED = {
    "task": "task-1",
    "tenant": "agents",
    "surface": "support_console",
    "reason": "The customer disputes the refund, case 4711.",
    "minutes": 5,
}


class Service:
    """A service, and those who call it."""

    def __init__(self, caller: TestClient) -> None:
        """Ask by way of ``caller``."""
        self.client = caller

    def post(self, who: str, path: str, body: Any = None) -> Any:
        """Ask for something as ``who``."""
        return self.client.post(path, json=body, headers={"authorization": f"Bearer {who}"})

    def asked(self, who: str = "amira", **change: object) -> str:
        """Ask for a task, and give the name of the request."""
        return str(self.post(who, "/v1/break-glass", {**WANTED, **change}).json()["id"])

    def opened(self) -> str:
        """Ask and approve."""
        name = self.asked()
        assert 200 == self.post("boris", f"/v1/break-glass/{name}/approve").status_code
        return name

    def show(self, who: str, name: str, payload: Any = THOUGHT) -> Any:
        """Look."""
        return self.post(who, f"/v1/break-glass/{name}/show", payload)


@contextmanager
def service(folder: Path, **more: object) -> Generator[Service]:
    """Give a service with these callers and a decision log."""
    chosen = settings(callers=callers_file(folder, CALLERS), decision_log=str(folder / "log"), **more)
    with client(chosen) as caller:
        yield Service(caller)


def records(folder: Path) -> list[tuple[str, str | None]]:
    """Tell the records of a log, each by its action and by who approved."""
    lines = [json.loads(line) for line in (folder / "log").read_text("utf-8").splitlines()]
    return [(line["action"], line["approved_by"]) for line in lines if line["event"] == "break-glass"]


def test_one_task_on_one_surface_with_a_banner_and_a_record(tmp_path: Path) -> None:
    """What two people agreed on is shown under a banner that says who, why and until when, and is logged."""
    secret = canary()
    payload = {"role": "assistant", "reasoning_content": secret, "content": "Done."}
    with service(tmp_path) as told:
        name = told.opened()
        answer = told.show("amira", name, payload)
        closed = told.post("boris", f"/v1/break-glass/{name}/close")
        after = told.show("amira", name, payload)

    banner = answer.json()["break_glass"]
    assert payload == answer.json()["payload"]
    assert "no-store" == answer.headers["cache-control"]
    assert {"task-1", "support_console", WANTED["reason"], "amira", "boris"} <= {str(one) for one in banner.values()}
    assert banner["notice"].startswith("Break-glass")
    assert "closed" == closed.json()["state"]
    assert (409, "it is closed") == (after.status_code, after.json()["detail"])
    assert secret not in after.text
    assert [("asked", None), ("approved", "boris"), ("shown", "boris"), ("closed", "boris")] == records(tmp_path)
    assert secret not in (tmp_path / "log").read_text("utf-8")


def test_reasoning_comes_from_the_task_store(tmp_path: Path) -> None:
    """With a task store the console sends what it can see, and the reasoning of that one task is put back."""
    Keyset.generate().save(tmp_path / "keys.json")
    turn = {"model": "deepseek-v4", "turn": {**THOUGHT, "tool_calls": _CALLS}}
    with service(tmp_path, store=f"sqlite:///{tmp_path}/tasks.db", keys=tmp_path / "keys.json") as told:
        visible = told.post("agents", "/v1/tasks/task-1/turns", turn).json()
        history = {"messages": [{"role": "user", "content": "Refund?"}, visible, _RESULT]}
        name, other = told.opened(), told.asked(task="task-2")
        told.post("boris", f"/v1/break-glass/{other}/approve")
        shown, missing = told.show("amira", name, history), told.show("amira", other, history)

    assert "reasoning_content" not in visible
    assert turn["turn"] == shown.json()["payload"]["messages"][1]
    assert (404, "unknown-task") == (missing.status_code, missing.json()["type"].rpartition(":")[2])
    assert THOUGHT["reasoning_content"] not in missing.text


_CALLS = [{"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
_RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "in Kiel"}


def test_nobody_approves_their_own(tmp_path: Path) -> None:
    """A person who asked cannot approve, under whatever name; who was not granted it cannot either."""
    with service(tmp_path) as told:
        own = told.post("amira-laptop", f"/v1/break-glass/{told.asked('amira-laptop')}/approve")
        other_name = told.post("amira-laptop", f"/v1/break-glass/{told.asked('amira')}/approve")
        ungranted = told.post("cleo", f"/v1/break-glass/{told.asked('amira')}/approve")

    assert [403, 403, 403] == [own.status_code, other_name.status_code, ungranted.status_code]
    assert "another person" in own.json()["detail"]
    assert "another person" in other_name.json()["detail"]
    assert {"asked"} == {action for action, _ in records(tmp_path)}


def test_scope_is_one_of_its_own(tmp_path: Path) -> None:
    """Neither the right to filter reasoning nor the operator's token opens glass, and nobody else looks through it."""
    with service(tmp_path) as told:
        name = told.opened()
        refused = [
            told.post("cleo", "/v1/break-glass", WANTED),
            told.post("operator-token", "/v1/break-glass", WANTED),
            told.post("boris", "/v1/break-glass", WANTED),
            told.post("amira", "/v1/break-glass", {**WANTED, "surface": "logs"}),
            told.show("amira-laptop", name),
            told.show("boris", name),
            told.show("cleo", name),
            told.post("nobody", f"/v1/break-glass/{name}/show", THOUGHT),
        ]
        stripped = told.post("cleo", "/v1/surfaces/support_console/filter", THOUGHT)

    assert [403, 403, 403, 404, 403, 403, 403, 401] == [answer.status_code for answer in refused]
    assert all("payload" not in answer.text for answer in refused)
    assert "reasoning_content" not in stripped.text


@pytest.mark.parametrize("clock", ["time", "monotonic"])
def test_it_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: str) -> None:
    """When the time is over by either clock, nothing is shown, nothing can be approved, and the log says so."""
    with service(tmp_path) as told:
        name, waiting = told.opened(), told.asked()
        real = getattr(break_glass, clock)
        monkeypatch.setattr(break_glass, clock, lambda: real() + 16 * 60)
        shown, late = told.show("amira", name), told.post("boris", f"/v1/break-glass/{waiting}/approve")
        wait_until(lambda: [action for action, _ in records(tmp_path)].count("expired") == 2)

    assert [(409, "it is expired")] * 2 == [(one.status_code, one.json()["detail"]) for one in (shown, late)]


def test_restart_closes_it(tmp_path: Path) -> None:
    """What was open before a restart is unknown after it."""
    with service(tmp_path) as told:
        name = told.opened()
        assert 200 == told.show("amira", name).status_code
    with service(tmp_path) as told:
        assert 404 == told.show("amira", name).status_code
        listed = told.client.get("/v1/break-glass", headers={"authorization": "Bearer boris"})
        assert [] == listed.json()


def test_it_is_seen_while_it_is_open(tmp_path: Path) -> None:
    """Those who may ask or approve list it, others do not, and the review page says who sees what."""
    with service(tmp_path) as told:
        told.opened()
        lists = {
            who: told.client.get("/v1/break-glass", headers={"authorization": f"Bearer {who}"}).json()
            for who in ("amira", "boris", "cleo")
        }
        page = told.client.get("/").text
        metrics = told.client.get("/metrics").text

    assert {"amira": 1, "boris": 1, "cleo": 0} == {who: len(listed) for who, listed in lists.items()}
    assert "amira may see the reasoning of task <code>task-1</code>" in page
    assert 'reticent_break_glass_total{action="approved",surface="support_console"} 1.0' in metrics


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    """Too long, without a reason, for a surface that passes, or where several processes serve: no."""
    with service(tmp_path) as told:
        wrong = [
            told.post("amira", "/v1/break-glass", {**WANTED, **change})
            for change in ({"minutes": 61}, {"minutes": 0}, {"reason": "because"}, {"extra": 1}, {"task": ""})
        ]
        broken = told.client.post(
            f"/v1/break-glass/{told.opened()}/show", content=b"{", headers={"authorization": "Bearer amira"}
        )
    with service(tmp_path, break_glass=False) as told:
        off = told.post("amira", "/v1/break-glass", WANTED)

    assert [422] * 5 == [answer.status_code for answer in wrong]
    assert 422 == broken.status_code
    assert (404, "break-glass-off") == (off.status_code, off.json()["type"].rpartition(":")[2])
