"""What an installation says about itself."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import reticent
from reticent import doctor
from reticent._resources import policy_digest, policy_sources
from reticent.about import About, about
from reticent.cli import build_app
from reticent.cli._exit import CLEAN, run
from reticent.serializers import native

if TYPE_CHECKING:
    from collections.abc import Callable

    Setting = Callable[[pytest.MonkeyPatch], None]


def _off(patch: pytest.MonkeyPatch) -> None:
    patch.setenv(native.SWITCH, "0")


def _of_another_contract(patch: pytest.MonkeyPatch) -> None:
    spec = SimpleNamespace(name="reticent_native")
    patch.setitem(sys.modules, "reticent_native", SimpleNamespace(CONTRACT=999, __spec__=spec))


def _in_use(patch: pytest.MonkeyPatch) -> None:
    spec = SimpleNamespace(name="reticent_native")
    patch.setitem(sys.modules, "reticent_native", SimpleNamespace(CONTRACT=native.CONTRACT, __spec__=spec))
    patch.setattr("reticent.about.version", lambda name: f"0.1.9 of {name}")


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        (_off, "native pass not in use (switched off by RETICENT_NATIVE=0)"),
        (_of_another_contract, f"native pass not in use (it speaks contract 999, and this release {native.CONTRACT})"),
        (_in_use, "native pass in use (reticent-native 0.1.9 of reticent-native)"),
    ],
)
def test_version_says_what_is_in_use(
    setting: Setting, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`reticent --version` tells the release, the digest of the very rules that ship, and the native pass."""
    monkeypatch.delenv(native.SWITCH, raising=False)
    setting(monkeypatch)
    assert CLEAN == run(build_app(), ["--version"])

    rules = policy_digest(policy_sources().values())
    assert [f"reticent {reticent.__version__}", f"rules {rules}", told] == capsys.readouterr().out.splitlines()


def test_a_pass_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the distribution of the native pass its place says so."""
    monkeypatch.delenv(native.SWITCH, raising=False)
    monkeypatch.setitem(sys.modules, "reticent_native", None)
    monkeypatch.setattr("reticent.about.find_spec", lambda _: None)

    assert (None, "not installed") == (about().native, about().why_not)


def test_the_doctor_says_the_same() -> None:
    """Each form of a report of the doctor says what is installed."""
    told = About("9.8.7", "sha256:abc", "0.1.9", "")
    report = doctor.Report((), (), (), about=told)
    as_json, log = json.loads(doctor.to_json(report)), json.loads(doctor.to_sarif(report))["runs"][0]

    assert told.text() in doctor.to_text(report)
    assert {"version": "9.8.7", "rules": "sha256:abc", "native": "0.1.9", "why_not": ""} == as_json["about"]
    assert ("9.8.7", "sha256:abc") == (log["tool"]["driver"]["version"], log["properties"]["rules"])
