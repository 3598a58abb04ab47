"""The ollama models read stripped lines, and their parts make the stripped whole."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import reticent

pytest.importorskip("ollama", reason="the ollama SDK is not installed")

_CANARY = "CANARY-c7720d"
_PLAN = reticent.load_plan()


def _line(content: str, *, thinking: str | None = None, done: bool = False) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **({"thinking": thinking} if thinking else {})}
    return {"model": "m", "message": message, "done": done}


def test_lines_rebuild_the_stripped_message() -> None:
    """Members and tags go, the answer is whole."""
    from ollama import ChatResponse

    lines = [
        _line("", thinking=_CANARY),
        _line("<thi"),
        _line(f"nk>{_CANARY}</think>For"),
        _line("ty-two"),
        _line("", done=True),
    ]
    stream = _PLAN.stream("browser_stream", wire="jsonl")
    out = stream.feed(b"".join(orjson.dumps(line) + b"\n" for line in lines)) + stream.flush()
    read = [ChatResponse.model_validate_json(line) for line in out.splitlines()]

    whole = _line(f"<think>{_CANARY}</think>Forty-two", thinking=_CANARY, done=True)
    stripped = _PLAN.serializer("browser_stream").value(whole)["message"]
    assert stripped == {"role": "assistant", "content": "".join(item.message.content or "" for item in read)}
    assert all(item.message.thinking is None for item in read)


def test_response_objects_are_stripped_like_their_json() -> None:
    """A response object loses its thinking, also in the form that it has as text."""
    from ollama import ChatResponse

    response = ChatResponse.model_validate(_line("42", thinking=_CANARY, done=True))
    assert _CANARY.encode() not in _PLAN.serializer("logs")(response)
