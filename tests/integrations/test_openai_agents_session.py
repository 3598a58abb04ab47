"""OpenAI Agents SDK: a guarded session around the SDK's own SQLite session."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from agents import SQLiteSession
from agents.memory import Session
from tests.integrations.reasoning import VISIBLE, clean, cycle

from reticent.errors import CyclicInput, UnknownSurface
from reticent.integrations.openai_agents_session import ReticentSession
from reticent.testing import canary


def items(secret: str) -> list[Any]:
    """A turn with a tool call, as the Responses API has it."""
    return [
        {"role": "user", "content": "where is my parcel"},
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": secret}],
            "encrypted_content": f"{secret}enc",
        },
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "Hamburg"},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": VISIBLE}]},
    ]


def test_an_unknown_surface_fails_at_start() -> None:
    """A session for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentSession("sessions", SQLiteSession("1"))


def test_the_store_holds_no_reasoning(tmp_path: Path) -> None:
    """The SDK's database has the turn without its reasoning, in order, with call and result together."""
    secret = canary()
    path = tmp_path / "sessions.sqlite"

    async def work() -> tuple[Any, Any, Any]:
        session = ReticentSession("conversation_db", SQLiteSession("1", path))
        assert isinstance(session, Session)
        await session.add_items(items(secret))
        found, latest = await session.get_items(), await session.get_items(1)
        popped = await session.pop_item()
        await session.clear_session()
        assert [] == await session.get_items()
        assert "1" == session.session_id
        return found, latest, popped

    found, latest, popped = asyncio.run(work())
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())

    assert clean(repr(found), secret)
    assert clean(stored, secret)
    assert [None, "function_call", "function_call_output", "message"] == [one.get("type") for one in found]
    assert VISIBLE in repr(found)
    assert [popped] == latest


def test_what_cannot_be_judged_is_a_placeholder_or_an_error() -> None:
    """A message with a placeholder is stored; with strict the call fails and nothing is."""
    secret = canary()

    async def work(session: ReticentSession) -> list[Any]:
        await session.add_items([cycle(secret)])  # type: ignore[list-item]
        return await session.get_items()

    stored = asyncio.run(work(ReticentSession("conversation_db", SQLiteSession("1"))))
    with pytest.raises(CyclicInput):
        asyncio.run(work(ReticentSession("conversation_db", SQLiteSession("2"), strict=True)))

    assert [{"role": "assistant", "content": "[reticent withheld a value: cyclic-input]"}] == stored
