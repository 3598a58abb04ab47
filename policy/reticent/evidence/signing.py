"""Ed25519 keys, signatures under evidence, and what the rules are told of them."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from reticent.errors import ConfigurationError, EvidenceRefused

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from reticent.evidence.file import EvidenceFile

_SCHEME = "ed25519:"


class Signers(Protocol):
    """A table, as far as signatures go; ``reticent.surfaces.SurfaceTable`` is one."""

    @property
    def signers(self) -> Mapping[str, Any] | None:
        """Who may sign: for each name something with a ``key``."""
        ...

    @property
    def digest(self) -> str:
        """What the table says, in one word."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class SigningKey:
    """A private Ed25519 key. It is kept as PEM (PKCS #8), which openssl and vaults read as well."""

    _key: Ed25519PrivateKey

    @classmethod
    def generate(cls) -> SigningKey:
        """A new key."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def load(cls, path: str | Path) -> SigningKey:
        """The key in a file.

        Raises:
            ConfigurationError: the file cannot be read, or holds no Ed25519 key without a password.
        """
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            key = load_pem_private_key(Path(path).read_bytes(), password=None)
        except OSError as error:
            raise ConfigurationError(f"{path}: cannot be read ({type(error).__name__})") from None
        except (ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise ConfigurationError(f"{path}: not an Ed25519 private key in PEM, without a password")
        return cls(key)

    def save(self, path: str | Path) -> None:
        """Write the key to a new file that only its owner can read.

        Raises:
            ConfigurationError: there is something at ``path`` already, or it cannot be written.
        """
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        content = self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        try:
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise ConfigurationError(f"{path}: cannot be written ({type(error).__name__})") from None
        with os.fdopen(opened, "wb") as file:
            file.write(content)

    @property
    def public(self) -> str:
        """The public key as a table has it: ``ed25519:`` and 32 bytes in base64."""
        return _SCHEME + base64.b64encode(self._key.public_key().public_bytes_raw()).decode()

    def signer_in(self, table: Signers) -> str:
        """The name under which ``table`` knows this key.

        Raises:
            ConfigurationError: it knows it under none.
        """
        for name, signer in (table.signers or {}).items():
            if signer.key == self.public:
                return name
        raise ConfigurationError(f"the table names no signer with this key; add one with key: {self.public}")

    def sign(self, evidence: EvidenceFile, signer: str) -> EvidenceFile:
        """``evidence`` with the signature of ``signer``."""
        unsigned = evidence.with_signature(signer, self.public, "")
        signature = base64.b64encode(self._key.sign(unsigned.signed_bytes())).decode()
        return unsigned.with_signature(signer, self.public, signature)


def signature_of(evidence: EvidenceFile, table: Signers) -> Literal["good", "unknown-signer", "broken"]:
    """Whether the signature is that of a signer of ``table``, of a stranger, or of nobody."""
    signer = (table.signers or {}).get(evidence.signer)
    if signer is None or signer.key != evidence.key:
        return "unknown-signer"
    return "good" if _fits(evidence) else "broken"


def facts(files: Iterable[EvidenceFile], table: Signers, now: int) -> dict[str, Any]:
    """What the rules are told: each statement with its table, its signer and whether the signature is good.

    ``now`` is the moment of the decision in seconds since 1970.
    """
    statements = [
        {
            **asdict(statement),
            "table": evidence.table,
            "signer": evidence.signer,
            "signature": signature_of(evidence, table),
        }
        for evidence in files
        for statement in evidence.statements
    ]
    return {"now": now, "table": table.digest, "statements": statements}


def refuse_tampered(evidence: EvidenceFile, table: Signers, where: str) -> None:
    """Stop at evidence that a known signer did not sign as it is.

    Raises:
        EvidenceRefused: it was changed after it was signed, or the signature is somebody else's.
    """
    if signature_of(evidence, table) == "broken":
        raise EvidenceRefused(
            f"{where}: {evidence.signer} did not sign this: it was changed after it was signed; verify the table again"
        )


def _fits(evidence: EvidenceFile) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(evidence.key.removeprefix(_SCHEME), validate=True))
        key.verify(base64.b64decode(evidence.signature, validate=True), evidence.signed_bytes())
    except (InvalidSignature, ValueError):
        return False
    return True
