"""What a guard adds to a log record or a span, as ratios of one run: ``python tests/benchmarks/bench_logging.py``.

Each figure is the time of the guarded call over that of the same call without a guard; candidates take turns, and the
fastest of many rounds counts.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import orjson
import payloads
import structlog
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from reticent.integrations.opentelemetry import ReticentSpanExporter
from reticent.integrations.stdlib_logging import guard_handlers
from reticent.integrations.structlog import ReticentProcessor, ReticentRenderer

_ROUNDS = 15
_BUDGET = 0.01


class _Nowhere:
    """A stream that forgets."""

    def write(self, text: str) -> None:
        """Forget ``text``."""

    def flush(self) -> None:
        """Nothing waits."""


class _Exporter(SpanExporter):
    """An exporter that forgets."""

    def export(self, spans: Any) -> SpanExportResult:
        """Forget the spans."""
        del spans
        return SpanExportResult.SUCCESS


def seconds(candidates: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Processor seconds per call of each candidate: the fastest of rounds that take turns."""
    best = dict.fromkeys(candidates, float("inf"))
    repeats = {name: max(1, int(_BUDGET / _once(call))) for name, call in candidates.items()}
    for _ in range(_ROUNDS):
        for name, call in candidates.items():
            began = time.process_time()
            for _ in range(repeats[name]):
                call()
            best[name] = min(best[name], (time.process_time() - began) / repeats[name])
    return best


def _once(call: Callable[[], Any]) -> float:
    call()
    began = time.process_time()
    call()
    return max(time.process_time() - began, 1e-7)


def _stdlib(*, guarded: bool) -> logging.Logger:
    logger = logging.Logger("bench")  # noqa: LOG001 - one of our own
    logger.addHandler(logging.StreamHandler(_Nowhere()))
    if guarded:
        guard_handlers("logs", logger=logger)
    return logger


def _structlog(*added: Any, renderer: Any = None) -> Any:
    class Out:
        def msg(self, line: Any) -> None:
            del line

        info = msg

    chain: list[Any] = [structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso"), *added]
    chain.append(renderer or structlog.processors.JSONRenderer(serializer=orjson.dumps))
    return structlog.wrap_logger(Out(), processors=chain, wrapper_class=structlog.BoundLogger)


def calls(value: dict[str, Any] | None) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Each exit as a pair: the call without a guard, and with one."""
    told: dict[str, Any] = {} if value is None else {"answer": value}
    plain, guarded = _stdlib(guarded=False), _stdlib(guarded=True)
    bare, processed, rendered = (
        _structlog(),
        _structlog(ReticentProcessor("logs")),
        _structlog(renderer=ReticentRenderer("logs", inner=structlog.processors.JSONRenderer(serializer=orjson.dumps))),
    )
    attributes = {"gen_ai.request.model": "m", **{name: orjson.dumps(item).decode() for name, item in told.items()}}
    span, exporter = ReadableSpan("chat", attributes=attributes), _Exporter()
    exported = ReticentSpanExporter("logs", exporter)
    return {
        "logging": (lambda: plain.info("turn %s", told), lambda: guarded.info("turn %s", told)),
        "structlog processor": (lambda: bare.info("turn", **told), lambda: processed.info("turn", **told)),
        "structlog renderer": (lambda: bare.info("turn", **told), lambda: rendered.info("turn", **told)),
        "span exporter": (lambda: exporter.export([span]), lambda: exported.export([span])),
    }


def main() -> None:
    """Print one table: microseconds that a guard adds, and the ratio."""
    cases: dict[str, dict[str, Any] | None] = {
        "no message": None,
        "1 KB": payloads.response(reasoning=False),
        "1 KB, 30 % reasoning": payloads.response(reasoning=True),
        "20 KB": payloads.history(20_000, reasoning=False),
        "20 KB, 30 % reasoning": payloads.history(20_000, reasoning=True),
    }
    sys.stdout.write("added by a guard: microseconds a call (times the call without it)\n")
    for title, value in cases.items():
        found: list[str] = []
        for name, (bare, guarded) in calls(value).items():
            times = seconds({"bare": bare, "guarded": guarded})
            added = (times["guarded"] - times["bare"]) * 1e6
            found.append(f"{name} {added:.1f} ({times['guarded'] / times['bare']:.2f}x)")
        sys.stdout.write(f"{title:24}" + "; ".join(found) + "\n")


if __name__ == "__main__":
    main()
