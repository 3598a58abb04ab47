"""Bodies with and without reasoning, and stores of every kind that hold them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import tarfile
import zipfile
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from backports import zstd
from pyarrow import parquet

import reticent
from reticent.conformance import load_vectors
from reticent.scan import Finding, NotRead, Scan, Scrub, scan, scrub, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reticent.scan import Note, Receipt, Settings

SECRET = "CANARY-9f1e27c4"
"""Stands in every carrier below, and may stand in nothing that a scan tells."""
SIGNATURE = "CANARYc2lnbmF0dXJl"
VISIBLE = "Your refund is on its way."

MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": f"{SECRET} third refund", "signature": SIGNATURE},
        {"type": "text", "text": VISIBLE},
    ],
}
FLAT: dict[str, Any] = {"role": "assistant", "reasoning_content": f"{SECRET} hm", "content": VISIBLE}
CLEAN: dict[str, Any] = {"id": "msg_2", "role": "assistant", "content": [{"type": "text", "text": VISIBLE}]}
ASKED: dict[str, Any] = {"role": "user", "content": "What does <think> mean, and the field thinking?", "n": 1.50}


KEPT = b'{"a": 1.50, "b": [1e3, "\\u00e9 think"], "reason" : "none"}   \r\n\n'
"""Lines that nothing is to change, spelt as no serializer would."""
LEFT = json.dumps({**MESSAGE, "content": MESSAGE["content"][1:]}).encode() + b"\n"
"""The line of ``MESSAGE`` without its reasoning."""


def events(*deltas: str, kind: str = "text") -> list[dict[str, Any]]:
    """One stream of the Anthropic API whose text comes in ``deltas``."""
    body: list[dict[str, Any]] = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": f"{kind}_delta", kind: delta}} for delta in deltas
    ]
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": kind, kind: ""}}
    return [start, *body, {"type": "content_block_stop", "index": 0}]


def sse(stream: Sequence[dict[str, Any]]) -> bytes:
    """``stream`` as server-sent events."""
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in stream)


def lines(*values: Any) -> bytes:
    """``values`` as JSON lines."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


@cache
def settings() -> Settings:
    """What the warehouse may not hold."""
    return settings_of(reticent.load_plan(), "warehouse")


def look(*targets: Path | str, **options: Any) -> list[Note]:
    """Everything that a scan of ``targets`` tells."""
    return list(scan(Scan([str(target) for target in targets], settings(), **options)))


def remove(*targets: Path | str, receipt: Path | None = None, **options: Any) -> Receipt:
    """Scrub ``targets``; with a receipt, really."""
    return scrub(Scrub([str(target) for target in targets], settings(), receipt=receipt, **options))


def found(notes: Sequence[Note]) -> list[Finding]:
    """The findings of ``notes``."""
    return [note for note in notes if isinstance(note, Finding)]


def gaps(notes: Sequence[Note]) -> list[NotRead]:
    """What was not read."""
    return [note for note in notes if isinstance(note, NotRead)]


@dataclass(frozen=True)
class Body:
    """One body, and whether the serializer of the warehouse takes something out of it."""

    name: str
    data: bytes
    holds: bool


@cache
def bodies() -> tuple[Body, ...]:
    """The conformance vectors that are whole documents or streams, judged by the filter itself."""
    plan = reticent.load_plan()
    made: list[Body] = []
    for vector in load_vectors():
        if vector.wire not in ("json", "sse", "jsonl") or vector.starts_inside:
            continue
        told = plan.stream("warehouse", wire=vector.wire)
        try:
            told.feed(vector.payload)
            told.flush()
        except reticent.ReticentError:
            continue
        if set(told.report.removals) & {"unknown-type", "json/duplicate-key"}:
            continue
        made.append(Body(vector.id, vector.payload, bool(told.report.removals)))
    return tuple(made)


def in_sqlite(path: Path, contents: Sequence[bytes | str]) -> None:
    """A SQLite file with ``contents`` as rows of one table, numbered from 1."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE bodies (id INTEGER PRIMARY KEY, note TEXT NOT NULL, body TEXT)")
        connection.executemany(
            "INSERT INTO bodies (note, body) VALUES ('kept', ?)", [(content,) for content in contents]
        )
    connection.close()


def in_parquet(path: Path, contents: Sequence[str], *, group: int = 100) -> None:
    """A Parquet file with ``contents`` as rows."""
    table = pa.table({"n": list(range(len(contents))), "body": contents})
    parquet.write_table(table, path, row_group_size=group, compression="zstd")


def _zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner/body.jsonl", data)
    return out.getvalue()


def _tarred(data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo("inner/body.jsonl")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": partial(gzip.compress, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}
ARCHIVED: dict[str, Callable[[bytes], bytes]] = {"zip": _zipped, "tar.gz": _tarred}
