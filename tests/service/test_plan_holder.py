"""The life of a plan: start, change, failure, and what is served meanwhile."""

from __future__ import annotations

import asyncio
import secrets
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.serving import THOUGHT, client, serving, settings, wait_until
from tests.service.test_filtering import EVENT, head, piece, talk

from reticent import surfaces
from reticent.errors import ConfigurationError, EngineUnavailable, TableError
from reticent_service.app import create_app
from reticent_service.plan_holder import PlanHolder

if TYPE_CHECKING:
    from httpx2 import Client

DEFAULT = Path(surfaces.__file__).with_name("default.yaml").read_text("utf-8")
TIGHTER = DEFAULT.replace("vocabulary:\n  reasoning: []", "vocabulary:\n  reasoning: [{type: my_scratchpad}]")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Give a table file."""
    path = tmp_path / "surfaces.yaml"
    path.write_text(DEFAULT, encoding="utf-8")
    return path


def replace_with(path: Path, text: str) -> None:
    """Write a file as editors do: beside it, then over it."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def ready(caller: Client) -> dict[str, Any]:
    """Give what ``/readyz`` says."""
    told: dict[str, Any] = caller.get("/readyz").json()
    return told


def test_no_plan_no_service(tmp_path: Path) -> None:
    """Without a valid table the application is not built."""
    (tmp_path / "broken.yaml").write_text("version: 1\nsurfaces: {}\n", encoding="utf-8")

    with pytest.raises(TableError):
        create_app(settings(table=tmp_path / "broken.yaml"))
    with pytest.raises(ConfigurationError):
        create_app(settings(table=tmp_path / "missing.yaml"))
    with pytest.raises(EngineUnavailable):
        create_app(settings(opa="http://127.0.0.1:9"))


def test_the_first_request_finds_everything_made(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of every surface, and what settles documents, are made before a plan is in force."""
    replace_with(table, TIGHTER.replace("my_scratchpad", "warm_scratchpad"))
    plan = PlanHolder(settings(table=table)).state.plan
    monkeypatch.setattr("reticent.serializers.compile_program", None)
    monkeypatch.setattr("reticent.serializers.scan.Scanner", None)

    assert plan.serializer("logs")(b'{"a": [{"type": "text"}]}')
    assert plan.stream("browser_stream", wire="sse").feed(b'data: {"a": 1}\n\n')


def test_changed_table_is_swapped_in(table: Path) -> None:
    """A changed table is in force soon, and every answer says which plan it was made by."""
    with client(settings(table=table)) as caller:
        before = caller.get("/livez").headers["reticent-plan"]
        replace_with(table, TIGHTER)
        wait_until(lambda: ready(caller)["plan"] != before)
        told = caller.post("/v1/surfaces/logs/filter", json={"content": [{"type": "my_scratchpad", "x": "y"}]})

        assert before != told.headers["reticent-plan"]
        assert "my_scratchpad" not in told.text


@pytest.mark.parametrize("fault", ["deleted", "broken", "half", "folder", "binary"])
def test_last_good_plan_serves(table: Path, fault: str) -> None:
    """Whatever happens to the table file, the last good plan serves and the service says that it is stale."""
    with client(settings(table=table)) as caller:
        before = ready(caller)
        if fault in {"deleted", "folder"}:
            table.unlink()
        if fault == "folder":
            table.mkdir()
        elif fault == "binary":
            table.write_bytes(b"\xff\x00" * 50)
        elif fault in {"broken", "half"}:
            replace_with(
                table, DEFAULT[:900] if fault == "half" else DEFAULT.replace("verdict: strip", "verdict: pass")
            )
        wait_until(lambda: ready(caller)["status"] == "stale")
        served = caller.post("/v1/surfaces/logs/filter", json=THOUGHT)
        metrics = caller.get("/metrics").text
        if fault == "folder":
            table.rmdir()
        replace_with(table, DEFAULT)
        wait_until(lambda: ready(caller)["status"] == "ready")

        assert before["plan"] == served.headers["reticent-plan"]
        assert "reasoning_content" not in served.text
        assert "reticent_plan_current 0.0" in metrics


def test_exceptions_end_though_no_table_can_be_loaded(tables: Path, tmp_path: Path) -> None:
    """An exception that ends while the table cannot be loaded is strip again."""
    day = [date(2026, 11, 29)]
    path = tmp_path / "surfaces.yaml"
    path.write_text((tables / "exceptions.yaml").read_text("utf-8"), encoding="utf-8")
    holder = PlanHolder(settings(table=path), today=lambda: day[0])
    passing = {name for name in holder.state.plan.surfaces if "pass" in _classes(holder, name)}
    path.unlink()
    day[0] = date(2099, 1, 1)

    assert not holder.refresh()
    assert passing > {name for name in holder.state.plan.surfaces if "pass" in _classes(holder, name)}


def _classes(holder: PlanHolder, name: str) -> set[str]:
    classes = holder.state.plan.decision(name).classes
    return {classes["text"], classes["summary"], classes["opaque"]}


def test_stream_under_way_keeps_its_plan(table: Path) -> None:
    """A stream that began under one plan ends under it."""
    app = create_app(settings(table=table))

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(head("browser_stream", "text/event-stream") + piece(EVENT % 1))
        told = await reader.readuntil(b'"1"}}]}\n\n')
        replace_with(table, TIGHTER)
        await asyncio.to_thread(wait_until, lambda: app.state.holder.state.plan.digest.encode() not in told)
        writer.write(piece(b'data: {"content":[{"type":"my_scratchpad"}]}\n\n') + b"0\r\n\r\n")
        return told + await reader.readuntil(b"0\r\n\r\n")

    with serving(app) as port:
        assert b"event: error" not in asyncio.run(talk(port, act))


def test_crash_while_loading_is_not_repeated(table: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A failure while a table is loaded is told by its kind, and the table's text is in no log."""
    secret = secrets.token_hex(8)
    holder = PlanHolder(settings(table=table))
    replace_with(table, f"{secret}: [")

    assert not holder.refresh()
    assert holder.state.failure is not None
    assert "table-invalid" == holder.state.failure.code
    assert secret not in caplog.text


@pytest.mark.opa
def test_opa_server_decides(opa_access_url: str, table: Path) -> None:
    """With an OPA server the plan is the same, and an OPA that goes away leaves the last good plan."""
    with client(settings(table=table)) as embedded, client(settings(table=table, opa=opa_access_url)) as asked:
        assert ready(embedded)["plan"] == ready(asked)["plan"]
