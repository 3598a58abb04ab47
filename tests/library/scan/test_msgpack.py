"""MessagePack in files and cells: what is found, that nothing else changes, and that nothing is unpickled."""

from __future__ import annotations

import json
import pickle
import sqlite3
import struct
from typing import TYPE_CHECKING, Any

import msgpack
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.library.scan.material import (
    CLEAN,
    FLAT,
    MESSAGE,
    SECRET,
    VISIBLE,
    bodies,
    events,
    found,
    gaps,
    look,
    remove,
    sse,
)
from tests.library.scan.material import settings as looked_for

from reticent.scan._msgpack import opened
from reticent.scan._msgpack_cut import without

if TYPE_CHECKING:
    from pathlib import Path


def extension(code: int, *content: Any) -> msgpack.ExtType:
    """An object as LangGraph's serializer writes it: a module, a class, arguments."""
    return msgpack.ExtType(code, msgpack.packb(content))


def in_cells(path: Path, cells: list[bytes]) -> None:
    """A SQLite file with ``cells`` as rows, numbered from 1."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE blobs (id INTEGER PRIMARY KEY, type TEXT, blob BLOB)")
        connection.executemany("INSERT INTO blobs (type, blob) VALUES ('msgpack', ?)", [(cell,) for cell in cells])
    connection.close()


def test_every_vector_is_found_as_an_object(tmp_path: Path) -> None:
    """As an object of a file, a cell of SQLite and a cell of Parquet every vector is found, and no other is."""
    packed = [msgpack.packb(_values(body.data)) for body in bodies()]
    (tmp_path / "a.msgpack").write_bytes(b"".join(packed))
    in_cells(tmp_path / "b.db", packed)
    parquet.write_table(pa.table({"n": list(range(len(packed))), "blob": packed}), tmp_path / "c.parquet")
    wanted = {at for at, body in enumerate(bodies()) if body.holds}
    starts = {sum(map(len, packed[:at])): at for at in range(len(packed))}
    notes = look(tmp_path)

    assert [] == gaps(notes)
    assert wanted == {starts[note.where.offset] for note in found(notes) if note.where.offset is not None}
    assert wanted == {int((note.where.key or "=").partition("=")[2]) - 1 for note in found(notes) if note.where.key}
    assert wanted == {note.where.row for note in found(notes) if note.where.row is not None}


def _values(data: bytes) -> Any:
    """A body as an object: its own values, or what came over the wire as a member."""
    try:
        value = json.loads(data)
    except ValueError:
        return {"id": 7, "body": data.decode()}
    return value if isinstance(value, (dict, list)) else {"body": value}


def test_no_object_holds_anything_after_a_scrub(tmp_path: Path) -> None:
    """After a scrub a second scan finds nothing, and objects that held nothing have their bytes."""
    packed = [(msgpack.packb(_values(body.data)), body.holds) for body in bodies()[::3]]
    (tmp_path / "a.msgpack").write_bytes(b"".join(data for data, _ in packed))
    in_cells(tmp_path / "b.db", [data for data, _ in packed])
    receipt = remove(tmp_path, receipt=tmp_path.parent / f"{tmp_path.name}.json")
    rows = sqlite3.connect(tmp_path / "b.db").execute("SELECT blob FROM blobs ORDER BY id").fetchall()

    assert [] == receipt.kept
    assert [] == look(tmp_path)
    for (data, holds), (cell,) in zip(packed, rows, strict=True):
        assert holds == (data != cell)
        msgpack.unpackb(cell)


NUMBERS = st.integers(0, 127).flatmap(
    lambda number: st.sampled_from(
        [
            bytes([number]),
            b"\xcc" + bytes([number]),
            b"\xd3" + struct.pack(">q", number),
            b"\xcb" + struct.pack(">d", number),
        ]
    )
)
"""The same numbers, spelt as no packer would."""
TEXTS = st.text(max_size=20).map(str.encode).map(lambda text: b"\xda" + struct.pack(">H", len(text)) + text)
SCALARS = st.one_of(NUMBERS, TEXTS, st.sampled_from([b"\xc0", b"\xc2", b"\xd6\xff\x00\x00\x00\x07", b"\xc4\x02ab"]))
ENTRIES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: b"\xdc" + struct.pack(">H", len(items)) + b"".join(items)),
        st.lists(inner, max_size=4).map(
            lambda items: (
                b"\xdf"
                + struct.pack(">I", len(items))
                + b"".join(b"\xa1%c%s" % (97 + at, item) for at, item in enumerate(items))
            )
        ),
        inner.map(lambda item: msgpack.packb(msgpack.ExtType(42, b"\x91" + item))),
    ),
    max_leaves=12,
)
THOUGHT = msgpack.packb(MESSAGE["content"][0])


@settings(max_examples=60)
@given(st.lists(st.tuples(ENTRIES, st.booleans()), min_size=1, max_size=6), st.integers(0, 3))
def test_everything_else_is_byte_identical(blocks: list[tuple[bytes, bool]], depth: int) -> None:
    """However the rest is spelt, and however deep it stands in extension types, only the carriers' bytes go."""

    def message(*, thinks: bool) -> bytes:
        items = [piece for block, before in blocks for piece in ([THOUGHT, block] if before and thinks else [block])]
        said = msgpack.packb({"type": "text", "text": VISIBLE})
        data = (
            b"\x83\xa4role\xd9\x09assistant\xa1n\xcd\x00\x01\xa7content"
            + msgpack.Packer().pack_array_header(len(items) + 1)
            + b"".join([said, *items])
        )
        for _ in range(depth):
            data = msgpack.packb(msgpack.ExtType(5, b"\x94\xa1m\xa1c" + data + b"\xa1v"))
        return data

    packed = opened(message(thinks=True))
    assert packed is not None
    _, edit = JUDGE.value(packed.value)
    out = packed.data if edit is None else without(packed.data, edit)
    assert message(thinks=False) == out


JUDGE = looked_for().judge()


THOUGHT_AWAY = {**MESSAGE, "content": MESSAGE["content"][1:]}
STATE = {"reasoning_content": SECRET, "n": 1}


@pytest.mark.parametrize(
    ("made", "left"),
    [
        (extension(2, "app", "State", STATE), extension(2, "app", "State", {**STATE, "reasoning_content": None})),
        (extension(5, "app", "State", STATE, "x"), extension(5, "app", "State", {"n": 1}, "x")),
        (
            extension(1, "langgraph.types", "Send", ["node", MESSAGE["content"][0]]),
            extension(1, "langgraph.types", "Send", ["node", None]),
        ),
        (
            extension(0, "collections", "deque", MESSAGE["content"]),
            extension(0, "collections", "deque", THOUGHT_AWAY["content"]),
        ),
        (msgpack.ExtType(7, msgpack.packb(MESSAGE)), msgpack.ExtType(7, msgpack.packb(THOUGHT_AWAY))),
        (msgpack.packb(FLAT), msgpack.packb({name: FLAT[name] for name in ("role", "content")})),
        (json.dumps(MESSAGE).encode(), json.dumps(THOUGHT_AWAY).encode()),
    ],
    ids=["keyword", "model", "positional", "single", "snapshot", "bytes", "json"],
)
def test_what_an_object_is_made_of(made: Any, left: Any, tmp_path: Path) -> None:
    """Arguments of objects keep their number where they are counted; members that a class may lack go."""
    in_cells(tmp_path / "a.db", [msgpack.packb({"channel": [7, made]})])
    remove(tmp_path / "a.db", receipt=tmp_path / "receipt.json")
    ((cell,),) = sqlite3.connect(tmp_path / "a.db").execute("SELECT blob FROM blobs")

    assert msgpack.packb({"channel": [7, left]}) == cell


THOUGHT_IN_LIST = ["app", "State", {"n": 1}, MESSAGE["content"][0]]


@pytest.mark.parametrize("code", [0, 2, 5, 6, 42])
@pytest.mark.parametrize(
    "content",
    [THOUGHT_IN_LIST, ["<f8", MESSAGE["content"], "C"], ["a b", "State", FLAT], FLAT, [[[FLAT]]]],
    ids=["behind", "numbers", "names", "map", "deep"],
)
def test_no_extension_type_hides_anything(code: int, content: Any, tmp_path: Path) -> None:
    """Whatever an application makes of the codes that LangGraph uses, all that is inside is looked at, and goes."""
    made = msgpack.packb({"state": msgpack.ExtType(code, msgpack.packb(content))})
    in_cells(tmp_path / "a.db", [made])
    wanted = look(tmp_path / "a.db")
    remove(tmp_path / "a.db", receipt=tmp_path / "receipt.json")
    ((cell,),) = sqlite3.connect(tmp_path / "a.db").execute("SELECT blob FROM blobs")

    assert found(wanted)
    assert SECRET.encode() not in cell
    assert code == msgpack.unpackb(cell)["state"].code


def test_arrays_of_numbers_are_no_gap(tmp_path: Path) -> None:
    """An array of numpy as LangGraph writes it holds nothing when it is of numbers, and is told when it is of text."""
    numbers = msgpack.ExtType(6, msgpack.packb(["<f8", [2], "C", struct.pack("<dd", 0.1, 0.2)]))
    texts = msgpack.ExtType(6, msgpack.packb(["<U2", [1], "C", b"\xff\x00\x00\x00"]))
    in_cells(tmp_path / "a.db", [msgpack.packb({"a": numbers})])
    in_cells(tmp_path / "b.db", [msgpack.packb({"a": texts})])

    assert [] == look(tmp_path / "a.db")
    assert ["unknown-format"] == [gap.code for gap in gaps(look(tmp_path / "b.db"))]


@pytest.mark.parametrize(
    "said", [sse(events(SECRET, kind="thinking")).decode(), f"<think>{SECRET}</think>{VISIBLE}"], ids=["stream", "raw"]
)
def test_texts_are_judged_as_texts(said: str, tmp_path: Path) -> None:
    """A cell that is one text in MessagePack is judged as that text, and is one afterwards."""
    in_cells(tmp_path / "a.db", [msgpack.packb(said)])
    wanted = look(tmp_path / "a.db")
    remove(tmp_path / "a.db", receipt=tmp_path / "receipt.json")
    ((cell,),) = sqlite3.connect(tmp_path / "a.db").execute("SELECT blob FROM blobs")

    assert found(wanted)
    assert SECRET not in msgpack.unpackb(cell)


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        """Make ``path``."""
        self.path = path

    def __reduce__(self) -> Any:
        return open, (str(self.path), "w")


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_nothing_is_unpickled(protocol: int, tmp_path: Path) -> None:
    """Pickled objects are told as not read, in files, in cells and inside MessagePack, and nothing of them runs."""
    data = pickle.dumps({"thinking": SECRET, "x": Bomb(tmp_path / "made")}, protocol)
    (tmp_path / "a.pickle").write_bytes(data)
    in_cells(tmp_path / "b.db", [data, msgpack.packb({"state": data})])
    told = [gap for gap in gaps(look(tmp_path)) if gap.code == "pickle"]

    assert 2 == len(told)
    assert "2 cells" in told[1].message
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (msgpack.packb(CLEAN) + msgpack.packb(MESSAGE)[:-9], "truncated"),
        (msgpack.packb(CLEAN) + b"\xc1\xc1", "malformed-input"),
        (msgpack.packb(CLEAN) + b"\x82\xa1a\x01\xa1a\x02", "malformed-input"),
        (b"\x81\xa1a" + b"\x91" * 2000 + b"\xc0", "malformed-input"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "unknown-format"),
        (msgpack.packb({"a": b"\xff\xfe\x00" * 9}), "unknown-format"),
        (msgpack.packb({"a": "x" * 70_000_000}), "input-too-large"),
    ],
    ids=["truncated", "malformed", "twice", "deep", "png", "bytes", "large"],
)
def test_what_cannot_be_read_is_told(content: bytes, code: str, tmp_path: Path) -> None:
    """A file that is no MessagePack to its end, or holds bytes that nobody can read, is told, and nothing is raised."""
    (tmp_path / "file").write_bytes(content)

    assert [code] == [gap.code for gap in gaps(look(tmp_path))]


@pytest.mark.parametrize("text", ["Übung macht <think>".encode("latin-1"), "שלום <think>".encode(), "ՀԱՅ".encode()])
def test_text_is_no_msgpack(text: bytes, tmp_path: Path) -> None:
    """Text that begins with a byte of MessagePack is read as text."""
    (tmp_path / "file").write_bytes(text * 40)

    assert [] == gaps(look(tmp_path))
