"""The history compactor in LangGraph: a ``pre_model_hook``, or a plain function over LangChain messages.

.. code-block:: python

    from langgraph.prebuilt import create_react_agent
    from reticent.history import Window
    from reticent.integrations.langgraph_history import pre_model_hook

    hook = pre_model_hook(model="claude-sonnet-4-5", budget=Window(tokens=200_000))
    agent = create_react_agent(model, tools, pre_model_hook=hook)

The hook fills ``llm_input_messages``: the graph's own state keeps every message. :func:`folding_hook` is the same for
the fold, and is asynchronous because a model writes its summary.
https://docs.langchain.com/oss/python/langgraph/add-memory
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from reticent.history.changes import Action, by_position, edited
from reticent.history.operations.marks import ABANDONED
from reticent.integrations._messages import CompactedMessages, FoldedMessages, Messages

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from reticent.history import Change, Compaction, CompactOptions
    from reticent.history.fold import Folder, FoldOutcome

__all__ = [
    "DIALECT",
    "CompactedMessages",
    "FoldedMessages",
    "compact_messages",
    "fold_messages",
    "folding_hook",
    "pre_model_hook",
]

DIALECT = "openai-chat"
"""What the messages are read as, whichever provider they go to."""

_STOPS = {
    "end_turn": "stop",
    "STOP": "stop",
    "completed": "stop",
    "tool_use": "tool_calls",
    "pause_turn": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "stop_sequence": "error",
}
"""Stop words of other providers in the words of Chat Completions, which the messages are read as."""

_REASONING = ("reasoning_content", "reasoning", "reasoning_details")


def pre_model_hook(
    *, seen: Callable[[Compaction], None] | None = None, **options: Unpack[CompactOptions]
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A ``pre_model_hook`` for ``create_react_agent``; ``options`` are those of :func:`reticent.history.compact`."""
    process = _MESSAGES.compacting(seen, options)

    def hook(state: Mapping[str, Any]) -> dict[str, Any]:
        return {"llm_input_messages": process(state["messages"])}

    return hook


def compact_messages(
    messages: Sequence[BaseMessage], **options: Unpack[CompactOptions]
) -> CompactedMessages[BaseMessage]:
    """Compact LangChain messages; ``options`` are those of :func:`reticent.history.compact`."""
    return _MESSAGES.compacted(messages, options)


def folding_hook(
    folder: Folder, *, tools: Sequence[Any] | None = None, seen: Callable[[FoldOutcome], None] | None = None
) -> Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]:
    """A ``pre_model_hook`` that folds when the request is due for it; each call counts as one iteration.

    ``folder`` was made for the dialect :data:`DIALECT`; ``tools`` are the schemas that go along with the messages.
    """
    process = _MESSAGES.folding(folder, tools, seen)

    async def hook(state: Mapping[str, Any]) -> dict[str, Any]:
        """Fold what the model is about to see."""
        return {"llm_input_messages": await process(state["messages"])}

    return hook


async def fold_messages(
    messages: Sequence[BaseMessage], folder: Folder, *, iteration: int, tools: Sequence[Any] | None = None
) -> FoldedMessages[BaseMessage]:
    """Fold LangChain messages when they are due for it. What is folded is in the form of Chat Completions."""
    return await _MESSAGES.folded(messages, folder, iteration=iteration, tools=tools)


def _carried_out(
    messages: Sequence[BaseMessage], views: Sequence[dict[str, Any]], changes: Sequence[Change]
) -> list[BaseMessage]:
    at = by_position(changes)
    kept: list[BaseMessage] = []
    for position, message in enumerate(messages):
        kept += _changed(message, views[position], at.get(position, ()))
    # A history that is folded to its end gets what stands in behind the last message.
    return [*kept, *(_ours(change.value) for change in at.get(len(messages), ()))]


def _view(message: BaseMessage) -> dict[str, Any]:
    """A message as Chat Completions would have it, content blocks in their places."""
    content = cast("Any", message.content)  # pyright: ignore[reportUnknownMemberType]
    if isinstance(message, SystemMessage):
        return {"role": "system", "content": content}
    if isinstance(message, ToolMessage):
        view = {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
        return view | ({"name": message.name} if message.name else {})
    if not isinstance(message, AIMessage):
        return {"role": "user" if isinstance(message, HumanMessage) else message.type, "content": content}
    extra = cast("dict[str, Any]", message.additional_kwargs)
    view = {"role": "assistant", "content": content} | {key: extra[key] for key in _REASONING if key in extra}
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
        }
        for call in message.tool_calls
    ]
    return view | ({"tool_calls": calls} if calls else {}) | _stop(message)


def _stop(message: AIMessage) -> dict[str, Any]:
    known = cast("dict[str, Any]", message.response_metadata)
    word = known.get("finish_reason") or known.get("stop_reason") or known.get("stopReason")
    return {"finish_reason": _STOPS.get(word, word)} if isinstance(word, str) else {}


def _changed(message: BaseMessage, view: dict[str, Any], changes: Sequence[Change]) -> list[BaseMessage]:
    before: list[BaseMessage] = [_ours(change.value) for change in changes if change.action is Action.INSERT]
    if any(change.action is Action.DROP for change in changes):
        return before
    edits = [(change.path, change) for change in changes if change.action is not Action.INSERT]
    if not edits:
        return [*before, message]
    new = edited(view, edits)
    update: dict[str, Any] = {"content": new.get("content", "")}
    if isinstance(message, AIMessage):
        update |= _reply(message, view, new)
    return [*before, message.model_copy(update=update)]


def _reply(message: AIMessage, view: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """What an edited reply keeps beside its content: calls and members that are still in the view."""
    left = {call["id"] for call in new.get("tool_calls", [])}
    calls = [call for call in message.tool_calls if call["id"] in left]
    gone = [key for key in _REASONING if key in view and key not in new]
    extra = {key: item for key, item in message.additional_kwargs.items() if key not in gone}
    if not calls:
        extra.pop("tool_calls", None)
    content = new.get("content", "")
    if isinstance(content, list):
        content = [block for block in cast("Sequence[Any]", content) if not _is_lost_call(block, left)]
    return {"content": content, "tool_calls": calls, "additional_kwargs": extra}


def _is_lost_call(block: Any, left: set[Any]) -> bool:
    """Anthropic's content lists a call a second time; there it goes with the first."""
    fields = cast("dict[str, Any]", block) if isinstance(block, dict) else {}
    return fields.get("type") == "tool_use" and fields.get("id") not in left


def _ours(value: dict[str, Any]) -> BaseMessage:
    content = value["content"]
    if value["role"] == "tool":
        status: Literal["success", "error"] = "error" if content == ABANDONED else "success"
        return ToolMessage(content=content, tool_call_id=value["tool_call_id"], status=status)
    if value["role"] != "assistant":
        return HumanMessage(content=content)
    calls = [(call["id"], call["function"]) for call in value.get("tool_calls", ())]
    made = [ToolCall(id=name, name=told["name"], args=json.loads(told["arguments"])) for name, told in calls]
    return AIMessage(content=content, tool_calls=made)


_MESSAGES = Messages(dialect=DIALECT, view=_view, carry_out=_carried_out)
