"""Sentry: the hooks through which everything passes before it is sent.

.. code-block:: python

    import sentry_sdk
    from reticent.integrations.sentry import hooks

    sentry_sdk.init(dsn=..., include_local_variables=False, **hooks("logs"))

``hooks`` gives ``before_send``, ``before_send_transaction``, ``before_breadcrumb`` and ``before_send_log``, as far as
the installed SDK has them, and ``before_send_span`` when spans are streamed. An error report is withheld as a whole
when it cannot be judged: what is sent then says only that it was.
https://docs.sentry.io/platforms/python/configuration/options/
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from sentry_sdk.consts import DEFAULT_OPTIONS

from reticent.integrations._guard import Guard, PlanSource
from reticent.integrations._shown import each_text
from reticent.integrations._traceback import replacements

__all__ = ["ReticentHook", "hooks"]

Hook: TypeAlias = Callable[[Any, Any], Any]

_HOOKS: Final = (
    "before_send",
    "before_send_transaction",
    "before_breadcrumb",
    "before_send_log",
    "before_send_metric",
)
_SPAN_HOOK: Final = "before_send_span"
_LINES: Final = ("message", "logentry", "exception", "threads", "breadcrumbs", "body")
"""Where a log line, the text of an exception or a repr can stand: https://develop.sentry.dev/sdk/data-model/event-payloads/."""
_ENVELOPE: Final = (
    "event_id",
    "type",
    "timestamp",
    "start_timestamp",
    "platform",
    "level",
    "category",
    "time_unix_nano",
    "severity_text",
    "severity_number",
    "trace_id",
    "span_id",
)
"""What a placeholder keeps: ids, times and levels, as far as they are there."""


class ReticentHook:
    """One hook: the caller's own (``inner``) first, then the guard."""

    def __init__(self, guard: Guard, inner: Hook | None = None) -> None:
        """Guard what goes through this hook; :func:`hooks` makes them."""
        self.guard = guard
        self._inner = inner

    def __call__(self, event: Any, hint: Any) -> Any:
        """The event without reasoning; None when ``inner`` dropped it."""
        try:
            told = event if self._inner is None else self._inner(event, hint)
            return told if told is None or self.guard.passes else self._clean(told, _error(hint))
        except Exception as error:  # noqa: BLE001 - Sentry would report the exception, with its variables
            return _placeholder(event, self.guard.withheld(error, None))

    def _clean(self, event: Any, error: BaseException | None) -> Any:
        judged = self.guard.value(_with_plain_variables(self.guard, event))
        if not isinstance(judged, dict):
            return _placeholder(event, judged if isinstance(judged, str) else "")
        said = replacements(self.guard, error)
        return {name: self._lines(item, said) if name in _LINES else item for name, item in judged.items()}

    def _lines(self, part: Any, said: list[tuple[str, str]]) -> Any:
        def line(text: str) -> str:
            for old, new in said:
                text = text.replace(old, new)
            return self.guard.text(text)

        return each_text(part, line)


def hooks(surface: str, *, plan: PlanSource = None, streamed_spans: bool = False, **inner: Hook) -> dict[str, Any]:
    """The hooks for ``sentry_sdk.init``, by name, each a :class:`ReticentHook`.

    Hooks of your own go in under the same names and run first.

    ``streamed_spans`` adds ``before_send_span``, which the SDK takes only with ``trace_lifecycle="stream"``.

    Raises:
        UnknownSurface: the plan has no such surface.
        TypeError: ``inner`` names something that is no hook.
    """
    guard = Guard(surface, plan=plan)
    names = [*_HOOKS, _SPAN_HOOK] if streamed_spans else list(_HOOKS)
    strange = sorted(inner.keys() - {*names})
    if strange:
        raise TypeError(f"no hooks of Sentry: {', '.join(strange)}")
    return {name: ReticentHook(guard, inner.get(name)) for name in names if name in DEFAULT_OPTIONS or name in inner}


def _error(hint: Any) -> BaseException | None:
    """The exception that a report is about, as the SDK tells it: type, value and traceback."""
    told = hint.get("exc_info") if isinstance(hint, Mapping) else None
    return told[1] if isinstance(told, tuple) and isinstance(told[1], BaseException) else None


def _placeholder(event: Any, why: str) -> dict[str, Any]:
    kept = {name: event[name] for name in _ENVELOPE if name in event} if isinstance(event, Mapping) else {}
    where = "body" if "severity_text" in kept else "message"
    return {**kept, where: why}


def _with_plain_variables(guard: Guard, event: Any) -> Any:
    """The event with the variables of its frames judged.

    Sentry writes text among them as a repr of its own, quotes and all, so that ``{"type": "'thinking'"}`` stands for
    a block. Such a variable is judged without the quotes and stays as it is when it loses nothing.
    """
    if not isinstance(event, Mapping):
        return event
    told: dict[str, Any] = dict(event)
    for name in ("exception", "threads"):
        if isinstance(told.get(name), Mapping):
            told[name] = _in_frames(guard, told[name])
    return told


def _in_frames(guard: Guard, tree: Any) -> Any:
    if isinstance(tree, Mapping):
        return {
            name: _variables(guard, item) if name == "vars" and isinstance(item, Mapping) else _in_frames(guard, item)
            for name, item in tree.items()
        }
    return [_in_frames(guard, item) for item in tree] if isinstance(tree, list) else tree


def _variables(guard: Guard, variables: Mapping[str, Any]) -> dict[str, Any]:
    plain = {name: _unquoted(value) for name, value in variables.items()}
    kept = guard.record(plain)
    return {name: variables.get(name) if kept[name] == plain.get(name) else kept[name] for name in kept}


def _unquoted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(_unquoted(name)): _unquoted(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_unquoted(item) for item in value]
    if isinstance(value, str) and value[:1] in ("'", '"', "b"):
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return value
    return value
