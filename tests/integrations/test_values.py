"""Plain callables for stores that take one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.integrations.reasoning import FORMS, clean, cycle, forms, message

from reticent.errors import CyclicInput, UnknownSurface
from reticent.integrations.values import ValueSerializer
from reticent.testing import canary


def test_an_unknown_surface_fails_at_start() -> None:
    """A serializer for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ValueSerializer("conversations")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_stored_without_reasoning(form: str) -> None:
    """Whatever form a value has, the bytes are JSON and hold no reasoning."""
    secret = canary()
    stored = ValueSerializer("conversation_db")(forms(secret)[form], object())

    assert stored is not None
    assert clean(stored, secret)
    json.loads(stored)


def test_bytes_are_one_document() -> None:
    """Bytes are copied but for what goes, on a pass surface they are the same object, and None stays None."""
    data = b'{"price": 1.50, "reasoning_content": "x"}'

    assert b'{"price": 1.50}' == ValueSerializer("conversation_db")(data)
    assert ValueSerializer("task_store")(data) is data
    assert ValueSerializer("conversation_db")(None) is None


def test_what_cannot_be_judged_is_a_placeholder_or_an_error() -> None:
    """A placeholder is stored and counted; with strict the call fails, without content."""
    secret = canary()
    to_cache = ValueSerializer("conversation_db")
    stored = to_cache(cycle(secret))

    assert stored is not None
    assert "[reticent withheld a value: cyclic-input]" == json.loads(stored)
    assert {"cyclic-input": 1} == to_cache.guard.counts.failures
    with pytest.raises(CyclicInput) as caught:
        ValueSerializer("conversation_db", strict=True)(cycle(secret))
    assert clean(repr(caught.value), secret)


def test_redis_and_kafka_take_it() -> None:
    """It has the form of both kinds of Kafka serializers: one argument, or a value and a context."""
    to_topic: Any = ValueSerializer("conversation_db")

    assert to_topic(message("x")) == to_topic(message("x"), object())
