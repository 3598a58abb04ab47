"""Certificates of a gRPC server: read from files, checked before they are used, and read again when they change.

https://grpc.github.io/grpc/python/grpc.html#grpc.dynamic_ssl_server_credentials (read 2026-11-30)
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from reticent.compiler.following import Follower, Mark, stamp
from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from grpc import ServerCertificateConfiguration, ServerCredentials

__all__ = ["Tls", "credentials"]

_log = logging.getLogger("reticent")


@dataclass(frozen=True, slots=True)
class Tls:
    """Files of PEM: the server's ``certificate`` with its chain, and the ``key``, which no passphrase protects.

    With ``client_ca``, a file of authorities, only clients with a certificate that one of them issued are answered.
    """

    certificate: str | Path
    key: str | Path
    client_ca: str | Path | None = None


def credentials(tls: Tls) -> ServerCredentials:
    """The credentials for a port. Files are looked at when a client connects, and used again once they fit together.

    Raises:
        ConfigurationError: a file cannot be read, or key and certificate do not belong together.
    """
    files = _Files(tls)
    return grpc.dynamic_ssl_server_credentials(
        files.configuration, files.fresh, require_client_authentication=tls.client_ca is not None
    )


class _Files:
    def __init__(self, tls: Tls) -> None:
        self._tls = tls
        self._follower = Follower(self._look, self._load, self._keep)
        self._load()

    def fresh(self) -> ServerCertificateConfiguration | None:
        """Another configuration when files have changed and fit together; None: go on with the last one."""
        return self.configuration if self._follower.refresh() else None

    def _look(self) -> Mark:
        return tuple(map(stamp, (self._tls.certificate, self._tls.key, self._tls.client_ca)))

    def _load(self) -> None:
        chain, key = _read(self._tls.certificate), _read(self._tls.key)
        _check_pair(chain, key, self._tls)
        authorities = None if self._tls.client_ca is None else _read(self._tls.client_ca)
        if authorities is not None:
            _certificates(authorities, self._tls.client_ca)
        self.configuration = grpc.ssl_server_certificate_configuration([(key, chain)], authorities)

    @staticmethod
    def _keep(code: str) -> None:
        _log.error("the certificate in use stays, a new one cannot be loaded: %s", code)


def _read(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read ({type(error).__name__})") from None


def _certificates(pem: bytes, path: object) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(pem)
    except ValueError:
        raise ConfigurationError(f"{path}: holds no certificate in PEM") from None


def _check_pair(chain: bytes, key: bytes, tls: Tls) -> None:
    certificate = _certificates(chain, tls.certificate)[0]
    try:
        private = load_pem_private_key(key, None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise ConfigurationError(f"{tls.key}: holds no private key in PEM without a passphrase") from None
    if private.public_key() != certificate.public_key():
        raise ConfigurationError(f"{tls.key}: is not the key of the certificate in {tls.certificate}")
