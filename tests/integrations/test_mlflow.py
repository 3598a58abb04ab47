"""MLflow: what its tracing keeps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import mlflow
import pytest
from mlflow.tracing import configure
from tests.integrations.reasoning import FORMS, VISIBLE, clean, cycle, forms, message

from reticent.errors import UnknownSurface
from reticent.integrations.mlflow import ReticentSpanProcessor
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReticentSpanProcessor]:
    """A processor that every span of a test goes through."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(tmp_path.as_uri())
    made = ReticentSpanProcessor("logs")
    with configure(span_processors=[made]):
        yield made
    mlflow.set_tracking_uri(before)


def kept(span: Any) -> str:
    """All that MLflow keeps of a span that has ended."""
    return repr(span.to_dict())


@pytest.mark.parametrize("form", FORMS)
def test_spans_show_no_reasoning(form: str) -> None:
    """Inputs, outputs and attributes lose reasoning when the span ends."""
    secret = canary()
    value = forms(secret)[form]
    span = mlflow.start_span_no_context("chat", inputs={"q": value} if form != "tags" else {})
    span.set_attribute("answer", value if form != "tags" else "")
    span.set_attribute("mlflow.chat.messages", [message(secret)])
    span.end(outputs=value)

    assert VISIBLE in kept(span)
    assert clean(kept(span), secret)


def test_clean_spans_stay() -> None:
    """A span without reasoning keeps inputs, outputs and attributes as they are."""
    span = mlflow.start_span_no_context("chat", inputs={"a": [1, 2.5]}, attributes={"n": "1"})
    span.end(outputs="done")

    assert ({"a": [1, 2.5]}, "done", "1") == (span.inputs, span.outputs, span.attributes["n"])


def test_what_cannot_be_judged_leaves_a_placeholder(processor: ReticentSpanProcessor) -> None:
    """A failure is counted, and the span goes on with a placeholder."""
    put: list[Any] = []
    span: Any = SimpleNamespace(inputs=cycle("x"), outputs=None, attributes={"n": 1}, set_inputs=put.append)
    span.set_outputs = span.set_attribute = None
    processor(span)

    assert ["[reticent withheld a value: cyclic-input]"] == put
    assert 1 == processor.guard.counts.failed


def test_unknown_surface_fails_at_start() -> None:
    """A wrong name fails when the processor is made."""
    with pytest.raises(UnknownSurface):
        ReticentSpanProcessor("log")
