"""The JSON Schema for editors and for OPA."""

from __future__ import annotations

import json

from reticent._resources import rego_root
from reticent.surfaces.schema import SCHEMA_FILE, engine_schema, schema_text, table_schema


def test_schema_that_ships_is_current() -> None:
    """The file is what the model says today."""
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(table_schema())


def test_schema_of_the_rules_input_is_current() -> None:
    """The schema that the rules are checked against is what the model says today, and knows the date."""
    text = (rego_root() / "schemas" / "surface_table.json").read_text(encoding="utf-8")

    assert text == schema_text(engine_schema())
    assert "today" in json.loads(text)["properties"]


def test_every_key_is_described() -> None:
    """An editor can show a sentence for each key of each part."""
    schema = table_schema()
    parts = [schema, *schema["$defs"].values()]

    assert [] == [
        key for part in parts for key, value in part.get("properties", {}).items() if "description" not in value
    ]
