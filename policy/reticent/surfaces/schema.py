"""The JSON Schema of a table, for editors and for ``opa check --schema``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reticent.surfaces.table import SurfaceTable

SCHEMA_FILE = Path(__file__).with_name("table.schema.json")


_TEXT = {"type": "string"}
_MOMENT = {"type": "integer", "description": "Seconds since 1970."}
_STATEMENT = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("surface", "condition", "probe", "code", "detail", "table", "signer", "signature"), _TEXT),
        **dict.fromkeys(("observed", "since"), _MOMENT),
        "held": {"type": "boolean"},
    },
    "additionalProperties": False,
}
_EVIDENCE = {
    "type": "object",
    "description": "What probes found, for a table that asks for evidence.",
    "properties": {"now": _MOMENT, "table": _TEXT, "statements": {"type": "array", "items": _STATEMENT}},
    "additionalProperties": False,
}


def table_schema() -> dict[str, Any]:
    """The schema of the YAML file, with the description of each key."""
    schema = SurfaceTable.model_json_schema(by_alias=True, mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "A reticent surface table"}


def engine_schema() -> dict[str, Any]:
    """The schema of what an engine is given: a table, with today's date and what evidence says beside it."""
    schema = table_schema()
    today = {"type": "string", "format": "date", "description": "The day the table is decided on."}
    beside = {"today": today, "evidence": _EVIDENCE}
    return {**schema, "properties": {**schema["properties"], **beside}, "title": "What the rules are given"}


def schema_text(schema: dict[str, Any]) -> str:
    """``schema`` as it is written to a file."""
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
