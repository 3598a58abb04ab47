"""What the environment tells the service, read once at start."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, SecretStr, ValidationError

from reticent.errors import ConfigurationError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

PREFIX = "RETICENT_SERVICE_"
SHA256 = r"^[0-9a-f]{64}$"


class Settings(BaseModel):
    """The service's configuration; every field is read from ``RETICENT_SERVICE_<FIELD>``.

    A field that is a secret can stand in a file instead, named by ``RETICENT_SERVICE_<FIELD>_FILE``.
    """

    # An environment value can be a secret: it stays out of errors.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    table: Path | None = None
    """The table file; without one, the packaged table."""

    evidence: Path | None = None
    """The evidence file for the table (docs/evidence.md); without one, conditions that ask for evidence are lost."""

    evidence_key: Path | None = None
    """The private key with which the service itself verifies and writes that file; without one, somebody else does."""

    opa: AnyHttpUrl | None = None
    """The OPA server that decides the table and the callers; without one, the embedded engine."""

    opa_token: SecretStr | None = None
    """The bearer token for the OPA server."""

    opa_ca: Path | None = None
    """The file of authorities (PEM) to trust when the OPA server speaks TLS; without one, those of the installation."""

    opa_certificate: Path | None = None
    """The certificate (PEM) to show to the OPA server, with its key in the same file or in ``opa_key``."""

    opa_key: Path | None = None
    """The key (PEM) of that certificate."""

    poll_seconds: float = Field(default=2.0, gt=0)
    """How often, in seconds, the table, the callers and an OPA server's rules are looked at for a change."""

    callers: Path | None = None
    """The file of callers (docs/http.md); without one, and without an operator, everything is denied."""

    operator_sha256: str | None = Field(default=None, pattern=SHA256)
    """The SHA-256, in hex, of a token that may do everything; `reticent serve` makes one when nobody else may."""

    development: bool = False
    """Whether a caller on the loopback interface may do everything without a token."""

    trusted_proxies: str = ""
    """Addresses, separated by commas, whose ``x-forwarded-client-cert`` header is believed."""

    max_body_bytes: int = Field(default=16 * 1024 * 1024, ge=1024)
    """The longest body, in bytes, of one JSON document; a stream has no limit, but each of its events has."""

    receive_seconds: float = Field(default=30.0, gt=0)
    """The longest wait, in seconds, for the next bytes of a request body."""

    send_seconds: float = Field(default=30.0, gt=0)
    """The longest wait, in seconds, for a client to take the next bytes."""

    decision_log: str = "off"
    """Where each decision is logged as a line of JSON: ``off``, ``stderr``, ``stdout``, or a file."""

    traces: Literal["off", "otlp", "global"] = "off"
    """Where spans go: nowhere, by OTLP as the ``OTEL_*`` variables say, or to the provider that the process has."""

    store: SecretStr | None = None
    """The task store (docs/store.md): ``sqlite:///…``, ``postgresql://…`` or ``redis://…``; without one, no tasks."""

    keys: str | Path | None = None
    """What wraps the keys of tasks: a keyset file, or ``aws-kms:KEY`` for a key in AWS KMS; needed with a store."""

    store_seconds: float = Field(default=10.0, gt=0)
    """The longest wait, in seconds, for the task store to do one thing."""

    surface: str = "browser_stream"
    """The surface that clients of tasks are: what it may not show is held."""

    sweep_seconds: float = Field(default=60.0, gt=0)
    """How often, in seconds, expired tasks are erased."""

    break_glass: bool = True
    """Whether people may ask to see the reasoning of one task; with several workers `reticent serve` says no."""

    hash_key: SecretStr | None = None
    """The key of the hash by which the decision log names a body; without one, no hash is logged."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Read the settings from environment variables.

        Args:
            environ: The variables; the process's own when left out.
                An empty value counts as unset. Variables without the prefix are somebody else's.

        Raises:
            ConfigurationError: A variable with the prefix is unknown or has a wrong value, or a file cannot be read.
                The message names the variable and never its value.
        """
        values = _own(os.environ if environ is None else environ)
        secret = [name for name, field in cls.model_fields.items() if field.annotation == SecretStr | None]
        values |= _from_files(values, secret)
        for field in values:
            if field not in cls.model_fields:
                raise ConfigurationError(f"{_variable(field)} is no setting.{_nearest(field, cls.model_fields)}")
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            faults = sorted(f"{_variable(str(fault['loc'][0]))}: {fault['type']}" for fault in error.errors())
            raise ConfigurationError(f"wrong settings: {'; '.join(faults)}") from None


def _own(environ: Mapping[str, str]) -> dict[str, str]:
    return {name[len(PREFIX) :].lower(): value for name, value in environ.items() if name.startswith(PREFIX) and value}


def _from_files(values: dict[str, str], secret: Iterable[str]) -> dict[str, str]:
    """The secrets that files hold, less the end of their last line; ``values`` loses the names of these files."""
    found: dict[str, str] = {}
    for field in secret:
        path = values.pop(f"{field}_file", None)
        if path is None:
            continue
        if field in values:
            raise ConfigurationError(f"{_variable(field)} and {_variable(field)}_FILE are two values for one setting")
        try:
            found[field] = Path(path).read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
        except (OSError, ValueError) as error:
            why = type(error).__name__
            raise ConfigurationError(f"{_variable(field)}_FILE names a file that cannot be read ({why})") from None
    return found


def _variable(field: str) -> str:
    return PREFIX + field.upper()


def _nearest(field: str, known: Iterable[str]) -> str:
    return did_you_mean(_variable(field), map(_variable, known))
