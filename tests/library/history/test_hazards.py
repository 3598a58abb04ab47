"""Five hazards, each prevented by a guard; with the guard taken out, each of them happens."""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.simulator.cache import PrefixCache
from tests.simulator.folds import BODY, TOOLS, folded, request, work
from tests.simulator.messages import KEEP_ALL, asked, said
from tests.simulator.orders import SOURCES, use
from tests.simulator.providers import Refused, accept
from tests.simulator.summarisers import Scripted, filled, good, template_of, wordy
from tests.simulator.text_tools import refusal

from reticent.errors import TenantMismatch
from reticent.history import Window, compact, run
from reticent.history.fold import FoldOutcome, Mode, Request, finishing, fold, preparing
from reticent.history.fold.stand_in import stand_in
from reticent.history.keeping import Keeping
from reticent.history.prices import break_even
from reticent.history.scope import Scope, Scoped
from reticent.history.scratchpad import Note, Scratchpad
from reticent.history.summaries import asking, ranges
from reticent.history.summaries.source import Originals, originals_of
from reticent.history.tokens import estimate

if TYPE_CHECKING:
    from reticent.history.settled import Proposal

Patch = pytest.MonkeyPatch
PROMPT = "You are a careful clerk and you never promise a refund before the manager has agreed to it in writing."


def second(model: Scripted) -> FoldOutcome:
    """A fold of a history that holds an earlier summary, whose originals nobody kept."""
    first = folded(request(), good("FIRST-SUMMARY"))
    later = [*first.request.messages, *use("z", "get_order", BODY), said("w"), asked("last")]
    return folded(request(later), model, pad=first.pad, keep=1)


def test_no_summary_is_written_from_a_summary(monkeypatch: Patch) -> None:
    """R-HZ-01: the range is refused; without the count of generations the first summary becomes material."""
    model = good()
    assert "earlier-summary" == second(model).report.reason
    assert [] == model.seen

    def uncounted(*args: Any) -> Originals:
        return replace(originals_of(*args), generation=1)

    monkeypatch.setattr(ranges, "originals_of", uncounted)
    assert second(model).folded
    assert "FIRST-SUMMARY" in model.seen[0]


def leaves_a_call(*args: Any, **kwargs: Any) -> Proposal:
    """A fault: the last result of the range goes and its call stays."""
    made = stand_in(*args, **kwargs)
    calls = [
        change for change in made.changes if change.action.value == "drop" and "'tool_use'" in str(change.original)
    ]
    return replace(made, changes=tuple(change for change in made.changes if change is not calls[-1]))


def test_no_pair_is_broken(monkeypatch: Patch) -> None:
    """R-HZ-03: a fold that leaves a call without its result is refused; without the check its provider refuses it."""
    monkeypatch.setattr(finishing, "stand_in", leaves_a_call)
    given_in = request()
    outcome = folded(given_in)
    assert outcome.request is given_in
    assert ("check-failed", True) == (outcome.report.reason, "open-calls-changed" in outcome.report.detail)
    monkeypatch.setattr(run, "failures", lambda *_: [])
    broken = folded(given_in)
    assert broken.folded
    with pytest.raises(Refused, match="call-without-result"):
        accept(KEEP_ALL, "anthropic-messages", list(broken.request.messages), work())


@pytest.mark.parametrize("how", ["fold", "compact"])
def test_the_cache_that_is_lost_is_predicted(how: str) -> None:
    """R-HZ-04: the next request reads as many tokens from the cache as the report said."""
    given_in = Request(messages=[*work(1), *work()], tools=TOOLS, system=PROMPT)
    cache = PrefixCache()
    assert 0 == cache.send(given_in)
    if how == "fold":
        outcome = folded(given_in)
        report, after = outcome.report.compaction, outcome.request
    else:
        done = compact(given_in.messages, profile=KEEP_ALL, operations=["clear"], guard=spares_the_first)
        report, after = done.report, given_in.with_messages(done.history)
    assert report is not None
    assert report.cached_tokens is not None
    fixed = estimate(TOOLS) + estimate(PROMPT)
    assert fixed + report.cached_tokens == cache.send(after)
    assert (report.first_changed == 0) == (how == "fold")


def spares_the_first(op: str, start: int, end: int) -> str | None:
    """A guard of the caller's."""
    del op, end
    return "mine" if start == 0 else None


def test_a_rewrite_pays_after_as_many_requests_as_predicted() -> None:
    """R-HZ-05: on the cache model the folded conversation becomes cheaper at the predicted request, and not before."""
    given_in = request([*work(6, 2)])
    outcome = folded(given_in)
    assert outcome.report.compaction is not None
    before, after = (sum(map(estimate, r.messages)) for r in (given_in, outcome.request))
    stays = sum(map(estimate, given_in.messages[outcome.report.end :]))
    predicted = break_even(stays, before - stays, after - stays)
    plain, rewritten = PrefixCache(), PrefixCache()
    for cache in (plain, rewritten):
        cache.send(given_in)
    crossed = next(
        number for number in range(1, 60) if _cost(rewritten, outcome.request, number) < _cost(plain, given_in, number)
    )
    assert abs(crossed - math.ceil(predicted)) <= 1


def _cost(cache: PrefixCache, start: Request, number: int) -> float:
    """What has been paid when ``number`` requests were sent, each one entry longer than the one before."""
    messages = [*start.messages, *[asked(f"more {n}") for n in range(number)]]
    cache.send(start.with_messages(messages))
    return cache.cost


def test_small_gains_do_not_break_the_cache(monkeypatch: Patch) -> None:
    """R-HZ-05: what frees less than it costs is refused; without the guard the rewrite happens."""
    history = work(12, 1)
    tokens = sum(map(estimate, history))
    window = Window(tokens=int(tokens / 0.61), least_gain=100_000)
    options: Any = {"profile": KEEP_ALL, "budget": window, "operations": ["clear"]}
    # Just due: the need is tiny, so the gain is judged by it and not by the least one.
    done = compact(history, since_last=2, **options)
    assert ("wait", "too-soon-after-the-last") == (done.report.decision.verdict.value, done.report.decision.reason)
    monkeypatch.setattr("reticent.history.run.decide", lambda *a, **k: decided(*a, **{**k, "since_last": None}))
    assert compact(history, since_last=2, **options).removed


def decided(*args: Any, **kwargs: Any) -> Any:
    """The decision, as it is."""
    from reticent.history.threshold import decide

    return decide(*args, **kwargs)


def test_the_system_prompt_is_not_repeated_into_the_history(monkeypatch: Patch) -> None:
    """R-HZ-06: twelve words in a row of it refuse the summary; without the check they stand in the history twice."""
    parrot = Scripted(lambda p: filled(f"so: {PROMPT}", template_of(p)))
    asked_for = request(system=PROMPT)
    assert "instructions-restated" == folded(asked_for, parrot).report.reason
    monkeypatch.setattr(asking, "restates", lambda *_: False)
    assert PROMPT in json.dumps(list(folded(asked_for, parrot).request.messages))


def of_two_tenants() -> tuple[Scripted, Any]:
    """A model of tenant B, and a fold of tenant A's history with it."""
    model = good()
    history = [asked("TENANT-A-CANARY"), *work()[1:]]
    keeping = Keeping(sources=SOURCES, summariser=Scoped(scope=Scope(tenant="b"), model=model), scope=Scope(tenant="a"))
    return model, fold(
        request(history), Scratchpad(tenant="a"), keeping, profile=KEEP_ALL, dialect="anthropic-messages"
    )


def test_a_summariser_of_another_tenant_sees_nothing(monkeypatch: Patch) -> None:
    """R-HZ-07, R-HZ-08, P-35: it raises before anything is rendered; without the check the words of A reach B."""
    model, work_of_a = of_two_tenants()
    with pytest.raises(TenantMismatch):
        asyncio.run(work_of_a)
    assert [] == model.seen
    monkeypatch.setattr(preparing, "authorised", lambda found, _: found.model)
    model, work_of_a = of_two_tenants()
    asyncio.run(work_of_a)
    assert "TENANT-A-CANARY" in model.seen[0]


def test_a_scratchpad_of_another_tenant_goes_nowhere(monkeypatch: Patch) -> None:
    """R-HZ-08: it is refused before the fold; without the check its words go on with the other tenant's task."""
    pad = Scratchpad(tenant="a").with_notes([Note(text="TENANT-A-CANARY")])
    with pytest.raises(TenantMismatch):
        folded(request(), pad=pad)
    monkeypatch.setattr(preparing, "same_tenant", lambda *_: None)
    assert "TENANT-A-CANARY" in folded(request(), pad=pad).pad.notes_text


def test_a_native_pair_never_goes_into_a_request_without_tools(monkeypatch: Patch) -> None:
    """R-NF-21, P-25: plain text in a request without tools; a fold that forgets the mode is refused by the provider."""
    history = [
        {"role": "user", "content": "go"},
        *[
            entry
            for n in range(4)
            for entry in (
                {"role": "assistant", "content": f'{{"tool": "get_order", "n": {n}}}'},
                {"role": "user", "content": f"Tool Output (get_order): {'x' * 500}"},
            )
        ],
        {"role": "assistant", "content": "done", "finish_reason": "stop"},
        {"role": "user", "content": "and?"},
        {"role": "assistant", "content": '{"tool": "get_order", "n": 9}'},
        {"role": "user", "content": "Tool Output (get_order): 1"},
        {"role": "assistant", "content": "one", "finish_reason": "stop"},
        {"role": "user", "content": "next"},
    ]

    def sent() -> str | None:
        from reticent.history import Context

        options: Any = {"dialect": "openai-chat", "profile": "openai-chat", "context": Context(text_tools=True)}
        outcome = folded(Request(messages=history), keep=1, **options)
        assert outcome.folded
        return refusal("openai-chat", "openai-chat", list(outcome.request.messages), history, tools=False)

    assert sent() is None
    monkeypatch.setattr(preparing, "mode_of", lambda *_: Mode.NATIVE)
    assert "tool-roles-without-tools" == sent()


def test_notes_are_never_written_before_the_swap_is_verified(monkeypatch: Patch) -> None:
    """R-VS-06, P-27: a rejected swap leaves no note; a fold that writes first is seen by what it leaves behind."""
    pad = Scratchpad()
    assert folded(request(), wordy(), pad=pad).pad is pad
    whole = preparing.Prepared.refused

    def careless(self: preparing.Prepared, *args: Any, **kwargs: Any) -> FoldOutcome:
        return replace(whole(self, *args, **kwargs), pad=self.flushed.pad.with_notes([Note(text="too early")]))

    monkeypatch.setattr(preparing.Prepared, "refused", careless)
    assert "too early" == folded(request(), wordy(), pad=pad).pad.notes_text
