"""The fold over a task's life: when it runs by itself, how often, and what two workers do to one another."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.folds import BODY, TOOLS, request, work
from tests.simulator.messages import KEEP_ALL, asked, said
from tests.simulator.orders import SOURCES, Order, use
from tests.simulator.summarisers import Scripted, filled, good, template_of, wordy

from reticent.errors import ConfigurationError, FoldConflict, TaskEnded, TenantMismatch
from reticent.history.fold import (
    Folder,
    FoldOutcome,
    Held,
    Ledger,
    MemoryLedger,
    Request,
    RetryGuard,
    SqliteLedger,
    not_due,
    output_limit,
)
from reticent.history.fold.automatic import not_due as automatic
from reticent.history.keeping import Keeping
from reticent.history.knobs import Knobs
from reticent.history.scope import Scope, Scoped
from reticent.history.scratchpad import Note, Scratchpad


def folder(model: Any = None, **options: Any) -> Folder:
    """A folder of one task."""
    scope = options.pop("scope", Scope())
    keeping = Keeping(sources=SOURCES, schema=Order, summariser=model or good(), scope=scope)
    return Folder(keeping, task_id="t1", profile=KEEP_ALL, dialect="anthropic-messages", **options)


def sent(one: Folder, given_in: Request, iteration: int = 1) -> FoldOutcome:
    """What is sent at an iteration."""
    return asyncio.run(one.before_send(given_in, iteration=iteration))


def test_it_fires_at_the_share_and_not_below() -> None:
    """R-AI-03, R-AI-04: messages, tools and system text over characters per token; 0.9 yes, a bit less no."""
    given_in = request()
    tokens = given_in.size / 4
    assert "" == not_due(given_in, int(tokens / 0.9), Knobs(), chars_per_token=4)
    assert "below-auto-threshold" == not_due(given_in, int(tokens / 0.9) + 1, Knobs(), chars_per_token=4)
    window = int(tokens / 0.9) + 60
    assert "below-auto-threshold" == not_due(given_in, window, Knobs(), chars_per_token=4)
    schemas = request(tools=[*TOOLS, {"name": "another", "description": "d" * 240}])
    assert "" == not_due(schemas, window, Knobs(), chars_per_token=4)
    assert "" == not_due(request(system="s" * 260), window, Knobs(), chars_per_token=4)


@pytest.mark.parametrize("window", [None, 0, -1])
def test_an_unknown_window_leaves_it_to_the_shrink_guard(window: int | None) -> None:
    """R-AI-05: no fold, no division by zero, and no model is paid for."""
    model = good()
    one = folder(model, window=window)
    given_in = request()
    outcome = sent(one, given_in)
    assert ("not-due", "window-unknown") == (outcome.report.status, outcome.report.reason)
    assert outcome.request is given_in
    assert [] == model.seen


@pytest.mark.parametrize(("count", "reason"), [(4, "too-few-messages"), (5, "")])
def test_four_messages_hold_nothing_to_fold(count: int, reason: str) -> None:
    """R-AI-06: four no, five yes."""
    messages = [asked("x" * 4_000)] * count
    assert reason == automatic(Request(messages=messages), 1_000, Knobs(), chars_per_token=4)


@pytest.mark.parametrize("chars", [0, -1, 4.0])
def test_a_senseless_rate_falls_back_to_four(chars: float) -> None:
    """R-AI-04: characters per token at or below zero count as four."""
    assert request().size / 4 == request().tokens(chars)


def test_it_runs_without_the_tool_ever_being_called() -> None:
    """R-AI-01, R-AI-02: the last step before sending folds by itself and gives a smaller request."""
    one = folder(window=2_000)
    outcome = sent(one, request(system="You are a clerk."))
    assert outcome.folded
    assert "compact_history" not in json.dumps(work())
    assert outcome.request.size < request(system="You are a clerk.").size
    assert 1 == outcome.report.step


@pytest.mark.parametrize("window", [None, 100_000])
def test_a_false_precondition_pays_for_nothing(window: int | None) -> None:
    """R-AI-07, P-43: no model call and no write when any of them fails."""
    model, ledger = good(), MemoryLedger()
    sent(folder(model, window=window, ledger=ledger), request())
    assert [] == model.seen
    assert 0 == ledger.read("", "t1").revision


def test_there_is_one_fold_at_most_in_an_iteration() -> None:
    """R-NF-24, R-AI-08: still above the threshold after a fold, it does not loop; the next iteration may try again."""
    model = good()
    one = folder(model, window=200)
    first = sent(one, request())
    again = sent(one, first.request)
    assert first.folded
    assert "one-fold-per-iteration" == again.report.reason
    assert 1 == len(model.seen)
    later = [*first.request.messages, *use("z", "get_order", BODY), said("ok"), asked("x")]
    asyncio.run(one.fold(first.request.with_messages(later), iteration=2, keep=1))
    assert {"folded": 1, "one-fold-per-iteration": 1, "earlier-summary": 1} == dict(one.counts)


def test_a_rejected_range_is_not_tried_again() -> None:
    """R-NF-24: the same range is not paid for twice; a longer one may be."""
    model = wordy()
    one = folder(model, window=200)
    assert "summary-not-shorter" == sent(one, request(), 1).report.reason
    assert "rejected-before" == sent(one, request(), 2).report.reason
    assert 1 == len(model.seen)


def test_the_commit_comes_last_and_whole() -> None:
    """R-VS-04: notes and swap stand in the ledger together after a fold, and not at all after a refusal."""
    ledger = MemoryLedger()
    one = folder(window=200, ledger=ledger)
    outcome = sent(one, request())
    held = ledger.read("", "t1")
    assert outcome.report.persisted
    assert (1, outcome.pad) == (held.revision, held.pad)
    assert held.swap is not None
    assert list(outcome.request.messages) == held.swap.applied(work())
    other = MemoryLedger()
    sent(folder(wordy(), window=200, ledger=other), request())
    assert (0, None) == (other.read("", "t1").revision, other.read("", "t1").swap)


def test_a_ledger_that_fails_leaves_everything() -> None:
    """R-VS-04, P-27: whatever it raises, the request is the one that came in; the reason is a type and no text."""

    class Failing(MemoryLedger):
        def commit(self, tenant: str, task_id: str, held: Held) -> int:
            raise OSError(f"CANARY {tenant} {task_id} {held.revision}")

    given_in = request()
    outcome = sent(folder(window=200, ledger=Failing()), given_in)
    assert outcome.request is given_in
    assert ("commit-failed", "OSError") == (outcome.report.reason, outcome.report.detail)
    assert () == outcome.pad.notes


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_of_two_workers_one_wins_and_the_other_sees_why(kind: str, tmp_path: Path) -> None:
    """R-VS-04, P-33: one commits; the other keeps its request and can adopt the winner's."""
    ledger: Ledger = MemoryLedger() if kind == "memory" else SqliteLedger(tmp_path / "folds.db")

    async def both() -> list[FoldOutcome]:
        workers = [folder(good(name), window=200, ledger=ledger) for name in ("first", "second")]
        return await asyncio.gather(*(worker.before_send(request(), iteration=1) for worker in workers))

    outcomes = asyncio.run(both())
    won, lost = sorted(outcomes, key=lambda outcome: not outcome.folded)
    assert won.folded
    assert ("refused", "conflict") == (lost.report.status, lost.report.reason)
    assert "the task is at revision 1, the fold was made from 0" == lost.report.detail
    assert work() == list(lost.request.messages)
    assert list(won.request.messages) == folder(ledger=ledger).adopt(work())
    assert won.pad == ledger.read("", "t1").pad


def test_of_many_commits_to_one_file_one_is_taken(tmp_path: Path) -> None:
    """R-VS-04, P-33: eight connections commit the same revision at once; seven are told that the task has moved on."""
    file = tmp_path / "folds.db"
    SqliteLedger(file)

    def commit(number: int) -> str:
        pad = Scratchpad(task_id="t1").with_notes([Note(text=f"worker {number}")])
        try:
            SqliteLedger(file).commit("", "t1", Held(pad=pad))
        except FoldConflict as conflict:
            return str(conflict)
        return f"worker {number}"

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(commit, range(8)))
    assert 7 == said.count("the task is at revision 1, the fold was made from 0")
    assert SqliteLedger(file).read("", "t1").pad.notes_text in said


def test_a_ledger_outlives_its_process(tmp_path: Path) -> None:
    """R-RT-01, P-27: a worker that died behind the commit is resumed by another: both notes and swap, or neither."""
    file = tmp_path / "folds.db"
    outcome = sent(folder(window=200, ledger=SqliteLedger(file)), request())
    again = SqliteLedger(file)
    assert outcome.pad == again.read("", "t1").pad
    assert list(outcome.request.messages) == folder(ledger=again).adopt(work())
    changed = [asked("something else"), *work()[1:]]
    assert changed == folder(ledger=again).adopt(changed)
    with pytest.raises(FoldConflict):
        again.commit("", "t1", Held(revision=0, pad=Scratchpad()))
    assert Scratchpad(tenant="other", task_id="t1") == again.read("other", "t1").pad


def test_an_evaluation_writes_nothing() -> None:
    """R-SQ-11: the ledger holds more than what is in memory, so it is not written; its other sections stay."""
    ledger = MemoryLedger()
    whole = Scratchpad(task_id="t1").with_notes([Note(text="another section")])
    ledger.commit("", "t1", Held(pad=whole))
    outcome = sent(folder(window=200, ledger=ledger, evaluation=True), request())
    assert outcome.folded
    assert not outcome.report.persisted
    assert (1, whole) == (ledger.read("", "t1").revision, ledger.read("", "t1").pad)


@pytest.mark.parametrize("route", ["tool", "auto"])
def test_both_routes_run_the_squeeze(route: str) -> None:
    """R-SQ-04: the explicit tool and the automatic fold cross the cap alike, and both squeeze."""
    ledger = MemoryLedger()
    ledger.commit("", "t1", Held(pad=Scratchpad(task_id="t1").with_notes([Note(text="o" * 3_000)])))
    one = folder(window=200, ledger=ledger, knobs=Knobs(max_scratchpad_size=3_000))
    run = one.fold(request(), iteration=1) if route == "tool" else one.before_send(request(), iteration=1)
    outcome = asyncio.run(run)
    assert True is outcome.report.squeezed
    assert 2 == outcome.report.calls
    assert len(ledger.read("", "t1").pad.notes_text) < 3_000


def test_the_summariser_runs_under_the_tasks_own_rights() -> None:
    """R-NF-23, R-HZ-07: another tenant, key or endpoint raises before anything is rendered, as does an unnamed one."""
    own = Scope(tenant="a", key="k1", endpoint="https://api.example")
    model = good()
    for wrong in (Scope(tenant="b"), Scope(tenant="a", key="k2", endpoint=own.endpoint), Scope(tenant="a", key="k1")):
        with pytest.raises(TenantMismatch, match=r"^the summariser's (tenant|key|endpoint) is not the task's$"):
            sent(folder(Scoped(scope=wrong, model=model), scope=own, window=200), request())
    with pytest.raises(TenantMismatch):
        sent(folder(model, scope=own, window=200), request())
    assert [] == model.seen
    assert sent(folder(Scoped(scope=own, model=model), scope=own, window=200), request()).folded


def test_no_truncated_request_is_sent_twice() -> None:
    """R-NF-02: the chain of a clamped limit, cut-off JSON and a tight retry breaks at the retry, and is counted."""
    guard = RetryGuard()
    guard.before_send(request(), limit=100)
    guard.cut_off(request(), limit=100)
    with pytest.raises(TaskEnded):
        guard.before_send(request(), limit=100)
    assert 1 == guard.refused
    guard.before_send(request(), limit=200)
    guard.before_send(request(), limit=100)


def test_the_limit_shrinks_to_its_floor_and_no_further() -> None:
    """R-NF-07: it fits the window; where not even the floor is left nothing is sent, and the end is typed."""
    assert [1_000, 1_000, 500, 200] == [
        output_limit(used, 10_000, wanted=1_000, floor=200) for used in (0, 9_000, 9_500, 9_800)
    ]
    assert 1_000 == output_limit(99_999, None, wanted=1_000, floor=200)
    assert 1_000 == output_limit(99_999, 0, wanted=1_000, floor=200)
    with pytest.raises(TaskEnded, match="partial answer"):
        output_limit(9_801, 10_000, wanted=1_000, floor=200)
    with pytest.raises(ConfigurationError):
        output_limit(0, 10_000, wanted=100, floor=200)


def test_a_loop_of_file_reads_stays_below_its_window() -> None:
    """R-NF-01: each iteration reads files and resends all; folded, what is sent stays bounded, unfolded it does not."""
    one = folder(Scripted(lambda p: filled("read", template_of(p))), window=12_000, knobs=Knobs(max_scratchpad_size=0))
    history: list[Any] = []
    plain: list[Any] = []
    sizes: list[float] = []
    for iteration in range(4):
        step = [asked(f"file set {iteration}"), *use(f"r{iteration}", "get_order", "line\n" * 6_000), said("noted")]
        history, plain = [*history, *step], [*plain, *step]
        given_in = Request(messages=[*history, asked("go on")], tools=TOOLS)
        outcome = asyncio.run(one.fold(given_in, iteration=iteration, keep=1))
        history = list(outcome.request.messages)[:-1]
        sizes.append(outcome.request.tokens())
    assert sizes[1] < 0.7 * Request(messages=plain, tools=TOOLS).tokens() < sum(sizes)
