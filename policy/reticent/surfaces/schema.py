"""The JSON Schema of a table, for editors and for ``opa check --schema``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reticent.surfaces.table import SurfaceTable

SCHEMA_FILE = Path(__file__).with_name("table.schema.json")


def table_schema() -> dict[str, Any]:
    """The schema of the YAML file, with the description of each key."""
    schema = SurfaceTable.model_json_schema(by_alias=True, mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "A reticent surface table"}


def engine_schema() -> dict[str, Any]:
    """The schema of what an engine is given: a table, and today's date beside it."""
    schema = table_schema()
    today = {"type": "string", "format": "date", "description": "The day the table is decided on."}
    return {**schema, "properties": {**schema["properties"], "today": today}, "title": "What the rules are given"}


def schema_text(schema: dict[str, Any]) -> str:
    """``schema`` as it is written to a file."""
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
