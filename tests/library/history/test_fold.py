"""One fold: where it cuts, what the model sees, and what stands in the place of what it took out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.simulator.folds import BODY, TOOLS, folded, request, work
from tests.simulator.messages import KEEP_ALL
from tests.simulator.orders import task, use
from tests.simulator.runs import Call, Results, Run, Turn, User
from tests.simulator.summarisers import filled, good
from tests.simulator.text_tools import TEXT, rendered

from reticent.errors import ConfigurationError
from reticent.history import Context
from reticent.history.fold import Mode, tool_for
from reticent.history.fold.offered import answer_of, keep_of
from reticent.history.knobs import Knobs
from reticent.history.shaping import shape_result
from reticent.history.summaries import FOLD, SQUEEZE, SURVIVAL, Template
from reticent.history.summaries.asking import sections_of


def test_older_results_become_a_summary_and_the_request_shrinks() -> None:
    """R-NF-06, R-NF-11: the results in front of the latest two are folded; the next request is a fraction."""
    given_in = request()
    outcome = folded(given_in)
    report = outcome.report
    assert ("folded", "native", 6, 3) == (report.status, report.mode, report.results, report.kept)
    assert outcome.request.size == report.size_after < given_in.size / 2
    assert outcome.request.messages[-9:] == given_in.messages[-9:]
    assert given_in.tools is outcome.request.tools


def test_the_default_keep_is_the_knobs() -> None:
    """R-NF-10, R-KN-01: two results stay unless knob or argument say otherwise; the argument wins."""
    assert 2 == Knobs().compact_history_default_keep
    history = work(6, 1)
    assert 2 == folded(request(history)).report.kept
    assert 4 == folded(request(history), knobs=Knobs(compact_history_default_keep=4)).report.kept
    assert 1 == folded(request(history), keep=1).report.kept


@pytest.mark.parametrize("keep", [0, -1, True, 1.5, "2"])
def test_a_bad_keep_is_refused_before_anything(keep: Any) -> None:
    """R-KN-02: it never degrades behaviour at run time; the message names the field, the value and the range."""
    with pytest.raises(ConfigurationError, match=r"keep must be a whole number of at least 1, not "):
        folded(request(), keep=keep)


@pytest.mark.parametrize("keep", range(1, 10))
def test_the_cut_lies_on_the_turn_that_called(keep: int) -> None:
    """R-NF-13, R-HZ-03: for every keep no result is left without its call, nor a call without its result."""
    outcome = folded(request(work(3, 3)), keep=keep)
    blocks = [block for entry in outcome.request.messages for block in entry["content"]]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert calls == results
    assert outcome.folded == (keep <= 6)


def test_a_parallel_batch_stays_whole() -> None:
    """R-NF-14: with a batch of three and keep two, three stay; never fewer than asked for."""
    calls = [Call(f"c{n}", "get_order", "{}") for n in range(4)]
    bodies = tuple((call, BODY) for call in calls[1:])
    events = (
        User("a", "first"),
        Turn("a", calls=(calls[0],), stop="tool"),
        Results("a", ((calls[0], BODY),)),
        Turn("a", text="one", ends=True),
        User("b", "second"),
        Turn("b", calls=tuple(calls[1:]), stop="tool"),
        Results("b", bodies),
        Turn("b", text="three", ends=True),
        User("c", "next"),
    )
    entries = rendered(Run(events), "anthropic-messages").entries
    report = folded(request(entries), keep=2).report
    assert (1, 3) == (report.results, report.kept)


def test_nothing_behind_the_latest_results_is_no_fold() -> None:
    """R-NF-04, R-NF-05, R-AI-07, P-43: one huge latest result stays, nobody is asked; the cap acts on it."""
    huge = task(use("c1", "get_order", "x" * 50_000))
    model = good()
    outcome = folded(request(huge), model, keep=1)
    assert ("refused", "nothing-to-fold") == (outcome.report.status, outcome.report.reason)
    assert outcome.request.messages is huge
    assert [] == model.seen
    assert len(shape_result("x" * 50_000, cap=4_000).text) <= 4_000


@pytest.mark.parametrize(
    "mode", ["anthropic-messages", "openai-responses", "openai-chat", "gemini", "bedrock-converse", TEXT]
)
def test_the_model_sees_every_call_and_every_result(mode: str) -> None:
    """R-NF-12, R-NF-15: name, arguments and result of each exchange, assistant and user text, in every mode."""
    calls = [Call(f"c{n}", "search", f'{{"q":"argument{n}"}}') for n in range(3)]
    events: list[Any] = [User("a", "first-request")]
    for number, call in enumerate(calls):
        events.append(Turn("a", text=f"remark{number}", reasoning="SECRET-THOUGHT", calls=(call,), stop="tool"))
        events.append(Results("a", ((call, f"result{number} " * 90),), steer="also-this" if number == 1 else ""))
    events += [Turn("a", text="answered", reasoning="SECRET-THOUGHT", ends=True, phase="final_answer")]
    events += [User("b", "second"), Turn("b", calls=(Call("d", "search", "{}"),), stop="tool")]
    events += [Results("b", ((Call("d", "search", "{}"), "kept"),)), Turn("b", text="ok", ends=True), User("c", "next")]
    dialect = "openai-chat" if mode == TEXT else mode
    model = good()
    outcome = folded(
        request(rendered(Run(tuple(events)), mode).entries, [] if mode == TEXT else TOOLS),
        model,
        keep=1,
        dialect=dialect,
        profile="openai-chat" if dialect == "openai-chat" else KEEP_ALL,
        context=Context(text_tools=mode == TEXT),
    )
    assert outcome.folded, outcome.report.render()
    prompt = model.seen[0]
    for number in range(3):
        for word in (f"argument{number}", f"result{number}", f"remark{number}"):
            assert word in prompt
    assert {"first-request", "also-this", "search"} <= set(prompt.replace('"', " ").replace("\\", " ").split())
    assert "SECRET-THOUGHT" not in prompt
    assert "kept" not in prompt.partition("<material>")[2]


def test_the_pair_matches_the_requests_tools() -> None:
    """R-NF-19, R-NF-20, R-NF-21: a call with its result under one id, or plain text; once, and never the wrong one."""
    native = folded(request()).request.messages
    assert ["user", "assistant", "user", "assistant"] == [entry["role"] for entry in native[:4]]
    call, result = native[1]["content"][0], native[2]["content"][0]
    assert ("tool_use", "compact_history", {"keep_last_n_calls": 2}) == (call["type"], call["name"], call["input"])
    assert call["id"] == result["tool_use_id"]
    assert result["content"].startswith("[compacted_history]\n## Request and intent")
    plain = folded(request(tools=[])).request.messages
    assert plain[2]["content"][0]["text"].startswith("Tool Output (compact_history): [compacted_history]\n")
    assert all(block["type"] == "text" for entry in plain[:4] for block in entry["content"])
    for entries in (native, plain):
        assert 1 == json.dumps(list(entries)).count("[compacted_history]")


def test_native_roles_need_tools() -> None:
    """R-NF-21: a native pair in a request without tools is refused, and no model is asked."""
    model = good()
    outcome = folded(request(tools=[]), model, mode=Mode.NATIVE)
    assert "mode-needs-tools" == outcome.report.reason
    assert [] == model.seen


def test_a_reader_can_tell_the_summary_from_the_original() -> None:
    """R-NF-22: the mark names how many entries stand behind it and their handle, and the report the range."""
    outcome = folded(request())
    first = outcome.request.messages[0]["content"][0]["text"]
    assert f"[reticent: folded 16 entries, generation 1, {outcome.report.handle}]" == first
    assert (0, 16) == (outcome.report.start, outcome.report.end)


@pytest.mark.parametrize(
    ("template", "count"), [(FOLD, 7), (SQUEEZE, 9), (SURVIVAL, 7)], ids=lambda v: getattr(v, "name", v)
)
def test_each_section_asks_for_everything_of_its_kind(template: Template, count: int) -> None:
    """R-NF-16, R-NF-17, R-NF-18, R-SQ-06, R-KN-04: so many headings, each asking for all of its kind, in order."""
    assert count == len(template.titles) == len(set(template.titles))
    for section in template.sections:
        assert section.ask.startswith("List e") or section.ask.startswith("List the step")
    assert list(template.titles) == list(sections_of(filled("x", template)))
    prompt = template.prompt("M")
    places = [prompt.index(f"## {title}\n") for title in template.titles]
    assert places == sorted(places)
    for word in ("paths", "line ranges", "identifiers", "quotes", "`none`"):
        assert word in prompt
    if template is FOLD:
        assert all("Look for" in " ".join(section.ask.split()) for section in template.sections)


@pytest.mark.parametrize(
    "dialect", ["anthropic-messages", "openai-chat", "openai-responses", "gemini", "bedrock-converse"]
)
def test_the_tool_is_offered_in_every_dialect(dialect: str) -> None:
    """R-NF-10: one optional argument with its default; a model's bad argument gets the default."""
    text = json.dumps(tool_for(dialect, Knobs(compact_history_default_keep=3)))
    assert '"compact_history"' in text
    assert '"default": 3' in text
    assert [3, 7, 2, 2, 2] == [
        keep_of(a)
        for a in ('{"keep_last_n_calls": 3}', {"keep_last_n_calls": "7"}, {}, {"keep_last_n_calls": 0}, "nonsense")
    ]
    assert "6 tool results were folded" in answer_of(folded(request()))
    assert "Nothing was folded: nothing-to-fold." == answer_of(folded(request(task())))
