"""Seal and unseal: AES-256-GCM with a key per task, bound to tenant, task, turn and sequence number.

The associated data is no part of the ciphertext: a row that is read where it was not written does not open. A nonce is
96 random bits; one key seals the turns of one task, far from the 2**32 messages up to which that is safe (NIST SP
800-38D, section 8.3).
"""

from __future__ import annotations

import os
import struct
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from reticent.errors import Tampered

KEY_BYTES: Final = 32
_NONCE: Final = 12
_FORMAT: Final = b"\x01"


def new_data_key() -> bytes:
    """A random key for one task."""
    return os.urandom(KEY_BYTES)


def place(tenant: str, task: str, turn: int = 0, sequence: int = 0) -> bytes:
    """Where a ciphertext belongs, as associated data; no two places have the same bytes."""
    names = (tenant.encode("utf-8", "surrogatepass"), task.encode("utf-8", "surrogatepass"))
    return b"".join(
        (_FORMAT, *(struct.pack(">I", len(name)) + name for name in names), struct.pack(">QQ", turn, sequence))
    )


def names(at: bytes) -> tuple[str, str]:
    """Tenant and task of what ``place`` gave."""
    found: list[str] = []
    start = len(_FORMAT)
    for _ in range(2):
        (length,) = struct.unpack_from(">I", at, start)
        start += 4
        found.append(at[start : start + length].decode("utf-8", "surrogatepass"))
        start += length
    return found[0], found[1]


def seal(key: bytes, plaintext: bytes, at: bytes) -> bytes:
    """``plaintext`` under ``key``, bound to the place ``at``."""
    nonce = os.urandom(_NONCE)
    return _FORMAT + nonce + AESGCM(key).encrypt(nonce, plaintext, at)


def unseal(key: bytes, sealed: bytes, at: bytes) -> bytes:
    """What ``seal`` was given.

    Raises:
        Tampered: the bytes were altered, belong to another place, or were sealed with another key.
    """
    if sealed[:1] == _FORMAT and len(sealed) > _NONCE:
        try:
            return AESGCM(key).decrypt(sealed[1 : _NONCE + 1], sealed[_NONCE + 1 :], at)
        except InvalidTag:
            pass
    raise Tampered(f"{len(sealed)} sealed bytes do not open where they stand; restore the row or fail the task")


def digest_key(key: bytes) -> bytes:
    """A second key of the same task, for digests: of what is visible, so that nobody can guess at it by hashing."""
    return HKDFExpand(hashes.SHA256(), KEY_BYTES, b"reticent digests of what is visible").derive(key)
