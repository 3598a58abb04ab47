"""A file in, a table or every fault out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reticent.errors import ConfigurationError, TableError
from reticent.surfaces import load_table, read_table
from reticent.surfaces.load import MAX_BYTES, read_text

if TYPE_CHECKING:
    from pathlib import Path

TABLE = """\
version: 1
places:
  reader: {kind: person}
surfaces:
  log:
    verdict: strip
    holds: {kind: memory, lifetime: request}
    flows: [reader]
    owner: platform
    why: a person reads it
"""


def found(text: str) -> list[tuple[int, str, str]]:
    """Give line, code and path of every fault."""
    return [(fault.line, fault.code, fault.path) for fault in read_text(text, "t.yaml").faults]


def test_right_table_is_read() -> None:
    """A table without faults comes out as a model, with the withholding defaults."""
    table = read_text(TABLE).table

    assert table is not None
    row = table.surfaces["log"]
    assert ("pass", "drop", "withhold", ()) == (row.derived, row.on_strip, row.unknown_types, table.exceptions)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "verdict: strip",
            "verdit: strip",
            [(5, "missing-key", "surfaces.log.verdict"), (6, "unknown-key", "surfaces.log.verdit")],
        ),
        ("verdict: strip", "verdict: strp", [(6, "unknown-word", "surfaces.log.verdict")]),
        ("flows: [reader]", "flows: reader", [(8, "wrong-shape", "surfaces.log.flows")]),
        ("flows: [reader]", "flows: [7]", [(8, "wrong-shape", "surfaces.log.flows.0")]),
        ("owner: platform", "owner: ' '", [(9, "wrong-shape", "surfaces.log.owner")]),
        ("  log:", "  lo g:", [(5, "wrong-name", "surfaces.lo g")]),
        ("kind: person", "kind: person, producer: 'yes'", [(3, "wrong-shape", "places.reader.producer")]),
        ("version: 1", "version: 2", [(1, "unknown-word", "version")]),
        ("version: 1", "versio: 1", [(1, "unknown-key", "versio"), (1, "missing-key", "version")]),
    ],
)
def test_fault_has_its_code_and_place(old: str, new: str, expected: list[tuple[int, str, str]]) -> None:
    """Each fault of shape names its line and its path."""
    assert expected == found(TABLE.replace(old, new))


@pytest.mark.parametrize("expires", ["2027-3-1", "soon", "2027-02-30", "1", "2027-03-01T00:00:00"])
def test_expiry_must_be_a_plain_date(expires: str) -> None:
    """Whatever is not year, month and day is refused, also when it could be taken for a moment."""
    text = f"{TABLE}exceptions: [{{surface: log, classes: [text], reason: r, owner: o, expires: {expires}}}]\n"

    assert [(11, "wrong-date", "exceptions.0.expires")] == found(text)


def test_near_names_are_suggested() -> None:
    """The fix of an unknown key or word names the one that was meant."""
    faults = read_text(TABLE.replace("verdict: strip", "verdict: strp").replace("owner", "ownr")).faults
    fixes = {fault.code: fault.fix for fault in faults}

    assert "Did you mean 'strip'?" in fixes["unknown-word"]
    assert "Did you mean 'owner'?" == fixes["unknown-key"]


def test_all_faults_come_at_once(tables: Path) -> None:
    """One reading of a broken file lists everything, sorted by line."""
    with pytest.raises(TableError) as caught:
        load_table(tables / "broken" / "holes.yaml")
    faults = caught.value.faults

    assert {"duplicate-key", "missing-key", "unknown-key", "wrong-shape"} == {fault.code for fault in faults}
    assert sorted(faults) == list(faults)
    assert 16 == len(faults)


def test_table_that_ships_is_right() -> None:
    """The default table is read without faults and has its eight surfaces."""
    assert {
        "provider_roundtrip",
        "request_memory",
        "task_store",
        "conversation_db",
        "logs",
        "support_console",
        "browser_stream",
        "warehouse",
    } == set(load_table().surfaces)


def test_json_is_read_as_well() -> None:
    """A table written as JSON is a table."""
    assert () == read_text('{"version": 1, "places": {}, "surfaces": {}}').faults


def test_file_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    """A missing file, a folder, other encodings and huge files are configuration errors."""
    latin, huge = tmp_path / "latin.yaml", tmp_path / "huge.yaml"
    latin.write_bytes(b"version: \xff")
    huge.write_bytes(b"#" * (MAX_BYTES + 1))

    for path in (tmp_path / "nowhere.yaml", tmp_path, latin, huge):
        with pytest.raises(ConfigurationError):
            read_table(path)


def test_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """A file saved with a byte order mark is read like any other."""
    path = tmp_path / "bom.yaml"
    path.write_text(TABLE, encoding="utf-8-sig")

    assert () == read_table(path).faults


@pytest.mark.parametrize("text", ["[]", "7", "text", "null"])
def test_what_is_no_mapping_is_no_table(text: str) -> None:
    """A list, a number, a text and nothing are refused."""
    assert ["wrong-shape"] == [fault.code for fault in read_text(text).faults]
