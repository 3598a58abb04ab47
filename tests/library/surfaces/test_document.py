"""YAML as plain values with positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reticent.surfaces.document import MAX_NODES, read_document
from reticent.surfaces.load import read_text


def codes(text: str) -> list[str]:
    """Give the codes of the faults of a text."""
    return [fault.code for fault in read_document(text, "t.yaml").faults]


def test_every_key_and_entry_has_its_place() -> None:
    """Lines and columns count from one and are those of the key, or of the entry of a list."""
    positions = read_document("a:\n  b: [x, y]\n", "t.yaml").positions

    assert (1, 1) == positions.find(("a",))
    assert (2, 3) == positions.find(("a", "b"))
    assert (2, 10) == positions.find(("a", "b", 1))


def test_place_of_what_is_missing_is_the_nearest_thing_around_it() -> None:
    """A path that the file does not have is found at its parent."""
    positions = read_document("a:\n  b: {}\n", "t.yaml").positions

    assert (2, 3) == positions.find(("a", "b", "c", 7))


def test_scalars_are_plain_values() -> None:
    """Numbers, truth values and nothing are read as such; dates and versions stay text."""
    data = read_document("[1, 1.5, true, null, 2027-03-01, '1', x]", "t.yaml").data

    assert [1, 1.5, True, None, "2027-03-01", "1", "x"] == data


def test_key_that_stands_twice_is_a_fault_at_the_second() -> None:
    """The first value is kept and the second is reported where it stands."""
    document = read_document("a: 1\nb: 2\na: 3\n", "t.yaml")

    assert {"a": 1, "b": 2} == document.data
    assert [(3, 1, "duplicate-key")] == [(fault.line, fault.column, fault.code) for fault in document.faults]


@pytest.mark.parametrize("text", ["a: [", "a: b: c", "\t- x", "a: *nobody", "--- a\n--- b", "\x00"])
def test_what_is_not_yaml_is_one_fault(text: str) -> None:
    """Text that cannot be read is reported, and nothing is raised."""
    assert ["not-yaml"] == codes(text)


@pytest.mark.parametrize("text", ["", "# only a comment\n"])
def test_empty_file_is_a_fault(text: str) -> None:
    """A file without content is not an empty table."""
    assert ["not-yaml"] == codes(text)


@pytest.mark.parametrize(
    "text", ["a: !!python/name:os.system x", "a: !mine 1", "? [1, 2]\n: 3", "x: &x {b: 1}\n<<: *x"]
)
def test_nothing_but_plain_values_is_read(text: str) -> None:
    """Tags, keys that are no text, and merge keys are refused."""
    assert "wrong-shape" in codes(text)


def test_anchors_that_grow_without_end_are_refused() -> None:
    """A few lines that would expand to billions of values are one fault, soon."""
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 12)]

    assert ["too-large"] == codes("\n".join(lines))
    assert MAX_NODES < 10**6


def test_anchor_that_holds_itself_is_refused() -> None:
    """A value that contains itself is a fault and not an endless loop."""
    assert ["too-large"] == codes("a: &a [*a]")


def test_deep_nesting_is_refused() -> None:
    """A thousand brackets are refused by the reader or by the limit."""
    assert codes("[" * 1000 + "]" * 1000)[0] in {"not-yaml", "too-large"}


def test_half_characters_are_not_text() -> None:
    """A lone surrogate, which no encoding can carry, is a fault where it stands, as a key and as a value."""
    assert ["wrong-shape"] == codes('a: "\\ud800"')
    assert ["wrong-shape"] == codes('"\\ud800": a')


def test_paths_of_faults_print() -> None:
    """A key that would clear a terminal is shown escaped."""
    [fault] = read_document('"a\\e[2J": 1\n"a\\e[2J": 2\n', "t.yaml").faults

    assert "a\\x1b[2J" == fault.path
    assert str(fault).isprintable()


HARD = st.sampled_from(list("ab1:-?[]{}&*!|>'\"%@#,.\n \t\\0_~=<é\u2028\ud800"))


@given(text=st.text(alphabet=HARD, max_size=60))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    """Whatever stands in a file, reading it gives a table or says why not."""
    reading = read_text(text)

    assert (reading.table is None) == bool(reading.faults)
