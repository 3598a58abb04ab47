"""Where in a payload a value stands: what its text may be, and which rules may look at it.

A field name alone decides nothing: ``reasoning`` is the model's reasoning on an assistant message, a setting in a
request, and the customer's own column in a tool's arguments. The walk carries one of these positions downwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any


class Position(IntEnum):
    """What kind of content a value is part of."""

    OPEN = 0
    """Nothing known: a record, an envelope, a log line."""
    ASSISTANT = 1
    """Inside a message that a model wrote: text may hold inline tags."""
    USER = 2
    """Inside a message that a person wrote: text is theirs."""
    SYSTEM = 3
    """Inside instructions the application wrote: prompt templates may show thinking."""
    RESULT = 4
    """Inside what a tool returned: may hold another agent's transcript."""
    DATA = 5
    """Inside arguments, schemas and structured answers: keys are the application's own."""


ROLES: Mapping[str, Position] = {
    **dict.fromkeys(
        (
            "assistant",
            "model",
            "ai",
            "bot",
            "ASSISTANT",
            "MODEL",
            "AI",
            "AIMessage",
            "AIMessageChunk",
            "ROLE_ASSISTANT",
            "CHATBOT",
            "gemini",
        ),
        Position.ASSISTANT,
    ),
    **dict.fromkeys(("user", "human", "ROLE_USER", "HumanMessage", "USER", "HUMAN"), Position.USER),
    **dict.fromkeys(("system", "developer", "ROLE_SYSTEM", "SystemMessage", "SYSTEM"), Position.SYSTEM),
    **dict.fromkeys(("tool", "function", "ROLE_TOOL", "ToolMessage", "toolResult", "TOOL"), Position.RESULT),
}
"""Position inside a message by its ``role`` (LangChain dumps: by its ``type``)."""

TYPES: Mapping[str, Position] = {
    **dict.fromkeys(
        (
            "tool_result",
            "function_call_output",
            "mcp_tool_result",
            "tool-result",
            "tool_return",
            "tool-return",
            "function_result",
            "custom_tool_call_output",
            "local_shell_call_output",
            "shell_call_output",
            "computer_call_output",
            "web_search_tool_result",
            "web_fetch_tool_result",
            "code_execution_tool_result",
            "bash_code_execution_tool_result",
            "text_editor_code_execution_tool_result",
            "tool_search_tool_result",
        ),
        Position.RESULT,
    ),
    **dict.fromkeys(
        (
            "google_search_result",
            "google_maps_result",
            "file_search_result",
            "mcp_server_tool_result",
            "processing_result",
            "retrieval_result",
            "url_context_result",
        ),
        Position.RESULT,
    ),
    **dict.fromkeys(("human", "user_input"), Position.USER),
    **dict.fromkeys(("ai", "AI", "AIMessage", "AIMessageChunk", "model_output", "text_delta"), Position.ASSISTANT),
    **dict.fromkeys(
        ("output_text", "response.output_text.done", "agent.session.turn.output_text.done", "message.output"),
        Position.ASSISTANT,
    ),
    **dict.fromkeys(
        ("response.output_text.delta", "response.refusal.delta", "text-delta", "TEXT_MESSAGE_CONTENT"),
        Position.ASSISTANT,
    ),
    **dict.fromkeys(
        (
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.mcp_call_arguments.delta",
            "response.mcp_call_arguments.done",
            "response.custom_tool_call_input.delta",
            "response.custom_tool_call_input.done",
            "response.code_interpreter_call_code.delta",
            "response.code_interpreter_call_code.done",
            "tool-input-delta",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_CHUNK",
        ),
        Position.DATA,
    ),
}
"""Position inside a block or message by its ``type``."""

CALL_TYPES = frozenset(
    {
        "tool_use",
        "server_tool_use",
        "mcp_tool_use",
        "tool_call",
        "tool-call",
        "function",
        "function_call",
        "custom_tool_call",
        "mcp_call",
        "mcp_approval_request",
        "dynamic-tool",
        "tool-input-available",
    }
)
"""Types of blocks whose ``input`` is the arguments of a call."""

KEYS: Mapping[str, Position] = {
    **dict.fromkeys(
        (
            "args",
            "arguments",
            "input_schema",
            "inputSchema",
            "parameters",
            "schema",
            "json_schema",
            "properties",
            "response_format",
            "tools",
            "functions",
            "responseSchema",
            "structured_output",
            "parsed",
            "partial_json",
            "output_schema",
            "arguments_delta",
            "args_delta",
            "rawInput",
            "raw_input",
        ),
        Position.DATA,
    ),
    **dict.fromkeys(
        (
            "toolResult",
            "functionResponse",
            "function_response",
            "tool_results",
            "rawOutput",
            "raw_output",
            "structuredContent",
        ),
        Position.RESULT,
    ),
    **dict.fromkeys(
        ("choices", "content_block", "modelTurn", "model_turn", "toolUse", "current_tool_use"), Position.ASSISTANT
    ),
    **dict.fromkeys(("system", "systemInstruction", "system_instruction", "instructions"), Position.SYSTEM),
}
"""Keys under which a position starts whatever stands above."""


TELLERS: Mapping[str, Mapping[str, Position]] = {
    "part_kind": {
        "text": Position.ASSISTANT,
        "user-prompt": Position.USER,
        "system-prompt": Position.SYSTEM,
        "instruction": Position.SYSTEM,
        "instruction-baseline": Position.SYSTEM,
        "instruction-delta": Position.SYSTEM,
        "tool-return": Position.RESULT,
        "builtin-tool-return": Position.RESULT,
    },
    "sessionUpdate": {"agent_message_chunk": Position.ASSISTANT, "user_message_chunk": Position.USER},
    "session_update": {"agent_message_chunk": Position.ASSISTANT, "user_message_chunk": Position.USER},
    "event": {"content-block-start": Position.ASSISTANT, "content-block-finish": Position.ASSISTANT},
    "kind": {"ActionEvent": Position.ASSISTANT},
    "lc": {},
    "author": {},
    "prompt_fragments": {},
    "parts": {},
    "toolCallId": {},
    "data": {},
    "__class__": {
        **dict.fromkeys(("AIMessage", "AIMessageChunk", "AiMessage", "AssistantMessage"), Position.ASSISTANT),
        **dict.fromkeys(("HumanMessage", "UserMessage"), Position.USER),
    },
}
"""Position inside an object by other keys that name what it is; the walk looks closer at an object that has one."""

TELLING = frozenset({*TELLERS, "author"})
"""Keys without which ``told`` can tell nothing."""

_CONSTRUCTORS = {"HumanMessage": Position.USER, "SystemMessage": Position.SYSTEM, "ToolMessage": Position.RESULT}


def told(node: Mapping[str, Any], position: int) -> int:
    """Position inside an object that neither a role nor a type places."""
    for name, table in TELLERS.items():
        kind = node.get(name)
        if isinstance(kind, str) and kind in table:
            return table[kind]
    if _is_answer(node):
        return Position.ASSISTANT
    author = node.get("author")
    if isinstance(author, dict) and isinstance(author.get("role"), str) and author["role"] in ROLES:
        return ROLES[author["role"]]
    if "data" in node and str(node.get("type")).startswith("data-"):
        return Position.DATA
    if "toolCallId" in node and position != Position.DATA:
        return Position.RESULT
    return _constructed(node, position) if "lc" in node else position


def _is_answer(node: Mapping[str, Any]) -> bool:
    """Whether an object is a model's by the members it has."""
    if "prompt_fragments" in node and "completion" in node:
        return True  # Fireworks' raw_output: https://docs.fireworks.ai/api-reference/post-chatcompletions
    return "parts" in node and (node.get("kind") == "response" or node.get("role") in ("agent", "ROLE_AGENT"))


def _constructed(node: Mapping[str, Any], position: int) -> int:
    """Position inside a LangChain dump, by the class at the end of its ``id``."""
    path = node.get("id")
    name = path[-1] if isinstance(path, list) and path else None
    if not isinstance(name, str):
        return position
    return Position.ASSISTANT if name.startswith("AIMessage") else _CONSTRUCTORS.get(name, position)


def is_call(node: Mapping[str, Any]) -> bool:
    """Whether ``node`` is a call, so that its ``input`` holds the arguments the model chose."""
    kind = node.get("type")
    if isinstance(kind, str) and (kind in CALL_TYPES or kind.startswith("tool-")):
        return True
    return "toolUseId" in node or ("name" in node and ("id" in node or "ref" in node))
