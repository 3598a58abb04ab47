"""Evidence files: what was looked at, when, what came of it, and who signed for it.

A file holds one :class:`Statement` for each condition that asks for evidence, the digest of the table it was made
for, and an Ed25519 signature over all of it. Whether a condition holds is not decided here: :func:`facts` gives the
rules what they need, with the outcome of the signature check, and they decide. ``reticent.verify`` makes the files.
"""

from __future__ import annotations

from reticent.evidence.file import EvidenceFile, Statement, moment_text, read_evidence
from reticent.evidence.signing import SigningKey, facts, refuse_tampered

__all__ = [
    "EvidenceFile",
    "SigningKey",
    "Statement",
    "facts",
    "moment_text",
    "read_evidence",
    "refuse_tampered",
]
