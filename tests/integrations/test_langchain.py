"""LangChain: an agent's final state, and what callbacks of an agent are told."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from tests.integrations.langchain_models import Model, Recorder
from tests.integrations.reasoning import VISIBLE, clean

from reticent.errors import UnknownSurface
from reticent.integrations.langchain import ReticentCallback, ReticentMiddleware
from reticent.testing import canary


@tool
def find(number: int) -> str:
    """Find a parcel."""
    return f"parcel {number} is in Hamburg"


def test_an_unknown_surface_fails_at_start() -> None:
    """Middleware for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentMiddleware("conversations")


@pytest.mark.parametrize("surface", ["conversation_db", "task_store"])
def test_an_agent_leaves_no_reasoning_behind(surface: str) -> None:
    """The model gets its blocks back inside the loop, the final state has none, unless the surface may hold them."""
    secret = canary()
    agent: Any = create_agent(Model(secret=secret), [find], middleware=[ReticentMiddleware(surface)])
    state = agent.invoke({"messages": [("user", "where is parcel 1")]})

    assert clean(repr(state), secret) == (surface == "conversation_db")
    assert VISIBLE in repr(state["messages"][-1].content)
    assert ["human", "ai", "tool", "ai"] == [message.type for message in state["messages"]]


def test_a_callback_is_told_no_reasoning() -> None:
    """Requests, answers and outputs reach another handler without reasoning, as objects of the same classes."""
    secret = canary()
    inner = Recorder()
    agent: Any = create_agent(Model(secret=secret), [find])
    agent.invoke({"messages": [("user", "where")]}, config={"callbacks": [ReticentCallback("logs", inner)]})

    assert clean(repr(inner.told), secret)
    assert VISIBLE in repr(inner.told)
    assert any("LLMResult" in repr(type(one[0])) for one in inner.told)
