"""SDK objects on a strip surface come back as objects of their own classes, without reasoning and untouched."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import orjson
import pytest

import reticent

if TYPE_CHECKING:
    from collections.abc import Callable

_CANARY = "CANARY-b81d02"
_PLAN = reticent.load_plan()
_LOGS = _PLAN.serializer("logs")


def _anthropic() -> Any:
    types = pytest.importorskip("anthropic", reason="the anthropic SDK is not installed").types
    return types.Message.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": [
                {"type": "thinking", "thinking": _CANARY, "signature": _CANARY},
                {"type": "redacted_thinking", "data": _CANARY},
                {"type": "text", "text": f"<think>{_CANARY}</think>Done."},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"thinking": "mine"}},
            ],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 2},
            "new_member": 7,
        }
    )


def _openai_chat() -> Any:
    chat = pytest.importorskip("openai.types.chat", reason="the openai SDK is not installed")
    message = {
        "role": "assistant",
        "content": "Done.",
        "reasoning_content": _CANARY,
        "reasoning_details": [{"type": "reasoning.text", "text": _CANARY}],
        "annotations": [],
    }
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return chat.ChatCompletion.model_validate(body)


def _openai_responses() -> Any:
    responses = pytest.importorskip("openai.types.responses", reason="the openai SDK is not installed")
    part = {"type": "output_text", "text": "Done.", "annotations": []}
    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-x",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [
            {
                "type": "reasoning",
                "id": f"rs_{_CANARY}",
                "summary": [{"type": "summary_text", "text": _CANARY}],
                "encrypted_content": _CANARY,
            },
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]},
        ],
    }
    return responses.Response.model_validate(body)


def _google() -> Any:
    types = pytest.importorskip("google.genai.types", reason="the google-genai SDK is not installed")
    parts = [
        {"text": _CANARY, "thought": True},
        {"functionCall": {"name": "f", "args": {"thought": "mine"}}, "thoughtSignature": "Q0FOQVJZLWI4MWQwMg=="},
        {"text": "Done."},
    ]
    body = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    return types.GenerateContentResponse.model_validate(body)


def _mistral() -> Any:
    models = pytest.importorskip("mistralai.client.models", reason="the mistralai SDK is not installed")
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": _CANARY}]}
    body = {"role": "assistant", "content": [thinking, {"type": "text", "text": "Done."}]}
    return models.AssistantMessage.model_validate(body)


def _cohere() -> Any:
    cohere = pytest.importorskip("cohere", reason="the cohere SDK is not installed")
    content = [
        cohere.ThinkingAssistantMessageResponseContentItem(thinking=_CANARY),
        cohere.TextAssistantMessageResponseContentItem(text="Done."),
    ]
    return cohere.AssistantMessageResponse(role="assistant", content=content, tool_plan=_CANARY)


def _ollama() -> Any:
    ollama = pytest.importorskip("ollama", reason="the ollama SDK is not installed")
    message = ollama.Message(role="assistant", content="Done.", thinking=_CANARY)
    return ollama.ChatResponse(model="m", message=message)


def _langchain() -> Any:
    messages = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")
    content = [{"type": "thinking", "thinking": _CANARY, "signature": _CANARY}, {"type": "text", "text": "Done."}]
    return messages.AIMessage(content, additional_kwargs={"reasoning_content": _CANARY})


def _pydantic_ai() -> Any:
    messages = pytest.importorskip("pydantic_ai.messages", reason="pydantic-ai is not installed")
    thinking = messages.ThinkingPart(_CANARY, signature=_CANARY, provider_name="anthropic")
    return messages.ModelResponse([thinking, messages.TextPart("Done.")])


def _claude_agent_sdk() -> Any:
    sdk = pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed")
    return sdk.AssistantMessage([sdk.ThinkingBlock(_CANARY, _CANARY), sdk.TextBlock("Done.")], "claude-x")


def _attrs() -> Any:
    attrs = pytest.importorskip("attrs", reason="attrs is not installed")
    message = attrs.make_class("Message", ["role", "content", "_id"], frozen=True)
    return message("assistant", [{"type": "thinking", "thinking": _CANARY}, {"type": "text", "text": "Done."}], 7)


_MADE: dict[str, Callable[[], Any]] = {
    "anthropic": _anthropic,
    "openai chat": _openai_chat,
    "openai responses": _openai_responses,
    "google-genai": _google,
    "mistralai": _mistral,
    "cohere": _cohere,
    "ollama": _ollama,
    "langchain": _langchain,
    "pydantic-ai": _pydantic_ai,
    "claude-agent-sdk": _claude_agent_sdk,
    "attrs": _attrs,
}
_SECRETS = (_CANARY, "Q0FOQVJZLWI4MWQwMg")


def _holds_canary(value: Any) -> bool:
    seen = repr(value) + repr(getattr(value, "__dict__", "")) + repr(getattr(value, "__pydantic_private__", ""))
    return any(secret in seen for secret in _SECRETS)


@pytest.mark.parametrize("make", _MADE.values(), ids=_MADE)
def test_object_comes_back_as_its_own_class(make: Callable[[], Any]) -> None:
    """An object of an SDK loses its reasoning and stays what it is."""
    made = make()

    shown = _LOGS.value(made)

    assert type(shown) is type(made)
    assert _holds_canary(made)
    assert not _holds_canary(shown)
    assert "Done." in repr(shown)


@pytest.mark.parametrize("make", _MADE.values(), ids=_MADE)
def test_object_of_the_caller_is_not_changed(make: Callable[[], Any]) -> None:
    """Nothing of what the caller handed in is different afterwards."""
    made = make()
    before = copy.deepcopy(made)

    _LOGS.value(made)

    assert before == made
    assert repr(before) == repr(made)


@pytest.mark.parametrize("make", _MADE.values(), ids=_MADE)
def test_object_and_its_bytes_agree(make: Callable[[], Any]) -> None:
    """The copy stands for the JSON that a call gives, and has nothing more to strip."""
    made = make()

    shown = _LOGS.value(made)

    assert orjson.loads(_LOGS(made)) == orjson.loads(_PLAN.serializer("request_memory")(shown))
    assert _LOGS.value(shown) is shown


@pytest.mark.parametrize("make", _MADE.values(), ids=_MADE)
def test_pass_gives_the_same_object(make: Callable[[], Any]) -> None:
    """On a pass surface the very same object comes back, reasoning and all."""
    made = make()

    assert _PLAN.serializer("request_memory").value(made) is made


def test_objects_in_containers_keep_their_classes() -> None:
    """Lists, tuples and dicts around objects stay what they are, and untouched neighbours are the same objects."""
    made, other = _pydantic_ai(), _claude_agent_sdk()
    plain = {"n": 1}

    shown = _LOGS.value(OrderedDict(a=(made, plain), b=[other]))

    assert type(shown) is OrderedDict
    assert type(shown["a"]) is tuple
    assert type(shown["a"][0]) is type(made)
    assert shown["a"][1] is plain
    assert not _holds_canary(shown)
