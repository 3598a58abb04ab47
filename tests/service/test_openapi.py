"""Requests made from the OpenAPI document itself: no answer that it does not describe, and none of 5xx."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests.service import serving

from reticent_service.app import create_app

schemathesis = pytest.importorskip("schemathesis", reason="no Schemathesis")

schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(serving.settings()))
EXPECTED = (
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_schema_conformance,
)


# Lines and binary frames are not generated; tests/service/test_filtering.py sends them.
@pytest.mark.filterwarnings("ignore:Skipped test cases with unsupported payload media types:UserWarning")
@schema.parametrize()  # type: ignore[untyped-decorator]  # what importorskip gives has no types
@settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_answers_are_as_described(case: Any) -> None:
    """Whatever is sent, the answer has a status, a media type and a shape that the document describes."""
    case.call_and_validate(headers={"authorization": f"Bearer {serving.TOKEN}"}, checks=EXPECTED)
