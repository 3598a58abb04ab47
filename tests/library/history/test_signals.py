"""The loop signature, the symptoms of a loss, and what fills a request."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.simulator.dialects import RENDERERS
from tests.simulator.folds import BODY, TOOLS, folded, request
from tests.simulator.messages import asked, said
from tests.simulator.orders import ORDER, SOURCES, Order, task, use
from tests.simulator.runs import Call, Event, Names, Results, Run, Turn, User
from tests.simulator.text_tools import TEXT, rendered

from reticent.history import Context, Window, compact
from reticent.history.boundary import analyse
from reticent.history.fold import Request
from reticent.history.scratchpad import Sources, Tool
from reticent.history.signals import LoopAlert, LoopDetector, claimed_done, signals_of, weigh
from reticent.pytest_plugin import assert_no_loops

NUMBERS = st.sampled_from([(1, 1.0), (1, "1e0"), (1200.5, "1200.50"), (0, -0.0), (10**20, "1e20")])


def again(one: Any, other: Any, **options: Any) -> LoopAlert | None:
    """What a detector says to two calls of one tool in one task."""
    detector = LoopDetector(**options)
    assert detector.called("q", one, step=0) is None
    return detector.called("q", other, step=1)


@settings(max_examples=60)
@given(numbers=NUMBERS, text=st.text(max_size=8))
def test_equal_arguments_in_any_spelling_are_equal(numbers: tuple[Any, Any], text: str) -> None:
    """R-LS-01: key order, white space, number form, composed or JSON in text do not matter; a value does."""
    one = {"n": numbers[0], "t": "caf\u00e9", "in": [text, None]}
    spelt = numbers[1] if isinstance(numbers[1], str) else json.dumps(numbers[1])
    other = f'{{ "in":[{json.dumps(text)},  null], "t": "cafe\\u0301", "n":{spelt} }}'
    assert again(one, other) is not None
    assert again(one, json.loads(other)) is not None
    assert again(one, {**one, "n": 7}) is None
    assert again(one, {**one, "in": [f"{text}.", None]}) is None
    assert again({"n": 1}, {"n": "1"}) is None


def test_the_alert_names_what_happened_in_between() -> None:
    """R-LS-03: which tool, at which steps, the compaction between them, how the first ended and whether it was kept."""
    seen: list[LoopAlert] = []
    detector = LoopDetector(alert=seen.append)
    detector.called("crm", {"name": "Meyer"}, step=3, task_id="t1")
    detector.answered("crm", {"name": "Meyer"}, outcome="404", flushed=True, task_id="t1")
    detector.compacted(step=5, task_id="t1")
    detector.called("crm", '{"name":"Meyer"}', step=6, task_id="t1")
    detector.called("crm", {"name": "Meyer"}, step=7, task_id="t1")
    assert [("crm", 6, 3, 2, (5,), "404", True), ("crm", 7, 3, 3, (), "404", True)] == [
        (a.tool, a.step, a.first, a.count, a.compactions, a.outcome, a.flushed) for a in seen
    ]


def test_pollers_changes_tasks_and_ends_are_no_loops() -> None:
    """R-LS-04: a listed poller, a call behind a listed change, another task, and a task begun anew are silent."""
    detector = LoopDetector(pollers=["wait"], changers=["write"])
    for step, (tool, task_id) in enumerate(
        [("wait", "a"), ("wait", "a"), ("read", "a"), ("write", "a"), ("read", "a"), ("read", "b")]
    ):
        assert detector.called(tool, {}, step=step, task_id=task_id) is None
    detector.ended("b")
    assert detector.called("read", {}, step=9, task_id="b") is None
    assert detector.called("read", {}, step=10, task_id="a") is not None


def test_an_alert_holds_no_argument() -> None:
    """R-LS-05: arguments are a digest, keyed where a key is given; a strange tool name or task id is not repeated."""
    secret = "CANARY-4921"
    found = again({"id": secret}, {"id": secret})
    keyed = again({"id": secret}, {"id": secret}, key=b"k")
    assert found is not None
    assert keyed is not None
    assert found.digest != keyed.digest
    detector = LoopDetector()
    for step in range(2):
        detector.called(f"tool {secret}", secret, step=step, task_id=f"task {secret}")
    told = [repr(a) + json.dumps(a.to_json()) for a in (found, keyed, *detector.alerts)]
    assert not any(secret in one for one in told)
    assert secret not in repr(detector)


@pytest.mark.parametrize("fold_first", [False, True])
def test_a_compaction_does_not_hide_a_loop(fold_first: bool) -> None:
    """R-LS-02, P-45: the detector stands outside the transcript; its alerts are the same with and without one."""
    detector = LoopDetector()
    history = task(use("c1", "get_order", BODY, id=7))
    detector.called("get_order", {"id": 7}, step=0)
    if fold_first:
        after = compact(history, profile="anthropic-keep-all")
        assert after.removed
        assert () == signals_of(after.history).loops
        detector.compacted(step=1)
    alert = detector.called("get_order", {"id": 7}, step=2)
    assert alert is not None
    assert ((1,) if fold_first else ()) == alert.compactions
    assert (0, 2) == (alert.first, alert.step)


def healthy(seed: int) -> list[Event]:
    """A run in which no call is made twice in a task, with parallel calls, steering and several tasks."""
    dice, names = random.Random(seed), Names()  # noqa: S311 - a generator of runs, not of keys
    events: list[Event] = []
    for number in range(dice.randint(1, 2)):
        events.append(User(f"t{number}", names.next("user")))
        for _ in range(dice.randint(0, 4)):
            calls = tuple(
                Call(f"call_{names.next('c')}", dice.choice(["search", "get_order"]), f'{{"n":{names.used}}}')
                for _ in range(dice.randint(1, 3))
            )
            events.append(Turn(f"t{number}", calls=calls, stop="tool"))
            steer = names.next("steer") if dice.random() < 0.2 else ""
            events.append(Results(f"t{number}", tuple((call, names.next("body")) for call in calls), steer=steer))
        events.append(Turn(f"t{number}", text=names.next("answer"), phase="final_answer", ends=True))
    return events


def test_a_thousand_healthy_runs_are_silent() -> None:
    """R-LS-01, R-RT-04: no alert in 1,000 generated runs, over five dialects and plain text."""
    modes = [*sorted(RENDERERS), TEXT]
    for seed in range(1_000):
        mode = modes[seed % len(modes)]
        entries = rendered(Run(tuple(healthy(seed))), mode).entries
        assert_no_loops(
            entries, dialect="openai-chat" if mode == TEXT else mode, context=Context(text_tools=mode == TEXT)
        )


@pytest.mark.parametrize("mode", [*sorted(RENDERERS), TEXT])
def test_a_repeated_call_is_found_in_every_dialect(mode: str) -> None:
    """R-SY-04, R-LS-01: the second call with the same arguments in one task, wherever the provider keeps them."""
    calls = [Call(f"call_{n}", "search", '{"q": "a", "n": 1}') for n in range(2)]
    events: list[Event] = [User("t", "go")]
    for call in calls:
        events += [Turn("t", calls=(call,), stop="tool"), Results("t", ((call, ""),))]
    entries = rendered(Run(tuple(events)), mode).entries
    if mode == TEXT:
        entries = json.loads(json.dumps(entries).replace("call_1", "call_0"))
    options: Any = {"dialect": "openai-chat" if mode == TEXT else mode, "context": Context(text_tools=mode == TEXT)}
    report = signals_of(entries, **options)
    # Gemini wraps a result in an object, and only a declared `found` says what of it counts.
    outcome = "" if mode == "gemini" else "empty"
    assert [("search", 0, 1, outcome)] == [(a.tool, a.first, a.step, a.outcome) for a in report.loops]
    ended = ", which had ended empty" if outcome else ""
    assert f"loop: search at step 1 as at step 0{ended} (2 times)" in report.render()
    with pytest.raises(AssertionError, match=r"^the agent repeats itself: search at step 1 as at step 0$"):
        assert_no_loops(entries, **options)


def test_a_question_whose_answer_is_known_is_a_symptom() -> None:
    """R-SY-03: the agent asks for what a tool has told it, by the words of the fact's key; before that it is none."""
    before = [asked("x"), said("What is the total?"), asked("look"), *use("c1", "get_order", ORDER)]
    history = [*before, said("Could you tell me the total again?"), asked("no")]
    report = signals_of(history, sources=SOURCES, schema=Order)
    assert [("asks-what-is-known", 5, "total")] == [(s.kind, s.position, s.about) for s in report.symptoms]
    assert not report.clean
    assert "1845" not in report.render() + json.dumps(report.to_json())
    assert signals_of(before[:3], sources=SOURCES, schema=Order).clean


def test_an_end_that_is_none_is_a_symptom() -> None:
    """R-SY-05: the goal is checked by somebody else; that the agent says done is no evidence of it."""
    ended = analyse([asked("close the ticket"), said("Resolved.")])
    running = analyse([asked("close the ticket")])
    symptom = claimed_done(ended, lambda: False, check="ticket-closed")
    assert symptom is not None
    assert ("done-when-it-is-not", 1, "ticket-closed") == (symptom.kind, symptom.position, symptom.about)
    assert claimed_done(ended, lambda: True, check="ticket-closed") is None
    assert claimed_done(running, lambda: False, check="ticket-closed") is None


def test_every_part_of_a_request_is_weighed_with_its_bound() -> None:
    """R-SY-01: history is the only part that nothing but compaction bounds; the others name what bounds them."""
    one = folded(request()).request
    whole = Request(messages=one.messages, tools=TOOLS, system="You are a clerk.")
    rows = {row.part: row for row in weigh(whole, Window(tokens=10_000, output_reserve=1_000))}
    names = ["system", "schemas", "results", "history", "scratchpad", "reasoning", "output reserve"]
    assert names == list(rows)
    assert ["history", "reasoning"] == [name for name, row in rows.items() if row.most is None]
    assert ("compaction alone", 1_000, 1_000) == (
        rows["history"].bounded_by,
        rows["results"].most,
        rows["output reserve"].tokens,
    )
    assert all(rows[name].tokens > 0 for name in ("system", "schemas", "results", "history"))


def test_a_fold_is_recorded_with_its_step() -> None:
    """R-SY-02, R-SY-07: where in the task it happened stands in the report, and so does what it changed."""
    from dataclasses import replace

    outcome = folded(request())
    told = replace(outcome.report, step=12).to_json()
    assert (12, "folded", 6) == (told["step"], told["status"], told["results"])
    assert outcome.report.compaction is not None
    assert outcome.report.compaction.tokens_after < outcome.report.compaction.tokens_before


def test_the_signals_know_the_live_spans_share() -> None:
    """R-AR-07: the live span's size in steps, entries, tokens, and as a share of the window."""
    history = [*task(use("c1", "get_order", BODY)), *use("c2", "get_order", BODY, id=2)]
    report = signals_of(history, window=1_000, sources=Sources(tools=[Tool(name="get_order")]))
    live = report.to_json()["live"]
    assert (3, 1) == (live["entries"], live["steps"])
    assert 0 < live["share"] == round(report.live_tokens / 1_000, 4) < 1
