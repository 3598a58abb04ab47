"""A task store whose row rests on evidence stops holding when that is too old."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.evidence import DAY, HOUR, NOW, evidence, table

from reticent.compiler import load_plan
from reticent.errors import ConfigurationError, PermissionEnded
from reticent.serializers import ageing
from reticent.store import Keyset, Tasks, open_store

if TYPE_CHECKING:
    from pathlib import Path

TURN = {"role": "assistant", "reasoning_content": "hm", "content": "Done."}


def test_store_is_closed_when_its_evidence_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks that were opened in time hold nothing once the evidence for the store is too old; others do not open."""
    clock = [float(NOW)]
    monkeypatch.setattr(ageing, "time", lambda: clock[0])
    plan = load_plan(table(), today=DAY, evidence=evidence(), now=NOW)
    with open_store(f"sqlite:///{tmp_path}/tasks.db", keys=Keyset.generate()) as store:
        tasks = Tasks(store, plan=plan, tenant="acme", surface="logs", store_surface="tasks")
        first = tasks.hold("one", TURN)
        clock[0] += 30 * HOUR

        assert {"role": "assistant", "content": "Done."} == first
        with pytest.raises(PermissionEnded):
            tasks.hold("one", TURN)
        assert 1 == len(tasks.turns("one"))
        with pytest.raises(ConfigurationError, match="is strip"):
            Tasks(store, plan=plan, tenant="acme", surface="logs", store_surface="tasks")
