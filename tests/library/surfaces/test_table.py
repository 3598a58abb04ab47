"""The model of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from reticent.surfaces import SurfaceTable, load_table
from reticent.surfaces.load import read_text

if TYPE_CHECKING:
    from datetime import date


def small(**changes: Any) -> dict[str, Any]:
    """Give a table with one surface, as plain values."""
    row = {"verdict": "strip", "holds": {"kind": "memory", "lifetime": "request"}, "flows": ["reader"]}
    row |= {"owner": "platform", "why": "a person reads it"}
    return {"version": 1, "places": {"reader": {"kind": "person"}}, "surfaces": {"log": row}, **changes}


def test_models_are_frozen() -> None:
    """Nothing of a table can be assigned."""
    table = SurfaceTable.model_validate(small())

    with pytest.raises(ValidationError):
        table.version = 1
    with pytest.raises(ValidationError):
        table.surfaces["log"].verdict = "pass"


def test_document_is_the_table_with_todays_date(today: date) -> None:
    """An engine is given plain JSON values, every default written out, and the day."""
    document = SurfaceTable.model_validate(small()).document(today)

    assert "2026-11-29" == document["today"]
    assert "pass" == document["surfaces"]["log"]["derived"]
    assert {"kind": "person", "producer": False} == document["places"]["reader"]


def test_digest_does_not_depend_on_layout() -> None:
    """Comments, order and spelled-out defaults do not change the digest, facts do."""
    plain = SurfaceTable.model_validate(small())
    turned = SurfaceTable.model_validate(dict(reversed(small(exceptions=[], flows={}).items())))
    changed = SurfaceTable.model_validate(small(places={"reader": {"kind": "system"}}))

    assert plain.digest == turned.digest
    assert plain.digest != changed.digest


def test_bare_word_in_the_vocabulary_is_a_type() -> None:
    """A text, a type and a key are three ways to name something, text is the default class."""
    told = small(vocabulary={"reasoning": ["pad", {"key": "voice", "class": "opaque"}], "visible": [{"type": "chart"}]})
    vocabulary = SurfaceTable.model_validate(told).vocabulary

    assert [("pad", None, "text"), (None, "voice", "opaque")] == [
        (entry.type, entry.key, entry.reasoning_class) for entry in vocabulary.reasoning
    ]
    assert ["chart"] == [entry.type for entry in vocabulary.visible]


@pytest.mark.parametrize("entry", [{}, {"type": "a", "key": "b"}, {"type": ""}, 7, {"type": "a", "class": "derived"}])
def test_vocabulary_entry_names_one_thing(entry: object) -> None:
    """An entry that names nothing, or two things, or another class, is refused."""
    with pytest.raises(ValidationError):
        SurfaceTable.model_validate(small(vocabulary={"reasoning": [entry]}))


def test_table_from_a_file_knows_its_places() -> None:
    """Positions stay with the table, so that later faults have lines; a table made in Python has none."""
    assert load_table().positions.find(("surfaces", "logs")) > (1, 1)
    assert (0, 0) == SurfaceTable.model_validate(small()).positions.find(("surfaces", "log"))


def test_error_of_a_model_does_not_repeat_values() -> None:
    """What stands in a table is not quoted back by the model."""
    with pytest.raises(ValidationError) as caught:
        SurfaceTable.model_validate(small(places={"reader": {"kind": "canary-4821"}}))

    assert "canary-4821" not in str(caught.value)
    assert "canary-4821" not in str(read_text("version: canary-4821").faults)
