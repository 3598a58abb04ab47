"""What a fold and a scratchpad leave behind, encrypted: the seam at which keys come in.

``reticent.store.Sealer`` fits it, with the keyset of the task store or a key service. History knows neither.
"""

from __future__ import annotations

from typing import Protocol


class Sealing(Protocol):
    """Encrypts bytes so that they open in one place alone."""

    def seal(self, tenant: str, task_id: str, what: str, data: bytes) -> bytes:
        """``data`` as ciphertext that opens for this tenant, task and purpose only.

        Raises:
            StoreError: no key is at hand; nothing may be kept.
        """
        ...

    def unseal(self, tenant: str, task_id: str, what: str, sealed: bytes) -> bytes:
        """What ``seal`` was given.

        Raises:
            StoreError: it is no ciphertext, was altered or moved, or its key is not at hand.
        """
        ...
