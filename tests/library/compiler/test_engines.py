"""The embedded engine and the recorded one."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import orjson
import pytest

from reticent._resources import is_test, policy_digest, policy_sources, rego_root
from reticent.compiler import Engine, embedded, load_plan
from reticent.compiler.embedded import MODULE, EmbeddedEngine, stamp
from reticent.compiler.recorded import RecordedEngine, record
from reticent.errors import EngineAnswerInvalid, EngineUnavailable
from reticent.surfaces import load_table

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path


def test_shipped_module_is_made_from_the_rules_that_ship() -> None:
    """The stamp names the rules as they are now, and the module as it is."""
    assert policy_digest(policy_sources().values()) == stamp()["sources"]
    assert f"sha256:{hashlib.sha256(MODULE.read_bytes()).hexdigest()}" == stamp()["module"]


def test_shipped_module_is_what_opa_builds(opa_binary: str) -> None:
    """``opa build`` makes the very bytes of the shipped module, and everything else generated is current."""
    checkout = rego_root().parent
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, str(checkout / "scripts" / "build_policy.py"), "--check", "--opa", opa_binary],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "") == (done.returncode, done.stderr)


def test_module_asks_nothing_of_its_host(embedded: EmbeddedEngine) -> None:
    """No built-in is delegated to Python, so nothing of Python takes part in a decision."""
    assert {} == embedded._loaded().builtins


def test_digest_of_rules_does_not_depend_on_names_or_order() -> None:
    """The same texts under other names and in another order are the same policy; other texts are not."""
    texts = list(policy_sources().values())

    assert policy_digest(texts) == policy_digest(reversed(texts))
    assert policy_digest(texts) != policy_digest([*texts, ""])
    assert not any(is_test(path) for path in policy_sources())


def test_many_threads_get_the_same_answer(today: date) -> None:
    """One engine serves many threads at once."""
    engine, document = EmbeddedEngine(), load_table().document(today)
    expected = engine.decide(document)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: engine.decide(document), range(40)))

    assert all(expected == answer for answer in answers)


def test_missing_module_is_unavailable(tmp_path: Path, today: date) -> None:
    """Without its module the engine says so, and names no path."""
    with pytest.raises(EngineUnavailable, match="missing"):
        EmbeddedEngine(tmp_path / "policy.wasm").decide(load_table().document(today))


def test_changed_module_is_refused(tmp_path: Path, today: date) -> None:
    """A module with one byte changed is not run."""
    module = bytearray(MODULE.read_bytes())
    module[-1] ^= 1
    path = tmp_path / "policy.wasm"
    path.write_bytes(module)

    with pytest.raises(EngineUnavailable, match="not the one that was shipped"):
        EmbeddedEngine(path).decide(load_table().document(today))


@pytest.mark.parametrize("module", [b"", b"\x00asm\x01\x00\x00\x00", b"not a module"])
def test_what_is_no_policy_is_refused(
    module: bytes, tmp_path: Path, today: date, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that are no module, or no module of rules, are an engine error of ours."""
    path = tmp_path / "policy.wasm"
    path.write_bytes(module)
    digest = f"sha256:{hashlib.sha256(module).hexdigest()}"
    monkeypatch.setattr(embedded, "stamp", lambda: {"module": digest, "sources": ""})

    with pytest.raises(EngineUnavailable):
        EmbeddedEngine(path).decide(load_table().document(today))


def test_table_too_large_for_the_module_is_refused(embedded: EmbeddedEngine, today: date) -> None:
    """A table longer than the limit is an engine error and no endless evaluation."""
    huge = {**load_table().document(today), "places": {"x": {"kind": "person", "note": "y" * 9_000_000}}}

    with pytest.raises(EngineUnavailable):
        embedded.decide(huge)


@pytest.mark.parametrize("results", [None, [], {}, [{}], [{"result": 1}, {"result": 2}]])
def test_undefined_is_no_answer(results: object) -> None:
    """An entrypoint without exactly one result is refused."""
    with pytest.raises(EngineAnswerInvalid):
        embedded._defined(results, "plan")


def test_recording_answers_what_was_recorded(embedded: EmbeddedEngine, today: date, tmp_path: Path) -> None:
    """A recorded table gives the same plan without any engine."""
    path = tmp_path / "answers.json"
    record(embedded, [load_table().document(today)], path)
    recorded = RecordedEngine(path)

    assert isinstance(recorded, Engine)
    assert load_plan(engine=embedded, today=today).digest == load_plan(engine=recorded, today=today).digest


def test_table_that_was_not_recorded_is_refused(embedded: EmbeddedEngine, today: date, tmp_path: Path) -> None:
    """Another table, or another day, is not guessed at."""
    path = tmp_path / "answers.json"
    record(embedded, [load_table().document(today)], path)
    tomorrow = today.replace(day=30)

    with pytest.raises(EngineAnswerInvalid):
        load_plan(engine=RecordedEngine(path), today=tomorrow)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"answers": {}}', b"null"])
def test_what_is_no_recording_is_refused(content: bytes, tmp_path: Path) -> None:
    """A file that is no recording is an engine that is not there."""
    path = tmp_path / "answers.json"
    path.write_bytes(content)

    with pytest.raises(EngineUnavailable):
        RecordedEngine(path)


def test_recording_may_be_copied(embedded: EmbeddedEngine, today: date, tmp_path: Path) -> None:
    """A recording is a file of plain JSON that travels."""
    path, copy = tmp_path / "answers.json", tmp_path / "copy.json"
    record(embedded, [load_table().document(today)], path)
    shutil.copy(path, copy)

    assert RecordedEngine(copy).policy_digest == embedded.policy_digest
    assert 1 == len(orjson.loads(copy.read_bytes())["answers"])
