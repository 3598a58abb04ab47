"""Logfire: everything it exports goes through the guard, and nothing goes past it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import logfire
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.integrations.reasoning import FORMS, VISIBLE, clean, forms, message

from reticent.errors import UnknownSurface
from reticent.integrations.logfire import options
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.usefixtures("own_executors")


@pytest.fixture
def arrived() -> Iterator[InMemorySpanExporter]:
    """What arrives behind a guarded Logfire."""
    exporter = InMemorySpanExporter()
    logfire.configure(**options("logs", exporter), inspect_arguments=False, metrics=False)
    yield exporter
    logfire.shutdown(flush=False)


@pytest.mark.parametrize("form", FORMS)
def test_spans_show_no_reasoning(arrived: InMemorySpanExporter, form: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Messages, attributes and exceptions of spans lose reasoning, and nothing is printed."""
    secret = canary()
    value = forms(secret)[form] if form != "tags" else json.dumps(message(secret))
    logfire.info("got {answer}", answer=value)
    with pytest.raises(ValueError, match="no answer"), logfire.span("turn {answer}", answer=value):
        raise ValueError(f"no answer in {value!r}")
    logfire.force_flush()
    said = "".join(span.to_json() for span in arrived.get_finished_spans())

    assert "turn" in said
    assert clean(said, secret)
    assert ("", "") == capfd.readouterr()


def test_messages_that_the_scrubber_leaves_alone_are_guarded(arrived: InMemorySpanExporter) -> None:
    """The attributes on Logfire's own list of safe keys lose reasoning too."""
    secret = canary()
    told = json.dumps([message(secret)])
    attributes: dict[str, Any] = {"gen_ai.output.messages": told, "pydantic_ai.all_messages": told}
    logfire.info("chat", **attributes)
    logfire.force_flush()
    said = "".join(span.to_json() for span in arrived.get_finished_spans())

    assert VISIBLE in said
    assert clean(said, secret)


def test_unknown_surface_fails_at_start() -> None:
    """A wrong name fails before anything is configured."""
    with pytest.raises(UnknownSurface):
        options("log", InMemorySpanExporter())
