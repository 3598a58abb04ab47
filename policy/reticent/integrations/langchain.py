"""LangChain and LangGraph: middleware that cleans what an agent leaves behind, and a wrapper for callbacks.

.. code-block:: python

    from langchain.agents import create_agent
    from reticent.integrations.langchain import ReticentCallback, ReticentMiddleware

    agent = create_agent(model, tools, middleware=[ReticentMiddleware("conversation_db")])
    agent.invoke(state, config={"callbacks": [ReticentCallback("logs", tracer)]})

The middleware waits until the agent has ended: inside its loop the model needs its own blocks. Checkpoints of the steps
before that are the business of ``reticent.integrations.langgraph_checkpoint``.
https://docs.langchain.com/oss/python/langchain/middleware
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage

from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from langchain.agents.middleware import AgentMiddleware

    from reticent.serializers import StreamSerializer

    _Middleware = AgentMiddleware[Any, Any, Any]
else:
    try:
        from langchain.agents.middleware import AgentMiddleware as _Middleware
    except ImportError:  # the callback alone needs no more than langchain-core
        _Middleware = object

__all__ = ["ReticentCallback", "ReticentMiddleware"]

_PLAIN: Final = frozenset(("run_id", "parent_run_id", "tags"))


class ReticentMiddleware(_Middleware):
    """Takes reasoning out of an agent's messages when it has ended."""

    def __init__(self, surface: str, *, plan: PlanSource = None) -> None:
        """Guard the final state on its way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        super().__init__()
        self.guard = Guard(surface, plan=plan)

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002 - LangChain's signature
        """The messages that change, by id; those with nothing left are removed."""
        messages = state.get("messages", ())
        changed = [] if self.guard.passes else [told for message in messages for told in self._told(message)]
        return {"messages": changed} if changed else None

    async def aafter_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """As ``after_agent``."""
        return self.after_agent(state, runtime)

    def _told(self, message: BaseMessage) -> list[BaseMessage]:
        kept = self.guard.value(message)
        if kept is message:
            return []
        if isinstance(kept, BaseMessage):
            return [kept]
        if kept is None:
            return [RemoveMessage(id=message.id or "")]
        return [AIMessage(content=kept if isinstance(kept, str) else "", id=message.id)]


class ReticentCallback(BaseCallbackHandler):
    """Tells ``handler`` what of each event may rest on ``surface``. Errors of ``handler`` stay its own."""

    def __init__(self, surface: str, handler: BaseCallbackHandler, *, plan: PlanSource = None) -> None:
        """Guard events on their way to ``surface``.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan)
        self.inner = handler
        self.raise_error = handler.raise_error
        self.run_inline = handler.run_inline
        self._streams: dict[UUID, StreamSerializer] = {}

    def on_llm_new_token(self, token: Any, *, run_id: UUID, chunk: Any = None, **options: Any) -> Any:
        """What of a token may go on; tokens of one run are one stream, in which a tag may be cut anywhere."""
        if self.guard.passes:
            return self.inner.on_llm_new_token(token, run_id=run_id, chunk=chunk, **options)
        if not isinstance(token, str):
            kept = self.guard.value(token)
            return self.inner.on_llm_new_token(kept, run_id=run_id, chunk=self.guard.value(chunk), **options)
        shown = self._shown(run_id, token)
        # A chunk repeats the token, so it goes on only beside one that went on whole.
        chunk = self.guard.value(chunk) if shown == token and chunk is not None else None
        return self.inner.on_llm_new_token(shown, run_id=run_id, chunk=chunk, **options)

    def _shown(self, run_id: UUID, token: str) -> str:
        stream = self._streams.get(run_id)
        try:
            if stream is None:
                stream = self._streams[run_id] = self.guard.stream(wire="text")
            return stream.feed(token.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
        except Exception as error:  # noqa: BLE001 - the boundary that fails closed
            return self.guard.withheld(error, len(token))

    def forget(self, run_id: UUID | None) -> None:
        """Let go of what was held back for a run that has ended."""
        if run_id is not None:
            self._streams.pop(run_id, None)


def _clean(guard: Guard, value: Any) -> Any:
    return guard.text(value) if isinstance(value, str) else guard.printable(value)


def _forwarding(name: str) -> Callable[..., Any]:
    def forward(self: ReticentCallback, *given: Any, **options: Any) -> Any:
        told = [_clean(self.guard, item) for item in given]
        cleaned = {key: item if key in _PLAIN else _clean(self.guard, item) for key, item in options.items()}
        if name in ("on_llm_end", "on_llm_error"):
            self.forget(options.get("run_id"))
        return getattr(self.inner, name)(*told, **cleaned)

    forward.__name__ = name
    forward.__doc__ = f"Tell the handler of ``{name}``."
    return forward


for _name in dir(BaseCallbackHandler):
    if _name.startswith("on_") and _name != "on_llm_new_token":
        setattr(ReticentCallback, _name, _forwarding(_name))
