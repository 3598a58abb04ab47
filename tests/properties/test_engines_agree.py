"""Both engines give one answer, and that answer never lets out what it must not."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.evidence import NOW as MOMENT
from tests.evidence import evidence
from tests.properties.evidenced import NOW, evidenced, shown

from reticent.compiler.answer import decisions_from, split_answer
from reticent.compiler.opa_server import OpaServer, ServerSettings
from reticent.evidence import facts
from reticent.surfaces import SurfaceTable, load_table, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reticent.compiler import Engine

    Json = dict[str, Any]

TODAY = date(2026, 11, 29)
TABLES = sorted((Path(__file__).parents[1] / "tables").rglob("*.yaml"))

SURFACES = ["s0", "s1", "s2", "s3", "s4"]
PLACES = ["p0", "p1", "p2", "p3", "p4"]
CLASSES = ["text", "summary", "opaque", "derived"]
ORDERED = {"edges", "at"}
"""Keys whose lists, or whose entries, have an order that means something."""

# ---- tables that are right in shape ---------------------------------------------------------------------------------

lifetimes = st.sampled_from(["request", "task", "durable"])
names = st.sampled_from(SURFACES + PLACES)

places = st.one_of(
    st.just({"kind": "person"}),
    st.just({"kind": "system"}),
    st.builds(lambda lifetime: {"kind": "store", "lifetime": lifetime}, lifetimes),
)


@st.composite
def rows(draw: st.DrawFn, known: list[str]) -> Json:
    """One row that flows to known names, with conditions that cut some of its arrows."""
    flows = draw(st.lists(st.sampled_from(known), max_size=4, unique=True))
    cuts = st.lists(st.sampled_from(flows), min_size=1, max_size=3, unique=True) if flows else st.just([])
    condition = st.one_of(cuts.filter(bool).map(lambda found: {"cuts": found}), st.just({"bounds": "task"}))
    return {
        "verdict": draw(st.sampled_from(["pass", "strip"])),
        "holds": {"kind": draw(st.sampled_from(["memory", "store"])), "lifetime": draw(lifetimes)},
        "flows": flows,
        "conditions": draw(st.dictionaries(st.sampled_from(["c0", "c1"]), condition, max_size=2)),
        "derived": draw(st.sampled_from(["pass", "pass", "strip"])),
        "owner": "o",
        "why": "w",
    }


@st.composite
def tables(draw: st.DrawFn) -> Json:
    """A table that can be read: cycles, unreachable places, exceptions that count and that have ended."""
    surfaces = draw(st.lists(st.sampled_from(SURFACES), min_size=1, max_size=5, unique=True))
    found = draw(st.dictionaries(st.sampled_from(PLACES), places, max_size=5))
    known = [*surfaces, *found]
    if draw(st.booleans()):
        found = {**found, "producer": {"kind": "system", "producer": True}}
        known.append("producer")
    onward = st.lists(st.sampled_from(known), max_size=3, unique=True)
    return {
        "version": 1,
        "today": TODAY.isoformat(),
        "places": found,
        "surfaces": {name: draw(rows(known)) for name in surfaces},
        "flows": draw(st.dictionaries(st.sampled_from(list(found)), onward, max_size=4)) if found else {},
        "exceptions": draw(st.lists(exceptions(surfaces), max_size=3)),
    }


any_tables = st.one_of(tables(), evidenced(tables()))


def exceptions(surfaces: list[str]) -> st.SearchStrategy[Json]:
    """An exception for one of ``surfaces`` that ended before, ends today, or ends later."""
    return st.builds(
        lambda surface, classes, expires: {
            "surface": surface,
            "classes": classes,
            "reason": "r",
            "owner": "o",
            "expires": expires,
        },
        st.sampled_from(surfaces),
        st.lists(st.sampled_from(CLASSES), min_size=1, max_size=4, unique=True),
        st.sampled_from(["2020-01-01", "2026-11-29", "2026-11-30", "2027-03-01"]),
    )


# ---- tables that are wrong somewhere --------------------------------------------------------------------------------

odd_values = st.sampled_from(
    [None, True, False, 0, 1, 1.5, "", " ", "x", "pass", "durable", [], [None], ["x"], [["x"]], {}, {"kind": "x"}]
)


@st.composite
def broken_tables(draw: st.DrawFn) -> Json:
    """A table with up to three things missing, or of another kind, anywhere."""
    table: Json = json.loads(json.dumps(draw(any_tables)))
    for _ in range(draw(st.integers(1, 3))):
        paths = list(_paths(table))
        if paths:
            _spoil(table, draw(st.sampled_from(paths)), draw(st.one_of(st.just(...), odd_values)))
    return table


def _paths(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in steps:
        yield (*path, key)
        yield from _paths(child, (*path, key))


def _spoil(table: Json, path: tuple[Any, ...], value: object) -> None:
    inner: Any = table
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value


# ---- what is compared -----------------------------------------------------------------------------------------------


def canonical(value: object, key: str = "") -> object:
    """Sort what the rules give as sets, so that two answers can be compared cell by cell."""
    if isinstance(value, dict):
        return {name: canonical(child, name) for name, child in value.items()}
    if isinstance(value, list):
        items = value if key in ORDERED else [canonical(item) for item in value]
        return items if key == "at" else sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
    return value


@pytest.fixture(scope="module")
def server(opa_url: str) -> OpaServer:
    """Give the engine that asks a real OPA."""
    return OpaServer(ServerSettings(url=opa_url, timeout=10))


@pytest.mark.opa
@pytest.mark.parametrize("path", [None, *TABLES], ids=lambda path: "default" if path is None else path.stem)
def test_engines_agree_on_every_table(path: Path | None, embedded: Engine, server: OpaServer) -> None:
    """The table that ships and every test table are answered alike, also those with faults."""
    document = {**read_table(path).data, "today": TODAY.isoformat()}
    if path is not None and path.stem == "evidence":
        document["evidence"] = facts([evidence()], load_table(path), MOMENT)

    assert canonical(server.decide(document)) == canonical(embedded.decide(document))


@pytest.mark.opa
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(table=any_tables)
def test_engines_agree_on_generated_tables(table: Json, embedded: Engine, server: OpaServer) -> None:
    """Tables with cycles, expired exceptions and evidence of every kind are answered alike, cell for cell."""
    assert canonical(server.decide(table)) == canonical(embedded.decide(table))


@pytest.mark.opa
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(table=broken_tables())
def test_engines_agree_on_broken_tables(table: Json, embedded: Engine, server: OpaServer) -> None:
    """Tables with missing keys, unknown words and wrong types are answered alike as well."""
    assert canonical(server.decide(table)) == canonical(embedded.decide(table))


# ---- what must hold of every answer ---------------------------------------------------------------------------------


def reached(table: Json, surface: str, moment: int = NOW) -> set[str]:
    """Walk the uncut arrows, written down a second time and in another way than the rules do it."""
    found, waiting = set(), [surface]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            row = table["surfaces"].get(node, {})
            cut = {
                target
                for name, claim in row.get("conditions", {}).items()
                if shown(table, node, name, moment)
                for target in claim.get("cuts", [])
            }
            waiting += [target for target in row.get("flows", []) if target not in cut] + table["flows"].get(node, [])
    return found


def offends(table: Json, node: str, moment: int = NOW) -> bool:
    """Say whether a node is a person, a foreign system, or keeps a lasting copy."""
    if node in table["surfaces"]:
        row = table["surfaces"][node]
        bounded = any(
            claim.get("bounds") and shown(table, node, name, moment) for name, claim in row["conditions"].items()
        )
        return bool(row["holds"]["lifetime"] == "durable" and not bounded)
    place = table["places"][node]
    foreign, lasting = not place.get("producer"), place.get("lifetime") == "durable"
    return bool({"person": True, "system": foreign, "store": lasting}[place["kind"]])


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=any_tables)
def test_nothing_passes_that_somebody_can_reach(table: Json, embedded: Engine) -> None:
    """A class passes exactly when nobody is reached and the row is signed so, or a counting exception names it."""
    plan, errors = split_answer(embedded.decide(table))
    assert {error["code"] for error in errors} <= {"verdict-disagrees", "derived-disagrees"}
    decisions = decisions_from(SurfaceTable.model_validate(_plain(table)).document(TODAY), plan)
    for name, row in table["surfaces"].items():
        free = row["verdict"] == "pass" and not any(offends(table, node) for node in reached(table, name))
        excepted = {
            item
            for exception in table["exceptions"]
            if exception["surface"] == name and exception["expires"] > table["today"]
            for item in exception["classes"]
        }
        for kind, verdict in decisions[name].classes.items():
            carried = kind == "derived" and row["derived"] == "pass"
            proved = kind != "derived" and free
            assert (verdict == "pass") == (kind in excepted or carried or proved)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(table=evidenced(tables()), later=st.sampled_from([1, 3_590, 3_660, 100_000, 172_790, 200_000]))
def test_answers_for_later_are_those_of_later(table: Json, later: int, embedded: Engine) -> None:
    """What a plan says of a later moment is what is reached then, though nobody asks the rules again."""
    plan, _ = split_answer(embedded.decide(table))
    decisions = decisions_from(SurfaceTable.model_validate(_plain(table)).document(TODAY), plan)
    for name, row in table["surfaces"].items():
        then = NOW + later
        free = row["verdict"] == "pass" and not any(offends(table, node, then) for node in reached(table, name, then))
        granted = {kind for told in decisions[name].exceptions if told.in_force(TODAY) for kind in told.classes}
        aged = decisions[name].as_of(TODAY, then)

        assert (aged.classes["text"] == "pass") == (free or "text" in granted)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=broken_tables())
def test_no_table_leaves_anything_undefined(table: Json, embedded: Engine) -> None:
    """Whatever is wrong, every surface of a mapping is decided, and with a fault of facts nothing passes."""
    plan, errors = split_answer(embedded.decide(table))
    surfaces = table.get("surfaces")
    assert set(plan) == (set(surfaces) if isinstance(surfaces, dict) else set())
    faults = {error["code"] for error in errors} - {"verdict-disagrees", "derived-disagrees"}
    for decision in plan.values():
        assert {"text", "summary", "opaque", "derived"} == set(decision["classes"])
        assert not faults or {"strip"} == set(decision["classes"].values())


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables(), name=st.sampled_from(SURFACES), target=names)
def test_one_arrow_more_never_opens(table: Json, name: str, target: str, embedded: Engine) -> None:
    """Drawing another arrow can turn a pass into strip, and never a strip into pass."""
    if name not in table["surfaces"] or target not in {**table["surfaces"], **table["places"]}:
        return
    before, _ = split_answer(embedded.decide(table))
    wider = json.loads(json.dumps(table))
    wider["surfaces"][name]["flows"].append(target)
    after, _ = split_answer(embedded.decide(wider))

    for surface in table["surfaces"]:
        for kind in CLASSES:
            assert (before[surface]["classes"][kind], after[surface]["classes"][kind]) != ("strip", "pass")


def _plain(table: Json) -> Json:
    return {key: value for key, value in table.items() if key not in {"today", "evidence"}}
