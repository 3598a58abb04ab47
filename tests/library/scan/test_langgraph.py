"""Checkpoints that LangGraph's own savers wrote are scanned, scrubbed, and read back by them."""

from __future__ import annotations

import dataclasses
import uuid
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import pytest
from tests.library.scan.material import SECRET, SIGNATURE, VISIBLE, found, gaps, look, remove

pytest.importorskip("langgraph.checkpoint.sqlite", reason="langgraph-checkpoint-sqlite is not installed")
pytest.importorskip("langgraph.checkpoint.postgres", reason="langgraph-checkpoint-postgres is not installed")

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

THREAD: Any = {"configurable": {"thread_id": "t"}}


@dataclasses.dataclass
class Note:
    """A value of an application's own class, as part of the state."""

    reasoning_content: str | None
    at: datetime
    id: uuid.UUID


class State(TypedDict):
    """Messages, and what else an application keeps."""

    messages: Annotated[list[Any], add_messages]
    note: Note
    seen: set[int]


AT, ID = datetime(2026, 11, 30, tzinfo=UTC), uuid.UUID(int=7)


def _model(state: State) -> dict[str, Any]:
    del state
    thought = {"type": "thinking", "thinking": SECRET, "signature": SIGNATURE}
    answer = AIMessage(
        [thought, {"type": "text", "text": VISIBLE}], additional_kwargs={"reasoning_content": SECRET}, id="a"
    )
    return {"messages": [answer], "note": Note(SECRET, AT, ID), "seen": {1, 2}}


def _graph() -> Any:
    graph = StateGraph(State)
    graph.add_node("model", _model)
    graph.add_edge(START, "model")
    graph.add_edge("model", END)
    return graph


@contextmanager
def _saver(address: str) -> Generator[Any]:
    if address.startswith("postgresql"):
        with PostgresSaver.from_conn_string(address) as saver:
            saver.setup()
            yield saver
    else:
        with SqliteSaver.from_conn_string(address) as saver:
            yield saver


def _state(address: str) -> dict[str, Any]:
    with _saver(address) as saver:
        values: dict[str, Any] = _graph().compile(checkpointer=saver).get_state(THREAD).values
    return values


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_checkpoints(store: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Reasoning in messages and in an application's own objects goes; the saver reads all the rest as it was."""
    address = str(tmp_path / "app.db") if store == "sqlite" else request.getfixturevalue("postgres_database")
    with _saver(address) as saver:
        _graph().compile(checkpointer=saver).invoke({"messages": [HumanMessage("Is <think> a tag?", id="u")]}, THREAD)
    before = _state(address)
    notes = look(address)
    remove(address, receipt=tmp_path / "receipt.json", vacuum=True)
    after = _state(address)

    assert [] == gaps(notes)
    assert SECRET in str(before)
    assert {"anthropic-messages/thinking", "openai-chat/reasoning_content"} == {note.rule for note in found(notes)}
    assert [] == look(address)
    assert [
        HumanMessage("Is <think> a tag?", id="u"),
        AIMessage([{"type": "text", "text": VISIBLE}], id="a"),
    ] == after["messages"]
    assert (Note(None, AT, ID), {1, 2}) == (after["note"], after["seen"])
    if store == "sqlite":
        assert not any(SECRET.encode() in path.read_bytes() for path in tmp_path.iterdir())


def test_pickled_values(tmp_path: Path) -> None:
    """Values that a saver pickled are told as not read, and nothing else of the store is."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    address = str(tmp_path / "app.db")
    with _saver(address) as saver:
        saver.serde = JsonPlusSerializer(pickle_fallback=True)
        state = {"messages": [HumanMessage("hi")], "note": complex(1, 2)}
        _graph().compile(checkpointer=saver).invoke(state, THREAD)
    codes = {gap.code for gap in gaps(look(address))}

    assert {"pickle"} == codes
