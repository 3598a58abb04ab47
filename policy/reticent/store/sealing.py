"""Bytes beside the task store under the same keys: ledgers of folds, scratchpad files, pinned originals.

What is sealed stands for itself: the name of the key, a data key under it, and the ciphertext. Each has a data key of
its own. Tenant, task and purpose are bound to both, so that a piece that is moved does not open.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from reticent.errors import Tampered
from reticent.store import envelope

if TYPE_CHECKING:
    from reticent.store.keys import KeyWrapper

_MAGIC: Final = b"reticent\x01"
_LENGTHS: Final = struct.Struct(">HH")
_PURPOSE: Final = b"sealed beside the task store\0"


class Sealer:
    """Seals and unseals with the keys of a task store; what ``reticent.history`` calls a ``Sealing``."""

    def __init__(self, keys: KeyWrapper) -> None:
        """Use ``keys``: a ``Keyset``, or an adapter to a key service."""
        self._keys = keys

    def __repr__(self) -> str:
        return f"Sealer({self._keys!r})"

    def seal(self, tenant: str, task_id: str, what: str, data: bytes) -> bytes:
        """``data`` as ciphertext that opens for this tenant, task and purpose only.

        Raises:
            KeyUnavailable: no key is at hand.
        """
        data_key = envelope.new_data_key()
        key_id, wrapped = self._keys.wrap(data_key, envelope.place(tenant, task_id))
        name = key_id.encode()
        head = _MAGIC + _LENGTHS.pack(len(name), len(wrapped)) + name + wrapped
        return head + envelope.seal(data_key, data, _bound(tenant, task_id, what, head))

    def unseal(self, tenant: str, task_id: str, what: str, sealed: bytes) -> bytes:
        """What ``seal`` was given.

        Raises:
            Tampered: it is no ciphertext, was altered, or belongs to another purpose.
            KeyUnavailable: its key is not at hand, or it belongs to another tenant or task.
        """
        start = len(_MAGIC) + _LENGTHS.size
        if not sealed.startswith(_MAGIC) or len(sealed) < start:
            raise Tampered(f"{len(sealed)} bytes that should be sealed are not; they were put there by somebody else")
        name, wrapped = _LENGTHS.unpack_from(sealed, len(_MAGIC))
        end = start + name + wrapped
        key_id = sealed[start : start + name].decode("utf-8", "replace")
        data_key = self._keys.unwrap(key_id, sealed[start + name : end], envelope.place(tenant, task_id))
        return envelope.unseal(data_key, sealed[end:], _bound(tenant, task_id, what, sealed[:end]))


def _bound(tenant: str, task_id: str, what: str, head: bytes) -> bytes:
    told = what.encode("utf-8", "surrogatepass")
    return _PURPOSE + struct.pack(">I", len(told)) + told + envelope.place(tenant, task_id) + head
