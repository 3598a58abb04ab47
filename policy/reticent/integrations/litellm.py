"""LiteLLM: a callback that cleans what other callbacks log, and what a proxy sends to its clients.

.. code-block:: python

    import litellm
    from reticent.integrations.litellm import ReticentLogger

    litellm.callbacks = [ReticentLogger("logs"), "langfuse"]

LiteLLM asks ``logging_hook`` before the callbacks that log a success. A failed call has no such hook: its callbacks get
the request as it was. With ``answers``, a second surface, the proxy's responses are guarded as well, whole and
streamed. https://docs.litellm.ai/docs/observability/custom_callback
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson
from litellm.integrations.custom_logger import CustomLogger

from reticent.errors import UnsupportedType
from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator

    from reticent.serializers import StreamSerializer

__all__ = ["ReticentLogger"]

_CONTENT: Final = (
    "messages",
    "input",
    "prompt",
    "original_response",
    "complete_streaming_response",
    "async_complete_streaming_response",
    "complete_response",
    "standard_logging_object",
    "additional_args",
    "optional_params",
    "log_event_type_response",
    "response",
    "raw_request_typed_dict",
)
"""Members of the call's details in which LiteLLM keeps requests and responses."""


class ReticentLogger(CustomLogger):
    """Cleans what goes to the callbacks behind it; register it before them."""

    def __init__(self, surface: str, *, answers: str | None = None, plan: PlanSource = None) -> None:
        """Guard what is logged on its way to ``surface``, and what is answered on its way to ``answers``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        super().__init__()
        self.guard = Guard(surface, plan=plan)
        self.answers = None if answers is None else Guard(answers, plan=plan, strict=True)

    def logging_hook(self, kwargs: dict[str, Any], result: Any, call_type: str) -> tuple[dict[str, Any], Any]:
        """The details and the result without reasoning; neither of the given objects is changed."""
        del call_type
        if self.guard.passes:
            return kwargs, result
        details = {
            name: self._logged(value) if name in _CONTENT and value is not None else value
            for name, value in kwargs.items()
        }
        return details, self._logged(result)

    async def async_logging_hook(
        self, kwargs: dict[str, Any], result: Any, call_type: str
    ) -> tuple[dict[str, Any], Any]:
        """The same for calls that are awaited."""
        return self.logging_hook(kwargs, result, call_type)

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        """The response that a proxy's client gets.

        Raises:
            EgressRefused: the response cannot be judged; nothing of it is in the error.
        """
        del data, user_api_key_dict
        if self.answers is None or self.answers.passes:
            return response
        return _rebuilt(response, self.answers.value(response))

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        """The chunks that a proxy's client gets; a chunk that loses nothing is the very same object.

        Raises:
            EgressRefused: a chunk cannot be judged; the stream ends there.
        """
        del user_api_key_dict, request_data
        stream = None if self.answers is None or self.answers.passes else self.answers.stream(wire="jsonl")
        kind: type[Any] | None = None
        async for chunk in response:
            if stream is None:
                yield chunk
                continue
            kind = type(chunk)
            for shown in _through(stream, chunk):
                yield shown
        if stream is None or kind is None:
            return
        for line in stream.flush().splitlines():
            yield _made(kind, orjson.loads(line))

    def _logged(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.guard.text(value)
        try:
            return _rebuilt(value, self.guard.value(value))
        except UnsupportedType as error:
            return self.guard.withheld(error, None)


def _through(stream: StreamSerializer, chunk: Any) -> Iterator[Any]:
    line = chunk.model_dump_json(exclude_unset=True).encode() + b"\n"
    shown = stream.feed(line)
    if shown == line:
        yield chunk
        return
    for one in shown.splitlines():
        yield _made(type(chunk), orjson.loads(one))


def _rebuilt(given: Any, kept: Any) -> Any:
    """What was kept, as an object of the class that callbacks expect.

    Raises:
        UnsupportedType: the class does not take what was kept.
    """
    if kept is given or isinstance(given, dict | list):
        return kept
    made = _made(type(given), kept) if isinstance(kept, dict) else kept
    hidden = getattr(given, "_hidden_params", None)
    if hidden is not None and isinstance(made, type(given)):
        made._hidden_params = hidden  # noqa: SLF001 - how LiteLLM itself carries cost and headers along
    return made


def _made(kind: type[Any], fields: dict[str, Any]) -> Any:
    try:
        return kind(**fields)
    except Exception as error:  # noqa: BLE001 - what a model says of a field quotes it
        problem = type(error).__name__
    raise UnsupportedType(f"{kind.__qualname__} cannot be made again ({problem})")
