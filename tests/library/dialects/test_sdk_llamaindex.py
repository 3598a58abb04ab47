"""LlamaIndex reads a stripped message, and its objects are read as they are."""

from __future__ import annotations

import pytest

import reticent

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")

from llama_index.core.base.llms.types import ChatMessage, TextBlock, ThinkingBlock

_CANARY = "CANARY-b46f19"


def test_message_without_its_thoughts() -> None:
    """The message that is left is one that the library builds again, with the visible text."""
    blocks = [
        ThinkingBlock(content=_CANARY, num_tokens=9, additional_information={"signature": _CANARY}),
        TextBlock(text="Seen."),
    ]
    stripped = reticent.load_plan().serializer("logs").value(ChatMessage(role="assistant", blocks=blocks))
    assert _CANARY not in str(stripped)
    assert ChatMessage.model_validate(stripped).content == "Seen."
