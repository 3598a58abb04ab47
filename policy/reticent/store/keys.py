"""Key-encryption keys: a local keyset file with rotation, and the protocol that a key service implements.

The keys stand apart from the store on purpose: whoever reads the store's files, dumps or backups has ciphertext. A key
that is retired takes with it what every old backup still holds under it.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import os
import secrets
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from reticent.errors import ConfigurationError, KeyUnavailable, Tampered
from reticent.store import envelope

if TYPE_CHECKING:
    from collections.abc import Iterable

_VERSION: Final = 1


@runtime_checkable
class KeyWrapper(Protocol):
    """What wraps the data keys of tasks: a ``Keyset``, or an adapter to a key service.

    A wrapper is called once for each ``hold`` and ``restore``; an adapter to a remote service may keep what it
    unwrapped in memory for a while (``AwsKms`` does). It raises ``KeyUnavailable`` when the service is away or the key
    is gone.
    """

    @property
    def primary(self) -> str:
        """The name of the key that wraps new data keys."""
        ...

    def wrap(self, data_key: bytes, at: bytes) -> tuple[str, bytes]:
        """``(key name, wrapped key)`` of 32 bytes; ``at`` has to be given again to unwrap (encryption context)."""
        ...

    def unwrap(self, key_id: str, wrapped: bytes, at: bytes) -> bytes:
        """The data key.

        Raises:
            KeyUnavailable: ``key_id`` is not at hand, or is another key than the one that wrapped.
        """
        ...


@dataclass(frozen=True, slots=True)
class Key:
    """One key-encryption key: its name, 32 secret bytes, and when it was made, in seconds since 1970."""

    id: str
    secret: bytes
    created: float

    def __repr__(self) -> str:
        return f"Key({self.id!r})"


class Keyset:
    """Several key-encryption keys, one of them primary: it wraps, the others only unwrap.

    One that was loaded from a file reads the file again when it meets a key that it does not have, and before it wraps
    when the file has changed, so that workers need not be started anew when keys rotate.
    """

    __slots__ = ("_changed", "_file", "_keys", "_lasting", "_primary")

    def __init__(
        self,
        keys: Iterable[Key],
        primary: str,
        lasting: bytes | None = None,
        *,
        file: str | os.PathLike[str] | None = None,
    ) -> None:
        """Hold ``keys``; ``primary`` names the one that wraps, ``lasting`` is a secret that outlives rotation.

        ``file`` is where to look for keys that are added later.

        Raises:
            ConfigurationError: there is no such key, a name occurs twice, or a key has the wrong length.
        """
        listed = tuple(keys)
        self._keys = {key.id: key for key in listed}
        self._primary = primary
        self._file = file
        self._changed = _changed(file)
        self._lasting = lasting or secrets.token_bytes(envelope.KEY_BYTES)
        if len(self._keys) != len(listed):
            raise ConfigurationError("a keyset has two keys of one name")
        if primary not in self._keys:
            raise ConfigurationError(f"a keyset has no key {primary!r} to be its primary")
        if any(len(key.secret) != envelope.KEY_BYTES for key in listed):
            raise ConfigurationError(f"a key of a keyset has not {envelope.KEY_BYTES} bytes")

    def __repr__(self) -> str:
        return f"Keyset(primary={self._primary!r}, keys={list(self._keys)})"

    @property
    def primary(self) -> str:
        """The name of the key that wraps."""
        return self._primary

    @property
    def ids(self) -> tuple[str, ...]:
        """The names of all keys, oldest first."""
        return tuple(self._keys)

    def derive(self, purpose: bytes) -> bytes:
        """A key of 32 bytes for one ``purpose`` other than wrapping, the same before and after a rotation."""
        return HKDFExpand(hashes.SHA256(), envelope.KEY_BYTES, purpose).derive(self._lasting)

    def wrap(self, data_key: bytes, at: bytes) -> tuple[str, bytes]:
        """``data_key`` under the primary key, bound to ``at``; and the name of that key."""
        if self._changed != _changed(self._file):
            self._read_again()
        return self._primary, envelope.seal(self._keys[self._primary].secret, data_key, at)

    def unwrap(self, key_id: str, wrapped: bytes, at: bytes) -> bytes:
        """The data key that ``wrap`` was given.

        Raises:
            KeyUnavailable: the keyset has no key ``key_id``, or another one of that name.
        """
        key = self._keys.get(key_id) or self._read_again().get(key_id)
        if key is None:
            raise KeyUnavailable(f"key {key_id!r} is not in the keyset; load the keyset that has it")
        try:
            return envelope.unseal(key.secret, wrapped, at)
        except Tampered:
            pass
        raise KeyUnavailable(f"key {key_id!r} does not unwrap the task's key: it is another key, or the row was moved")

    def _read_again(self) -> dict[str, Key]:
        """The keys as the file has them by now; those we have when there is no file, or none that can be read."""
        if self._file is not None:
            self._changed = _changed(self._file)
            with contextlib.suppress(ConfigurationError):
                keys, self._primary, _ = _read(self._file)
                self._keys = {key.id: key for key in keys}
        return self._keys

    # --- made and changed ---------------------------------------------------------------------------------------

    @classmethod
    def generate(cls) -> Keyset:
        """A keyset of one new random key."""
        key = _new_key()
        return cls([key], key.id)

    def rotated(self) -> Keyset:
        """This keyset with a new key as its primary; the old ones stay, to unwrap what they wrapped."""
        key = _new_key()
        return Keyset([*self._keys.values(), key], key.id, self._lasting)

    def without(self, key_id: str) -> Keyset:
        """This keyset less one key. What only that key can unwrap, in backups too, is gone for good.

        Raises:
            ConfigurationError: it is the primary, or there is none of that name.
        """
        if key_id == self._primary:
            raise ConfigurationError(f"key {key_id!r} is the primary; rotate first")
        if key_id not in self._keys:
            raise ConfigurationError(f"a keyset has no key {key_id!r}")
        return Keyset([key for key in self._keys.values() if key.id != key_id], self._primary, self._lasting)

    # --- files --------------------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Keyset:
        """The keyset in a file that ``save`` wrote.

        Raises:
            ConfigurationError: there is no such file, or it is no keyset.
        """
        return cls(*_read(path), file=path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the keyset, whole or not at all, to a file that its owner alone can read.

        Raises:
            ConfigurationError: the file cannot be written.
        """
        target = Path(path)
        keys = [
            {"id": key.id, "created": key.created, "secret": base64.b64encode(key.secret).decode()}
            for key in self._keys.values()
        ]
        lasting = base64.b64encode(self._lasting).decode()
        told = {"version": _VERSION, "primary": self._primary, "keys": keys, "lasting": lasting}
        text = json.dumps(told, indent=2)
        try:
            _replace(target, text.encode() + b"\n")
        except OSError as error:
            raise ConfigurationError(f"keyset {os.fspath(path)!r} cannot be written: {error.strerror}") from None


def _read(path: str | os.PathLike[str]) -> tuple[list[Key], str, bytes]:
    """The keys in a file, the name of the primary, and the secret that outlives rotation.

    Raises:
        ConfigurationError: it cannot be read, or is no keyset; nothing of it is quoted.
    """
    try:
        told: Any = json.loads(Path(path).read_bytes())
        if told["version"] == _VERSION:
            lasting = base64.b64decode(told["lasting"], validate=True)
            return [_key(row) for row in told["keys"]], told["primary"], lasting
        said = f"has version {int(told['version'])}; this release reads {_VERSION}"
    except OSError as error:
        said = f"cannot be read: {error.strerror}"
    except (ValueError, TypeError, KeyError, AttributeError, binascii.Error):
        said = "is no keyset that this release can read"
    raise ConfigurationError(f"keyset {os.fspath(path)!r} {said}")


def _changed(file: str | os.PathLike[str] | None) -> int | None:
    """When a file was changed, in nanoseconds; None when there is none to look at."""
    if file is not None:
        with contextlib.suppress(OSError):
            return Path(file).stat().st_mtime_ns
    return None


def _key(row: Any) -> Key:
    return Key(str(row["id"]), base64.b64decode(row["secret"], validate=True), float(row["created"]))


def _new_key() -> Key:
    return Key(f"k{secrets.token_hex(4)}", secrets.token_bytes(envelope.KEY_BYTES), time.time())


def _replace(target: Path, data: bytes) -> None:
    # mkstemp makes the file readable for its owner alone before anything is in it.
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
