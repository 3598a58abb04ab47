"""Evidence for ``tests/tables/evidence.yaml``, signed with the key that the table names."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from reticent.evidence import EvidenceFile, SigningKey, Statement
from reticent.surfaces import load_table

if TYPE_CHECKING:
    from reticent.surfaces import SurfaceTable

TABLE: Final = Path(__file__).parent / "tables" / "evidence.yaml"
KEY: Final = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
"""A key for tests; everybody knows it."""

DAY: Final = date(2026, 11, 29)

NOW: Final = 1_795_953_600
"""2026-11-29, noon, by universal time."""

HOUR: Final = 3600


def statement(surface: str, condition: str, **change: Any) -> Statement:
    """Say that a condition held a minute ago, unless ``change`` says something else."""
    said: dict[str, Any] = {"held": True, "observed": NOW - 60, "since": NOW - 60, "code": "held", **change}
    return Statement(surface, condition, **said)


def evidence(
    *, sealed: dict[str, Any] | None = None, encrypted: dict[str, Any] | None = None, key: SigningKey = KEY
) -> EvidenceFile:
    """Sign that both conditions hold, with what is to be different for each."""
    looks = (
        statement("memory", "sealed", **{"probe": "seal", **(sealed or {})}),
        statement("tasks", "encrypted", **{"probe": "rows", **(encrypted or {})}),
    )
    return key.sign(EvidenceFile(table().digest, looks), "ops")


def table() -> SurfaceTable:
    """Read the table."""
    return load_table(TABLE)
