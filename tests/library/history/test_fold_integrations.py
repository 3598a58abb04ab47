"""The fold in the frameworks, with the real libraries: what the model sees is folded, their own state stays whole."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from tests.simulator.orders import SOURCES
from tests.simulator.summarisers import good, wordy

from reticent.history import Confidence
from reticent.history.fold import Folder, FoldOutcome
from reticent.history.keeping import Keeping

BODY = '{"id": "ORD-4921", "total": 1845.00, "lines": "' + "l" * 900 + '"}'
TOOLS = [{"name": "get_order"}]


def folder(model: Any = None, **options: Any) -> Folder:
    """A folder whose window is always too small."""
    return Folder(Keeping(sources=SOURCES, summariser=model or good()), window=100, **options)


def langchain_history() -> list[Any]:
    """Three settled tasks of one large result each, and the next request."""
    m = pytest.importorskip("langchain_core.messages")
    history: list[Any] = [m.SystemMessage("S")]
    for number in range(3):
        call = {"id": f"c{number}", "name": "get_order", "args": {"n": number}}
        history += [
            m.HumanMessage(f"order {number}?"),
            m.AIMessage("", tool_calls=[call], response_metadata={"finish_reason": "tool_calls"}),
            m.ToolMessage(BODY, tool_call_id=f"c{number}"),
            m.AIMessage("It is ORD-4921.", response_metadata={"finish_reason": "stop"}),
        ]
    return [*history, m.HumanMessage("why?")]


def test_langgraph_agent_runs_with_the_folding_hook() -> None:
    """The model is sent a call of compact_history with its result, the latest task as it was, and all else stays."""
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    from reticent.integrations.langgraph_history import DIALECT, folding_hook

    sent: list[Any] = []
    seen: list[FoldOutcome] = []

    class Model(GenericFakeChatModel):
        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            sent.extend(messages)
            return super()._generate(messages, *args, **kwargs)

    own = folder(profile="openai-chat", dialect=DIALECT, knobs=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hook = folding_hook(own, tools=TOOLS, seen=seen.append)
        agent = prebuilt.create_react_agent(Model(messages=iter([AIMessage("Because.")])), [], pre_model_hook=hook)
        history = langchain_history()
        state = asyncio.run(agent.ainvoke({"messages": history}))
    assert seen[0].folded, seen[0].report.render()
    assert ["system", "human", "ai", "tool", "ai", "human"] == [message.type for message in sent[:6]]
    assert "compact_history" == sent[2].tool_calls[0]["name"]
    assert sent[2].tool_calls[0]["id"] == sent[3].tool_call_id
    assert "success" == sent[3].status
    assert "ORD-4921" in sent[3].content
    assert [one.content for one in history[-9:]] == [one.content for one in sent[-9:]]
    assert 15 == len(state["messages"])


def test_langgraph_messages_stay_the_same_objects_when_nothing_is_folded() -> None:
    """A rejected fold sends the very messages of the state."""
    history = langchain_history()
    adapter = pytest.importorskip("reticent.integrations.langgraph_history")
    own = folder(wordy(), profile="openai-chat", dialect=adapter.DIALECT)
    done = asyncio.run(adapter.fold_messages(history, own, iteration=1))
    assert "summary-not-shorter" == done.outcome.report.reason
    assert all(a is b for a, b in zip(history, done.messages, strict=True))


def test_pydantic_ai_agent_runs_with_the_folding_processor() -> None:
    """The model is sent a synthetic pair of PydanticAI's own parts, and the words of the user as they were."""
    ai = pytest.importorskip("pydantic_ai")
    capabilities = pytest.importorskip("pydantic_ai.capabilities")
    m = pytest.importorskip("pydantic_ai.messages")
    from pydantic_ai.models.function import FunctionModel

    from reticent.integrations.pydantic_ai_history import DIALECT, folding_processor

    history: list[Any] = []
    for number in range(3):
        history += [
            m.ModelRequest(parts=[m.UserPromptPart(f"order {number}?")]),
            m.ModelResponse(
                parts=[m.ToolCallPart("get_order", {"n": number}, f"c{number}")], finish_reason="tool_call"
            ),
            m.ModelRequest(parts=[m.ToolReturnPart("get_order", BODY, f"c{number}")]),
            m.ModelResponse(parts=[m.TextPart("It is ORD-4921.")], finish_reason="stop"),
        ]
    sent: list[Any] = []

    def model(messages: list[Any], _info: Any) -> Any:
        sent.extend(messages)
        return m.ModelResponse(parts=[m.TextPart("Because.")])

    own = folder(profile="anthropic-keep-all", dialect=DIALECT)
    agent = ai.Agent(
        FunctionModel(model), capabilities=[capabilities.ProcessHistory(folding_processor(own, tools=TOOLS))]
    )
    asyncio.run(agent.run("why?", message_history=history))
    kinds = [part.part_kind for message in sent[:4] for part in message.parts]
    assert ["user-prompt", "user-prompt", "tool-call", "tool-return", "text"] == kinds
    assert history[0].parts[0].content == sent[0].parts[1].content
    assert "compact_history" == sent[1].parts[0].tool_name == sent[2].parts[0].tool_name
    assert sent[1].parts[0].tool_call_id == sent[2].parts[0].tool_call_id
    assert "ORD-4921" in sent[2].parts[0].content


def test_agents_sdk_filter_folds_the_input() -> None:
    """The filter answers with folded items and the instructions as they were; the items it was given stay."""
    run = pytest.importorskip("agents.run")
    from reticent.integrations.openai_agents_history import folding_filter

    items: list[Any] = []
    for number in range(3):
        items += [
            {"role": "user", "content": f"order {number}?", "type": "message"},
            {"type": "function_call", "call_id": f"c{number}", "name": "get_order", "arguments": "{}"},
            {"type": "function_call_output", "call_id": f"c{number}", "output": BODY},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ORD-4921"}]},
        ]
    items.append({"role": "user", "content": "why?", "type": "message"})
    before = [dict(item) for item in items]
    own = folder(profile="openai-responses", dialect="openai-responses", least={"fold": Confidence.SHAPE})
    data = run.CallModelData(model_data=run.ModelInputData(input=items, instructions="S"), agent=None, context=None)

    async def filtered() -> Any:
        return await folding_filter(own, tools=TOOLS)(data)

    out = asyncio.run(filtered())
    sent: list[Any] = list(out.input)
    assert "S" == out.instructions
    assert ["message", "function_call", "function_call_output", "message"] == [item["type"] for item in sent[:4]]
    assert "compact_history" == sent[1]["name"]
    assert items[4:] == sent[4:]
    assert before == items
