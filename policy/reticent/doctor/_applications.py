"""Exits of stores and of web applications."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from reticent.doctor._findings import Exit, surface_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_JSON_FIX: Final = "give it the type reticent.integrations.sqlalchemy.ReticentJSON, or guard the session"
_APP_FIX: Final = "app.add_middleware(reticent.integrations.asgi.ReticentMiddleware, surface=...)"


def sqlalchemy() -> Iterator[Exit]:
    """JSON columns of every mapped class; text columns are too many to mean anything."""
    orm: Any = sys.modules.get("sqlalchemy.orm.mapper")
    types: Any = sys.modules.get("sqlalchemy.types")
    if orm is None or types is None:
        return
    session = _session_guard(sys.modules["sqlalchemy.orm"])
    mappers = {mapper for registry in orm._all_registries() for mapper in registry.mappers}  # noqa: SLF001 - all of them
    for mapper in sorted(mappers, key=lambda item: item.class_.__qualname__):
        for column in mapper.columns:
            own = surface_of(column.type)
            if own is None and not isinstance(column.type, types.JSON):
                continue
            surface = own or session
            yield Exit("sqlalchemy", f"{mapper.class_.__name__}.{column.key}", surface, "" if surface else _JSON_FIX)


def _session_guard(orm: Any) -> str | None:
    """The surface of a guard that looks at what a session is about to write, else None."""
    listening = orm.Session.dispatch.before_flush._clslevel  # noqa: SLF001 - what listens, by class of session
    listeners = [item for kind in _with_subclasses(orm.Session) for item in listening.get(kind, ())]
    cells = [cell.cell_contents for item in listeners for cell in getattr(item, "__closure__", None) or ()]
    return surface_of(*(_Held(cell) for cell in cells))


def _with_subclasses(kind: type[Any]) -> Iterator[Any]:
    yield kind
    for inner in kind.__subclasses__():
        yield from _with_subclasses(inner)


class _Held:
    """An object whose guard is ``guard``, so that a closure can be asked like an adapter."""

    def __init__(self, guard: Any) -> None:
        self.guard = guard


def asgi(application: Any) -> Iterator[Exit]:
    """The routes of an ASGI application, each with the middleware that its path goes through."""
    layers = [application, *_layers(application)]
    name = type(application).__name__
    whole = [layer for layer in layers if surface_of(layer)]
    routes = getattr(application, "routes", None) or []
    if not routes:
        surface = surface_of(*whole)
        yield Exit("asgi", name, surface, "" if surface else _APP_FIX)
    for route in routes:
        path = str(getattr(route, "path", ""))
        if path.startswith(("/openapi", "/docs", "/redoc")):
            continue
        own = surface_of(getattr(route, "endpoint", None), getattr(route, "response_class", None))
        surface = own or surface_of(*(layer for layer in whole if path.startswith(_paths(layer))))
        yield Exit("asgi", f"{name} {path}", surface, "" if surface else _APP_FIX)


def _layers(application: Any) -> Iterator[Any]:
    """Middleware that is declared on the application, and middleware that was put around one."""
    inner = getattr(application, "app", None)
    for item in getattr(application, "user_middleware", None) or ():
        kwargs: dict[str, Any] = dict(getattr(item, "kwargs", {}))
        if str(getattr(item.cls, "__module__", "")).startswith("reticent.integrations.") and "surface" in kwargs:
            yield item.cls(None, **kwargs)
    if inner is not None and inner is not application:
        yield inner
        yield from _layers(inner)


def _paths(layer: Any) -> tuple[str, ...]:
    return tuple(getattr(layer, "paths", ("",)))


INSPECTORS: Final[tuple[Callable[[], Iterable[Exit]], ...]] = (sqlalchemy,)
