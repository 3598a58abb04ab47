"""OpenAI Agents SDK: a session that keeps only what its store may hold.

.. code-block:: python

    from agents import Runner, SQLiteSession
    from reticent.integrations.openai_agents_session import ReticentSession

    session = ReticentSession("conversation_db", SQLiteSession("user-1", "conversations.db"))
    result = await Runner.run(agent, "Hello", session=session)

A run keeps its own items in memory, so its tool loop has its reasoning; the next run starts without.
https://openai.github.io/openai-agents-python/sessions/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import Session, SessionSettings

__all__ = ["ReticentSession"]


class ReticentSession:
    """Stores in ``session`` what of each item may rest on ``surface``; reads what is there.

    What else ``session`` offers is reached through ``inner``.
    """

    def __init__(self, surface: str, session: Session, *, plan: PlanSource = None, strict: bool = False) -> None:
        """Guard items on their way to ``surface``.

        With ``strict``, items that cannot be judged raise; without, a message with a placeholder is stored.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan, strict=strict)
        self.inner = session

    @property
    def session_id(self) -> str:
        """The id of the inner session."""
        return self.inner.session_id

    @property
    def session_settings(self) -> SessionSettings | None:
        """The settings of the inner session."""
        return getattr(self.inner, "session_settings", None)

    @session_settings.setter
    def session_settings(self, settings: SessionSettings | None) -> None:
        """Hand the settings to the session behind this one."""
        self.inner.session_settings = settings

    async def get_items(self, limit: int | None = None, *args: Any, **options: Any) -> list[TResponseInputItem]:
        """The items that are stored."""
        return await self.inner.get_items(limit, *args, **options)

    async def add_items(self, items: list[TResponseInputItem], *args: Any, **options: Any) -> None:
        """Store what of ``items`` may rest on the surface; they are judged together, as one history."""
        kept: Any = self.guard.value(items)
        if not isinstance(kept, list):
            kept = [{"role": "assistant", "content": str(kept)}]
        if kept:
            await self.inner.add_items(cast("list[TResponseInputItem]", kept), *args, **options)

    async def pop_item(self, *args: Any, **options: Any) -> TResponseInputItem | None:
        """Take the latest item off."""
        return await self.inner.pop_item(*args, **options)

    async def clear_session(self, *args: Any, **options: Any) -> None:
        """Forget all items."""
        await self.inner.clear_session(*args, **options)
