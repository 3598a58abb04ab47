"""LiteLLM: callbacks behind the guard, and answers of a proxy, through the real library with made-up responses."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import TYPE_CHECKING, Any

import pytest

# Without it, the import asks the network for a list of prices.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from litellm.integrations.custom_logger import CustomLogger
from tests.integrations.reasoning import VISIBLE, ThinkingBlock, clean, cycle, message

from reticent.errors import EgressRefused, UnknownSurface
from reticent.integrations.litellm import ReticentLogger
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


# LiteLLM's own types; it says so while it builds them.
pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier.*:UserWarning")


class Seen(CustomLogger):
    """Keeps what a logging callback is given."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self.calls: list[str] = []

    def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Keep details and response."""
        del start_time, end_time
        self.calls.append(repr((kwargs, response_obj)))

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Keep details and response."""
        del start_time, end_time
        self.calls.append(repr((kwargs, response_obj)))


@pytest.fixture
def seen() -> Iterator[Seen]:
    """A callback behind the guard; taken out again afterwards."""
    before = litellm.callbacks
    behind = Seen()
    litellm.callbacks = [ReticentLogger("logs"), behind]
    yield behind
    litellm.callbacks = before
    for name in ("success_callback", "_async_success_callback", "failure_callback", "_async_failure_callback"):
        setattr(litellm, name, [])


def response(secret: str) -> Any:
    """An answer as LiteLLM makes it from one with reasoning."""
    told = {
        "role": "assistant",
        "content": VISIBLE,
        "reasoning_content": secret,
        "thinking_blocks": [{"type": "thinking", "thinking": secret, "signature": f"{secret}sig"}],
    }
    return litellm.ModelResponse(choices=[{"index": 0, "finish_reason": "stop", "message": told}], model="m")


def test_callbacks_get_no_reasoning(seen: Seen) -> None:
    """A callback behind the guard gets request and response without reasoning; the caller's response keeps it."""
    secret = canary()
    history = [{"role": "user", "content": "q"}, message(secret), {"role": "user", "content": "again"}]
    given = response(secret)

    async def call() -> Any:
        got = await litellm.acompletion(model="gpt-4o", messages=history, mock_response=given)
        for _ in range(100):
            if seen.calls:
                break
            await asyncio.sleep(0.05)
        return got

    got = asyncio.run(call())

    assert secret in repr(got)
    assert seen.calls
    assert VISIBLE in seen.calls[0]
    assert clean("".join(seen.calls), secret)


def test_hook_keeps_class_and_hidden_parameters() -> None:
    """Callbacks get a response of the class they expect, with what LiteLLM carries along; the original stays."""
    secret = canary()
    given = response(secret)
    given._hidden_params = {"response_cost": 0.5}
    details, told = ReticentLogger("logs").logging_hook(
        {"messages": [message(secret)], "model": "m"}, given, "completion"
    )

    assert isinstance(told, litellm.ModelResponse)
    assert VISIBLE == told.choices[0].message.content
    assert {"response_cost": 0.5} == told._hidden_params
    assert "m" == details["model"]
    assert secret in repr(given)
    assert clean(repr((details, told)), secret)


def test_hook_leaves_placeholders(caplog: pytest.LogCaptureFixture) -> None:
    """What cannot be judged is replaced in the details, and the call goes on."""
    secret = canary()
    logger = ReticentLogger("logs")
    with caplog.at_level(logging.DEBUG):
        details, told = logger.logging_hook({"messages": cycle(secret), "input": "x"}, repr(ThinkingBlock(secret)), "c")

    assert "[reticent withheld a value: cyclic-input]" == details["messages"]
    assert 1 == logger.guard.counts.failed
    assert clean(repr((details, told)) + caplog.text, secret)


def test_answers_of_a_proxy_show_no_reasoning() -> None:
    """With a second surface the whole response of a proxy loses reasoning; without it stays the same object."""
    secret = canary()
    given = response(secret)

    async def through(logger: ReticentLogger) -> Any:
        return await logger.async_post_call_success_hook({}, None, given)

    told = asyncio.run(through(ReticentLogger("logs", answers="browser_stream")))

    assert VISIBLE == told.choices[0].message.content
    assert clean(repr(told), secret)
    assert given is asyncio.run(through(ReticentLogger("logs")))


def test_answer_that_cannot_be_judged_is_refused() -> None:
    """A response on its way to a person is refused rather than replaced."""
    secret = canary()
    logger = ReticentLogger("logs", answers="browser_stream")

    with pytest.raises(EgressRefused) as caught:
        asyncio.run(logger.async_post_call_success_hook({}, None, cycle(secret)))

    assert clean(repr(caught.value), secret)


def chunk(delta: dict[str, Any]) -> Any:
    """One piece of a stream."""
    choices: Any = [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}]
    return litellm.ModelResponseStream(id="c", model="m", choices=choices)


def chunks(secret: str) -> list[Any]:
    """A stream as LiteLLM makes it: reasoning first, then the answer."""
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "reasoning_content": secret, "content": None},
        {"content": VISIBLE[:10]},
        {"content": VISIBLE[10:]},
        {},
    ]
    return [chunk(delta) for delta in deltas]


async def _gathered(logger: ReticentLogger, given: list[Any]) -> list[Any]:
    async def source() -> AsyncIterator[Any]:
        for piece in given:
            yield piece

    return [piece async for piece in logger.async_post_call_streaming_iterator_hook(None, source(), {})]


def test_streams_of_a_proxy_show_no_reasoning() -> None:
    """Streamed chunks lose reasoning; text and finish reason arrive in order."""
    secret = canary()
    got = asyncio.run(_gathered(ReticentLogger("logs", answers="browser_stream"), chunks(secret)))

    assert VISIBLE == "".join(piece.choices[0].delta.content or "" for piece in got)
    assert "stop" == got[-1].choices[0].finish_reason
    assert clean(repr(got), secret)


def test_streams_without_a_second_surface_are_untouched() -> None:
    """Without a second surface the chunks are the very same objects."""
    given = chunks("x")

    assert given == asyncio.run(_gathered(ReticentLogger("logs"), given))


@pytest.mark.parametrize("names", [("log", None), ("logs", "browser")])
def test_unknown_surface_fails_at_start(names: tuple[str, str | None]) -> None:
    """A wrong name fails when the callback is made."""
    with pytest.raises(UnknownSurface):
        ReticentLogger(names[0], answers=names[1])
