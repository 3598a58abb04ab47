"""The scratchpad: values from tools alone, literally, with their source; written before compacting, put back behind."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.simulator.dialects import RENDERERS, render
from tests.simulator.messages import asked
from tests.simulator.orders import ORDER, SOURCES, Order, flushed, task, use
from tests.simulator.runs import Call, Results, Run, Turn, User

from reticent.errors import ConfigurationError, UnsourcedValue
from reticent.history import Context
from reticent.history.boundary import analyse
from reticent.history.exchanges import exchanges_in
from reticent.history.scratchpad import (
    Attempt,
    Fact,
    From,
    Scratchpad,
    flush,
    from_json,
    literals_in,
    read_sources,
    record,
    to_json,
    view,
)
from reticent.history.scratchpad import (
    render as rendered,
)


@pytest.mark.parametrize("gap", ["key", "literal", "tool", "call_id"])
def test_a_fact_without_a_source_cannot_be_built(gap: str) -> None:
    """R-SP-03: key, literal, tool and call are all named, or there is no fact."""
    whole: dict[str, Any] = {"key": "total", "literal": "1", "tool": "get_order", "call_id": "c1", "position": 2}
    assert "1" == Fact(**whole).literal
    whole[gap] = ""
    with pytest.raises(UnsourcedValue):
        Fact(**whole)


def test_values_are_the_tools_own_spelling() -> None:
    """R-SP-04, R-SP-10: the literal is what the tool returned, and the team's model gives the typed value of it."""
    pad = flushed(task(use("c1", "get_order", ORDER), use("c2", "search_policies", "see POL-114 v7, page 3"))).pad
    assert "1845.00" == pad.current["total"].literal
    assert ("get_order", "c1", 2) == (pad.current["total"].tool, pad.current["total"].call_id, 2)
    assert Order(total=Decimal("1845.00"), order="ORD-4921", paid=True, policy="POL-114 v7") == view(pad, Order)


def test_a_literal_that_no_result_holds_is_refused() -> None:
    """R-SP-04: a fact is checked against the result it names, by text, and against its tool's declaration."""
    analysis = analyse(task(use("c1", "get_order", ORDER), use("c2", "calculator", "1845.00")))
    first, second = exchanges_in(analysis.entries, analysis.shape, analysis.context)
    good_fact = Fact(key="total", literal="1845.00", tool="get_order", call_id="c1", position=2)
    assert (good_fact,) == record(Scratchpad(), good_fact, first, SOURCES).facts
    wrong = Fact(key="total", literal="1845.01", tool="get_order", call_id="c1", position=2)
    computed = Fact(key="total", literal="1845.00", tool="calculator", call_id="c2", position=4)
    for fact, exchange in [(wrong, first), (good_fact, second), (computed, second)]:
        with pytest.raises(UnsourcedValue, match=r"^[a-z ]+$"):
            record(Scratchpad(), fact, exchange, SOURCES)


@settings(max_examples=60)
@given(
    value=st.from_regex(r"\AORD-[0-9]{5}\Z"),
    how=st.sampled_from(["text", "reasoning", "arguments", "calculator", "echo", "undeclared", "user"]),
    spelt=st.sampled_from(["{}", "total: {}", '{{"id": "{}", "total": 1}}', "ORD\u200b {} approved", "**{}**"]),
)
def test_nothing_of_a_model_becomes_a_fact(value: str, how: str, spelt: str) -> None:
    """R-SP-05, R-SP-12, P-32: not from text, reasoning or arguments, nor from tools that compute, repeat or are new."""
    words = spelt.format(value)
    step = use("c1", "get_order", '{"id": "ORD-1"}', query=words if how == "arguments" else "x")
    if how == "reasoning":
        step[0]["content"].insert(0, {"type": "thinking", "thinking": words, "signature": "s"})
    tools = {"calculator": "calculator", "echo": "echo", "undeclared": "new_tool"}
    more = [use("c2", tools[how], words)] if how in tools else []
    history = task(step, *more, answer=words if how == "text" else "done")
    if how == "user":
        history[0] = asked(words)
    pad = flushed(history).pad
    assert all(value != fact.literal for fact in pad.facts)
    assert value not in rendered(pad)
    assert {"ORD-1"} == {fact.literal for fact in pad.facts}


def test_a_recovery_is_made_of_tool_results_alone() -> None:
    """R-SP-07: the block to start again from holds no word of the model, and no note."""
    pad = flushed(task(use("c1", "get_order", ORDER), answer="MODEL-WORD")).pad
    from reticent.history.scratchpad import Note

    block = rendered(pad.with_notes([Note(text="MODEL-WORD in a note")]))
    assert "MODEL-WORD" not in block
    assert {"1845.00", "ORD-4921", "true"} <= literals_in(block)


def test_failed_attempts_are_kept_with_their_outcome() -> None:
    """R-SP-08, R-KD-04: what was tried, with which arguments, and whether it was empty, refused or not there."""
    steps = [
        use("c1", "crm", '{"hits": []}', name="Meyer"),
        use("c2", "shipment", "HTTP 404: no such parcel", error=True, id="S-1"),
        use("c3", "shipment", "permission denied", error=True),
        use("c4", "crm", "", name="Maier"),
        use("c5", "get_order", ORDER),
    ]
    pad = flushed(task(*steps)).pad
    assert [("crm", "empty"), ("shipment", "404"), ("shipment", "error"), ("crm", "empty")] == [
        (one.tool, one.outcome) for one in pad.attempts
    ]
    assert '{"name":"Meyer"}' == pad.attempts[0].arguments


def test_a_newer_value_supersedes_and_the_older_stays() -> None:
    """R-SP-11: two results of one tool; the newer is current, both are kept in order."""
    later = ORDER.replace("1845.00", "1200.50")
    pad = flushed(task(use("c1", "get_order", ORDER), use("c2", "get_order", later))).pad
    assert ["1845.00", "1200.50"] == [fact.literal for fact in pad.facts if fact.key == "total"]
    assert Decimal("1200.50") == view(pad, Order).total
    assert pad == flushed(task(use("c1", "get_order", ORDER), use("c2", "get_order", later)), pad).pad


@pytest.mark.parametrize("dialect", sorted(RENDERERS))
def test_calls_and_results_are_read_in_every_dialect(dialect: str) -> None:
    """R-SP-03: tool, call, arguments and body of each exchange are found in all five wire formats."""
    calls = (Call("c1", "get_order", '{"q":"a"}'), Call("c2", "crm", '{"q":"b"}'))
    events = (
        User("t", "go"),
        Turn("t", calls=calls, stop="tool"),
        Results("t", ((calls[0], "ORD-1"), (calls[1], "ORD-2"))),
    )
    analysis = analyse(render(Run(events), dialect).entries, dialect=dialect)
    found = exchanges_in(analysis.entries, analysis.shape, analysis.context)
    assert [("get_order", "c1", {"q": "a"}), ("crm", "c2", {"q": "b"})] == [
        (e.tool, e.call_id, e.arguments) for e in found
    ]
    assert ["ORD-1", "ORD-2"] == [identifier for e in found for identifier in SOURCES.identifiers_in(e.body)]


def test_tools_in_plain_text_are_sources_too() -> None:
    """R-SP-03: a result that is played as user text names its tool, and counts as that tool's result."""
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": 'I call {"tool": "get_order", "id": 7}'},
        {"role": "user", "content": f"Tool Output (get_order): {ORDER}"},
        {"role": "assistant", "content": "done", "finish_reason": "stop"},
        {"role": "user", "content": "next"},
    ]
    analysis = analyse(history, context=Context(text_tools=True))
    pad = flush(analysis, Scratchpad(), SOURCES, Order, end=analysis.report.boundary).pad
    assert Decimal("1845.00") == view(pad, Order).total
    assert pad.current["total"].call_id.startswith("text-")


def test_it_is_stored_as_json_and_checked_when_read() -> None:
    """R-SP-10: reading gives an equal object; a row without a source or of a wrong type is refused, unquoted."""
    pad = flushed(task(use("c1", "get_order", ORDER), use("c2", "crm", '{"hits": []}'))).pad
    assert pad == from_json(json.loads(json.dumps(to_json(pad))))
    assert "1845" not in repr(pad)
    row = {"key": "total", "literal": "CANARY", "call_id": "c", "position": 1}
    broken: list[Any] = [[], {"version": 2}, {"version": 1, "facts": [{"key": 1}]}, {"version": 1, "CANARY": 1}]
    for values in broken:
        with pytest.raises(ConfigurationError, match=r"^(?!.*CANARY)"):
            from_json(values)
    with pytest.raises(UnsourcedValue, match=r"^(?!.*CANARY)"):
        from_json({"version": 1, "facts": [row]})


class Bare(BaseModel):
    """A field without a source."""

    total: int | None = None


class Required(BaseModel):
    """A field that must be known before anything is."""

    total: Annotated[int, From("get_order", "/total")]


@pytest.mark.parametrize("schema", [Bare, Required])
def test_a_schema_without_sources_is_refused(schema: type[BaseModel]) -> None:
    """R-SP-03: each field says where it comes from, and has a default for as long as nobody knows."""
    with pytest.raises(ConfigurationError, match="field 'total'"):
        view(Scratchpad(), schema)


@pytest.mark.parametrize(
    "values",
    [
        [],
        {"tols": {}},
        {"tools": []},
        {"tools": {"a": {"kind": "oracle"}}},
        {"tools": {"a": {"polls": 1}}},
        {"identifiers": "x"},
        {"identifiers": ["("]},
        {"identifiers": ["x*"]},
    ],
)
def test_sources_are_checked_when_they_are_loaded(values: Any) -> None:
    """R-KN-02: an unknown member, kind or pattern stops the start."""
    with pytest.raises(ConfigurationError):
        read_sources(values)


def test_an_attempt_shows_nothing_of_its_arguments() -> None:
    """R-LS-05: what was asked for stands in the block for its producer, and in no repr."""
    one = Attempt(tool="crm", arguments='{"name":"CANARY"}', digest="d", outcome="empty", call_id="c", position=1)
    assert "CANARY" not in repr(one) + repr(Scratchpad(attempts=(one,)))
