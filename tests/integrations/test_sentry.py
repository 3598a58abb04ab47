"""Sentry: what the SDK hands to its transport, and nothing else, is looked at."""

from __future__ import annotations

import json
import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
import sentry_sdk
from sentry_sdk.transport import Transport
from tests.integrations.reasoning import FORMS, VISIBLE, Broken, ThinkingBlock, clean, cycle, forms, message

from reticent.errors import UnknownSurface
from reticent.integrations.sentry import hooks
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sentry_sdk.envelope import Envelope


NEWER = hasattr(sentry_sdk, "get_client")
"""The second major release brought spans with names, structured logs and streamed spans."""


class Wire(Transport):
    """Keeps the bytes of every envelope."""

    def __init__(self, options: Any = None) -> None:
        """Start empty."""
        super().__init__(options)
        self.sent: list[bytes] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        """Keep one envelope as it would be sent."""
        self.sent.append(envelope.serialize())

    def capture_event(self, event: Any) -> None:
        """Keep one event, as the first major release hands it on."""
        self.sent.append(b"\n\n" + json.dumps(event, default=str).encode())

    @property
    def everything(self) -> bytes:
        """All that was sent."""
        return b"\n".join(self.sent)


@pytest.fixture
def sentry() -> Iterator[Callable[..., Wire]]:
    """Start the SDK with guarded hooks; its wire. Stopped again afterwards."""

    def start(surface: str = "logs", **options: Any) -> Wire:
        wire = Wire()
        given: dict[str, Any] = {"traces_sample_rate": 1.0, **options, **hooks(surface)}
        sentry_sdk.init(dsn="http://key@localhost/1", transport=wire, default_integrations=False, **given)
        return wire

    # The first major release has neither: there a scope is pushed, and the hub knows the client.
    with getattr(sentry_sdk, "isolation_scope", sentry_sdk.push_scope)():
        yield start
    client: Any = sentry_sdk.get_client() if NEWER else sentry_sdk.Hub.current.client
    if client is not None:
        client.close()
    sentry_sdk.init(default_integrations=False)


def raises(value: object) -> None:
    """Raise with ``value`` in the message; the only variable of the frame."""
    raise ValueError(value)


def reports(value: object) -> None:
    """Report an exception from a frame that knows the value."""
    try:
        raises(value)
    except ValueError as error:
        sentry_sdk.capture_exception(error)


def events(wire: Wire) -> list[dict[str, Any]]:
    """The payloads of the envelopes."""
    return [json.loads(line) for sent in wire.sent for line in sent.splitlines()[2::2]]


@pytest.mark.parametrize("form", FORMS)
def test_error_reports_show_no_reasoning(sentry: Callable[..., Wire], form: str) -> None:
    """Exception, frame variables, breadcrumbs, contexts, extras and tags lose reasoning."""
    secret = canary()
    value = forms(secret)[form]
    wire = sentry(include_local_variables=True)
    sentry_sdk.add_breadcrumb(message=str(value), data={"answer": value})
    sentry_sdk.set_context("turn", {"answer": value if form != "tags" else None})
    sentry_sdk.set_extra("answer", value if form != "tags" else None)
    sentry_sdk.capture_message(str(value))
    reports(value)
    first, second = events(wire)

    assert "ValueError" == second["exception"]["values"][0]["type"]
    assert "value" in str(second["exception"]["values"][0]["stacktrace"]["frames"])
    assert 1 <= len(first["breadcrumbs"]["values"])
    assert clean(wire.everything, secret)


@pytest.mark.skipif(not NEWER, reason="the first major release starts spans in another way")
def test_traces_show_no_reasoning(sentry: Callable[..., Wire]) -> None:
    """Transactions and the data of their spans lose reasoning."""
    secret = canary()
    wire = sentry()
    with (
        sentry_sdk.start_transaction(name="turn", op="task"),
        sentry_sdk.start_span(op="gen_ai.chat", name="chat") as span,
    ):
        span.set_data("gen_ai.response.text", json.dumps([message(secret)]))
        span.set_data("gen_ai.output.messages", json.dumps([message(secret)]))

    assert VISIBLE.encode() in wire.everything
    assert b'"transaction":"turn"' in wire.everything
    assert clean(wire.everything, secret)


@pytest.mark.skipif(not NEWER, reason="the first major release has no structured logs")
def test_logs_show_no_reasoning(sentry: Callable[..., Wire]) -> None:
    """Structured logs lose reasoning in body and attributes."""
    secret = canary()
    wire = sentry(enable_logs=True)
    structured: Any = import_module("sentry_sdk.logger")
    structured.info("answer {answer}", answer=json.dumps(message(secret)))
    structured.info(f"{ThinkingBlock(secret)} {VISIBLE}")
    sentry_sdk.flush()

    assert VISIBLE.encode() in wire.everything
    assert clean(wire.everything, secret)


def test_clean_reports_stay_as_they_are(sentry: Callable[..., Wire]) -> None:
    """A report without reasoning keeps message, level, variables and fingerprint."""
    wire = sentry(include_local_variables=True)
    reports({"type": "text", "text": VISIBLE})
    (event,) = events(wire)
    frames = event["exception"]["values"][0]["stacktrace"]["frames"]

    assert {"type": "'text'", "text": f"'{VISIBLE}'"} == frames[-1]["vars"]["value"]
    assert "error" == event["level"]


def test_report_that_cannot_be_judged_says_so(sentry: Callable[..., Wire]) -> None:
    """A report that cannot be judged goes with id and level, and a placeholder as its message."""
    secret = canary()
    hook = hooks("logs")["before_send"]
    event = {"event_id": "a" * 32, "level": "error", "extra": cycle(secret)}

    told = hook(event, {})

    assert {"event_id": "a" * 32, "level": "error", "message": "[reticent withheld a value: cyclic-input]"} == told
    assert sentry() is not None


def test_own_hooks_run_first() -> None:
    """A hook of the application sees the event before the guard, may drop it, and what it adds is guarded."""
    secret = canary()
    guarded = hooks("logs", before_send=lambda event, _hint: {**event, "extra": message(secret)})
    dropping = hooks("logs", before_send=lambda _event, _hint: None)

    told = guarded["before_send"]({"message": "x"}, {})

    assert VISIBLE in str(told)
    assert clean(told, secret)
    assert dropping["before_send"]({"message": "x"}, {}) is None


def test_own_hook_that_fails_shows_nothing() -> None:
    """When the application's own hook raises, the report says only that it was withheld."""
    secret = canary()

    def fail(event: Any, _hint: Any) -> Any:
        raise ValueError(event)

    told = hooks("logs", before_send=fail)["before_send"]({"message": repr(ThinkingBlock(secret))}, {})

    assert {"message": "[reticent withheld a value: adapter-failure]"} == told


def test_objects_that_fail_do_not_stop_a_report(sentry: Callable[..., Wire]) -> None:
    """A variable whose repr raises does not cost the report."""
    secret = canary()
    wire = sentry(include_local_variables=True)
    reports(Broken(secret))
    (event,) = events(wire)

    assert "ValueError" == event["exception"]["values"][0]["type"]


def test_names_are_checked() -> None:
    """An unknown surface and a name that is no hook fail at start."""
    with pytest.raises(UnknownSurface):
        hooks("log")
    with pytest.raises(TypeError, match="before_sent"):
        hooks("logs", before_sent=lambda event, _hint: event)


@pytest.mark.skipif(not NEWER, reason="the first major release streams no spans")
def test_streamed_spans_have_a_hook() -> None:
    """With streamed spans there is a hook for their attributes."""
    secret = canary()
    hook = hooks("logs", streamed_spans=True)["before_send_span"]

    told = hook({"name": "chat", "attributes": {"gen_ai.output.messages": json.dumps([message(secret)])}}, {})

    assert VISIBLE in str(told)
    assert clean(told, secret)


def test_logging_integration_is_behind_the_hooks(sentry: Callable[..., Wire]) -> None:
    """Records that Sentry takes from ``logging`` go through the same hooks."""
    from sentry_sdk.integrations.logging import LoggingIntegration

    secret = canary()
    wire = sentry(integrations=[LoggingIntegration()])
    logging.getLogger("app.sentry").error("answer: %s", message(secret), extra={"answer": message(secret)})
    (event,) = events(wire)

    assert VISIBLE in str(event)
    assert clean(wire.everything, secret)
