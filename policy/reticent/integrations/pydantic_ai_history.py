"""The history compactor in PydanticAI: a history processor over its messages.

.. code-block:: python

    from pydantic_ai import Agent
    from pydantic_ai.capabilities import ProcessHistory
    from reticent.history import Window
    from reticent.integrations.pydantic_ai_history import history_processor

    process = history_processor(model="claude-sonnet-4-5", budget=Window(tokens=200_000))
    agent = Agent("anthropic:claude-sonnet-4-5", capabilities=[ProcessHistory(process)])

https://ai.pydantic.dev/message-history/
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from reticent.history.changes import Action, by_position
from reticent.history.operations.marks import CALL_ID, TOOL
from reticent.integrations._messages import CompactedMessages, FoldedMessages, Messages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping
    from typing import Unpack

    from reticent.history import Change, Compaction, CompactOptions
    from reticent.history.fold import Folder, FoldOutcome

__all__ = [
    "DIALECT",
    "CompactedMessages",
    "FoldedMessages",
    "compact_messages",
    "fold_messages",
    "folding_processor",
    "history_processor",
]

DIALECT = "anthropic-messages"
"""What the messages are read as, whichever provider they go to."""

_STOPS: Mapping[str, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_call": "tool_use",
    "content_filter": "refusal",
    "error": "pause_turn",
}


def history_processor(
    *, seen: Callable[[Compaction], None] | None = None, **options: Unpack[CompactOptions]
) -> Callable[[list[ModelMessage]], list[ModelMessage]]:
    """A history processor; ``options`` are those of :func:`reticent.history.compact`, ``seen`` gets each compaction."""
    compacted = _MESSAGES.compacting(seen, options)

    # The agent evaluates the annotations of what it calls, so this function is spelt out here.
    def process(messages: list[ModelMessage]) -> list[ModelMessage]:
        return compacted(messages)

    return process


def compact_messages(
    messages: Sequence[ModelMessage], **options: Unpack[CompactOptions]
) -> CompactedMessages[ModelMessage]:
    """Compact PydanticAI messages; ``options`` are those of :func:`reticent.history.compact`."""
    return _MESSAGES.compacted(messages, options)


def folding_processor(
    folder: Folder, *, tools: Sequence[Any] | None = None, seen: Callable[[FoldOutcome], None] | None = None
) -> Callable[[list[ModelMessage]], Awaitable[list[ModelMessage]]]:
    """A history processor that folds when the request is due for it; each call counts as one iteration.

    ``folder`` was made for the dialect :data:`DIALECT`; ``tools`` are the schemas that go along with the messages.
    """
    folded = _MESSAGES.folding(folder, tools, seen)

    async def process(messages: list[ModelMessage]) -> list[ModelMessage]:
        """Fold what the model is about to see."""
        return await folded(messages)

    return process


async def fold_messages(
    messages: Sequence[ModelMessage], folder: Folder, *, iteration: int, tools: Sequence[Any] | None = None
) -> FoldedMessages[ModelMessage]:
    """Fold PydanticAI messages when they are due for it."""
    return await _MESSAGES.folded(messages, folder, iteration=iteration, tools=tools)


def _carried_out(
    messages: Sequence[ModelMessage], views: Sequence[dict[str, Any]], changes: Sequence[Change]
) -> list[ModelMessage]:
    # A part that moves keeps the identity of its view, which leads back to the part itself.
    parts = {
        id(block): part
        for message, view in zip(messages, views, strict=True)
        for block, part in zip(view["content"], message.parts, strict=True)
    }
    at = by_position(changes)
    kept: list[ModelMessage] = []
    for position, message in enumerate(messages):
        kept += _changed(message, at.get(position, ()), parts)
    return [*kept, *(_ours(change.value, parts) for change in at.get(len(messages), ()))]


def _view(message: ModelMessage) -> dict[str, Any]:
    """A message as Anthropic's API would have it, one block for each part."""
    if isinstance(message, ModelRequest):
        blocks = [_asked(part) for part in message.parts]
        nudge = bool(blocks) and all(block.get("harness") for block in blocks)
        return {"role": "user", "content": blocks} | ({"nudge": True} if nudge else {})
    blocks = [_said(part) for part in message.parts]
    stop = _STOPS.get(message.finish_reason or "")
    return {"role": "assistant", "content": blocks} | ({"stop_reason": stop} if stop else {})


def _asked(part: Any) -> dict[str, Any]:
    kind = part.part_kind
    if kind == "user-prompt":
        return {"type": "text", "text": _prompt(part.content)}
    if kind == "system-prompt":
        return {"type": "mid_conv_system"}
    if kind == "tool-return":
        return {"type": "tool_result", "tool_use_id": part.tool_call_id, "content": part.model_response_str()}
    if kind == "retry-prompt" and part.tool_name is not None:
        body = part.model_response()
        return {"type": "tool_result", "tool_use_id": part.tool_call_id, "content": body, "is_error": True}
    # The library, not a person, asks again.
    return {"type": "text", "text": "retry", "harness": True}


def _prompt(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(item if isinstance(item, str) else "[media]" for item in cast("Sequence[Any]", content))


def _said(part: Any) -> dict[str, Any]:
    kind = part.part_kind
    plain: dict[str, Callable[[], dict[str, Any]]] = {
        "text": lambda: {"type": "text", "text": part.content},
        "thinking": lambda: {"type": "thinking", "thinking": part.content, "signature": part.signature},
        "compaction": lambda: {"type": "compaction", "content": part.content},
        "file": lambda: {"type": "image"},
    }
    return plain[kind]() if kind in plain else _called(part)


def _called(part: Any) -> dict[str, Any]:
    """A call, or what the provider's own tool made of one; anything else keeps its name and is carried."""
    kind: str = part.part_kind
    own = kind.startswith("builtin")
    if own and kind.endswith("return"):
        return {"type": "builtin_tool_result", "tool_use_id": part.tool_call_id}
    if own:
        return {"type": "server_tool_use", "id": part.tool_call_id, "name": part.tool_name}
    if hasattr(part, "tool_call_id"):
        return {"type": "tool_use", "id": part.tool_call_id, "name": part.tool_name, "input": part.args}
    return {"type": kind}


def _changed(message: ModelMessage, changes: Sequence[Change], parts: Mapping[int, Any]) -> list[ModelMessage]:
    before: list[ModelMessage] = [_ours(change.value, parts) for change in changes if change.action is Action.INSERT]
    if any(change.action is Action.DROP for change in changes):
        return before
    edits = [change for change in changes if change.action is not Action.INSERT]
    if not edits:
        return [*before, message]
    gone = {change.path[1] for change in edits if change.action is Action.REMOVE}
    new: list[Any] = [part for index, part in enumerate(message.parts) if index not in gone]
    for change in edits:
        if change.action is Action.REPLACE and change.path == ("content",):
            new = [_part(block, parts) for block in change.value]
        elif change.action is Action.REPLACE:
            old = message.parts[cast("int", change.path[1])]
            new[new.index(old)] = replace(cast("ToolReturnPart", old), content=change.value)
    return [*before, replace(cast("Any", message), parts=new)]


def _part(block: dict[str, Any], parts: Mapping[int, Any]) -> Any:
    found = parts.get(id(block))
    if found is not None:
        return found
    if block["type"] == "tool_result":
        name = TOOL if str(block["tool_use_id"]).startswith(CALL_ID) else "abandoned"
        return ToolReturnPart(tool_name=name, content=block["content"], tool_call_id=block["tool_use_id"])
    return UserPromptPart(content=block["text"])


def _ours(value: dict[str, Any], parts: Mapping[int, Any]) -> ModelMessage:
    blocks = value["content"]
    if value["role"] == "assistant":
        return ModelResponse(parts=[_written(block) for block in blocks])
    return ModelRequest(parts=[_part(block, parts) for block in blocks])


def _written(block: dict[str, Any]) -> TextPart | ToolCallPart:
    if block["type"] == "tool_use":
        return ToolCallPart(tool_name=block["name"], args=block["input"], tool_call_id=block["id"])
    return TextPart(content=block["text"])


_MESSAGES = Messages(dialect=DIALECT, view=_view, carry_out=_carried_out)
