"""LangGraph checkpoints, through a real graph with a real checkpointer."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from tests.integrations.reasoning import VISIBLE, Client, ThinkingBlock, clean, message

from reticent.errors import UnknownSurface, UnsupportedType
from reticent.integrations.langgraph_checkpoint import ReticentSerde
from reticent.testing import canary


class State(TypedDict):
    """The state of a graph."""

    messages: Annotated[list[Any], add_messages]
    seen: Any


@dataclass
class Note:
    """A part of a state that is no JSON, with a time in it."""

    when: dt.datetime
    held: Any
    about: object


class Secretive:
    """An object that nothing can copy."""

    def __init__(self, held: Any) -> None:
        """Hold ``held``."""
        self.held = held


def run(serde: ReticentSerde, secret: str) -> tuple[Any, bytes]:
    """The state that a graph comes back to, and every byte of its checkpoints."""

    def answer(_state: State) -> dict[str, Any]:
        reply = AIMessage(content=message(secret)["content"], additional_kwargs={"reasoning_content": secret})
        return {"messages": [reply], "seen": dt.datetime(2026, 11, 29, tzinfo=dt.UTC)}

    saver = InMemorySaver(serde=serde)
    builder: Any = StateGraph(State)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    graph: Any = builder.compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke({"messages": [HumanMessage("hello")]}, config)
    return graph.get_state(config).values, repr((saver.blobs, saver.writes, dict(saver.storage))).encode()


def test_an_unknown_surface_fails_at_start() -> None:
    """A serde for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentSerde("checkpoints")


def test_a_graph_comes_back_to_messages_without_reasoning() -> None:
    """Checkpoints hold no reasoning, and the state that is read has messages of the same class."""
    secret = canary()
    state, stored = run(ReticentSerde("conversation_db"), secret)

    assert clean(stored, secret)
    assert clean(repr(state), secret)
    assert [HumanMessage, AIMessage] == [type(one) for one in state["messages"]]
    assert VISIBLE in repr(state["messages"][1].content)
    assert dt.datetime(2026, 11, 29, tzinfo=dt.UTC) == state["seen"]


def test_a_pass_surface_stores_everything() -> None:
    """Where the store may hold reasoning, the state comes back whole."""
    secret = canary()

    assert secret in repr(run(ReticentSerde("task_store"), secret)[0]["messages"][1].content)


def test_parts_that_are_no_json_keep_their_class() -> None:
    """Objects stay what they are when they hold no reasoning; dataclasses are cut field by field."""
    secret = canary()
    serde = ReticentSerde("conversation_db", inner=Echo())
    when, other = dt.datetime(2026, 1, 1, tzinfo=dt.UTC), Secretive("nothing")
    kept: Any = serde.dumps_typed({"note": Note(when, message(secret), other), "pair": (other, {1}), "one": [other]})[1]

    assert clean(repr(kept["note"].held), secret)
    assert (when, other, other, other) == (kept["note"].when, kept["note"].about, kept["pair"][0], kept["one"][0])
    assert {1} == kept["pair"][1]


class Echo(JsonPlusSerializer):
    """A serde that shows what it was given."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Hand the object back."""
        return "echo", obj


@pytest.mark.parametrize("hide", [Secretive, Client])
def test_an_object_that_cannot_be_cut_fails_the_write(hide: Any) -> None:
    """An object with reasoning that cannot be cut out is not stored; without strict a placeholder is."""
    secret = canary()
    held = hide(ThinkingBlock(secret))
    with pytest.raises(UnsupportedType) as caught:
        ReticentSerde("conversation_db").dumps_typed({"client": held})
    loose = ReticentSerde("conversation_db", strict=False)

    assert clean(repr(caught.value), secret)
    assert "[reticent withheld a value: unsupported-type]" == loose.loads_typed(loose.dumps_typed({"client": held}))
    assert 1 == loose.guard.counts.failed
