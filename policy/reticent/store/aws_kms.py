"""Key-encryption keys in AWS KMS, for data keys that no file of yours can open.

The caller makes the client (``boto3.client("kms")``), with its region, credentials, timeouts and retries. Data keys go
to KMS and back with an encryption context that names tenant and task, so that a wrapped key that was moved to another
task does not open, and so that a key policy can ask for one
(https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html, read 2026-11-30). KMS writes that context
to CloudTrail in plain text: give tenants and tasks names that may stand there.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, Protocol

from reticent.errors import KeyDenied, KeyServiceAway, KeyUnavailable
from reticent.store import envelope

__all__ = ["AwsKms", "KmsClient"]

_AWAY: Final = frozenset(
    {
        "DependencyTimeoutException",
        "InternalFailure",
        "KMSInternalException",
        "KeyUnavailableException",
        "LimitExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "ThrottlingException",
    }
)
_DENIED: Final = frozenset(
    {
        "AccessDeniedException",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "NotAuthorized",
        "OptInRequired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
_NOT_THIS_ONE: Final = frozenset({"IncorrectKeyException", "InvalidCiphertextException"})
"""Error codes: https://docs.aws.amazon.com/kms/latest/APIReference/API_Decrypt.html and ``CommonErrors.html`` there."""
_FAILING: Final = 500
_MOST: Final = 1024


class KmsClient(Protocol):
    """What is used of a client that boto3 makes for ``kms``."""

    def encrypt(self, **request: Any) -> Any:
        """``Encrypt``: up to 4096 bytes under a key."""
        ...

    def decrypt(self, **request: Any) -> Any:
        """``Decrypt``."""
        ...

    def describe_key(self, **request: Any) -> Any:
        """``DescribeKey``: what an alias stands for."""
        ...


class AwsKms:
    """A ``KeyWrapper`` whose keys stay in AWS KMS. Safe to share between threads, as clients of boto3 are.

    To rotate, let KMS rotate the key's material (nothing changes here), or point the alias at a new key and call
    ``Store.rewrap``; then the old key can be disabled, and later deleted, with everything that old backups hold.
    """

    def __init__(
        self,
        client: KmsClient,
        key: str,
        *,
        remember: timedelta = timedelta(minutes=1),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Wrap with ``key``, an id, an ARN or an alias (``alias/tasks``) of a symmetric key.

        An unwrapped data key is remembered for the time ``remember`` says, so that the turns of a task do not each
        wait for KMS; that is also how long a key that was disabled, or a task that another process has ended, stays
        readable in the memory of this one. ``clock`` counts seconds.
        """
        self._client = client
        self._key = key
        self._remembered = _Remembered(remember.total_seconds(), clock)

    def __repr__(self) -> str:
        return f"AwsKms({self._key!r})"

    @property
    def primary(self) -> str:
        """The ARN of the key that wraps new data keys; an alias is looked up each time.

        Raises:
            KeyUnavailable: KMS cannot be asked, or has no such key.
        """
        if ":key/" in self._key:
            return self._key
        described = self._asked(lambda: self._client.describe_key(KeyId=self._key))
        return str(described["KeyMetadata"]["Arn"])

    def wrap(self, data_key: bytes, at: bytes) -> tuple[str, bytes]:
        """The ARN of the key, and ``data_key`` under it, bound to ``at``.

        Raises:
            KeyServiceAway: KMS could not be asked; nothing was kept, try again.
            KeyDenied: the caller may not use the key.
            KeyUnavailable: the key is disabled, or there is none.
        """
        told = self._asked(
            lambda: self._client.encrypt(KeyId=self._key, Plaintext=data_key, EncryptionContext=_context(at))
        )
        key_id, wrapped = str(told["KeyId"]), bytes(told["CiphertextBlob"])
        self._remembered.put((key_id, wrapped, at), data_key)
        return key_id, wrapped

    def unwrap(self, key_id: str, wrapped: bytes, at: bytes) -> bytes:
        """The data key that ``wrap`` was given.

        Raises:
            KeyServiceAway: KMS could not be asked; try again.
            KeyDenied: the caller may not use the key.
            KeyUnavailable: the key is disabled or gone, is another one, or the row was moved.
        """
        name = (key_id, wrapped, at)
        known = self._remembered.get(name)
        if known is not None:
            return known
        told = self._asked(
            lambda: self._client.decrypt(KeyId=key_id, CiphertextBlob=wrapped, EncryptionContext=_context(at)), key_id
        )
        data_key = bytes(told["Plaintext"])
        self._remembered.put(name, data_key)
        return data_key

    def prove(self) -> None:
        """Have KMS encrypt and decrypt something, under the tenant ``reticent`` and the task ``start``.

        Raises:
            KeyServiceAway, KeyDenied, KeyUnavailable: as for ``wrap`` and ``unwrap``.
        """
        at = envelope.place("reticent", "start")
        key_id, wrapped = self.wrap(envelope.new_data_key(), at)
        self._remembered.forget((key_id, wrapped, at))
        self.unwrap(key_id, wrapped, at)

    def _asked(self, call: Callable[[], Any], key_id: str | None = None) -> Any:
        """What KMS answers.

        Raises:
            KeyUnavailable: it does not, or refuses; errors of boto3 stop here, because they quote requests.
        """
        from botocore.exceptions import BotoCoreError, ClientError, CredentialRetrievalError, NoCredentialsError

        name = self._key if key_id is None else key_id
        try:
            return call()
        except ClientError as error:
            failure = _failure(error.response, name)
        except (NoCredentialsError, CredentialRetrievalError) as error:
            failure = KeyDenied(f"there are no credentials for key {name!r} ({type(error).__name__})")
        except BotoCoreError as error:
            failure = KeyServiceAway(f"KMS cannot be asked for key {name!r} ({type(error).__name__}); try again")
        raise failure


def _context(at: bytes) -> dict[str, str]:
    tenant, task = envelope.names(at)
    return {"reticent:tenant": tenant, "reticent:task": task}


def _failure(response: dict[str, Any], name: str) -> KeyUnavailable:
    """What an error of KMS means; only its code is told."""
    code = str(response.get("Error", {}).get("Code", ""))
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _DENIED:
        return KeyDenied(f"key {name!r} may not be used by this caller ({code}); check policies and credentials")
    if code in _NOT_THIS_ONE:
        return KeyUnavailable(f"key {name!r} does not unwrap the task's key: it is another key, or the row was moved")
    if code in _AWAY or status >= _FAILING:
        return KeyServiceAway(f"KMS does not answer for key {name!r} ({code}); try again")
    return KeyUnavailable(f"key {name!r} cannot be used ({code}); enable it, or name another")


class _Remembered:
    """Data keys that were unwrapped lately, the oldest go first."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, bytes, bytes], tuple[float, bytes]] = OrderedDict()

    def get(self, name: tuple[str, bytes, bytes]) -> bytes | None:
        with self._lock:
            until, data_key = self._kept.get(name, (0.0, b""))
            if data_key and self._clock() < until:
                return data_key
            self._kept.pop(name, None)
        return None

    def forget(self, name: tuple[str, bytes, bytes]) -> None:
        with self._lock:
            self._kept.pop(name, None)

    def put(self, name: tuple[str, bytes, bytes], data_key: bytes) -> None:
        if self._seconds <= 0:
            return
        now = self._clock()
        with self._lock:
            self._kept[name] = (now + self._seconds, data_key)
            self._kept.move_to_end(name)
            while self._kept and (len(self._kept) > _MOST or next(iter(self._kept.values()))[0] <= now):
                self._kept.popitem(last=False)
