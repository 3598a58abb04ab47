"""Who calls: the file of callers, and the credentials of one request.

No token is kept anywhere: the file holds the SHA-256 of each, and a token is looked up by its hash. That is enough for
tokens that a machine drew (256 bits); a password that a person chose does not belong there.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from reticent.errors import ConfigurationError
from reticent_service.settings import SHA256

if TYPE_CHECKING:
    from reticent_service.settings import Settings

OPERATOR: Final = "operator"
DEVELOPMENT: Final = "development"

EVERYTHING: Final = {
    "verbs": ["read", "filter", "reasoning", "plan", "propose", "history", "metrics", "tasks", "restore"],
    "surfaces": ["*"],
}

# The header is made of elements separated by commas, each of pairs separated by semicolons:
# https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers#x-forwarded-client-cert
_CERTIFICATE = re.compile(rb"(?:^|;)Hash=([0-9a-f]{64})(?:;|$)", re.IGNORECASE)

_Digest = Annotated[str, StringConstraints(pattern=SHA256)]


class Grant(BaseModel):
    """Verbs, and the surfaces they are granted for (``*`` for all)."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    verbs: tuple[str, ...]
    surfaces: tuple[str, ...] = ()


class CallerEntry(BaseModel):
    """One caller: how it is known, what it may do, and until when."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    token_sha256: tuple[_Digest, ...] = ()
    certificate_sha256: tuple[_Digest, ...] = ()
    expires: date | None = None
    person: str | None = None
    """Who it is, where one person has several callers: nobody approves what they asked for under another name."""
    may: tuple[Grant, ...]


class CallersFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    version: Literal[1]
    callers: Mapping[str, CallerEntry]


@dataclass(frozen=True, slots=True)
class Callers:
    """Every caller: by the hash of a token, by the hash of a certificate, and with what was granted to it."""

    by_token: Mapping[str, str] = field(repr=False)
    by_certificate: Mapping[str, str] = field(repr=False)
    granted: Mapping[str, Mapping[str, object]]
    persons: Mapping[str, str] = field(default_factory=dict[str, str])


def read_callers(settings: Settings) -> Callers:
    """The callers that the settings name.

    Raises:
        ConfigurationError: the file cannot be read, is not such a file, or gives one credential to two callers.
    """
    entries = dict(_file(settings.callers).callers) if settings.callers is not None else {}
    granted: dict[str, Mapping[str, object]] = {name: _told(entry) for name, entry in entries.items()}
    tokens = [(digest, name) for name, entry in entries.items() for digest in entry.token_sha256]
    certificates = [(digest, name) for name, entry in entries.items() for digest in entry.certificate_sha256]
    for name in {OPERATOR, DEVELOPMENT} & entries.keys():
        raise ConfigurationError(f"the callers file: {name!r} is the service's own word; use another name")
    if settings.operator_sha256 is not None:
        tokens.append((settings.operator_sha256, OPERATOR))
        granted[OPERATOR] = {"expires": None, "may": [EVERYTHING]}
    if settings.development:
        granted[DEVELOPMENT] = {"expires": None, "may": [EVERYTHING]}
    persons = {name: entry.person for name, entry in entries.items() if entry.person}
    return Callers(_once(tokens, "token"), _once(certificates, "certificate"), granted, persons)


def hash_of(token: str) -> str:
    """The hash by which the file names a token."""
    return hashlib.sha256(token.encode()).hexdigest()


class Identifier:
    """Says who sends a request; one for each list of callers."""

    def __init__(self, callers: Callers, settings: Settings) -> None:
        """Know ``callers``; believe the proxies of ``settings``."""
        self._callers = callers
        self._development = settings.development
        self._proxies = frozenset(part.strip() for part in settings.trusted_proxies.split(",") if part.strip())

    def person_of(self, caller: str) -> str:
        """Who a caller is: the person that the file names, else the caller itself."""
        return self._callers.persons.get(caller, caller)

    def __call__(self, headers: Iterable[tuple[bytes, bytes]], peer: str | None) -> str | None:
        """The name of the caller, None for nobody that is known.

        A token that is given and wrong is never made good by something else.
        """
        authorization = certificate = None
        for name, value in headers:
            if name == b"authorization":
                authorization = value
            elif name == b"x-forwarded-client-cert" and peer in self._proxies:
                certificate = value
        if authorization is not None:
            token = _token(authorization)
            return None if token is None else self._callers.by_token.get(hash_of(token))
        if certificate is not None:
            # The nearest proxy wrote the last element.
            found = _CERTIFICATE.search(certificate.rpartition(b",")[2].strip())
            return None if found is None else self._callers.by_certificate.get(found[1].decode().lower())
        return DEVELOPMENT if self._development and is_loopback(peer) else None


def is_loopback(peer: str | None) -> bool:
    """Whether an address is this machine's own."""
    try:
        return peer is not None and ip_address(peer).is_loopback
    except ValueError:
        return False


def _token(authorization: bytes) -> str | None:
    """The token of a header: ``Bearer`` for programs, the password of ``Basic`` for people with a browser."""
    scheme, _, value = authorization.partition(b" ")
    try:
        if scheme.lower() == b"bearer":
            return value.strip().decode()
        if scheme.lower() == b"basic":
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2].decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return None


def _told(entry: CallerEntry) -> Mapping[str, object]:
    return {
        "expires": entry.expires.isoformat() if entry.expires else None,
        "may": [{"verbs": list(grant.verbs), "surfaces": list(grant.surfaces)} for grant in entry.may],
    }


def _once(pairs: list[tuple[str, str]], what: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for digest, name in pairs:
        if found.setdefault(digest, name) != name:
            raise ConfigurationError(f"the callers file: {found[digest]!r} and {name!r} have the same {what}")
    return found


def _file(path: Path) -> CallersFile:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        content = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
        return CallersFile.model_validate(content)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read ({type(error).__name__})") from None
    except (YAMLError, UnicodeDecodeError, RecursionError):
        raise ConfigurationError(f"{path}: not YAML") from None
    except ValidationError as error:
        faults = sorted(f"{'.'.join(map(str, fault['loc']))}: {fault['type']}" for fault in error.errors())
        raise ConfigurationError(f"{path}: {'; '.join(faults)}") from None
