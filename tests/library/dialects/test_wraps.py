"""Events around events reach the handler of the protocol inside."""

from __future__ import annotations

import base64
from typing import Any

import orjson
import pytest

from reticent.dialects._rules import WrapRule, parse_section
from reticent.dialects._stream import GONE, Outcome
from reticent.dialects._wraps import DEEPEST, Step, Wraps, carried, lane
from reticent.edits import DROP, Put, apply

_RAW = WrapRule("x/raw", "type", "raw", ("data",))
_LANES = WrapRule("x/lanes", "type", "lanes", ("event",), ("parent",))
_BYTES = WrapRule("x/bytes", "bytes", "*", ("bytes",), (), "base64")
_TEXT = WrapRule("x/text", "type", "text", ("payload", "line"), (), "json")
_WRAPS = Wraps([_RAW, _LANES, _BYTES, _TEXT])
_INNER = {"type": "ping", "n": 1}


def _coded(rule: WrapRule, inner: dict[str, Any]) -> dict[str, Any]:
    shell = {} if rule.value == "*" else {rule.key: rule.value}
    return carried(rule, shell, inner)


@pytest.mark.parametrize("rule", [_RAW, _LANES, _BYTES, _TEXT], ids=lambda rule: rule.name)
def test_inner_event_is_found_in_its_coding(rule: WrapRule) -> None:
    """What was put in comes out, whatever way the wrapper writes it."""
    (step,) = _WRAPS.unwrap(_coded(rule, _INNER))
    assert _INNER == step.inner
    assert rule == step.rule


@pytest.mark.parametrize(
    "event", [{"type": "raw"}, {"type": "raw", "data": 7}, {"bytes": "no base64!"}, {"bytes": "W10="}, {}]
)
def test_a_wrapper_without_an_event_is_none(event: dict[str, Any]) -> None:
    """A payload that only looks like a wrapper is judged as it is."""
    assert () == _WRAPS.unwrap(event)


def test_wrappers_inside_one_another_are_followed_to_a_limit() -> None:
    """Each level is a step, and a hostile tower of them ends."""
    event: dict[str, Any] = _INNER
    for _ in range(DEEPEST + 3):
        event = _coded(_RAW, event)
    assert DEEPEST == len(_WRAPS.unwrap(event))


@pytest.mark.parametrize("rule", [_RAW, _LANES, _BYTES, _TEXT], ids=lambda rule: rule.name)
def test_a_changed_inner_event_travels_in_the_same_coding(rule: WrapRule) -> None:
    """The outer event is what it was, with the changed event inside."""
    outer = {**_coded(rule, _INNER), "id": "e1"}
    (step,) = _WRAPS.unwrap(outer)
    outcome = step.outcome(None, Outcome({"n": Put(2)}, ({"type": "made"},)))
    assert {**_coded(rule, {**_INNER, "n": 2}), "id": "e1"} == apply(outer, outcome.edit)
    assert [{**_coded(rule, {"type": "made"}), "id": "e1"}] == list(outcome.before)


def test_an_outer_event_goes_with_its_inner_one() -> None:
    """A wrapper around nothing would tell its reader nothing."""
    (step,) = _WRAPS.unwrap({"type": "raw", "data": _INNER})
    assert DROP is step.outcome(None, GONE).edit


def test_what_stands_beside_is_not_copied_into_made_events() -> None:
    """An event that is made later carries what the walk left of the outer one."""
    outer = {"type": "raw", "data": _INNER, "copy": "CANARY-77aa", "id": "e1"}
    (step,) = _WRAPS.unwrap(outer)
    made = step.outcome({"copy": DROP}, Outcome(None, ({"type": "made"},))).before
    assert [{"type": "raw", "id": "e1", "data": {"type": "made"}}] == list(made)
    assert {"type": "raw"} == step.envelope(DROP)


def test_lanes_are_told_apart_by_the_members_a_rule_names() -> None:
    """A sub-agent's events and its caller's are streams of their own."""
    steps = [_WRAPS.unwrap({"type": "lanes", "event": _INNER, "parent": parent}) for parent in (None, "t1")]
    assert lane(steps[0]) != lane(steps[1])
    assert lane(steps[0]) == lane(_WRAPS.unwrap({"type": "lanes", "event": {}, "parent": None, "id": 3}))


def test_a_section_of_the_vocabulary_names_wrappers() -> None:
    """A package writes them as data."""
    section = parse_section("acme", {"wraps": {"frame": {"at": "body.event", "lanes": ["run"], "coding": "json"}}})
    assert (WrapRule("acme/frame", "type", "frame", ("body", "event"), ("run",), "json"),) == section.wraps


def test_a_hidden_inner_event_is_kept_from_the_walk() -> None:
    """What a coding hides is judged once, decoded."""
    outer = {"bytes": base64.b64encode(orjson.dumps(_INNER)).decode(), "p": "abc"}
    (step,) = _WRAPS.unwrap(outer)
    assert {"p": "abc"} == step.visible
    assert {"type": "raw", "data": 1} == Step(_RAW, {"type": "raw", "data": 1}, {}).visible
