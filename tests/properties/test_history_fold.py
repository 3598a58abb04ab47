"""Folds over generated runs of up to fifty steps, in five dialects and in plain text, by good and bad summarisers."""

from __future__ import annotations

import asyncio
import copy
import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.simulator.runs import Event, Names, Results, Run, User, long_task, tasks
from tests.simulator.summarisers import HOSTILE, REJECTED, Scripted, good, lossy, wordy
from tests.simulator.text_tools import TEXT, refusal, rendered

from reticent.history import Context, boundary_report
from reticent.history.fold import FoldOutcome, Request, fold
from reticent.history.keeping import Keeping
from reticent.history.scratchpad import Scratchpad, Sources, Tool, literals_in

PROFILES = [
    ("anthropic-messages", "anthropic-keep-all"),
    ("anthropic-messages", "anthropic-prefix-bound"),
    ("openai-responses", "openai-responses"),
    ("openai-chat", "openai-chat"),
    ("openai-chat", "deepseek-v4"),
    ("gemini", "gemini-3"),
    ("gemini", "gemini-3.5"),
    ("bedrock-converse", "anthropic-keep-all"),
    (TEXT, "openai-chat"),
]
SOURCES = Sources(tools=[Tool(name=name) for name in ("get_order", "search", "read_file")], identifiers=[r"body\d{4}"])
MODELS = {"good": good, "wordy": wordy, "lossy": lossy, **HOSTILE}


@dataclass(frozen=True)
class Case:
    """A request to fold, and what is known of it."""

    run: Run
    mode: str
    profile: str
    entries: list[dict[str, Any]]
    issued: list[dict[str, Any]]

    @property
    def dialect(self) -> str:
        """The wire format."""
        return "openai-chat" if self.mode == TEXT else self.mode

    @property
    def tools(self) -> list[dict[str, Any]]:
        """What the request declares."""
        return [] if self.mode == TEXT else [{"name": tool.name} for tool in SOURCES.tools]

    @property
    def context(self) -> Context:
        """What the harness says."""
        return Context(nudges=True, text_tools=self.mode == TEXT)

    def request(self) -> Request:
        """The request."""
        return Request(messages=self.entries, tools=self.tools, system="You are a clerk.")

    def folded(self, model: Scripted, *, keep: int = 2) -> FoldOutcome:
        """One fold."""
        keeping = Keeping(sources=SOURCES, summariser=model)
        options: Any = {"dialect": self.dialect, "profile": self.profile, "context": self.context}
        return asyncio.run(fold(self.request(), Scratchpad(), keeping, keep=keep, **options))


def case_of(events: list[Event], pair: tuple[str, str]) -> Case:
    """The case of these events; it ends with what the model is to answer."""
    run = Run(tuple(events))
    made = rendered(run, pair[0])
    return Case(run, *pair, made.entries, made.entries)


@st.composite
def cases(draw: st.DrawFn, *, at_rest: bool | None = None) -> Case:
    """Settled tasks, some of fifty steps, and a request or a running task behind them."""
    names = Names()
    events: list[Event] = []
    for index in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            events += long_task(draw(st.sampled_from([1, 3, 8, 50])), task=f"t{index}", names=names, finished=True)
        else:
            events += draw(tasks(f"t{index}", names, finished=True, max_steps=6))
    rest = draw(st.booleans()) if at_rest is None else at_rest
    if rest:
        events.append(User("t9", names.next("user")))
    else:
        events += long_task(draw(st.sampled_from([1, 2, 50])), task="t9", names=names)
    return case_of(events, draw(st.sampled_from(PROFILES)))


SLOW = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@SLOW
@given(case=cases(), which=st.sampled_from(sorted(MODELS)), keep=st.integers(1, 5))
def test_whatever_the_model_does_the_provider_takes_the_result(case: Case, which: str, keep: int) -> None:
    """R-VS-01, R-NF-13, R-NF-20, R-NF-21, P-24, P-25, P-40: taken back, in its mode, and never larger."""
    before = copy.deepcopy(case.entries)
    assert refusal(case.profile, case.dialect, case.entries, case.issued, tools=bool(case.tools)) is None
    outcome = case.folded(MODELS[which](), keep=keep)
    sent = list(outcome.request.messages)
    assert refusal(case.profile, case.dialect, sent, case.issued, tools=bool(case.tools)) is None
    assert outcome.request.size <= case.request().size
    assert outcome.folded == (outcome.request.size < case.request().size)
    assert before == case.entries
    if which in REJECTED or which == "wordy":
        assert not outcome.folded
        assert outcome.request.messages is case.entries
    assert outcome.report.reason != "check-failed"
    assert "CANARY" not in json.dumps(sent) + repr(outcome) + outcome.report.render()


@SLOW
@given(case=cases(), keep=st.integers(1, 5))
def test_no_live_entry_changes(case: Case, keep: int) -> None:
    """R-TB-03, P-01: everything behind the boundary is the same object, whatever the model and the knob."""
    boundary = boundary_report(case.entries, dialect=case.dialect, context=case.context).boundary
    live = case.entries[boundary:]
    outcome = case.folded(good(), keep=keep)
    after = list(outcome.request.messages)
    assert len(after) >= len(live)
    assert all(a is b for a, b in zip(reversed(live), reversed(after), strict=False))


@SLOW
@given(case=cases(at_rest=True), keep=st.integers(1, 3), lossy_model=st.booleans())
def test_identifiers_survive_in_the_scratchpad(case: Case, keep: int, lossy_model: bool) -> None:
    """R-KD-05, R-KD-06, P-37: each identifier a folded result returned is a fact, and stands in the block."""
    outcome = case.folded(lossy() if lossy_model else good(), keep=keep)
    if not outcome.folded:
        return
    start, end = outcome.report.start, outcome.report.end
    returned = set(SOURCES.identifiers_in(json.dumps(case.entries[start:end])))
    assert returned <= set(outcome.pad.literals)
    texts = [text for entry in outcome.request.messages for text in strings(entry)]
    assert set(outcome.pad.literals) == set().union(*(literals_in(text) for text in texts))


@SLOW
@given(case=cases(at_rest=True), keep=st.integers(1, 3))
def test_every_word_of_a_person_survives(case: Case, keep: int) -> None:
    """P-26, R-SY-06: openers and steering texts of the folded range stand in the history as they were."""
    outcome = case.folded(good(), keep=keep)
    text = json.dumps(list(outcome.request.messages))
    for event in case.run.events:
        if isinstance(event, User) and not event.nudge:
            assert event.text.split()[0] in text
        if isinstance(event, Results) and event.steer:
            assert event.steer in text


@SLOW
@given(case=cases(at_rest=True), keep=st.integers(1, 3))
def test_at_least_the_latest_results_stay(case: Case, keep: int) -> None:
    """R-NF-14, R-AR-06: as many results as asked for stay, rounded up to whole tasks."""
    outcome = case.folded(good(), keep=keep)
    if outcome.folded:
        assert outcome.report.kept >= keep
        assert outcome.report.results >= 1


@pytest.mark.parametrize("pair", PROFILES, ids="-".join)
def test_fifty_settled_steps_fold_and_fifty_live_ones_do_not(pair: tuple[str, str]) -> None:
    """R-TB-04, R-NF-06: a finished task of fifty steps shrinks to a fraction, a running one is not touched."""
    names = Names()
    settled = long_task(50, names=names, finished=True, repeat=60)
    done = case_of([*settled, *long_task(3, task="t2", names=names, finished=True), User("t9", "next")], pair).folded(
        good()
    )
    assert done.folded
    assert done.report.size_after < done.report.size_before / 2
    assert 50 == done.report.results
    live = case_of(long_task(50), pair)
    model = good()
    held = live.folded(model)
    assert held.request.messages is live.entries
    assert held.report.reason in {"live", "live-reasoning"}
    assert [] == model.seen


def strings(value: Any) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in inner for text in strings(item)]
