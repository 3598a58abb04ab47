"""PydanticAI: what goes to a model, and what a user interface gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessEventStream, ProcessHistory
from pydantic_ai.messages import ModelRequest as Request
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, FunctionModel
from tests.integrations.reasoning import VISIBLE, clean

from reticent.errors import UnknownSurface
from reticent.integrations.pydantic_ai import event_filter, history_processor
from reticent.testing import canary


def history(secret: str) -> list[Any]:
    """A turn that Anthropic answered with a signed block."""
    thinking = ThinkingPart(content=secret, signature=f"{secret}s", provider_name="anthropic")
    reply = ModelResponse(
        parts=[thinking, TextPart(content=VISIBLE)], model_name="claude-sonnet-9", provider_name="anthropic"
    )
    return [Request(parts=[UserPromptPart(content="where")]), reply]


def test_an_unknown_surface_fails_at_start() -> None:
    """A processor or filter for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        history_processor("provider")
    with pytest.raises(UnknownSurface):
        event_filter("browser")


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"surface": "provider_roundtrip"}, True),
        ({"surface": "provider_roundtrip", "to": "anthropic"}, True),
        ({"surface": "provider_roundtrip", "to": "openai"}, False),
        ({"surface": "conversation_db"}, False),
    ],
)
def test_a_model_gets_what_is_its_own(options: Any, *, kept: bool) -> None:
    """Through a real agent, a history reaches the model with its reasoning only if that model's producer issued it."""
    secret = canary()
    seen: list[Any] = []

    def answer(messages: list[Any], _info: AgentInfo) -> ModelResponse:
        seen.extend(messages)
        return ModelResponse(parts=[TextPart(content="ok")])

    agent = Agent(FunctionModel(answer), capabilities=[ProcessHistory(history_processor(**options))])
    asyncio.run(agent.run("and now?", message_history=history(secret)))

    assert kept is not clean(repr(seen), secret)
    assert VISIBLE in repr(seen)


def test_a_user_interface_gets_no_reasoning() -> None:
    """Events of a run reach their handler without thinking parts, and the run still has its answer."""
    secret = canary()
    seen: list[Any] = []

    async def stream(_messages: list[Any], _info: AgentInfo) -> AsyncIterator[Any]:
        yield {0: DeltaThinkingPart(content=f"{secret} one ")}
        yield {0: DeltaThinkingPart(content="two", signature=f"{secret}s")}
        yield VISIBLE

    async def handler(_context: Any, events: Any) -> None:
        seen.extend([event async for event in events])

    async def work() -> str:
        agent = Agent(
            FunctionModel(stream_function=stream), capabilities=[ProcessEventStream(event_filter("browser_stream"))]
        )
        return (await agent.run("where", event_stream_handler=handler)).output

    assert VISIBLE == asyncio.run(work())
    assert seen
    assert clean(repr(seen), secret)
    assert VISIBLE in repr(seen)
