"""Exits of ``logging``, structlog and loguru."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any, Final

from reticent.doctor._findings import Exit, surface_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_QUIET: Final = ("_pytest.", "reticent.")
"""Modules whose handlers are no exits: they keep records for a test or for a probe."""
_FIX: Final = 'reticent.integrations.stdlib_logging.guard_handlers("logs")'


def stdlib() -> Iterator[Exit]:
    """Every handler of every logger, and the one that ``logging`` uses when there is none."""
    root = logging.getLogger()
    seen: set[int] = set()
    if not root.handlers and logging.lastResort is not None:
        yield _exit("lastResort", root, logging.lastResort)
    named = [item for item in logging.Logger.manager.loggerDict.values() if isinstance(item, logging.Logger)]
    for logger in [root, *sorted(named, key=lambda item: item.name)]:
        for handler in logger.handlers:
            if id(handler) not in seen and not _is_quiet(handler):
                seen.add(id(handler))
                yield _exit(logger.name, logger, handler)


def _exit(name: str, logger: logging.Logger, handler: logging.Handler) -> Exit:
    surface = surface_of(*handler.filters, handler.formatter, *logger.filters)
    return Exit("logging", f"{name}: {type(handler).__name__}", surface, "" if surface else _FIX)


def _is_quiet(handler: logging.Handler) -> bool:
    return isinstance(handler, logging.NullHandler) or f"{type(handler).__module__}.".startswith(_QUIET)


def structlog() -> Iterator[Exit]:
    """The processors that structlog is configured with, unless they hand on to ``logging``."""
    module: Any = sys.modules.get("structlog")
    if module is None or not module.is_configured():
        return
    processors: list[Any] = list(module.get_config()["processors"])
    hands_on = any(
        getattr(item, "__name__", "") in ("wrap_for_formatter", "render_to_log_kwargs") for item in processors
    )
    surface = surface_of(*processors)
    if surface is not None or not hands_on:
        fix = (
            "" if surface else 'put reticent.integrations.structlog.ReticentProcessor("logs") right before the renderer'
        )
        yield Exit("structlog", "configured processors", surface, fix)


def loguru() -> Iterator[Exit]:
    """The handlers of loguru's logger; its patcher serves all of them."""
    module: Any = sys.modules.get("loguru")
    if module is None:
        return
    core = module.logger._core  # noqa: SLF001 - there is no other way to see what is configured
    for number, handler in core.handlers.items():
        sink = getattr(handler, "_sink", None)
        surface = surface_of(core.patcher, getattr(sink, "_function", None), getattr(sink, "_stream", None))
        fix = "" if surface else 'logger.configure(patcher=reticent.integrations.loguru.ReticentPatcher("logs"))'
        yield Exit("loguru", f"handler {number}", surface, fix)


INSPECTORS: Final[tuple[Callable[[], Iterable[Exit]], ...]] = (stdlib, structlog, loguru)
