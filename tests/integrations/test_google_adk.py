"""Google ADK: events of a real runner, whose model wants its signatures back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, FunctionCall, Part
from tests.integrations.reasoning import VISIBLE, clean

from reticent.errors import UnknownSurface
from reticent.integrations.google_adk import ReticentPlugin
from reticent.testing import canary


def find(number: int) -> dict[str, Any]:
    """Find a parcel."""
    return {"city": f"Hamburg {number}"}


if TYPE_CHECKING:
    from google.adk.models.llm_request import LlmRequest


class Scripted(BaseLlm):
    """A model that calls a tool and then answers; it refuses a call that has lost its signature."""

    secret: str
    turns: int = 0

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002, FBT002 - ADK's signature
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next answer."""
        self.turns += 1
        thought = Part(text=f"{self.secret} {self.turns}", thought=True)
        if self.turns == 1:
            call = FunctionCall(name="find", args={"number": 1})
            signed = Part(function_call=call, thought_signature=self.secret.encode())
            yield LlmResponse(content=Content(role="model", parts=[thought, signed]))
            return
        calls = [part for one in llm_request.contents for part in one.parts or () if part.function_call]
        assert [self.secret.encode()] == [part.thought_signature for part in calls]
        yield LlmResponse(content=Content(role="model", parts=[thought, Part(text=VISIBLE)]))


def run(surface: str, secret: str) -> tuple[list[Any], Any, ReticentPlugin]:
    """The events that come out of a run, the session that is stored, and the plugin."""

    async def work() -> tuple[list[Any], Any, ReticentPlugin]:
        plugin = ReticentPlugin(surface)
        agent = LlmAgent(name="finder", model=Scripted(model="scripted", secret=secret), tools=[find])
        runner = InMemoryRunner(app=App(name="parcels", root_agent=agent, plugins=[plugin]))
        session = await runner.session_service.create_session(app_name="parcels", user_id="u")
        said = Content(role="user", parts=[Part(text="where")])
        events = [event async for event in runner.run_async(user_id="u", session_id=session.id, new_message=said)]
        stored = await runner.session_service.get_session(app_name="parcels", user_id="u", session_id=session.id)
        return events, stored, plugin

    return asyncio.run(work())


def test_an_unknown_surface_fails_at_start() -> None:
    """A plugin for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentPlugin("events")


def test_events_hold_no_reasoning_and_the_tool_loop_goes_on() -> None:
    """What comes out and what is stored has no thought, and the model got its signature back within the run."""
    secret = canary()
    events, stored, plugin = run("conversation_db", secret)

    assert clean(repr([event.model_dump() for event in events]), secret)
    assert clean(stored.model_dump_json(), secret)
    assert VISIBLE in stored.model_dump_json()
    assert {} == plugin._held


def test_a_pass_surface_stores_everything() -> None:
    """Where the store may hold reasoning, events go through as they are."""
    secret = canary()

    assert secret in run("task_store", secret)[1].model_dump_json()
