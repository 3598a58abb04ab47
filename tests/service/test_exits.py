"""The watch over the whole run sees what gets out, and not what may."""

from __future__ import annotations

import base64
import logging
from typing import TYPE_CHECKING

import pytest
from tests.service.exits import RunExits
from tests.service.serving import THOUGHT, client, settings

from reticent.testing import canary
from reticent_service import problems

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

URL = "/v1/surfaces/{}/filter"


@pytest.fixture
def exits(watched_run: RunExits, monkeypatch: pytest.MonkeyPatch) -> RunExits:
    """Give a watch of a test's own; the one over the run looks away, since this test leaks on purpose."""
    monkeypatch.setattr(watched_run, "take", lambda *_: None)
    return RunExits()


def test_what_may_go_out_is_no_leak(exits: RunExits, tmp_path: Path) -> None:
    """Reasoning that goes to a surface which may hold it, or is stripped, leaves no finding at any exit."""
    with exits.watching(), client(settings(decision_log=str(tmp_path / "log"), traces="global")) as caller:
        for surface in ("task_store", "logs"):
            assert 200 == caller.post(URL.format(surface), json=THOUGHT).status_code
        caller.post("/lab", data={"payload": str(THOUGHT)})
        caller.post(URL.format("logs"), content=b"{")

    assert [] == exits.leaks()
    assert {"decision log", "metrics", "answer 200", "answer 422"} <= {name for name, _ in exits._seen.values()}


def _logged(secret: str, _: pytest.MonkeyPatch) -> None:
    logging.getLogger("anything").error("failed: %s", secret)


def _encoded(secret: str, _: pytest.MonkeyPatch) -> None:
    logging.getLogger("anything").error("failed: %s", base64.b64encode(secret.encode()).decode())


def _answered(secret: str, patch: pytest.MonkeyPatch) -> None:
    problem = problems.problem
    patch.setattr(problems, "problem", lambda code, status, *_, **__: problem(code, status, secret))


@pytest.mark.parametrize("leak", [_logged, _encoded, _answered])
def test_a_leak_is_found(
    exits: RunExits, leak: Callable[[str, pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A canary in a log line, in any of its spellings, or in a problem document is found."""
    secret = canary()
    with exits.watching(), client() as caller:
        leak(secret, monkeypatch)
        caller.post(URL.format("logs"), content=b"{")

    assert 1 == len(exits.leaks())
    assert exits.leaks()[0].endswith(secret)
