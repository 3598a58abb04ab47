"""Carriers of every producer, each as it stands in a history, and the way back to one of them."""

from __future__ import annotations

from typing import Any

import orjson

import reticent

PLAN = reticent.load_plan()
CANARY = "CANARY-c41f90"


def round_trip(payload: Any, **told: str) -> Any:
    """What of ``payload`` goes to the producer, as bytes for bytes."""
    return PLAN.serializer("provider_roundtrip", **told)(payload)


def passes(payload: Any, **told: str) -> bool:
    """Whether the very same bytes go; if not, nothing of the carrier does."""
    raw = orjson.dumps(payload)
    out = round_trip(raw, **told)
    assert out is raw or b"CANARY" not in out
    return out is raw


def message(*blocks: dict[str, Any], **members: Any) -> dict[str, Any]:
    """An assistant message with ``blocks`` in front of its answer."""
    return {"role": "assistant", "content": [*blocks, {"type": "text", "text": "Done."}], **members}


SIGNED = {"type": "thinking", "thinking": CANARY, "signature": "CANARY-signature=="}
UNSIGNED = {"type": "thinking", "thinking": CANARY}
REDACTED = {"type": "redacted_thinking", "data": "CANARY-data=="}
ITEM = {"type": "reasoning", "id": "rs_CANARY", "summary": [], "encrypted_content": "CANARY-ciphertext=="}
CALL = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "CANARY"}]}
CONVERSE = {
    "role": "assistant",
    "content": [{"reasoningContent": {"reasoningText": {"text": CANARY, "signature": "CANARY"}}}, {"text": "Done."}],
}
PLAIN = {"role": "assistant", "content": "Done.", "reasoning_content": CANARY}
