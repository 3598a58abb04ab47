"""Evidence files: what is signed is what is read, and nothing else is taken."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reticent.errors import ConfigurationError, EvidenceRefused
from reticent.evidence import EvidenceFile, SigningKey, Statement, read_evidence, refuse_tampered
from reticent.evidence.signing import signature_of
from reticent.surfaces import Signer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KEY = SigningKey.generate()
STRANGER = SigningKey.generate()


class Table:
    """A table, as far as signatures go."""

    signers: Mapping[str, Any] | None = {"ops": Signer(key=KEY.public, owner="platform")}
    digest = "sha256:t"


TABLE = Table()
LOOK = Statement(
    surface="tasks",
    condition="encrypted",
    probe="postgres-row-ciphertext",
    held=True,
    observed=1_790_000_000,
    since=1_780_000_000,
    code="held",
    detail="12 rows",
)
FILE = KEY.sign(EvidenceFile("sha256:t", (LOOK, replace(LOOK, condition="erased", held=False, code="overdue"))), "ops")

moments = st.integers(min_value=0, max_value=253_402_300_799)
words = st.text(max_size=20)
statements = st.builds(Statement, words, words, words, st.booleans(), moments, moments, words, words)


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    """Change the signed file and leave its signature."""
    told = json.loads(FILE.to_json())
    change(told)
    return json.dumps(told).encode()


@given(table=words, told=st.lists(statements, max_size=4))
def test_signed_file_comes_back_with_its_signature_good(table: str, told: list[Statement]) -> None:
    """Whatever statements say, the file that was written is read as it was, and the signature fits."""
    signed = KEY.sign(EvidenceFile(table, tuple(told)), "ops")
    again = read_evidence(signed.to_json())

    assert signed == again
    assert "good" == signature_of(again, TABLE)


def test_layout_of_a_file_is_nobodys_business() -> None:
    """A file that was written with other white space and another order of keys is the same file."""
    told = json.loads(FILE.to_json())
    other = json.dumps(dict(reversed(told.items())), indent=7).encode()

    assert "good" == signature_of(read_evidence(other), TABLE)


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "held": lambda told: told["statements"][1].update(held=True),
    "when": lambda told: told["statements"][0].update(observed="2026-11-29T00:00:00Z"),
    "since": lambda told: told["statements"][0].update(since="2026-11-29T00:00:00Z"),
    "which": lambda told: told["statements"][1].update(condition="encrypted"),
    "code": lambda told: told["statements"][1].update(code="held"),
    "detail": lambda told: told["statements"][1].update(detail="nothing"),
    "one less": lambda told: told["statements"].pop(),
    "one more": lambda told: told["statements"].append(told["statements"][0]),
    "order": lambda told: told["statements"].reverse(),
    "table": lambda told: told.update(table="sha256:u"),
    "signature": lambda told: told.update(signature=told["signature"][::-1]),
    "no signature": lambda told: told.update(signature=""),
    "half a signature": lambda told: told.update(signature=told["signature"][:40]),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampered_file_is_refused(name: str) -> None:
    """A file in which any value was changed is refused, and says who did not sign it."""
    evidence = read_evidence(changed(TAMPERED[name]))

    assert "broken" == signature_of(evidence, TABLE)
    with pytest.raises(EvidenceRefused, match="ops did not sign this"):
        refuse_tampered(evidence, TABLE, "evidence.json")


@pytest.mark.parametrize("signer", ["ops", "somebody"])
def test_stranger_is_told_from_a_forger(signer: str) -> None:
    """A key that the table does not name is a stranger's, under whatever name it signs."""
    evidence = STRANGER.sign(FILE, signer)

    assert "unknown-signer" == signature_of(evidence, TABLE)
    refuse_tampered(evidence, TABLE, "evidence.json")


def test_signature_of_another_under_a_known_key_is_broken() -> None:
    """Somebody who writes a signer's name and key, and signs with another key, is a forger."""
    forged = replace(STRANGER.sign(FILE, "ops"), key=KEY.public)

    assert "broken" == signature_of(forged, TABLE)


UNREADABLE: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"{",
    "a list": b"[]",
    "no version": changed(lambda told: told.pop("evidence_version")),
    "another version": changed(lambda told: told.update(evidence_version=2)),
    "true for one": changed(lambda told: told.update(evidence_version=True)),
    "a key more": changed(lambda told: told.update(comment="trust me")),
    "a key more inside": changed(lambda told: told["statements"][0].update(comment="trust me")),
    "a hole": changed(lambda told: told["statements"][0].pop("since")),
    "a word for a truth": changed(lambda told: told["statements"][0].update(held="true")),
    "another spelling of a moment": changed(lambda told: told["statements"][0].update(observed="2026-11-29T12:00Z")),
    "a local moment": changed(lambda told: told["statements"][0].update(observed="2026-11-29T12:00:00+01:00")),
    "no moment": changed(lambda told: told["statements"][0].update(observed=0)),
    "statements of no kind": changed(lambda told: told.update(statements={"a": 1})),
    "half a character": b'{"evidence_version": 1, "table": "\\ud800"}',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_evidence_is_refused(name: str, tmp_path: Path) -> None:
    """A file that is not exactly what was written is no evidence, and no error quotes it."""
    path = tmp_path / "evidence.json"
    path.write_bytes(UNREADABLE[name])

    with pytest.raises(EvidenceRefused) as caught:
        read_evidence(path)

    assert "trust me" not in str(caught.value)


def test_file_that_is_not_there_or_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file and an enormous one are refused by name."""
    with pytest.raises(EvidenceRefused, match="FileNotFoundError"):
        read_evidence(tmp_path / "nowhere.json")
    monkeypatch.setattr("reticent.evidence.file.MAX_BYTES", 10)
    (tmp_path / "long.json").write_bytes(FILE.to_json())
    with pytest.raises(EvidenceRefused, match="longer than 10"):
        read_evidence(tmp_path / "long.json")


def test_key_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    """A key that was saved is the same key, readable by its owner only, and never written over."""
    path = tmp_path / "key.pem"
    KEY.save(path)

    assert KEY.public == SigningKey.load(path).public
    assert 0o600 == path.stat().st_mode & 0o777
    with pytest.raises(ConfigurationError):
        STRANGER.save(path)
    assert KEY.public == SigningKey.load(path).public


@pytest.mark.parametrize("content", [b"", b"-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"])
def test_what_is_no_key_is_refused(content: bytes, tmp_path: Path) -> None:
    """A file without an Ed25519 key is a matter of configuration."""
    path = tmp_path / "key.pem"
    path.write_bytes(content)

    with pytest.raises(ConfigurationError, match="not an Ed25519"):
        SigningKey.load(path)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        SigningKey.load(tmp_path / "nowhere.pem")


def test_key_is_known_by_its_name_in_the_table() -> None:
    """A key finds its name; one that the table does not name is told with what to write."""
    assert "ops" == KEY.signer_in(TABLE)
    with pytest.raises(ConfigurationError, match="add one with key: ed25519:"):
        STRANGER.signer_in(TABLE)


def test_private_key_is_in_no_repr() -> None:
    """A key shows nothing of itself."""
    assert "SigningKey object" in repr(KEY)
