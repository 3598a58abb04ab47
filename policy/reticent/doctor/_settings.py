"""Settings of known libraries under which they write prompts and answers down."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from reticent.doctor._findings import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

_OFF: Final = ("", "0", "false", "no", "off", "none", "no_content")


@dataclass(frozen=True, slots=True)
class _Variable:
    """An environment variable; ``module`` must be loaded for it to count, ``default`` holds when it is not set."""

    name: str
    library: str
    module: str
    fix: str
    url: str
    default: str = ""
    captures_when_off: bool = False


_VARIABLES: Final = (
    _Variable(
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
        "opentelemetry",
        "opentelemetry",
        "unset it, or set NO_CONTENT",
        "https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/",
    ),
    _Variable(
        "TRACELOOP_TRACE_CONTENT",
        "openllmetry",
        "opentelemetry.semconv_ai",
        "set it to false",
        "https://www.traceloop.com/docs/openllmetry/privacy/traces",
        default="true",
    ),
    _Variable(
        "OPENINFERENCE_HIDE_OUTPUTS",
        "openinference",
        "openinference",
        "set it to true",
        "https://arize-ai.github.io/openinference/spec/configuration.html",
        captures_when_off=True,
    ),
    _Variable(
        "LANGSMITH_TRACING",
        "langsmith",
        "langsmith",
        "set LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS to true",
        "https://docs.langchain.com/langsmith/mask-inputs-outputs",
    ),
    _Variable(
        "OPENAI_AGENTS_TRACE_INCLUDE_SENSITIVE_DATA",
        "openai-agents",
        "agents",
        "set it to false",
        "https://openai.github.io/openai-agents-python/tracing/",
        default="true",
    ),
    _Variable("OPENAI_LOG", "openai", "openai", "unset it", "https://github.com/openai/openai-python#logging"),
    _Variable(
        "ANTHROPIC_LOG",
        "anthropic",
        "anthropic",
        "unset it",
        "https://github.com/anthropics/anthropic-sdk-python#logging",
    ),
    _Variable("LITELLM_LOG", "litellm", "litellm", "unset it", "https://docs.litellm.ai/docs/proxy/debugging"),
    _Variable(
        "DD_LLMOBS_ENABLED", "ddtrace", "ddtrace", "unset it", "https://docs.datadoghq.com/llm_observability/setup/sdk/"
    ),
)
_CHATTY: Final = ("anthropic", "openai", "httpx", "httpcore", "google_genai", "botocore", "LiteLLM", "urllib3")
"""Loggers that print requests and responses at DEBUG."""


def settings() -> Iterator[Setting]:
    """Every setting of a loaded library that captures content."""
    yield from (found for variable in _VARIABLES if (found := _judged(variable)) is not None)
    yield from _loggers()
    yield from _sentry()
    yield from _litellm()
    yield from _tracebacks()


def _judged(variable: _Variable) -> Setting | None:
    if variable.module not in sys.modules:
        return None
    told = os.environ.get(variable.name, variable.default)
    if (told.lower() in _OFF) is not variable.captures_when_off:
        return None
    return Setting(variable.library, variable.name, told or "(not set)", variable.fix, variable.url)


def _loggers() -> Iterator[Setting]:
    for name in _CHATTY:
        known = logging.Logger.manager.loggerDict.get(name)
        if isinstance(known, logging.Logger) and known.isEnabledFor(logging.DEBUG):
            fix = f'logging.getLogger("{name}").setLevel(logging.INFO)'
            yield Setting(name, f"logger {name}", "DEBUG", fix, "https://docs.python.org/3/library/logging.html")


def _sentry() -> Iterator[Setting]:
    module: Any = sys.modules.get("sentry_sdk")
    client = module.get_client() if hasattr(module, "get_client") else None
    options = getattr(client, "options", None) or {}
    url = "https://docs.sentry.io/platforms/python/configuration/options/"
    if options.get("dsn") and options.get("include_local_variables"):
        yield Setting("sentry", "include_local_variables", "True", "set it to False", url)
    if options.get("dsn") and options.get("send_default_pii"):
        yield Setting("sentry", "send_default_pii", "True", "set it to False", url)


def _litellm() -> Iterator[Setting]:
    module: Any = sys.modules.get("litellm")
    if module is not None and not module.turn_off_message_logging and (module.callbacks or module.success_callback):
        url = "https://docs.litellm.ai/docs/proxy/logging#redact-messages-response-content"
        yield Setting("litellm", "turn_off_message_logging", "False", "litellm.turn_off_message_logging = True", url)


def _tracebacks() -> Iterator[Setting]:
    loguru: Any = sys.modules.get("loguru")
    for number, handler in loguru.logger._core.handlers.items() if loguru else ():  # noqa: SLF001 - no other way
        if getattr(getattr(handler, "_exception_formatter", None), "_diagnose", False):
            url = "https://loguru.readthedocs.io/en/stable/resources/recipes.html#security-considerations-when-using-loguru"
            yield Setting("loguru", f"diagnose of handler {number}", "True", "logger.add(..., diagnose=False)", url)
    for handler in logging.getLogger().handlers:
        if getattr(handler, "tracebacks_show_locals", False):
            url = "https://rich.readthedocs.io/en/stable/logging.html"
            yield Setting("rich", "tracebacks_show_locals", "True", "set it to False", url)
