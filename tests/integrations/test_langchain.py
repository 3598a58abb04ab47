"""LangChain: an agent's final state, and what callbacks are told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from pydantic import Field
from tests.integrations.reasoning import VISIBLE, clean

from reticent.errors import UnknownSurface
from reticent.integrations.langchain import ReticentCallback, ReticentMiddleware
from reticent.testing import canary


@tool
def find(number: int) -> str:
    """Find a parcel."""
    return f"parcel {number} is in Hamburg"


class Model(BaseChatModel):
    """A model that calls a tool and then answers, reasoning both times; it wants its own blocks back in between."""

    secret: str = Field(repr=False)
    turns: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_options: Any) -> Model:
        """The tools are known."""
        assert tools
        return self

    def _generate(self, messages: list[BaseMessage], *_given: Any, **_options: Any) -> ChatResult:
        self.turns += 1
        block = {"type": "thinking", "thinking": f"{self.secret} {self.turns}", "signature": f"{self.secret}s"}
        if self.turns == 1:
            reply = AIMessage(content=[block], tool_calls=[{"name": "find", "args": {"number": 1}, "id": "c1"}])
        else:
            assert self.secret in repr(messages), "the model did not get its own blocks back"
            reply = AIMessage(content=[block, {"type": "text", "text": VISIBLE}])
        return ChatResult(generations=[ChatGeneration(message=reply)])


class Tags(Model):
    """A model that streams inline tags."""

    def _stream(
        self,
        messages: list[BaseMessage],  # noqa: ARG002 - LangChain's signature
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's signature
        run_manager: CallbackManagerForLLMRun | None = None,
        **_options: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for piece in ("<thi", "nk>", self.secret, "</think>\n", VISIBLE, "."):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager:
                run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk


class Recorder(BaseCallbackHandler):
    """Keeps everything it is told."""

    def __init__(self) -> None:
        """Start empty."""
        self.told: list[Any] = []
        self.tokens: list[str] = []

    def on_chat_model_start(self, serialized: Any, messages: Any, **options: Any) -> None:
        """Keep a start."""
        self.told.append((serialized, messages, options))

    def on_llm_new_token(self, token: Any, **options: Any) -> None:
        """Keep a token."""
        self.tokens.append(token)
        self.told.append(options)

    def on_llm_end(self, response: Any, **options: Any) -> None:
        """Keep an answer."""
        self.told.append((response, options))

    def on_chain_end(self, outputs: Any, **options: Any) -> None:
        """Keep outputs."""
        self.told.append((outputs, options))

    def on_llm_error(self, error: BaseException, **options: Any) -> None:
        """Keep an error."""
        self.told.append((error, str(error), options))


def test_an_unknown_surface_fails_at_start() -> None:
    """An adapter for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentMiddleware("conversations")
    with pytest.raises(UnknownSurface):
        ReticentCallback("log", Recorder())


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


def test_tokens_of_one_run_are_one_stream() -> None:
    """A tag that is cut between tokens is found, and the text behind it arrives."""
    secret = canary()
    inner = Recorder()
    list(Tags(secret=secret).stream("hi", config={"callbacks": [ReticentCallback("browser_stream", inner)]}))

    assert clean(repr((inner.tokens, inner.told)), secret)
    assert VISIBLE in "".join(inner.tokens)


def test_errors_are_told_without_content() -> None:
    """An error that quotes an answer reaches the handler without it."""
    secret = canary()
    inner = Recorder()
    error = ValueError(f"bad answer: {{'type': 'thinking', 'thinking': '{secret}', 'signature': 'x'}}")
    ReticentCallback("logs", inner).on_llm_error(error, run_id=uuid4())

    assert clean(repr([str(one) for one in inner.told[0]]), secret)
