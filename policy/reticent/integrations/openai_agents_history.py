"""The history compactor in the OpenAI Agents SDK: before a model call, or on a stored session.

.. code-block:: python

    from agents import RunConfig
    from reticent.history import Window
    from reticent.integrations.openai_agents_history import model_input_filter

    config = RunConfig(call_model_input_filter=model_input_filter(model="gpt-5.2", budget=Window(tokens=400_000)))

https://openai.github.io/openai-agents-python/running_agents/
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, cast

from agents.run import CallModelData, ModelInputData

from reticent.history import compact
from reticent.history.fold import Folder, FoldOutcome, Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Unpack

    from agents import Session

    from reticent.history import Compaction, CompactOptions

__all__ = ["compact_session", "folding_filter", "model_input_filter"]

_DIALECT = "openai-responses"


def model_input_filter(
    *, seen: Callable[[Compaction], None] | None = None, **options: Unpack[CompactOptions]
) -> Callable[[CallModelData[Any]], ModelInputData]:
    """A filter for ``RunConfig.call_model_input_filter`` that compacts what is sent; the session is not altered.

    ``options`` are those of :func:`reticent.history.compact`; ``seen`` gets each compaction, done or not.
    """

    def compacted(data: CallModelData[Any]) -> ModelInputData:
        sent = data.model_data
        given: CompactOptions = {**options, "dialect": _DIALECT}
        done = compact(cast("list[Any]", sent.input), **given)
        if seen is not None:
            seen(done)
        return ModelInputData(input=list(done.history), instructions=sent.instructions)

    return compacted


def folding_filter(
    folder: Folder, *, tools: Sequence[Any] | None = None, seen: Callable[[FoldOutcome], None] | None = None
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """A filter for ``RunConfig.call_model_input_filter`` that folds when the request is due for it.

    Each call counts as one iteration. ``folder`` was made for the dialect ``openai-responses``; ``tools`` are the
    schemas that go along with the input.
    """
    iterations = count(1)

    async def folded(data: CallModelData[Any]) -> ModelInputData:
        """Fold what the model is about to see."""
        sent = data.model_data
        asked = Request(messages=cast("list[Any]", sent.input), tools=tools, system=sent.instructions)
        outcome = await folder.before_send(asked, iteration=next(iterations))
        if seen is not None:
            seen(outcome)
        return ModelInputData(input=list(outcome.request.messages), instructions=sent.instructions)

    return folded


async def compact_session(session: Session, **options: Unpack[CompactOptions]) -> Compaction:
    """Compact a stored session. It is rewritten only when something was removed, and only if it did not grow meanwhile.

    ``options`` are those of :func:`reticent.history.compact`. When items were added while this ran, nothing is written
    and the compaction's record says what would have gone.
    """
    items = await session.get_items()
    given: CompactOptions = {**options, "dialect": _DIALECT}
    done = compact(cast("list[Any]", items), **given)
    if done.removed and await session.get_items() == items:
        await session.clear_session()
        await session.add_items(list(done.history))
    return done
