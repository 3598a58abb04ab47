"""The evidence file: JSON that a person can read, and the bytes of it that are signed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from reticent.errors import EvidenceRefused

VERSION: Final = 1
MAX_BYTES: Final = 4_000_000
"""A file longer than this is refused before it is read."""

_PURPOSE: Final = b"reticent evidence 1\n"
"""Stands before what is signed, so that a signature made for something else is none under evidence."""

_KEYS: Final = frozenset({"evidence_version", "table", "signer", "key", "statements", "signature"})
_STATEMENT_KEYS: Final = frozenset({"surface", "condition", "probe", "held", "observed", "since", "code", "detail"})


@dataclass(frozen=True, slots=True)
class Statement:
    """What came of one look at one condition.

    Moments are seconds since 1970: ``observed`` is when somebody looked, ``since`` when the outcome was first the
    same in an unbroken row of looks. ``code`` is a stable word, ``held`` when it held; ``detail`` names what was
    found (a role, a table, a handler) and never quotes content.
    """

    surface: str
    condition: str
    probe: str
    held: bool
    observed: int
    since: int
    code: str
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As the file has it: moments are texts such as ``2026-11-29T12:00:00Z``."""
        return {**asdict(self), "observed": moment_text(self.observed), "since": moment_text(self.since)}


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """Statements about one table, and a signature.

    ``table`` is the digest of the table, ``signer`` the name under which the table knows the key, ``key`` the public
    key as the table writes it, and ``signature`` 64 bytes in base64; the last three are empty before it is signed.
    """

    table: str
    statements: tuple[Statement, ...]
    signer: str = ""
    key: str = ""
    signature: str = ""

    @property
    def observed(self) -> int:
        """The moment of the latest look, 0 without one."""
        return max((statement.observed for statement in self.statements), default=0)

    def signed_bytes(self) -> bytes:
        """What the signature is made over: every value of the file but the signature itself, in a fixed form."""
        content = self._content()
        del content["signature"]
        return _PURPOSE + orjson.dumps(content, option=orjson.OPT_SORT_KEYS)

    def to_json(self) -> bytes:
        """The file."""
        return orjson.dumps(self._content(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)

    def with_signature(self, signer: str, key: str, signature: str) -> EvidenceFile:
        """The same statements, with ``signature`` of ``signer``."""
        return replace(self, signer=signer, key=key, signature=signature)

    def _content(self) -> dict[str, Any]:
        return {
            "evidence_version": VERSION,
            "table": self.table,
            "signer": self.signer,
            "key": self.key,
            "statements": [statement.to_dict() for statement in self.statements],
            "signature": self.signature,
        }


def read_evidence(source: bytes | str | Path) -> EvidenceFile:
    """The evidence in a file (a path), or in JSON that is already in memory (bytes). No signature is checked yet.

    Raises:
        EvidenceRefused: it cannot be read, is too long, or is no evidence of a version that this release knows.
    """
    content = source if isinstance(source, bytes) else _read(Path(source))
    try:
        told = orjson.loads(content)
        if type(told["evidence_version"]) is not int or told["evidence_version"] != VERSION:
            raise EvidenceRefused(f"this release reads evidence of version {VERSION}; verify the table again")
        _only(told, _KEYS)
        statements = tuple(_statement(item) for item in told["statements"])
        words = {name: _text(told[name]) for name in ("table", "signer", "key", "signature")}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise EvidenceRefused(f"this is not an evidence file ({type(error).__name__})") from None
    return EvidenceFile(statements=statements, **words)


def moment_text(moment: float) -> str:
    """A moment in seconds since 1970 as people and files have it: ``2026-11-29T12:00:00Z``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise EvidenceRefused(f"{path}: cannot be read ({type(error).__name__})") from None
    if len(content) > MAX_BYTES:
        raise EvidenceRefused(f"{path}: longer than {MAX_BYTES} bytes; this is no evidence file")
    return content


def _statement(told: Mapping[str, Any]) -> Statement:
    _only(told, _STATEMENT_KEYS)
    if type(told["held"]) is not bool:
        raise TypeError
    return Statement(
        **{name: _text(told[name]) for name in ("surface", "condition", "probe", "code", "detail")},
        held=told["held"],
        observed=_moment(told["observed"]),
        since=_moment(told["since"]),
    )


def _only(told: Mapping[str, Any], known: frozenset[str]) -> None:
    """Refuse keys that no signature would cover."""
    if frozenset(told) != known:
        raise KeyError


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _moment(value: object) -> int:
    """Read one spelling only: what was signed is written again from what was read."""
    moment = int(datetime.strptime(_text(value), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp())
    if moment_text(moment) != value:
        raise ValueError
    return moment
