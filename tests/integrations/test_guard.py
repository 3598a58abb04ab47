"""The guard: resolved at the start, never raising afterwards, never showing what it withheld."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.integrations.reasoning import FORMS, VISIBLE, Broken, clean, cycle, deep, forms, message

from reticent.compiler import load_plan
from reticent.errors import ConfigurationError, CyclicInput, EgressRefused, TableError, UnknownSurface
from reticent.integrations._guard import Guard, guards
from reticent.serializers import ageing
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_unknown_surface_fails_at_once() -> None:
    """A name that the plan does not have is refused when the guard is made, with the nearest name."""
    with pytest.raises(UnknownSurface, match="Did you mean 'logs'"):
        Guard("log")


@pytest.mark.parametrize("name", ["", None])
def test_missing_surface_fails_at_once(name: Any) -> None:
    """A guard without a surface cannot be made."""
    with pytest.raises(ConfigurationError):
        Guard(name)


def test_broken_table_fails_at_once(tmp_path: Path) -> None:
    """A table that is not valid is refused when the guard is made."""
    table = tmp_path / "surfaces.yaml"
    table.write_text("version: 1\nsurfaces: {logs: {verdict: pass}}\n", encoding="utf-8")

    with pytest.raises(TableError):
        Guard("logs", plan=table)


def test_pass_is_the_same_object() -> None:
    """On a pass surface every call hands back what it was given."""
    guard = Guard("request_memory")
    value, data, line = message("x"), b'{"a": 1}', "<think>x</think>"

    assert guard.passes
    assert value is guard.value(value)
    assert value is guard.printable(value)
    assert data is guard.bytes(data)
    assert line is guard.text(line)
    assert value == guard.fields(value)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", ["value", "printable", "fields", "record"])
def test_strip_shows_no_reasoning(form: str, call: str) -> None:
    """Whatever form reasoning comes in, no call of a guard hands it on."""
    secret = canary()
    guard = Guard("logs")
    answer = getattr(guard, call)({"it": forms(secret)[form], "n": 1})

    # A tag opens a model's text, and only what is known to be a line of a log is taken for one.
    if not (form == "tags" and call in {"value", "printable", "fields"}):
        assert clean(answer, secret)
        assert 0 < guard.counts.removed
    assert 1 == answer["n"]


def test_visible_text_stays() -> None:
    """What is no reasoning is still there."""
    guard = Guard("logs")

    assert VISIBLE in str(guard.value(message(canary())))
    assert VISIBLE in guard.text(forms(canary())["tags"])
    assert VISIBLE.encode() in guard.bytes(orjson.dumps(message(canary())))


@pytest.mark.parametrize("make", [cycle, deep])
def test_failure_leaves_a_placeholder_and_a_count(make: Callable[[str], Any]) -> None:
    """What cannot be judged is replaced by its code, and counted."""
    secret = canary()
    guard = Guard("logs")
    answer = guard.value(make(secret))

    assert isinstance(answer, str)
    assert answer.startswith("[reticent withheld a value: ")
    assert 1 == guard.counts.failed
    assert clean(answer, secret)
    assert clean(guard, secret)


def test_placeholder_tells_the_length() -> None:
    """Text that cannot be judged leaves its length."""
    guard = Guard("logs")
    data = b'{"a": '

    assert b'"[reticent withheld 6 characters: malformed-input]"' == guard.bytes(data)


def test_one_bad_field_does_not_cost_the_others() -> None:
    """A record with a field that cannot be judged keeps its other fields."""
    secret = canary()
    kept = Guard("logs").record({"bad": cycle(secret), "count": 3, "note": VISIBLE, "answer": message(secret)})

    assert "[reticent withheld a value: cyclic-input]" == kept["bad"]
    assert (3, VISIBLE) == (kept["count"], kept["note"])
    assert VISIBLE in str(kept["answer"])
    assert clean(kept, secret)


def test_fields_are_judged_together() -> None:
    """Fields that make up one block go, although none of them alone says what it is."""
    secret = canary()

    assert {} == Guard("logs").fields({"type": "thinking", "thinking": secret, "signature": "c2ln"})


def test_objects_that_fail_are_withheld() -> None:
    """An object whose own repr raises leaves a placeholder, and nothing of the error."""
    secret = canary()
    guard = Guard("logs")

    assert "[reticent withheld a value: adapter-failure]" == guard.printable(Broken(secret))
    assert "[reticent withheld a value: adapter-failure]" == guard.value([Broken(secret)])
    assert {"adapter-failure": 2} == guard.counts.failures


def test_strict_raises_and_counts() -> None:
    """A strict guard raises a refusal that holds nothing of the payload."""
    secret = canary()
    guard = Guard("conversation_db", strict=True)

    with pytest.raises(CyclicInput) as caught:
        guard.value(cycle(secret))
    with pytest.raises(EgressRefused):
        guard.fields({"bad": cycle(secret)})

    assert clean(repr(caught.value), secret)
    assert {"cyclic-input": 2} == guard.counts.failures


def test_shown_objects_fit_their_format() -> None:
    """An object without a JSON form can still be printed with ``%s``, ``%r`` and a width."""
    shown = Guard("logs").printable(pytest.raises)

    assert str(pytest.raises) == f"{shown}"
    assert repr(pytest.raises) == repr(shown)
    assert 200 == len(f"{shown:>200}")


def test_exception_that_ends_is_strip_again(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A guard of a running process notices the day on which a signed exception ends."""
    plan = load_plan(tables / "exceptions.yaml", today=date(2026, 11, 29))
    clock = [datetime(2026, 11, 29, 12).astimezone().timestamp()]
    monkeypatch.setattr(ageing, "time", lambda: clock[0])
    guard = Guard("everything", plan=plan)
    before = guard.passes
    clock[0] = datetime(2027, 2, 1).astimezone().timestamp()

    assert before
    assert not guard.passes
    assert {"content": "Done."} == guard.value({"reasoning_content": "hm", "content": "Done."})


def test_guards_in_use_are_known() -> None:
    """Every guard that is in use is found, and forgotten with the exit it belongs to."""
    guard = Guard("support_console")

    assert guard in guards()
    assert "Guard('support_console')" == repr(guard)
