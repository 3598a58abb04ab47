"""Pinned originals: what a summary was written from, kept by handle and tenant, so that no summary is written from one.

A pin holds entries without reasoning. Where it lies is a surface like any other: same tenant, encrypted, with an end.
:class:`MemoryPins` ends with its process.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol, cast

from reticent.history.changes import encode, handle_of

if TYPE_CHECKING:
    from reticent.history.sealing import Sealing


class Pins(Protocol):
    """Where originals are kept. ``put`` may be called twice with the same; both must raise when they cannot."""

    def put(self, tenant: str, handle: str, data: bytes) -> None:
        """Keep ``data`` for ``tenant`` under ``handle``."""

    def get(self, tenant: str, handle: str) -> bytes | None:
        """What ``tenant`` keeps under ``handle``; None when it keeps nothing there."""


class MemoryPins:
    """Pins in memory. Nothing of them shows in ``repr``."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], bytes] = {}

    def put(self, tenant: str, handle: str, data: bytes) -> None:
        """Keep ``data``."""
        self._kept[tenant, handle] = data

    def get(self, tenant: str, handle: str) -> bytes | None:
        """What was kept."""
        return self._kept.get((tenant, handle))

    def __len__(self) -> int:
        """How many originals are kept, over all tenants."""
        return len(self._kept)


class SealedPins:
    """Pins that are ciphertext where they are kept, bound to their tenant and handle."""

    def __init__(self, pins: Pins, sealing: Sealing) -> None:
        """Keep what is put in ``pins``, sealed by ``sealing`` (``reticent.store.Sealer(keys)``)."""
        self._pins = pins
        self._sealing = sealing

    def put(self, tenant: str, handle: str, data: bytes) -> None:
        """Keep ``data``.

        Raises:
            StoreError: no key is at hand; nothing was kept.
        """
        self._pins.put(tenant, handle, self._sealing.seal(tenant, handle, "pin", data))

    def get(self, tenant: str, handle: str) -> bytes | None:
        """What was kept.

        Raises:
            StoreError: it does not open: it was altered or moved, or the key is not at hand.
        """
        sealed = self._pins.get(tenant, handle)
        return None if sealed is None else self._sealing.unseal(tenant, handle, "pin", sealed)


def pinned(entries: list[Any]) -> tuple[str, bytes]:
    """Handle and bytes of original entries."""
    return handle_of(entries), encode(entries)


def unpinned(data: bytes, handle: str) -> list[Any] | None:
    """The entries that were pinned; None when the bytes are not what the handle names."""
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(entries, list) and handle_of(entries) == handle
    return cast("list[Any]", entries) if whole else None
