"""Plans: exceptions and their end, files, and goldens."""

from __future__ import annotations

import dataclasses
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from reticent.compiler import Plan, VocabularyName, load_plan, plan_file
from reticent.compiler.plan_file import digest_of
from reticent.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = Path(__file__).parents[2]
GOOD = sorted(path.stem for path in (TESTS / "tables").glob("*.yaml"))


@pytest.fixture(scope="session")
def excepted(tables: Path, today: date) -> Plan:
    """Give the plan of the table with exceptions, on the day of the tests."""
    return load_plan(tables / "exceptions.yaml", today=today)


@pytest.mark.parametrize("name", GOOD)
def test_plan_is_what_it_was(name: str, tables: Path, today: date, *, update_golden: bool) -> None:
    """The plan of each test table is the golden one, byte for byte."""
    golden = TESTS / "golden" / "plans" / f"{name}.json"
    made = load_plan(tables / f"{name}.yaml", today=today).to_json()
    # rules change more often than answers: the digest of the rules is not part of what is compared
    told = orjson.loads(made)
    del told["policy_digest"], told["digest"], told["moment"]
    content = orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if update_golden:
        golden.write_bytes(content)

    assert golden.read_bytes() == content


def test_exception_passes_its_classes_only(excepted: Plan) -> None:
    """A signed exception for summaries lets summaries pass and leaves the verdict at strip."""
    decision = excepted.decision("summaries")

    assert "strip" == decision.verdict
    assert {"text": "strip", "summary": "pass", "opaque": "strip", "derived": "pass"} == dict(decision.classes)
    assert ("person-reachable", "exception-in-force") == decision.reasons


def test_exceptions_for_every_class_pass_the_surface(excepted: Plan) -> None:
    """When each class is excepted the verdict is pass, and the path still shows whom it reaches."""
    decision = excepted.decision("everything")

    assert "pass" == decision.verdict
    assert ("everything", "reader") == decision.path


def test_exception_does_not_count_on_the_day_it_expires(excepted: Plan) -> None:
    """The day it names is the first day without it."""
    ended = excepted.decision("ended")

    assert "strip" == ended.classes["text"]
    assert "pass" == ended.classes["derived"]
    assert ("person-reachable", "derived-stripped", "exception-in-force", "exception-expired") == ended.reasons


def test_plan_knows_when_its_first_exception_ends(excepted: Plan) -> None:
    """The first day on which an answer changes is in the plan."""
    assert date(2026, 11, 30) == excepted.valid_until


@pytest.mark.parametrize(
    ("day", "everything", "summary"),
    [
        (date(2026, 12, 23), "pass", "pass"),
        (date(2026, 12, 24), "strip", "pass"),
        (date(2027, 1, 31), "strip", "strip"),
        (date(2099, 1, 1), "strip", "strip"),
    ],
)
def test_plan_loaded_after_an_exception_ended_is_strip_again(
    excepted: Plan, day: date, everything: str, summary: str
) -> None:
    """A file that was compiled while an exception counted does not let anything pass once it has ended."""
    decision = Plan.from_json(excepted.to_json(), today=day).decision("everything")

    assert (everything, summary) == (decision.verdict, decision.classes["summary"])


def test_what_a_plan_says_of_a_day_is_what_the_rules_say_on_it(tables: Path, excepted: Plan, today: date) -> None:
    """Aging a plan and compiling the table anew on that day give the same answers, for every day."""
    days = [today + timedelta(days=count) for count in (0, 1, 2, 24, 25, 26, 62, 63, 64, 91, 92, 93, 400)]
    for day in days:
        anew = load_plan(tables / "exceptions.yaml", today=day)
        aged = excepted.as_of(day)

        assert anew.decisions == aged.decisions
        assert anew.valid_until == aged.valid_until


def test_aging_keeps_the_digest(excepted: Plan) -> None:
    """The digest names what was reviewed, and the day says how much of it still counts."""
    assert excepted.digest == excepted.as_of(date(2099, 1, 1)).digest


def test_plan_comes_back_from_its_file(excepted: Plan, today: date) -> None:
    """Writing and reading a plan changes nothing."""
    assert excepted == Plan.from_json(excepted.to_json(), today=today)


def test_file_is_readable_without_reticent(excepted: Plan) -> None:
    """Verdict, classes, path and reasons of each surface are plain values under its name."""
    told = orjson.loads(excepted.to_json())

    assert "strip" == told["decisions"]["summaries"]["verdict"]
    assert ["summaries", "reader"] == told["decisions"]["summaries"]["path"]
    assert "2026-11-30" == told["valid_until"]
    assert 2 == told["plan_version"]


def spoil(content: bytes, change: Callable[[dict[str, Any]], object], *, stamp: bool) -> bytes:
    """Change a plan file, with a digest that fits or with the old one."""
    told = orjson.loads(content)
    change(told)
    return orjson.dumps({**told, "digest": digest_of(told)} if stamp else told)


SPOILED: dict[str, Callable[[dict[str, Any]], object]] = {
    "a verdict": lambda told: told["decisions"]["ended"].update(verdict="pass"),
    "a surface less": lambda told: told["decisions"].pop("ended"),
    "a surface more": lambda told: told["decisions"].update(ghost=told["decisions"]["ended"]),
    "a hole": lambda told: told["decisions"]["ended"].pop("classes"),
    "an unknown word": lambda told: told["decisions"]["ended"].update(reasons=["because"]),
    "no table": lambda told: told.pop("table"),
    "no rows": lambda told: told["table"].pop("surfaces"),
    "no day": lambda told: told.update(compiled="once"),
    "no decisions": lambda told: told.update(decisions=None),
}


@pytest.mark.parametrize("name", SPOILED)
@pytest.mark.parametrize("stamp", [False, True], ids=["old digest", "new digest"])
def test_changed_plan_is_refused(name: str, excepted: Plan, *, stamp: bool) -> None:
    """A plan that was altered does not fit its digest; one that was stamped anew still has its hole."""
    content = spoil(excepted.to_json(), SPOILED[name], stamp=stamp)

    with pytest.raises(PlanError):
        Plan.from_json(content)


@pytest.mark.parametrize("version", [0, 3, "1", None, True, 1.5])
def test_plan_of_another_version_is_refused(version: object, excepted: Plan) -> None:
    """A version nobody knows is refused, whatever else the file says."""
    content = spoil(excepted.to_json(), lambda told: told.update(plan_version=version), stamp=True)

    with pytest.raises(PlanError):
        Plan.from_json(content)


def test_plan_of_an_older_version_is_migrated(excepted: Plan, monkeypatch: pytest.MonkeyPatch, today: date) -> None:
    """An old file is brought up to date by the migration for its version."""

    def migrate(told: dict[str, Any]) -> dict[str, Any]:
        return {**told, "plan_version": 2}

    monkeypatch.setattr(plan_file, "MIGRATIONS", {0: migrate})
    content = spoil(excepted.to_json(), lambda told: told.update(plan_version=0), stamp=True)

    assert excepted.decisions == Plan.from_json(content, today=today).decisions


def test_plan_of_version_one_asks_for_no_evidence(excepted: Plan, today: date) -> None:
    """A plan that was compiled before there was evidence is read as it was meant."""

    def older(told: dict[str, Any]) -> None:
        told.update(plan_version=1)
        del told["evidence"], told["moment"], told["closes_at"]
        for decision in told["decisions"].values():
            for lapse in decision["lapses"]:
                del lapse["moment"]
            for condition in decision["conditions"]:
                del condition["evidence"]

    content = spoil(excepted.to_json(), older, stamp=True)

    assert excepted.decisions == Plan.from_json(content, today=today).decisions


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"{}", b"{", Path("nowhere.json")])
def test_what_is_no_plan_is_refused(content: bytes | Path) -> None:
    """Nothing, another type, half a file and a missing one are plan errors."""
    with pytest.raises(PlanError):
        Plan.from_json(content)


def test_plan_is_frozen(excepted: Plan) -> None:
    """Neither a plan nor a decision can be changed."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        excepted.digest = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        excepted.decisions["ended"] = excepted.decision("summaries")  # type: ignore[index]
    with pytest.raises(TypeError):
        excepted.decision("ended").classes["text"] = "pass"  # type: ignore[index]


def test_vocabulary_is_part_of_the_plan(tables: Path, today: date) -> None:
    """The names of the table come out as kind, name and class."""
    vocabulary = load_plan(tables / "conditions.yaml", today=today).vocabulary

    assert (
        VocabularyName("type", "scratchpad", "text"),
        VocabularyName("type", "plan_note", "summary"),
        VocabularyName("key", "inner_voice", "opaque"),
    ) == vocabulary.reasoning
    assert (VocabularyName("type", "chart"), VocabularyName("key", "form")) == vocabulary.visible


def test_settings_of_a_row_are_part_of_its_decision(tables: Path, today: date) -> None:
    """What a row says about marks, unknown types and limits reaches whoever builds a serializer."""
    plan = load_plan(tables / "settings.yaml", today=today)
    careful, plain = plan.decision("careful"), plan.decision("plain")

    assert ("mark", "suspect", 1_000_000, 40) == (
        careful.on_strip,
        careful.unknown_types,
        careful.limits.max_bytes,
        careful.limits.max_depth,
    )
    assert ("drop", "carry", None, 10) == (
        plain.on_strip,
        plain.unknown_types,
        plain.limits.max_bytes,
        plain.limits.max_depth,
    )


def test_bound_of_a_surface_helps_its_own_copy_only(tables: Path, today: date) -> None:
    """Erasing what a surface keeps does not erase what has flowed on to a lasting store."""
    plan = load_plan(tables / "conditions.yaml", today=today)

    assert {"store": ("copied", "replica"), "person": ("copied", "replica", "operator")} == dict(
        plan.decision("copied").reach
    )
    assert ("pass", ()) == (plan.decision("tasks").verdict, plan.decision("tasks").path)


def test_condition_that_is_not_alone_keeps_nobody_out_by_itself(tables: Path, today: date) -> None:
    """Of two conditions that cut one arrow, neither would let anybody in if it alone were lost."""
    decision = load_plan(tables / "conditions.yaml", today=today).decision("cache")
    kept_out = {
        condition.name: condition.keeps_out for condition in decision.conditions if condition.surface == "cache"
    }

    assert {"encrypted": (), "no_accounts": ()} == kept_out
    assert {"not_replicated", "erased", "pinned"} == {
        condition.name for condition in decision.conditions if condition.surface == "tasks"
    }
