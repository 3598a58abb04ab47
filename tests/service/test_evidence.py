"""Evidence in the running service: what closes an exit, what opens it again, and where that is told."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.described import one_condition
from tests.evidence import KEY, TABLE, evidence
from tests.service.serving import THOUGHT, VISIBLE, client, settings, wait_until

from reticent.verify import write_evidence
from reticent_service.plan_holder import PlanHolder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from httpx2 import Client

    from reticent.evidence import EvidenceFile

DAY = 86_400


def now(**encrypted: Any) -> EvidenceFile:
    """Sign that everything held just now, with what is to be different about the rows."""
    moment = int(time.time())
    looked = {"observed": moment, "since": moment}
    return evidence(sealed=looked, encrypted={**looked, **encrypted})


def passes(caller: Client) -> bool:
    """Say whether reasoning gets into the task store."""
    told = caller.post("/v1/surfaces/tasks/filter", json=THOUGHT).json()
    assert told in (THOUGHT, VISIBLE)
    return bool(told == THOUGHT)


def lost(caller: Client) -> dict[str, str]:
    """Give what ``/readyz`` says of lost conditions."""
    return {f"{one['surface']}.{one['condition']}": one["status"] for one in caller.get("/readyz").json()["lost"]}


def test_loss_and_return_are_told_everywhere(tmp_path: Path) -> None:
    """While evidence fails the row is closed, and every place says which condition, since when and whose."""
    path, log = tmp_path / "evidence.json", tmp_path / "log"
    write_evidence(now(), path)
    with client(settings(table=TABLE, evidence=path, decision_log=str(log))) as caller:
        assert passes(caller)
        assert {} == lost(caller)
        write_evidence(now(held=False, code="plaintext", detail="3 of 40 rows", since=1_700_000_000), path)
        wait_until(lambda: lost(caller))
        assert not passes(caller)
        ready = caller.get("/readyz").json()
        page, metrics = caller.get("/").text, caller.get("/metrics").text
        explained = caller.get("/v1/surfaces/tasks/explain").text
        write_evidence(now(), path)
        wait_until(lambda: not lost(caller))
        assert passes(caller)

    told = {"surface": "tasks", "condition": "encrypted", "status": "failed", "since": "2023-11-14T22:13:20Z"}
    assert [{**told, "owner": "agents", "probe": "rows", "code": "plaintext"}] == ready["lost"]
    assert "ready" == ready["status"]
    assert "<code>tasks.encrypted</code> is failed (plaintext) since 2023-11-14T22:13:20Z; agents owns it" in page
    assert 'reticent_condition_held{condition="encrypted",owner="agents",surface="tasks"} 0.0' in metrics
    assert 'lost_since_seconds{condition="encrypted",owner="agents",surface="tasks"} 1.7e+09' in metrics
    assert "evidence-failed" in explained
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    changes = [record for record in records if record["event"] == "condition"]
    assert [("failed", "2023-11-14T22:13:20Z"), ("held", None)] == [(one["status"], one["since"]) for one in changes]
    assert {"agents"} == {one["owner"] for one in changes}
    assert [[], ["tasks.encrypted"], []] == [one["lost"] for one in records if one["event"] == "decision"]


@pytest.mark.parametrize("fault", ["deleted", "no evidence at all", "tampered", "of another table"])
def test_evidence_that_cannot_be_used_closes_and_stops_nothing(tmp_path: Path, fault: str) -> None:
    """A file that is gone, garbled, changed or for another table closes the row, and the service goes on."""
    path = tmp_path / "evidence.json"
    write_evidence(now(), path)
    with client(settings(table=TABLE, evidence=path)) as caller:
        assert passes(caller)
        if fault == "deleted":
            path.unlink()
        elif fault == "no evidence at all":
            path.write_text("[", encoding="utf-8")
        elif fault == "tampered":
            path.write_bytes(now(code="other").to_json().replace(b'"other"', b'"held"'))
        else:
            write_evidence(KEY.sign(_of_another_table(now()), "ops"), path)
        wait_until(lambda: lost(caller))

        status = {"tampered": "tampered", "of another table": "other-table"}.get(fault, "missing")
        assert {status} == set(lost(caller).values())
        assert (status == "missing") == (caller.get("/readyz").json()["evidence"] == "evidence-refused")
        assert not passes(caller)
        assert VISIBLE == caller.post("/v1/surfaces/logs/filter", json=THOUGHT).json()


def _of_another_table(told: EvidenceFile) -> EvidenceFile:
    return type(told)("sha256:other", told.statements)


def test_evidence_that_gets_too_old_closes_by_itself(tmp_path: Path) -> None:
    """Nobody has to do anything: when the evidence is too old the row closes, and since when is told."""
    path, moment = tmp_path / "evidence.json", int(time.time())
    write_evidence(now(observed=moment - DAY + 2), path)
    with client(settings(table=TABLE, evidence=path)) as caller:
        assert passes(caller)
        wait_until(lambda: not passes(caller))
        wait_until(lambda: lost(caller))

        told = caller.get("/readyz").json()["lost"][0]
        assert ("encrypted", "stale") == (told["condition"], told["status"])
        assert time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment + 2)) == told["since"]


def test_evidence_gets_too_old_though_no_table_can_be_loaded(tmp_path: Path) -> None:
    """The last good plan closes at its time as well."""
    path, table, moment = tmp_path / "evidence.json", tmp_path / "surfaces.yaml", int(time.time())
    table.write_bytes(TABLE.read_bytes())
    write_evidence(now(observed=moment - DAY + 2), path)
    with client(settings(table=table, evidence=path)) as caller:
        table.unlink()
        wait_until(lambda: caller.get("/readyz").json()["status"] == "stale")
        wait_until(lambda: lost(caller))

        assert not passes(caller)


def test_since_when_is_remembered_where_evidence_cannot_say(tmp_path: Path) -> None:
    """A condition without evidence is lost since the service first saw it, however often it looks."""
    table = tmp_path / "surfaces.yaml"
    table.write_bytes(TABLE.read_bytes())
    holder = PlanHolder(settings(table=table))
    first = {lost.name: lost.since for lost in holder.state.lost}
    for _ in range(2):
        table.write_bytes(table.read_bytes() + b"\n")
        assert holder.refresh()

    assert {"memory.sealed", "tasks.encrypted"} == first.keys()
    assert first == {lost.name: lost.since for lost in holder.state.lost}


def test_service_verifies_by_itself(tmp_path: Path) -> None:
    """With a key the service looks on its own schedule: a loss closes the row, and its repair opens it again."""
    manifest, key = tmp_path / "export.yaml", tmp_path / "ops.pem"
    KEY.save(key)
    manifest.write_text("tables: [users]", encoding="utf-8")
    wanted = {"path": str(manifest), "allowed": "tables", "excludes": ["items"]}
    described = one_condition("export-manifest", wanted, max_age="3s").model_dump(mode="json", exclude_none=True)
    (tmp_path / "surfaces.json").write_text(json.dumps(described), encoding="utf-8")
    chosen = settings(table=tmp_path / "surfaces.json", evidence=tmp_path / "evidence.json", evidence_key=key)

    def holds(caller: Client) -> Callable[[], bool]:
        return lambda: caller.post("/v1/surfaces/task_store/filter", json=THOUGHT).json() == THOUGHT

    with client(chosen) as caller:
        wait_until(holds(caller))
        manifest.write_text("tables: [users, items]", encoding="utf-8")
        wait_until(lambda: lost(caller) == {"task_store.sealed": "failed"})
        assert not holds(caller)()
        manifest.write_text("tables: [users]", encoding="utf-8")
        wait_until(holds(caller))
