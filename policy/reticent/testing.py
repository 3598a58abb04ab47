"""Helpers for tests, of reticent and of those who use it: canaries, and payloads with and without reasoning.

A canary is a made-up string that occurs nowhere else. Plant it as reasoning, then look for it in everything that
left: ``leaks(output, canary)`` finds it in any spelling (JSON escapes, JSON in strings, base64).
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from reticent.conformance.judge import contains, haystack

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["canary", "carriers", "json_values", "leaks", "payloads"]

CARRIER = "CANARY"
"""How every canary of this module begins."""


def canary(label: str = "reasoning") -> str:
    """A string that occurs nowhere else, recognisable by its first letters."""
    return f"{CARRIER}-{label}-{secrets.token_hex(8)}"


def leaks(output: bytes | str, *needles: str, wire: str = "json") -> list[str]:
    """Those of ``needles`` that some spelling of ``output`` holds; empty when nothing leaked."""
    data = output.encode("utf-8", "surrogateescape") if isinstance(output, str) else output
    stack = haystack(data, wire)
    return [needle for needle in needles if contains(stack, needle)]


def json_values() -> SearchStrategy[Any]:
    """JSON values without reasoning: no key and no text in them means anything to a rule."""
    from hypothesis import strategies as st

    letters = st.text(alphabet='abcxyz éß漢\n"\\/ 01', max_size=24)
    keys = st.sampled_from(["a", "b", "id", "name", "n", "items", "note", "é", 'q"uote', "x\\y"])
    leaf = (
        st.none()
        | st.booleans()
        | st.integers(-(2**60), 2**60)
        | st.floats(allow_nan=False, allow_infinity=False)
        | letters
    )
    return st.recursive(
        leaf, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
    )


def carriers(secret: str) -> SearchStrategy[Any]:
    """Blocks that are nothing but reasoning and hold ``secret``, in several dialects."""
    from hypothesis import strategies as st

    return st.sampled_from(
        [
            {"type": "thinking", "thinking": secret, "signature": f"{secret}-signature"},
            {"type": "redacted_thinking", "data": secret},
            {"type": "reasoning", "id": f"rs_{secret}", "summary": [{"type": "summary_text", "text": secret}]},
            {"type": "reasoning", "summary": [], "encrypted_content": secret},
            {"reasoningContent": {"reasoningText": {"text": secret, "signature": secret}}},
            {"text": secret, "thought": True},
        ]
    )


def payloads(secret: str) -> SearchStrategy[Any]:
    """Records, histories and responses with reasoning that holds ``secret`` somewhere inside."""
    from hypothesis import strategies as st

    visible = st.fixed_dictionaries({"type": st.just("text"), "text": st.text(alphabet="abc é\n", max_size=12)})
    blocks = st.lists(visible | carriers(secret), min_size=1, max_size=5)
    message = st.fixed_dictionaries({"role": st.just("assistant"), "content": blocks}) | st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.sampled_from(["done", f"<think>{secret}</think>done"]),
            "reasoning_content": st.just(secret),
        }
    )
    user = st.fixed_dictionaries({"role": st.just("user"), "content": st.text(alphabet="abc ?", max_size=12)})
    history = st.lists(message | user, max_size=5)
    envelope = st.sampled_from(["messages", "input", "record", "data", "items"])
    return (
        history
        | message
        | st.builds(
            lambda key, value, rest: {"id": "1", key: value, "rest": rest}, envelope, history | message, json_values()
        )
    )
