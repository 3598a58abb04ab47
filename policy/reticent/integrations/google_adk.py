"""Google ADK: a plugin that cleans events before they are stored and shown, and gives the model back what is its own.

.. code-block:: python

    from google.adk.apps import App
    from google.adk.runners import InMemoryRunner
    from reticent.integrations.google_adk import ReticentPlugin

    app = App(name="parcels", root_agent=agent, plugins=[ReticentPlugin("conversation_db")])
    runner = InMemoryRunner(app=app)

ADK builds the next request from the events it stored, and Gemini refuses a call of a tool that has lost its signature.
So the plugin keeps what it took out in memory until the run has ended, and puts it back into requests of that run.
https://google.github.io/adk-docs/plugins/ and https://ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from google.adk.plugins.base_plugin import BasePlugin

from reticent.held import Held
from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.events.event import Event
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse
    from google.genai.types import Content

__all__ = ["ReticentPlugin"]

_MOST_RUNS: Final = 256


class ReticentPlugin(BasePlugin):
    """Takes reasoning out of every event of a run."""

    def __init__(self, surface: str, *, plan: PlanSource = None, name: str = "reticent") -> None:
        """Guard events on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        super().__init__(name=name)
        self.guard = Guard(surface, plan=plan)
        self._held: dict[str, list[tuple[Any, Held[Content]]]] = {}

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> Event | None:
        """The event that is stored and shown; None when nothing changes."""
        if self.guard.passes or event.content is None:
            return None
        kept: Any = self.guard.value(event.content)
        if kept is event.content:
            return None
        shown = kept if isinstance(kept, type(event.content)) else _only_text(event.content, kept)
        if not event.partial:
            self._hold(invocation_context.invocation_id, shown, event.content)
        return event.model_copy(update={"content": shown})

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Put back what this run's model issued, in place of what was stored of it."""
        held = dict(self._held.get(callback_context.invocation_id, ()))
        if held:
            llm_request.contents = [
                held[told].open() if content.role == "model" and (told := _fingerprint(content)) in held else content
                for content in llm_request.contents
            ]
        return None

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Forget what was held for the run."""
        self._held.pop(invocation_context.invocation_id, None)

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, **_about: Any) -> None:
        """Forget what was held for a run that failed."""
        self._held.pop(invocation_context.invocation_id, None)

    def _hold(self, run: str, shown: Content, content: Content) -> None:
        self._held.setdefault(run, []).append((_fingerprint(shown), Held(content)))
        while len(self._held) > _MOST_RUNS:
            # Runs that were abandoned never say that they ended.
            del self._held[next(iter(self._held))]


def _only_text(content: Content, kept: Any) -> Content:
    """Content with the placeholder, or with nothing, where the class could not be without what went."""
    from google.genai.types import Part

    return content.model_copy(update={"parts": [Part(text=kept)] if isinstance(kept, str) else []})


def _fingerprint(content: Content) -> str:
    """What tells one content from another, without the ids that ADK gives calls and takes away for some models."""
    return content.model_dump_json(
        exclude_none=True, exclude={"parts": {"__all__": {"function_call": {"id"}, "function_response": {"id"}}}}
    )
