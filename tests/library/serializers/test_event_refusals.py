"""Events that cannot be judged, and what an iterator that fails says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import reticent
from reticent.errors import DialectFailure, EgressRefused, UnsupportedType

if TYPE_CHECKING:
    from collections.abc import Iterable

_CANARY = "CANARY-e6a05b"
_PLAN = reticent.load_plan()


def _shown(events: Iterable[Any]) -> list[Any]:
    return list(_PLAN.stream("browser_stream").events(events))


@pytest.mark.parametrize(("event", "error"), [(b"data: {}", UnsupportedType), (object(), UnsupportedType)])
def test_event_that_cannot_be_judged_ends_the_stream(event: Any, error: type[EgressRefused]) -> None:
    """Bytes and foreign objects are refused, and nothing comes after them."""
    shown = iter(_PLAN.stream("browser_stream").events([{"type": "ping"}, event, {"type": "ping"}]))
    next(shown)

    with pytest.raises(error):
        next(shown)
    assert [] == list(shown)


def test_failure_inside_quotes_no_payload(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a dialect raises becomes a refusal that names the class of the error and nothing else."""
    from reticent.serializers.session import Session

    def broken(_self: object, event: object) -> None:
        raise KeyError(event)

    monkeypatch.setattr(Session, "event", broken)

    with pytest.raises(DialectFailure) as caught:
        _shown([{"type": "x", "text": _CANARY}])
    assert _CANARY not in repr(caught.value)
    assert caught.value.__context__ is None


def test_error_of_the_source_is_the_callers() -> None:
    """What the source itself raises comes through as it is."""

    def source() -> Iterable[Any]:
        yield {"type": "ping"}
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        _shown(source())
