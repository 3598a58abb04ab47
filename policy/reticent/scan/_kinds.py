"""What a content is, told from its first bytes."""

from __future__ import annotations

import re
from typing import Final

from reticent.scan._msgpack import begins, is_pickle
from reticent.scan.findings import NotRead
from reticent.streams.detect import detect

_ENCRYPTED: Final = (
    (b"Salted__", "OpenSSL"),
    (b"age-encryption.org/", "age"),
    (b"-----BEGIN PGP MESSAGE-----", "OpenPGP"),
    (b"-----BEGIN AGE ENCRYPTED FILE-----", "age"),
    (b"LUKS\xba\xbe", "LUKS"),
    (b"$ANSIBLE_VAULT;", "Ansible Vault"),
    (b"PARE", "encrypted Parquet"),
)
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_AWS_PRELUDE: Final = re.compile(rb"[\x00\x01][\x00-\xff]{3}\x00[\x00-\xff]{7}[\x00-\xff]", re.DOTALL)
_RAW_BYTES: Final = re.compile(rb"[\x00-\x06\x0e-\x1a\x7f]")


def kind_of(head: bytes, *, is_all: bool) -> str:
    """The wire of a content that begins with ``head``.

    Or else ``msgpack``, ``encrypted``, ``wide-text``, ``pickle``, ``binary``, ``empty``.
    """
    if not head:
        return "empty"
    if any(head.startswith(mark) for mark, _ in _ENCRYPTED):
        return "encrypted"
    if head.startswith(_WIDE):
        return "wide-text"
    binary = _binary(head, is_all=is_all)
    return binary or detect(head, final=is_all) or "text"


def _binary(head: bytes, *, is_all: bool) -> str | None:
    """The kind of a content that is no text, or None."""
    if _AWS_PRELUDE.match(head) and b":message-type" in head:
        return "aws-eventstream"
    if is_pickle(head):
        return "pickle"
    try:
        if begins(head, is_all=is_all):
            return "msgpack"
    except ImportError:
        return "unsupported"
    return "binary" if _RAW_BYTES.search(head) else None


def unreadable(source: str, kind: str, head: bytes) -> NotRead:
    """Why a content of ``kind`` is not looked through."""
    if kind == "encrypted":
        by = next(name for mark, name in _ENCRYPTED if head.startswith(mark))
        return NotRead(source, "encrypted", f"encrypted ({by})")
    if kind == "wide-text":
        return NotRead(source, "unknown-encoding", "text in UTF-16; write it in UTF-8")
    if kind == "pickle":
        return NotRead(source, "pickle", "pickled Python objects, which are never unpickled")
    if kind == "unsupported":
        return NotRead(source, "unsupported", "binary; if it is MessagePack, install the extra: 'reticent[scan]'")
    return NotRead(source, "unknown-format", "binary of a format that is not known here, or encrypted")
