"""Named conditions on the place of a carrier; ``where:`` in ``kinds.yaml`` names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reticent.dialects import _where_frameworks as frameworks
from reticent.dialects._positions import ROLES, Position
from reticent.dialects._where_records import is_noted

Where = Callable[[Mapping[str, Any], Any, int, Any], bool]
"""``(node that holds the member, its value, position, key the node itself stands under) -> applies``."""

_MESSAGE_KEYS = frozenset(
    {
        "role",
        "content",
        "tool_calls",
        "reasoning_details",
        "refusal",
        "choices",
        "message",
        "finish_reason",
        "output_text",
        "completion",
        "parts",
        "function_call",
        "toolExecutionRequests",
    }
)
_MESSAGE_PARENTS = frozenset(
    {
        "message",
        "delta",
        "messages",
        "choices",
        "additional_kwargs",
        "provider_specific_fields",
        "provider_data",
        "response_metadata",
        "generation_info",
        "model_extra",
        "steps",
        "additionalContent",
        "additional_content",
        "additionalModelResponseFields",
        "messageMetadata",
    }
)
_DOCUMENT_KEYS = frozenset(
    {"source", "title", "page", "url", "author", "file_name", "filename", "file_path", "path", "doc_id", "chunk_id"}
)
_JUDGE_KEYS = frozenset({"score", "grade", "rating", "verdict", "label", "passed"})
_SETTING_KEYS = frozenset(
    {
        "effort",
        "max_tokens",
        "exclude",
        "enabled",
        "generate_summary",
        "context",
        "mode",
        "budget_tokens",
        "token_budget",
        "budget",
        "level",
        "display",
        "clear_thinking",
        "supported",
        "streaming",
        "encrypted",
    }
)
_RESULT = frozenset({"finishReason", "responseMessages"})


def anywhere(_node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key is distinctive: it counts everywhere but inside the application's own data."""
    return position != Position.DATA


def message(node: Mapping[str, Any], value: Any, position: int, parent: Any) -> bool:
    """The key is an everyday word: it counts on an assistant message or delta and on copies of one."""
    return not _is_result(node) and _on_message(node, value, position, parent)


def _on_message(node: Mapping[str, Any], value: Any, position: int, parent: Any) -> bool:
    if position in (Position.DATA, Position.USER, Position.SYSTEM):
        return False
    if not _JUDGE_KEYS.isdisjoint(node) or (isinstance(value, dict) and is_setting(value)):
        return False
    if position == Position.ASSISTANT:
        return True
    if not _MESSAGE_KEYS.isdisjoint(node) or parent in _MESSAGE_PARENTS:
        return True
    if position == Position.OPEN and is_noted(node, value):
        return True
    return parent == "metadata" and position != Position.RESULT and _DOCUMENT_KEYS.isdisjoint(node)


def _is_result(node: Mapping[str, Any]) -> bool:
    """Whether the object is a tool's message itself, whose members are the tool's."""
    role = node.get("role")
    return isinstance(role, str) and ROLES.get(role) == Position.RESULT


def part(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key sits on a typed content block or part."""
    return position != Position.DATA and "type" in node


def is_setting(value: Mapping[str, Any]) -> bool:
    """Whether an object tells a model how to reason, and holds none: ``{"effort": "medium", "summary": "auto"}``."""
    return not _SETTING_KEYS.isdisjoint(value) and not any(isinstance(item, list) for item in value.values())


def bare_message(node: Mapping[str, Any], value: Any, position: int, parent: Any) -> bool:
    """The key sits on a message itself: on an item of another type it belongs to that type."""
    told = node.get("type") in (None, "message") and parent != "provider_details"
    return told and _on_message(node, value, position, parent)


def extras(_node: Mapping[str, Any], _value: Any, position: int, parent: Any) -> bool:
    """The key sits in the ``extras`` of a standard content block."""
    return position != Position.DATA and parent == "extras"


def result(node: Mapping[str, Any], value: Any, position: int, parent: Any) -> bool:
    """The key sits on what a call to a model returned, beside its text or finish reason."""
    return message(node, value, position, parent) or (position == Position.OPEN and not _RESULT.isdisjoint(node))


def prose(node: Mapping[str, Any], value: Any, position: int, parent: Any) -> bool:
    """The value is a text on a message: one word would be a setting (``auto``)."""
    return " " in value.strip() and message(node, value, position, parent)


def agent_trace(_node: Mapping[str, Any], value: Any, position: int, parent: Any) -> bool:
    """The key sits in a trace of a Bedrock agent: a judge's ``rationale`` elsewhere is the judge's answer."""
    if position == Position.DATA:
        return False
    if parent == "parsedResponse" or (isinstance(parent, str) and parent.endswith("Trace")):
        return True
    return isinstance(value, dict) and "traceId" in value


_THOUGHT_FIELDS = frozenset({"summary", "signature", "content", "text"})
_BARE_THOUGHT = frozenset({"type", "id", "index", "status"})


def thought_step(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """A step of type ``thought``: one with content, or the shell of one that only opens a stream."""
    if position == Position.DATA:
        return False
    return not _THOUGHT_FIELDS.isdisjoint(node) or _BARE_THOUGHT.issuperset(node)


def reasoning_handle(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The reference is to a reasoning item: OpenAI's ids of those start with ``rs_``."""
    return position != Position.DATA and str(node.get("id")).startswith("rs_")


def in_thoughts(_node: Mapping[str, Any], _value: Any, position: int, parent: Any) -> bool:
    """The key sits on an entry of a list named ``thoughts`` (DashScope applications)."""
    return position != Position.DATA and parent == "thoughts"


def compacted(node: Mapping[str, Any], _value: Any, _position: int, _parent: Any) -> bool:
    """The key sits on a user message that holds nothing but a compacted history (xAI)."""
    return node.get("role") in ("user", "ROLE_USER") and not node.get("content")


def bare_content(node: Mapping[str, Any], _value: Any, position: int, parent: Any) -> bool:
    """The key sits on a piece of a content block that has no type of its own (Cohere's deltas)."""
    return position != Position.DATA and parent == "content" and "type" not in node and "role" not in node


def generated(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key sits beside an answer of Ollama's ``/api/generate``."""
    return position != Position.DATA and "response" in node and ("done" in node or "model" in node)


def own_message(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The key is a word that applications use too: it counts on an assistant message itself, beside its content."""
    return position == Position.ASSISTANT and "role" in node and "content" in node


def thinking_text(node: Mapping[str, Any], value: Any, position: int, parent: Any) -> bool:
    """The value is an object that holds a text, not one that tells a model how to think."""
    told = any(isinstance(value.get(name), str) for name in ("content", "text", "thinking"))
    return told and message(node, value, position, parent)


def own_channel(node: Mapping[str, Any], _value: Any, position: int, _parent: Any) -> bool:
    """The message is the model's own: one with a recipient on the same channel calls a tool."""
    author = node.get("author")
    role = node.get("role") or (author.get("role") if isinstance(author, dict) else None)
    recipient = node.get("recipient")
    return (
        position != Position.DATA
        and role in (None, "assistant")
        and recipient in (None, "", "all", "assistant", "self")
    )


CONDITIONS: dict[str, Where] = {
    "says": frameworks.says,
    "spelled_out": frameworks.spelled_out,
    "agent_trace": agent_trace,
    "thought_step": thought_step,
    "any": anywhere,
    "message": message,
    "part": part,
    "bare_message": bare_message,
    "reasoning_handle": reasoning_handle,
    "in_thoughts": in_thoughts,
    "compacted": compacted,
    "bare_content": bare_content,
    "generated": generated,
    "created": frameworks.created,
    "thought_steps": frameworks.thought_steps,
    "variant": frameworks.variant,
    "quotation": frameworks.quotation,
    "own_channel": own_channel,
    "extras": extras,
    "own_message": own_message,
    "thinking_text": thinking_text,
    "dify_step": frameworks.dify_step,
    "cline_message": frameworks.cline_message,
    "react_step": frameworks.react_step,
    "agent_action": frameworks.agent_action,
    "subjects": frameworks.subjects,
    "reasoned_steps": frameworks.reasoned_steps,
    "answered": frameworks.answered,
    "result": result,
    "prose": prose,
}
