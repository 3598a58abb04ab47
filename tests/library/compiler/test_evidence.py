"""Evidence in a plan: what is not shown to hold does not hold, and what was shown ends by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence import DAY, HOUR, KEY, NOW, TABLE, evidence, table

from reticent.compiler import Plan, explain_render, load_plan
from reticent.compiler.check import check_table
from reticent.compiler.compiling import compile_reading
from reticent.compiler.explain import explain
from reticent.errors import ConfigurationError, EvidenceRefused, PermissionEnded
from reticent.evidence import EvidenceFile, SigningKey
from reticent.serializers import ageing
from reticent.surfaces import read_table

if TYPE_CHECKING:
    from pathlib import Path

    from reticent.compiler import Engine


THOUGHT = {"role": "assistant", "reasoning_content": "hm", "content": "Done."}
SHOWN = {"role": "assistant", "content": "Done."}


def plan(*files: EvidenceFile, now: float = NOW, **more: Any) -> Plan:
    """Compile the table with evidence."""
    return load_plan(table(), today=DAY, evidence=files, now=now, **more)


def verdicts(decided: Plan) -> dict[str, str]:
    """Tell the verdict of each surface."""
    return {name: told.verdict for name, told in decided.decisions.items()}


def test_conditions_that_are_shown_hold() -> None:
    """With fresh evidence for all that is asked, the rows pass as signed."""
    decided = plan(evidence())

    assert {"memory": "pass", "tasks": "pass", "logs": "strip"} == verdicts(decided)
    assert () == decided.lost


STRANGER = SigningKey.generate()
OTHER_TABLE = KEY.sign(replace(evidence(), table="sha256:other"), "ops")
NOT_SHOWN: dict[str, tuple[EvidenceFile, ...]] = {
    "missing": (),
    "failed": (evidence(encrypted={"held": False, "code": "plaintext", "detail": "3 of 40 rows"}),),
    "stale": (evidence(encrypted={"observed": NOW - 24 * HOUR}),),
    "future": (evidence(encrypted={"observed": NOW + HOUR}),),
    "unknown-signer": (evidence(key=STRANGER),),
    "other-table": (OTHER_TABLE,),
    "other-probe": (evidence(encrypted={"probe": "columns"}),),
}


@pytest.mark.parametrize("status", NOT_SHOWN)
def test_condition_that_is_not_shown_strips_with_the_reason(status: str) -> None:
    """Evidence that is too old, from the future, by a stranger or for another table shows nothing, and that is told."""
    decided = plan(*NOT_SHOWN[status]).decision("tasks")
    lost = next(condition for condition in decided.conditions if condition.name == "encrypted")

    assert "strip" == decided.verdict
    assert {"text", "summary", "opaque"} == {kind for kind, told in decided.classes.items() if told == "strip"}
    assert ("tasks", "operator") == decided.path
    assert f"evidence-{status}" in decided.reasons
    assert lost.evidence is not None
    assert status == lost.evidence.status


def test_tampered_evidence_is_refused_and_shows_nothing(tmp_path: Path) -> None:
    """A file that was changed stops a plan; where a plan has to go on, it is a reason to strip."""
    forged = evidence(encrypted={"held": False})
    forged = replace(forged, statements=tuple(replace(told, held=True) for told in forged.statements))
    (tmp_path / "evidence.json").write_bytes(forged.to_json())

    with pytest.raises(EvidenceRefused, match="changed after it was signed"):
        plan(forged)
    with pytest.raises(EvidenceRefused, match=r"evidence\.json"):
        load_plan(TABLE, evidence=tmp_path / "evidence.json")
    compiled = compile_reading(read_table(TABLE), today=DAY, evidence=[forged], now=NOW).plan_or_raise()
    assert "evidence-tampered" in compiled.decision("tasks").reasons


def test_loss_of_one_condition_is_told_where_it_matters() -> None:
    """A surface behind a cut that holds is not touched; the one whose condition is lost is."""
    decided = plan(evidence(encrypted={"held": False}))

    assert {"memory": "pass", "tasks": "strip", "logs": "strip"} == verdicts(decided)
    assert [("tasks", "encrypted")] == [(lost.surface, lost.name) for lost in decided.lost]
    assert not any(reason.startswith("evidence") for reason in decided.decision("logs").reasons)


def test_several_files_count_together() -> None:
    """Evidence of several hands counts, each statement for itself, and the latest look decides."""
    yesterday = evidence(sealed={"observed": NOW - HOUR + 1}, encrypted={"observed": NOW - HOUR})
    today = evidence(sealed={"probe": "other"}, encrypted={"held": False})

    assert {"memory": "pass", "tasks": "strip", "logs": "strip"} == verdicts(plan(yesterday, today))


@pytest.mark.parametrize(
    ("later", "memory", "tasks"),
    [
        (0, "pass", "pass"),
        (HOUR - 61, "pass", "pass"),
        (HOUR - 60, "pass", "pass"),
        (24 * HOUR - 61, "pass", "pass"),
        (24 * HOUR - 60, "strip", "strip"),
    ],
)
def test_plan_says_when_evidence_is_too_old(later: int, memory: str, tasks: str) -> None:
    """A plan that was compiled in time closes at the second at which its evidence is too old, also from its file."""
    decided = plan(evidence())
    aged = Plan.from_json(decided.to_json(), today=DAY, now=NOW + later)
    anew = plan(evidence(), now=NOW + later)

    assert verdicts(anew) == verdicts(aged)
    assert [told.reasons for told in anew.decisions.values()] == [told.reasons for told in aged.decisions.values()]
    assert (memory, tasks) == (aged.decision("memory").verdict, aged.decision("tasks").verdict)


def test_next_change_is_in_the_plan() -> None:
    """The moment of the next change is told, in the plan and in its file, until there is none."""
    decided = plan(evidence())

    assert NOW + HOUR - 60 == decided.closes_at
    assert f'"closes_at": {NOW + HOUR - 60}'.encode() in decided.to_json()
    assert NOW + 24 * HOUR - 60 == decided.as_of(DAY, NOW + HOUR).closes_at
    assert decided.as_of(DAY, NOW + 30 * HOUR).closes_at is None


def test_aging_is_deciding_anew_at_every_moment() -> None:
    """On each day and at each moment, an aged plan has the verdicts, classes and reasons of one that is made then."""
    made = load_plan(excepted(), today=DAY, evidence=[_evidence_for_excepted()], now=NOW)
    for days, hours in product((0, 1, 2, 40), (0, 1, 2, 23, 24, 48)):
        day, moment = date.fromordinal(DAY.toordinal() + days), NOW + hours * HOUR
        anew = load_plan(excepted(), today=day, evidence=[_evidence_for_excepted()], now=moment)
        aged = made.as_of(DAY, NOW + hours * HOUR // 2).as_of(day, moment)

        for name in made.surfaces:
            old, new = aged.decision(name), anew.decision(name)
            assert (new.verdict, dict(new.classes), new.reasons) == (old.verdict, dict(old.classes), old.reasons)


def excepted() -> Any:
    """Give the table with exceptions that stand in for what evidence shows, and end on other days."""
    told = table().model_dump(mode="json", by_alias=True, exclude_none=True)
    told["exceptions"] = [
        {"surface": "tasks", "classes": ["summary"], "reason": "r", "owner": "o", "expires": "2026-11-30"},
        {"surface": "tasks", "classes": ["text"], "reason": "r", "owner": "o", "expires": "2026-12-01"},
        {"surface": "memory", "classes": ["text"], "reason": "r", "owner": "o", "expires": "2026-12-01"},
    ]
    return type(table()).model_validate(told)


def _evidence_for_excepted() -> EvidenceFile:
    return KEY.sign(replace(evidence(), table=excepted().digest), "ops")


def test_day_of_another_time_zone_puts_nothing_off() -> None:
    """A plan that is used where it is still yesterday closes at the same moment."""
    aged = plan(evidence()).as_of(date(2026, 11, 28), NOW + 24 * HOUR)

    assert {"strip"} == set(verdicts(aged).values())


# ---- what a program holds on to -------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Give two clocks that a test can set."""
    clocks = {"time": float(NOW), "monotonic": 5.0}
    monkeypatch.setattr(ageing, "time", lambda: clocks["time"])
    monkeypatch.setattr(ageing, "monotonic", lambda: clocks["monotonic"])
    return clocks


@pytest.mark.parametrize("name", ["time", "monotonic"])
def test_serializer_closes_by_itself(name: str, clock: dict[str, float]) -> None:
    """A serializer that passes strips once the evidence is too old by either clock, and does not open again."""
    to_tasks = plan(evidence()).serializer("tasks")
    before = to_tasks.value(THOUGHT)
    clock[name] += 24 * HOUR

    assert before is THOUGHT
    assert SHOWN == to_tasks.value(THOUGHT)
    assert not to_tasks.passes
    assert 1 == sum(removal.count for removal in to_tasks.report.removals.values())
    clock[name] -= 24 * HOUR
    assert b'"hm"' not in to_tasks(THOUGHT)
    assert "hm" not in to_tasks.text("reasoning_content='hm' <think>hm</think>").partition("<think>")[2]


def test_serializer_that_is_made_too_late_is_closed(clock: dict[str, float]) -> None:
    """A plan that lies about until its evidence is too old hands out serializers and streams that strip."""
    decided = plan(evidence())
    clock["time"] += 30 * HOUR

    assert SHOWN == decided.serializer("tasks").value(THOUGHT)
    shown = decided.stream("tasks", wire="jsonl")
    assert b"hm" not in shown.feed(b'{"reasoning_content":"hm","content":"a"}\n') + shown.flush()


def test_body_for_its_producer_closes_too(clock: dict[str, float]) -> None:
    """A serializer for a body that goes back to its producer strips everything once the row is closed."""
    to_producer = plan(evidence()).serializer("memory", producer="anthropic", to="anthropic")
    before = to_producer.value(THOUGHT)
    clock["time"] += 30 * HOUR

    assert THOUGHT == before
    assert SHOWN == to_producer.value(THOUGHT)


def test_stream_is_refused_when_its_permission_ends(clock: dict[str, float]) -> None:
    """A stream that passes is refused from the moment on at which the evidence is too old, in bytes and in events."""
    decided = plan(evidence())
    shown, events = decided.stream("tasks", wire="sse"), decided.stream("tasks").events(iter([THOUGHT, THOUGHT]))
    first, event = shown.feed(b"data: {}\n\n"), next(events)
    clock["time"] += 24 * HOUR

    assert b"data: {}\n\n" == first
    assert event is THOUGHT
    with pytest.raises(PermissionEnded):
        shown.feed(b"data: {}\n\n")
    with pytest.raises(PermissionEnded):
        shown.flush()
    with pytest.raises(PermissionEnded):
        next(events)


def test_rows_that_rest_on_no_evidence_cost_nothing() -> None:
    """Where nothing can change, the serializer is the plain one."""
    assert "StripSerializer" == type(plan(evidence()).serializer("logs")).__name__
    assert "PassSerializer" == type(load_plan().serializer("task_store")).__name__


# ---- where it is told -----------------------------------------------------------------------------------------------


def test_explanation_tells_which_condition_since_when_and_whose(embedded: Engine) -> None:
    """An explanation names the lost condition, since when, its probe, its owner, and what would open the row again."""
    failed = {"held": False, "since": NOW - HOUR, "code": "plaintext", "detail": "3 of 40 rows"}
    told = explain(plan(evidence(encrypted=failed)), "tasks", engine=embedded)
    text = explain_render.to_text(told)

    assert "a probe looked, and a condition that it needs does not hold" in told.answer
    assert "tasks.encrypted: failed since 2026-11-29T11:00:00Z: plaintext (3 of 40 rows) (probe rows); agents" in text
    assert "if evidence showed that tasks.encrypted holds" in text
    assert '"code": "plaintext"' in explain_render.to_json(told)
    assert "tasks.encrypted holds" not in explain_render.to_dot(told)


def test_explanation_of_a_row_that_passes_tells_until_when(embedded: Engine) -> None:
    """Where evidence holds, the explanation says until when."""
    text = explain_render.to_text(explain(plan(evidence()), "tasks", engine=embedded))

    assert "tasks.encrypted: held since 2026-11-29T11:59:00Z, until 2026-11-30T11:59:00Z (probe rows)" in text


def test_check_warns_of_what_is_not_shown() -> None:
    """A table without evidence is right, and a check says which conditions wait for it."""
    report = check_table(TABLE, today=DAY)

    assert report.clean
    assert ["condition-not-shown"] * 2 == [warning.code for warning in report.warnings]
    assert all(warning.line for warning in report.warnings)


def test_compiled_plan_takes_no_more_evidence(tmp_path: Path) -> None:
    """Evidence is for a table; a plan that is compiled has its own."""
    compiled = tmp_path / "plan.json"
    compiled.write_bytes(plan(evidence()).to_json())

    with pytest.raises(ConfigurationError, match="compiled plan"):
        load_plan(compiled, evidence=[evidence()])
    assert plan(evidence()) == Plan.from_json(compiled, today=DAY, now=NOW)
