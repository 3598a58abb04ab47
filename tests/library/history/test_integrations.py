"""The adapters, with the real libraries: what is sent is compacted, and what did not change is the same object."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reticent.history import Compaction, Confidence

OPTIONS: Any = {"profile": "anthropic-keep-all"}


def langchain_history() -> list[Any]:
    """A settled task as LangChain holds it, with Anthropic's content blocks."""
    messages = pytest.importorskip("langchain_core.messages")
    thought = {"type": "thinking", "thinking": "PRIV", "signature": "s"}
    call = {"type": "tool_use", "id": "c1", "name": "q", "input": {}}
    return [
        messages.SystemMessage("S"),
        messages.HumanMessage("order 7?"),
        messages.AIMessage(
            content=[thought, {"type": "text", "text": "looking"}, call],
            tool_calls=[{"id": "c1", "name": "q", "args": {}}],
            response_metadata={"stop_reason": "tool_use"},
        ),
        messages.ToolMessage("r" * 900, tool_call_id="c1"),
        messages.AIMessage(
            content=[thought, {"type": "text", "text": "It is 4921."}], response_metadata={"stop_reason": "end_turn"}
        ),
        messages.HumanMessage("why?"),
    ]


def test_langgraph_hook_compacts_what_the_model_sees() -> None:
    """The hook fills ``llm_input_messages``; the state's own messages are not altered."""
    history = langchain_history()
    adapter = pytest.importorskip("reticent.integrations.langgraph_history")
    seen: list[Compaction] = []
    sent = adapter.pre_model_hook(seen=seen.append, **OPTIONS)({"messages": history})["llm_input_messages"]
    assert [history[0], history[1], history[5]] == [sent[0], sent[1], sent[3]]
    assert [{"type": "text", "text": "It is 4921."}] == sent[2].content
    assert 1 == len(seen)
    assert "PRIV" in str(history)
    assert "PRIV" not in str(sent)


def test_langgraph_strip_keeps_calls_and_their_blocks() -> None:
    """A call that stays keeps its block in the content; results are shortened in place."""
    history = langchain_history()
    adapter = pytest.importorskip("reticent.integrations.langgraph_history")
    done = adapter.compact_messages(history, operations=["strip", "clear"], **OPTIONS)
    assert ["text", "tool_use"] == [block["type"] for block in done.messages[2].content]
    assert history[2].tool_calls == done.messages[2].tool_calls
    assert done.messages[3].content.startswith("[reticent: cleared")
    assert done.messages[5] is history[5]


def test_langgraph_agent_runs_with_the_hook() -> None:
    """A graph built by LangGraph sends what the hook made, and keeps its own state whole."""
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    from reticent.integrations.langgraph_history import pre_model_hook

    sent: list[Any] = []

    class Model(GenericFakeChatModel):
        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            sent.extend(messages)
            return super()._generate(messages, *args, **kwargs)

    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agent = prebuilt.create_react_agent(
            Model(messages=iter([AIMessage("Because.")])), [], pre_model_hook=pre_model_hook(**OPTIONS)
        )
        state = agent.invoke({"messages": langchain_history()})
    assert 4 == len(sent)
    assert 7 == len(state["messages"])


def pydantic_history() -> list[Any]:
    """A settled task as PydanticAI holds it."""
    m = pytest.importorskip("pydantic_ai.messages")
    return [
        m.ModelRequest(parts=[m.SystemPromptPart("S"), m.UserPromptPart("order 7?")]),
        m.ModelResponse(
            parts=[m.ThinkingPart("PRIV", signature="s"), m.ToolCallPart("q", {}, "c1")], finish_reason="tool_call"
        ),
        m.ModelRequest(parts=[m.ToolReturnPart("q", "r" * 900, "c1"), m.UserPromptPart("also 8")]),
        m.ModelResponse(parts=[m.ThinkingPart("PRIV", signature="x"), m.TextPart("It is 4921.")], finish_reason="stop"),
        m.ModelRequest(parts=[m.UserPromptPart("why?")]),
    ]


def test_pydantic_ai_processor_reduces_and_gathers() -> None:
    """The opener takes in what was said along the way; the very parts are moved, not copies."""
    history = pydantic_history()
    adapter = pytest.importorskip("reticent.integrations.pydantic_ai_history")
    sent = adapter.history_processor(**OPTIONS)(history)
    assert 3 == len(sent)
    assert history[2].parts[1] is sent[0].parts[2]
    assert ["It is 4921."] == [part.content for part in sent[1].parts]
    assert sent[2] is history[4]
    assert "PRIV" in str(history)


def test_pydantic_ai_strip_and_clear() -> None:
    """Thoughts go, results become placeholders, everything else is the same object."""
    history = pydantic_history()
    adapter = pytest.importorskip("reticent.integrations.pydantic_ai_history")
    done = adapter.compact_messages(history, operations=["strip", "clear"], **OPTIONS)
    assert history[1].parts[1] is done.messages[1].parts[0]
    assert done.messages[2].parts[0].content.startswith("[reticent: cleared")
    assert done.messages[0] is history[0]


def test_pydantic_ai_agent_runs_with_the_processor() -> None:
    """An agent of PydanticAI sends what the processor made."""
    ai = pytest.importorskip("pydantic_ai")
    capabilities = pytest.importorskip("pydantic_ai.capabilities")
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from reticent.integrations.pydantic_ai_history import history_processor

    sent: list[Any] = []

    def model(messages: list[Any], _info: Any) -> ModelResponse:
        sent.extend(messages)
        return ModelResponse(parts=[TextPart("Because.")])

    process = capabilities.ProcessHistory(history_processor(**OPTIONS))
    agent = ai.Agent(FunctionModel(model), capabilities=[process])
    asyncio.run(agent.run("why?", message_history=pydantic_history()[:-1]))
    assert 3 == len(sent)


def responses_history() -> list[dict[str, Any]]:
    """A settled task as items."""
    return [
        {"role": "user", "content": "order 7?", "type": "message"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "PRIV"},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "q", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
        {
            "type": "message",
            "id": "m_1",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "It is 4921."}],
        },
        {"role": "user", "content": "why?", "type": "message"},
    ]


def test_agents_sdk_filter_compacts_the_input() -> None:
    """The filter answers with new model data, and leaves the items it was given."""
    run = pytest.importorskip("agents.run")
    from reticent.integrations.openai_agents_history import model_input_filter

    items = responses_history()
    data = run.CallModelData(model_data=run.ModelInputData(input=items, instructions="S"), agent=None, context=None)
    out = model_input_filter(profile="openai-responses", least={"strip": Confidence.SHAPE, "reduce": Confidence.SHAPE})(
        data
    )
    sent: list[Any] = list(out.input)
    assert "S" == out.instructions
    assert ["message"] * 3 == [item["type"] for item in sent]
    assert responses_history() == items


def test_agents_sdk_session_is_compacted_whole_or_not_at_all() -> None:
    """A session that grew while the compaction ran is not written over."""
    agents = pytest.importorskip("agents")
    from reticent.integrations.openai_agents_history import compact_session

    options: Any = {"profile": "openai-responses", "operations": ["strip"]}

    async def scenario() -> tuple[list[Any], list[Any]]:
        session = agents.SQLiteSession("s1")
        await session.add_items(responses_history())
        await compact_session(session, **options)
        first = await session.get_items()
        busy = agents.SQLiteSession("s2")
        await busy.add_items(responses_history())
        reads = busy.get_items
        count = 0

        async def growing(*args: Any, **kwargs: Any) -> Any:
            nonlocal count
            count += 1
            if count == 2:
                await busy.add_items([{"role": "user", "content": "more", "type": "message"}])
            return await reads(*args, **kwargs)

        busy.get_items = growing
        await compact_session(busy, **options)
        second = await reads()
        session.close()
        busy.close()
        return first, second

    first, second = asyncio.run(scenario())
    assert "PRIV" not in str(first)
    assert 5 == len(first)
    assert [*responses_history(), {"role": "user", "content": "more", "type": "message"}] == second
