"""What a provider answers when a history comes back: the rules, one class per family.

A rule is taken from the provider's documentation or an error people report; each raises :class:`Refused` with a word.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.simulator.render import call_seal, is_reasoning, prefix_digest, seal, wire


class Refused(Exception):
    """The provider answers 400; ``word`` says for which rule."""

    def __init__(self, word: str, position: int) -> None:
        super().__init__(f"{word} at {position}")
        self.word = word
        self.position = position


def accept(profile: str, dialect: str, history: list[dict[str, Any]], issued: list[dict[str, Any]]) -> None:
    """Take ``history`` as the next request, or raise :class:`Refused`. ``issued`` is all that was ever sent back."""
    sent = [wire(entry, phase=dialect == "openai-responses") for entry in history]
    known = [wire(entry, phase=dialect == "openai-responses") for entry in issued]
    checks = {
        "anthropic-messages": _anthropic,
        "openai-responses": _responses,
        "openai-chat": _chat,
        "gemini": _gemini,
        "bedrock-converse": _bedrock,
    }
    checks[dialect](profile, sent, known)


# --- Anthropic and Bedrock: blocks ---


def _anthropic(profile: str, sent: list[dict[str, Any]], known: list[dict[str, Any]]) -> None:
    _block_form(sent)
    _block_pairs(sent, _anthropic_call, _anthropic_result)
    _signatures("anthropic-messages", profile, sent)
    _loop_unaltered(sent, known)


def _bedrock(profile: str, sent: list[dict[str, Any]], known: list[dict[str, Any]]) -> None:
    _block_form(sent)
    for position, (one, other) in enumerate(pairwise(sent)):
        if one["role"] == other["role"]:
            raise Refused("roles-must-alternate", position + 1)
    _block_pairs(sent, _bedrock_call, _bedrock_result)
    _signatures("bedrock-converse", profile, sent)
    _loop_unaltered(sent, known)


def _block_form(sent: list[dict[str, Any]]) -> None:
    if not sent or sent[0]["role"] != "user":
        raise Refused("first-message-must-be-user", 0)
    for position, entry in enumerate(sent):
        if not entry["content"]:
            raise Refused("content-must-not-be-empty", position)
        if entry["role"] == "assistant" and is_reasoning(entry["content"][-1]):
            raise Refused("final-block-cannot-be-thinking", position)


def _anthropic_call(block: dict[str, Any]) -> str | None:
    return block["id"] if block.get("type") == "tool_use" else None


def _anthropic_result(block: dict[str, Any]) -> str | None:
    return block["tool_use_id"] if block.get("type") == "tool_result" else None


def _bedrock_call(block: dict[str, Any]) -> str | None:
    return block["toolUse"]["toolUseId"] if "toolUse" in block else None


def _bedrock_result(block: dict[str, Any]) -> str | None:
    return block["toolResult"]["toolUseId"] if "toolResult" in block else None


def _block_pairs(sent: list[dict[str, Any]], call: Any, result: Any) -> None:
    for position, entry in enumerate(sent):
        blocks = entry["content"] if isinstance(entry["content"], list) else []
        before = sent[position - 1]["content"] if position else []
        due = [name for block in before if isinstance(before, list) and (name := call(block))]
        given = [name for block in blocks if (name := result(block))]
        if sorted(due) != sorted(given) and (due or given):
            raise Refused("call-without-result" if set(due) - set(given) else "result-without-call", position)
    last = sent[-1]["content"]
    if isinstance(last, list) and any(call(block) for block in last):
        raise Refused("call-without-result", len(sent) - 1)


def _thoughts(entry: dict[str, Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for block in entry["content"] if isinstance(entry["content"], list) else []:
        if block.get("type") == "thinking":
            found.append((block["thinking"], block["signature"]))
        elif "reasoningContent" in block:
            inner = block["reasoningContent"]["reasoningText"]
            found.append((inner["text"], inner["signature"]))
    return found


def _signatures(dialect: str, profile: str, sent: list[dict[str, Any]]) -> None:
    numbers: list[int] = []
    for position, entry in enumerate(sent):
        for text, signature in _thoughts(entry):
            number, prefix, mac = signature.split(".")
            if seal(text, number, prefix) != mac:
                raise Refused("invalid-signature", position)
            if profile == "anthropic-prefix-bound" and prefix != prefix_digest(dialect, sent[:position]):
                raise Refused("bound-to-a-different-conversation", position)
            numbers.append(int(number))
    whole = all(other == one + 1 for one, other in pairwise(numbers))
    if profile == "anthropic-prefix-bound" and not whole:
        raise Refused("thinking-left-out-of-the-middle", 0)


def _loop_unaltered(sent: list[dict[str, Any]], known: list[dict[str, Any]]) -> None:
    """Every assistant turn of the running tool chain comes back as it was issued."""
    assistant = [entry for entry in known if entry["role"] == "assistant"]
    for position in range(len(sent) - 1, -1, -1):
        entry = sent[position]
        if entry["role"] == "user" and not any(_anthropic_result(b) or _bedrock_result(b) for b in entry["content"]):
            return
        if entry["role"] == "assistant" and entry not in assistant:
            raise Refused("latest-assistant-turn-altered", position)


# --- OpenAI ---


def _responses(profile: str, sent: list[dict[str, Any]], known: list[dict[str, Any]]) -> None:
    del profile
    followers = _issued_followers(known)
    calls: set[str] = set()
    answered: set[str] = set()
    for position, item in enumerate(sent):
        kind = item.get("type", "message")
        if kind == "reasoning":
            _reasoning_item(sent, position)
        elif kind == "function_call":
            calls.add(item["call_id"])
        elif kind == "function_call_output":
            if item["call_id"] not in calls:
                raise Refused("result-without-call", position)
            answered.add(item["call_id"])
        if "id" in item and item["id"] in followers and not _present(sent, followers[item["id"]]):
            raise Refused("item-without-its-reasoning", position)
    if calls - answered:
        raise Refused("call-without-result", len(sent))


def _reasoning_item(sent: list[dict[str, Any]], position: int) -> None:
    item = sent[position]
    text, _, mac = item["encrypted_content"].rpartition(".")
    if seal(item["id"], text) != mac:
        raise Refused("invalid-encrypted-content", position)
    following = sent[position + 1] if position + 1 < len(sent) else {}
    if following.get("type") not in {"message", "function_call", "citation_trail"} or following.get("role") == "user":
        raise Refused("reasoning-without-following-item", position)


def _issued_followers(known: list[dict[str, Any]]) -> dict[str, str]:
    found: dict[str, str] = {}
    current = ""
    for item in known:
        if item.get("type") == "reasoning":
            current = item["id"]
        elif item.get("role") in {"user", "developer"} or item.get("type") == "function_call_output":
            current = ""
        elif current and "id" in item:
            found[item["id"]] = current
    return found


def _present(sent: list[dict[str, Any]], reasoning: str) -> bool:
    return any(item.get("type") == "reasoning" and item["id"] == reasoning for item in sent)


def _chat(profile: str, sent: list[dict[str, Any]], known: list[dict[str, Any]]) -> None:
    due: list[str] = []
    for position, message in enumerate(sent):
        if message["role"] == "tool":
            if message["tool_call_id"] not in due:
                raise Refused("result-without-call", position)
            due.remove(message["tool_call_id"])
            continue
        if due:
            raise Refused("call-without-result", position)
        if message["role"] == "assistant":
            due = [call["id"] for call in message.get("tool_calls", [])]
            _chat_reasoning(profile, message, known, position)
    if due:
        raise Refused("call-without-result", len(sent))


def _chat_reasoning(profile: str, message: dict[str, Any], known: list[dict[str, Any]], position: int) -> None:
    if "tool_calls" in message and not message["tool_calls"]:
        raise Refused("tool-calls-must-not-be-empty", position)
    if not message.get("content") and not message.get("tool_calls"):
        raise Refused("assistant-message-is-empty", position)
    if profile in {"deepseek-r1", "refuses-reasoning"} and "reasoning_content" in message:
        raise Refused("reasoning-not-allowed", position)
    if profile == "deepseek-v4" and message.get("tool_calls"):
        same = [m for m in known if m.get("tool_calls") == message["tool_calls"]]
        if same and same[0].get("reasoning_content") != message.get("reasoning_content"):
            raise Refused("reasoning-must-be-passed-back", position)


# --- Gemini ---


def _gemini(profile: str, sent: list[dict[str, Any]], known: list[dict[str, Any]]) -> None:
    if not sent or sent[0]["role"] != "user":
        raise Refused("first-content-must-be-user", 0)
    current = max((i for i, entry in enumerate(sent) if _speaks(entry)), default=0)
    earlier: list[bool] = []
    for position, entry in enumerate(sent):
        if not entry["parts"]:
            raise Refused("parts-must-not-be-empty", position)
        _gemini_pairs(sent, position)
        if entry["role"] == "model":
            _gemini_signatures(entry, position, step_due=position > current)
            earlier += _signed_flags(entry, known) if position < current else []
    if profile == "gemini-3.5" and len(set(earlier)) > 1:
        raise Refused("signatures-in-part", 0)


def _speaks(entry: dict[str, Any]) -> bool:
    return entry["role"] == "user" and any("functionResponse" not in part for part in entry["parts"])


def _gemini_pairs(sent: list[dict[str, Any]], position: int) -> None:
    before = sent[position - 1]["parts"] if position else []
    due = [part["functionCall"]["id"] for part in before if "functionCall" in part]
    parts = sent[position]["parts"]
    given = [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
    if due != given:
        raise Refused("calls-and-responses-differ", position)
    if position == len(sent) - 1 and any("functionCall" in part for part in parts):
        raise Refused("call-without-result", position)


def _gemini_signatures(entry: dict[str, Any], position: int, *, step_due: bool) -> None:
    calls = [part for part in entry["parts"] if "functionCall" in part]
    for part in entry["parts"]:
        signature = part.get("thoughtSignature")
        if signature is None:
            continue
        right = call_seal(part["functionCall"]) if "functionCall" in part else seal("text", part.get("text", ""))
        if signature != right:
            raise Refused("invalid-thought-signature", position)
    if step_due and calls and "thoughtSignature" not in calls[0]:
        raise Refused("missing-thought-signature", position)


def _signed_flags(entry: dict[str, Any], known: list[dict[str, Any]]) -> list[bool]:
    """For each part that was issued with a signature and is still here: whether it still has it."""
    issued = [part for other in known if other["role"] == "model" for part in other["parts"]]
    signed = [part for part in issued if "thoughtSignature" in part]
    bare = [{key: value for key, value in part.items() if key != "thoughtSignature"} for part in signed]
    return [part in signed for part in entry["parts"] if part in signed or part in bare]
