"""structlog: events before the renderer, lines behind it."""

from __future__ import annotations

import io
import json
import logging
from typing import TYPE_CHECKING, Any

import orjson
import pytest
import structlog
from tests.integrations.reasoning import FORMS, VISIBLE, Broken, ThinkingBlock, clean, cycle, forms, message

from reticent.errors import UnknownSurface
from reticent.integrations.structlog import ReticentProcessor, ReticentRenderer
from reticent.testing import canary

if TYPE_CHECKING:
    from structlog.typing import Processor

RENDERERS: dict[str, list[Any]] = {
    "json": [structlog.processors.JSONRenderer(default=str)],
    "orjson": [structlog.processors.JSONRenderer(serializer=orjson.dumps, default=str)],
    "key-value": [structlog.processors.KeyValueRenderer()],
    "logfmt": [structlog.processors.LogfmtRenderer()],
    "console": [structlog.dev.ConsoleRenderer(colors=False)],
    "rich console": [
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.RichTracebackFormatter(show_locals=True)
        )
    ],
}


def logger(*processors: Processor) -> tuple[Any, list[Any]]:
    """A logger with these processors, and the list of what it puts out."""
    out: list[Any] = []

    class Out:
        def msg(self, line: Any) -> None:
            out.append(line)

        info = error = msg

    chain: list[Any] = [structlog.processors.add_log_level, structlog.processors.StackInfoRenderer(), *processors]
    return structlog.wrap_logger(Out(), processors=chain, wrapper_class=structlog.BoundLogger), out


def raises(value: object) -> None:
    """Raise with ``value`` in the message; the only variable of the frame."""
    raise ValueError(value)


def logs_failure(log: Any, value: object) -> None:
    """Log an exception from a frame that knows the value."""
    try:
        raises(value)
    except ValueError:
        log.error("failed", exc_info=True, stack_info=True)  # noqa: G201 - the loggers of these tests have no exception()


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("form", FORMS)
def test_events_show_no_reasoning(renderer: str, form: str) -> None:
    """Event, values and the text of exceptions lose reasoning, whatever renders them."""
    secret = canary()
    value = forms(secret)[form]
    log, out = logger(ReticentProcessor("logs"), *RENDERERS[renderer])
    log.info("turn", answer=value, number=7)
    log.info(value if isinstance(value, str) else "other", nested={"answer": [value] if form != "tags" else []})
    logs_failure(log, value)

    assert 3 == len(out)
    assert clean(str(out), secret)
    assert "ValueError" in str(out[2])


@pytest.mark.parametrize("renderer", ["json", "orjson"])
@pytest.mark.parametrize("form", FORMS)
def test_rendered_lines_show_no_reasoning(renderer: str, form: str) -> None:
    """A guarded renderer looks at what comes out, whatever the processors before it did."""
    secret = canary()
    log, out = logger(ReticentRenderer("logs", inner=RENDERERS[renderer][0]))
    # In the middle of a line of JSON a tag is a mention, and a cut document only ends where its string does.
    if form != "tags":
        log.info("turn", answer=forms(secret)[form], number=7)

        assert isinstance(out[0], bytes if renderer == "orjson" else str)
        assert clean(out[0] if isinstance(out[0], bytes) else str(out[0]), secret)
        assert 7 == json.loads(out[0])["number"]


def test_dictionaries_of_tracebacks_show_no_reasoning() -> None:
    """Structured tracebacks with the variables of each frame lose those that hold reasoning."""
    secret = canary()
    log, out = logger(
        structlog.processors.dict_tracebacks, ReticentProcessor("logs"), structlog.processors.JSONRenderer()
    )
    logs_failure(log, ThinkingBlock(secret))

    assert "ValueError" in out[0]
    assert clean(out[0], secret)


def test_order_and_values_stay() -> None:
    """Fields without reasoning keep their order and their values; what is not removed is the same object."""
    answer = {"a": 1}
    event = {"timestamp": "2026-11-29", "b": answer, "event": "turn", "a": 0.10, "level": "info"}

    told = ReticentProcessor("logs")(None, "info", event)

    assert list(event.items()) == list(told.items())
    assert answer is told["b"]


def test_failures_leave_placeholders() -> None:
    """What cannot be judged leaves a placeholder, and event and level stay."""
    secret = canary()
    processor = ReticentProcessor("logs")
    log, out = logger(processor, structlog.processors.JSONRenderer())
    log.info("turn", bad=cycle(secret), worse=Broken(secret), note=VISIBLE)
    told = json.loads(out[0])

    assert ("turn", "info", VISIBLE) == (told["event"], told["level"], told["note"])
    assert "[reticent withheld a value: cyclic-input]" == told["bad"]
    assert 2 <= processor.guard.counts.failed
    assert clean(out[0], secret)


def test_renderer_that_fails_leaves_a_placeholder() -> None:
    """What a renderer says of a value that it cannot write is not shown."""
    secret = canary()
    log, out = logger(ReticentRenderer("logs", inner=structlog.processors.JSONRenderer(default=None)))
    log.info("turn", it=Broken(secret))

    assert clean(str(out), secret)


def test_foreign_records_are_served_too() -> None:
    """In a ``ProcessorFormatter`` records of ``logging`` lose reasoning as events do."""
    secret = canary()
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder()],
            processors=[
                ReticentProcessor("logs"),
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    plain = logging.Logger("app")  # noqa: LOG001 - one of our own
    plain.addHandler(handler)
    plain.info("an answer: %s", message(secret), extra={"answer": message(secret)})

    assert VISIBLE in out.getvalue()
    assert clean(out.getvalue(), secret)


@pytest.mark.parametrize("adapter", [ReticentProcessor, ReticentRenderer])
def test_unknown_surface_fails_at_start(adapter: Any) -> None:
    """A wrong name fails when the chain is built."""
    with pytest.raises(UnknownSurface):
        adapter("log")


def test_pass_surface_leaves_events_alone() -> None:
    """On a pass surface the event is the one that came in."""
    event: dict[str, Any] = {"event": "turn", "answer": message("x"), "exc_info": True}

    assert event is ReticentProcessor("request_memory")(None, "info", event)
