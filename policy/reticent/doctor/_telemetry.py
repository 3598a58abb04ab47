"""Exits of tracing and error reporting, as far as their libraries are loaded."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

from reticent.doctor._findings import Exit, surface_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_SPANS: Final = "wrap the exporter in reticent.integrations.opentelemetry.ReticentSpanExporter"
_LOGS: Final = "wrap the exporter in reticent.integrations.opentelemetry.ReticentLogExporter"
_OWN_HOOKS: Final = ("langfuse.", "mlflow.")
"""Modules whose processors have hooks of their own, which are looked at below."""


def opentelemetry() -> Iterator[Exit]:
    """The exporters of the global tracer and logger providers."""
    tracing: Any = sys.modules.get("opentelemetry.trace")
    if tracing is not None and tracing._TRACER_PROVIDER is not None:  # noqa: SLF001 - asking would make one
        provider = tracing.get_tracer_provider()
        yield from _exporters(getattr(provider, "_active_span_processor", None), "_span_processors", "spans", _SPANS)
    logs: Any = sys.modules.get("opentelemetry._logs._internal")
    provider = getattr(logs, "_LOGGER_PROVIDER", None)
    many = getattr(provider, "_multi_log_record_processor", None)
    yield from _exporters(many, "_log_record_processors", "log records", _LOGS)


def exporters_of(provider: Any) -> Iterator[Any]:
    """The exporters behind the span processors of a tracer provider."""
    for processor in _flattened(getattr(provider, "_active_span_processor", None), "_span_processors"):
        exporter = _exporter(processor)
        if exporter is not None:
            yield exporter


def _exporters(many: Any, name: str, what: str, fix: str) -> Iterator[Exit]:
    for processor in _flattened(many, name):
        if type(processor).__module__.startswith(_OWN_HOOKS):
            continue
        exporter = _exporter(processor)
        if exporter is not None:
            surface = surface_of(exporter, processor)
            yield Exit("opentelemetry", f"{what}: {type(exporter).__name__}", surface, "" if surface else fix)


def _flattened(processor: Any, name: str) -> Iterator[Any]:
    """The processors inside processors: those that hold several, and those that wrap one (Logfire's do)."""
    inner = getattr(processor, name, None)
    wrapped = getattr(processor, "processor", None)
    if inner is not None:
        for item in inner:
            yield from _flattened(item, name)
    elif wrapped is not None:
        yield from _flattened(wrapped, name)
    elif processor is not None:
        yield processor


def _exporter(processor: Any) -> Any:
    """What a processor exports through; each kind and release keeps it under another name."""
    batch = getattr(processor, "_batch_processor", None)
    for holder, name in (
        (processor, "span_exporter"),
        (processor, "_exporter"),
        (batch, "_exporter"),
        (processor, "exporter"),
    ):
        found = getattr(holder, name, None)
        if found is not None:
            return found
    return None


def langfuse() -> Iterator[Exit]:
    """Every Langfuse client."""
    module: Any = sys.modules.get("langfuse._client.resource_manager")
    if module is None:
        return
    for key, manager in module.LangfuseResourceManager._instances.items():  # noqa: SLF001 - the clients there are
        surface = surface_of(getattr(manager, "mask", None), getattr(manager, "mask_otel_spans", None))
        fix = "" if surface else 'Langfuse(**reticent.integrations.langfuse.hooks("logs"))'
        yield Exit("langfuse", f"client {str(key)[:6]}…", surface, fix)


def sentry() -> Iterator[Exit]:
    """The Sentry client, when it is on."""
    module: Any = sys.modules.get("sentry_sdk")
    if module is None:
        return
    client = module.get_client() if hasattr(module, "get_client") else module.Hub.current.client
    options = getattr(client, "options", None) or {}
    if not options.get("dsn"):
        return
    for name in ("before_send", "before_send_transaction", "before_breadcrumb"):
        surface = surface_of(options.get(name))
        fix = "" if surface else 'sentry_sdk.init(**reticent.integrations.sentry.hooks("logs"))'
        yield Exit("sentry", name, surface, fix)


def litellm() -> Iterator[Exit]:
    """LiteLLM's callbacks; those behind a guard are guarded."""
    module: Any = sys.modules.get("litellm")
    if module is None:
        return
    callbacks = [*module.callbacks]
    callbacks += [item for item in (*module.success_callback, *module._async_success_callback) if item not in callbacks]  # noqa: SLF001 - where registered ones end up
    surface: str | None = None
    for callback in callbacks:
        own = surface_of(callback)
        surface = own or surface
        if own is None and not type(callback).__module__.startswith("litellm."):
            name = callback if isinstance(callback, str) else type(callback).__name__
            fix = "" if surface else 'put reticent.integrations.litellm.ReticentLogger("logs") before it'
            yield Exit("litellm", f"callback {name}", surface, fix)


def logfire() -> Iterator[Exit]:
    """Logfire's own exporter and console, which no guard can be put before."""
    module: Any = sys.modules.get("logfire")
    config = getattr(getattr(module, "DEFAULT_LOGFIRE_INSTANCE", None), "config", None)
    if config is None or not getattr(config, "_initialized", False):
        return
    fix = 'logfire.configure(**reticent.integrations.logfire.options("logs", exporter))'
    if config.send_to_logfire and config.token:
        yield Exit("logfire", "its own exporter", None, fix)
    if config.console:
        yield Exit("logfire", "console", None, fix)


def langsmith() -> Iterator[Exit]:
    """LangSmith's shared client, when tracing is on."""
    if sys.modules.get("langsmith") is None or not _is_on("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        return
    trees: Any = sys.modules.get("langsmith.run_trees")
    surface = surface_of(getattr(getattr(trees, "_CLIENT", None), "_anonymizer", None))
    fix = "" if surface else 'langsmith.Client(**reticent.integrations.langsmith.hooks("logs"))'
    yield Exit("langsmith", "shared client", surface, fix)


def mlflow() -> Iterator[Exit]:
    """MLflow's tracing, once something was traced."""
    config: Any = sys.modules.get("mlflow.tracing.config")
    provider: Any = sys.modules.get("mlflow.tracing.provider")
    if config is None or provider is None:
        return
    surface = surface_of(*config.get_config().span_processors)
    fix = "" if surface else 'mlflow.tracing.configure(span_processors=[...mlflow.ReticentSpanProcessor("logs")])'
    yield Exit("mlflow", "span processors", surface, fix)


def _is_on(*names: str) -> bool:
    return any(os.environ.get(name, "").lower() in ("true", "1", "yes") for name in names)


INSPECTORS: Final[tuple[Callable[[], Iterable[Exit]], ...]] = (
    opentelemetry,
    langfuse,
    sentry,
    litellm,
    logfire,
    langsmith,
    mlflow,
)
