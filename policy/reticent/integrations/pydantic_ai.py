"""PydanticAI: a history processor for what goes to a model, and a filter for the events that a user interface gets.

.. code-block:: python

    from pydantic_ai import Agent
    from pydantic_ai.capabilities import ProcessEventStream, ProcessHistory
    from reticent.integrations.pydantic_ai import event_filter, history_processor

    agent = Agent(
        "anthropic:claude-sonnet-4-5",
        capabilities=[
            ProcessHistory(history_processor("provider_roundtrip", to="anthropic")),
            ProcessEventStream(event_filter("browser_stream")),
        ],
    )

What PydanticAI stores is ``result.all_messages()``; write that through a guarded column.
https://ai.pydantic.dev/message-history/
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import ModelMessage  # noqa: TC002 - PydanticAI resolves annotations of processors

from reticent.compiler import load_plan
from reticent.compiler.plan import Plan
from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from reticent.serializers import Producer

__all__ = ["event_filter", "history_processor"]


def history_processor(
    surface: str, *, to: str | Producer | None = None, plan: PlanSource = None
) -> Callable[[list[ModelMessage]], list[ModelMessage]]:
    """A history processor that leaves out what may not go over ``surface``.

    With ``to``, the producer that the request goes to, what it issued itself stays and what another did goes: for
    agents that fall back to another model, and for histories that another agent hands over. A history that cannot be
    judged is not sent: the processor raises ``EgressRefused``.

    Raises:
        UnknownSurface: the plan has no such surface.
        ConfigurationError: ``to`` names no producer.
    """
    known = plan if isinstance(plan, Plan) else load_plan(plan)
    serializer = known.serializer(surface, to=to)

    def process(messages: list[ModelMessage]) -> list[ModelMessage]:
        kept: Any = serializer.value(messages)
        return list(kept)

    return process


def event_filter(surface: str, *, plan: PlanSource = None) -> Callable[[Any, AsyncIterable[Any]], AsyncIterator[Any]]:
    """A processor for ``ProcessEventStream``, or a function over ``agent.run_stream_events`` and the like.

    It takes the run context, which it does not look at, and the events of one run; events of the same classes come out.

    Raises:
        UnknownSurface: the plan has no such surface.
    """
    guard = Guard(surface, plan=plan)

    async def shown(_context: Any, stream: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """The events of ``stream`` that may be shown."""
        async for event in guard.stream().aevents(stream):
            yield event

    return shown
