"""Running probes and signing what they found: nothing that a probe does stops the others."""

from __future__ import annotations

import json
import threading
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import pytest
from tests.described import one_condition
from tests.evidence import HOUR, KEY, table
from typer.testing import CliRunner

from reticent.cli import build_app
from reticent.compiler import load_plan
from reticent.errors import ConfigurationError, TableError
from reticent.evidence import SigningKey, read_evidence
from reticent.surfaces import load_table
from reticent.testing import canary
from reticent.verify import Finding, NotHeld, Probe, find_probe, look, next_look, probing, state, verify, watch
from reticent.verify.looking import Look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

SECRET = canary()


class Does:
    """A probe that does what it is told."""

    def __init__(self, act: Callable[[], Any]) -> None:
        """Do ``act`` at each look."""
        self._act = act

    def look(self, settings: Mapping[str, Any]) -> Finding:
        """Look."""
        del settings
        found: Finding = self._act()
        return found


def refuse() -> None:
    """Find that it does not hold."""
    raise NotHeld("readable", "by somebody\x1b[31m")


def crash() -> None:
    """Fail with a text that nobody may see."""
    raise ValueError(SECRET)


def leave() -> None:
    """End the program."""
    raise SystemExit(3)


RELEASE = threading.Event()
ACTS: dict[str, tuple[Callable[[], object], tuple[bool, str, str]]] = {
    "holds": (lambda: Finding(held=True, detail="3 rows"), (True, "held", "3 rows")),
    "refuses": (refuse, (False, "readable", "by somebody [31m")),
    "raises": (crash, (False, "raised", "ValueError")),
    "leaves": (leave, (False, "raised", "SystemExit")),
    "hangs": (lambda: RELEASE.wait(20), (False, "hung", "no answer in 2 seconds")),
    "says nothing": (lambda: None, (False, "raised", "the probe gave no finding")),
    "says too much": (lambda: Finding(held=False, code="x", detail="y" * 900), (False, "x", "y" * 300 + "…")),
    "says yes in other words": (lambda: Finding(held="yes", code="x"), (False, "x", "")),  # type: ignore[arg-type]
    "lacks a library": (lambda: __import__("nothing_of_that_name"), (False, "library-missing", "nothing_of_that_name")),
}


@pytest.fixture(autouse=True)
def released() -> Iterator[None]:
    """Let threads end that were left hanging."""
    RELEASE.clear()
    yield
    RELEASE.set()


def test_whatever_a_probe_does_the_others_still_run() -> None:
    """Probes that hang, raise, leave or say nonsense show nothing, with the reason, and the rest is looked at."""
    looks = [Look((name,), name) for name in ACTS]
    found = look(looks, timeout=2, find=lambda name: Does(ACTS[name][0]))

    assert {(name,): expected for name, (_, expected) in ACTS.items()} == {
        key: (told.held, told.code, told.detail) for key, told in found.items()
    }
    assert SECRET not in repr(found)


def test_probe_that_hangs_is_not_started_twice() -> None:
    """While a look still hangs, another round starts no second one beside it, and says the same."""
    started: list[int] = []

    def hang() -> object:
        started.append(1)
        return RELEASE.wait(20)

    codes = [look([Look(("again",), "hangs")], timeout=0.05, find=lambda _: Does(hang))[("again",)] for _ in range(3)]

    assert ["hung"] * 3 == [told.code for told in codes]
    assert [1] == started


def test_settings_are_filled_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address with a password is named in the table and read where the probe runs; it is in no evidence."""
    monkeypatch.setenv("OUR_DSN", f"sqlite://{SECRET}")
    seen: list[Any] = []

    class Sees:
        def look(self, settings: Mapping[str, Any]) -> Finding:
            seen.append(settings)
            return Finding(held=True)

    wanted = {"dsn": "${OUR_DSN}/a", "list": ["${OUR_DSN}"], "number": 1}
    signed = verify(one_condition("ours", wanted), key=KEY, find=lambda _: Sees())
    missing = state(one_condition("ours", {"dsn": "${NOBODYS_DSN}"}), find=lambda _: Sees())[0]

    assert [{"dsn": f"sqlite://{SECRET}/a", "list": [f"sqlite://{SECRET}"], "number": 1}] == seen
    assert SECRET.encode() not in signed.to_json()
    assert ("settings-invalid", "the environment has no NOBODYS_DSN") == (missing.code, missing.detail)


def test_settings_are_checked_without_being_shown() -> None:
    """Settings that a probe does not know are told by key and kind, never by value."""
    said = state(one_condition("sqlite-ciphertext", {"path": 3, "secret": SECRET}))[0]

    assert "settings-invalid" == said.code
    assert "columns: missing" in said.detail
    assert "secret: extra_forbidden" in said.detail
    assert SECRET not in said.detail


def test_packages_bring_their_own_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe is found by the name of its entry point, as an object or a class; what is no probe is not taken."""
    mine = f"{__name__}:OURS"
    entries = [
        EntryPoint("ours", mine, probing.GROUP),
        EntryPoint("lost", "nothing_of_that_name:X", probing.GROUP),
        EntryPoint("postgres-grants", mine, probing.GROUP),
    ]
    monkeypatch.setattr(EntryPoint, "load", lambda self: OURS if self.value == mine else __import__("nothing_of_that"))
    monkeypatch.setattr(
        probing, "entry_points", lambda **asked: [one for one in entries if asked.get("name") in {None, one.name}]
    )

    assert OURS is find_probe("ours")
    assert isinstance(OURS, Probe)
    assert OURS is not find_probe("postgres-grants")
    assert "ours" in probing.probe_names()
    with pytest.raises(NotHeld, match="cannot be loaded"):
        find_probe("lost")
    with pytest.raises(NotHeld, match=r"'ourz'\. Did you mean 'ours'"):
        find_probe("ourz")


OURS = Does(lambda: Finding(held=True))


def test_every_probe_that_ships_is_one() -> None:
    """Each name leads to a probe."""
    assert [] == [name for name in probing.SHIPPED if not isinstance(find_probe(name), Probe)]


def test_outcome_that_stays_has_been_so_since_it_began() -> None:
    """What is found again has been so since it was first found, and evidence for another table says nothing of it."""
    held = Does(lambda: Finding(held=True))
    described = one_condition("ours", {})
    first = KEY.sign(read_evidence(_aged(verify(described, key=KEY, find=lambda _: held).to_json())), "ops")
    second = verify(described, key=KEY, before=first, find=lambda _: held).statements[0]
    lost = verify(described, key=KEY, before=first, find=lambda _: Does(refuse)).statements[0]
    other = verify(one_condition("ours", {"x": 1}), key=KEY, before=first, find=lambda _: held).statements[0]

    assert first.statements[0].since == second.since < second.observed
    assert lost.since == lost.observed
    assert other.since == other.observed


def _aged(content: bytes) -> bytes:
    told = json.loads(content)
    told["statements"][0].update(observed="2026-01-01T00:00:00Z", since="2026-01-01T00:00:00Z")
    return json.dumps(told).encode()


def test_table_that_asks_for_nothing_and_key_that_is_nobodys_are_refused() -> None:
    """There is nothing to verify in a table without evidence, and nobody to sign for one without the key."""
    with pytest.raises(ConfigurationError, match="no condition"):
        state(load_table())
    with pytest.raises(ConfigurationError, match="add one with key"):
        verify(table(), key=SigningKey.generate())


def test_next_look_comes_before_evidence_is_too_old() -> None:
    """Three looks fit into the shortest age, and at least one into five minutes."""
    assert 300.0 == next_look(table())
    assert 20.0 == next_look(one_condition("ours", {}, max_age="1m"))
    assert 1.0 == next_look(one_condition("ours", {}, max_age="1s"))
    assert HOUR / 3 > 300


def test_watch_goes_on_after_a_failure() -> None:
    """A round that fails is told and tried again, as soon as the last good one wanted."""
    outcomes: list[Any] = ["first", TableError([]), "second"]
    slept: list[float] = []

    def once() -> tuple[Any, float]:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome, 7.0

    watching = watch(once, sleep=slept.append)
    seen = [next(watching) for _ in range(3)]

    assert ["first", "table-invalid", "second"] == [getattr(one, "code", one) for one in seen]
    assert [7.0, 7.0] == slept


# ---- the command ----------------------------------------------------------------------------------------------------


def test_command_signs_evidence_that_opens_the_row(tmp_path: Path) -> None:
    """A new key, put into the table, signs evidence by which the row passes; a loss closes it with exit code 1."""
    runner, key, evidence = CliRunner(), tmp_path / "ops.pem", tmp_path / "evidence.json"
    made = runner.invoke(build_app(), ["verify", "--new-key", str(key)])
    (tmp_path / "export.yaml").write_text("tables: [users]", encoding="utf-8")
    source = one_condition(
        "export-manifest", {"path": str(tmp_path / "export.yaml"), "allowed": "tables", "excludes": ["items"]}
    ).model_dump(mode="json", by_alias=True, exclude_none=True)
    source["signers"]["ops"]["key"] = made.output.partition('"')[2].partition('"')[0]
    described = tmp_path / "surfaces.json"
    described.write_text(json.dumps(source), encoding="utf-8")
    command = ["verify", str(described), "--key", str(key), "--evidence", str(evidence)]
    held = runner.invoke(build_app(), command, standalone_mode=False)
    passes = load_plan(described, evidence=evidence).decision("task_store").verdict
    (tmp_path / "export.yaml").write_text("tables: [users, items]", encoding="utf-8")
    lost = runner.invoke(build_app(), [*command, "--format", "json"], standalone_mode=False)
    strips = load_plan(described, evidence=evidence).decision("task_store").verdict
    looked = runner.invoke(build_app(), ["verify", str(described)], standalone_mode=False)

    assert SigningKey.load(key).public == source["signers"]["ops"]["key"]
    assert (0, "pass") == (held.return_value, passes)
    assert "task_store.sealed: held" in held.output
    assert (1, "strip") == (lost.return_value, strips)
    assert "exported" == json.loads(lost.output)["statements"][0]["code"]
    assert "NOT HELD: exported (items (items))" in looked.output


def test_command_needs_a_key_to_watch(tmp_path: Path) -> None:
    """To watch is to write evidence again and again, which needs a key."""
    described = tmp_path / "surfaces.json"
    described.write_text(json.dumps(one_condition("ours", {}).model_dump(mode="json", exclude_none=True)))
    told = CliRunner().invoke(build_app(), ["verify", str(described), "--watch"], standalone_mode=False)

    assert isinstance(told.exception, ConfigurationError)
