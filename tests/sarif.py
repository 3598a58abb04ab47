"""What SARIF 2.1.0 asks of the logs that reticent writes, as a JSON Schema of our own, and what no schema can say.

Names, types and words are those of https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html (read 2026-11-30),
as far as reticent uses them: an object may hold nothing that is not listed here. The committee's schema, ten times as
long, is not shipped; every log that these tests make was valid under it on that day.
"""

from __future__ import annotations

from typing import Any, Final

import jsonschema  # type: ignore[import-untyped]


def _object(*required: str, **members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(required), "additionalProperties": False}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT: Final = {"type": "string", "minLength": 1}
_FROM_1: Final = {"type": "integer", "minimum": 1}
_MESSAGE: Final = _object("text", text=_TEXT)
_BAG: Final = {"type": "object"}
_REGION: Final = {
    **_object(
        startLine=_FROM_1,
        startColumn=_FROM_1,
        endLine=_FROM_1,
        endColumn=_FROM_1,
        byteOffset={"type": "integer", "minimum": 0},
    ),
    "minProperties": 1,
    "dependentRequired": {"startColumn": ["startLine"]},
}
_PLACE: Final = _object("artifactLocation", artifactLocation=_object("uri", uri=_TEXT), region=_REGION)
_NAMES: Final = _list(_object(fullyQualifiedName=_TEXT, name=_TEXT, kind=_TEXT))
_LOCATION: Final = _object(physicalLocation=_PLACE, logicalLocations=_NAMES)
_LEVEL: Final = {"enum": ["none", "note", "warning", "error"]}
_RULE: Final = _object(
    "id", id=_TEXT, name=_TEXT, shortDescription=_MESSAGE, fullDescription=_MESSAGE, helpUri=_TEXT, help=_MESSAGE
)
_SUPPRESSION: Final = _object("kind", kind={"enum": ["inSource", "external"]}, justification=_TEXT)
_RESULT: Final = _object(
    "message",
    ruleId=_TEXT,
    level=_LEVEL,
    message=_MESSAGE,
    locations=_list(_LOCATION),
    suppressions=_list(_SUPPRESSION),
    properties=_BAG,
)
_NOTIFICATION: Final = _object(
    "message", level=_LEVEL, message=_MESSAGE, locations=_list(_LOCATION), descriptor=_object(id=_TEXT)
)
_RUN: Final = _object(
    "tool",
    tool=_object(
        "driver",
        driver=_object("name", name=_TEXT, version=_TEXT, informationUri=_TEXT, rules=_list(_RULE)),
    ),
    results=_list(_RESULT),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=_list(
        _object(
            "executionSuccessful",
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=_list(_NOTIFICATION),
        )
    ),
    properties=_BAG,
)
_LOG: Final = jsonschema.Draft202012Validator(
    _object("version", "runs", **{"$schema": _TEXT, "version": {"const": "2.1.0"}, "runs": _list(_RUN)})
)


def faults(log: Any) -> list[str]:
    """What is wrong with a SARIF log: JSON values in, a line for each fault."""
    told = [f"{error.json_path}: {error.message}" for error in _LOG.iter_errors(log)]
    if told:
        return told
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"].get("rules", ())]
        told += [f"rule {rule!r} twice" for rule in rules if rules.count(rule) > 1]
        notifications = [
            note for one in run.get("invocations", ()) for note in one.get("toolExecutionNotifications", ())
        ]
        for result in (*run.get("results", ()), *notifications):
            if "ruleId" in result and result["ruleId"] not in rules:
                told.append(f"no rule {result['ruleId']!r}")
            told += [f"no address: {uri!r}" for uri in _addresses(result) if not _is_address(uri)]
    return told


def _addresses(result: Any) -> list[str]:
    places = [place["physicalLocation"] for place in result.get("locations", ()) if "physicalLocation" in place]
    return [place["artifactLocation"]["uri"] for place in places]


def _is_address(uri: str) -> bool:
    """Whether a text is a URI reference (RFC 3986): ASCII without blanks, quotes and backslashes."""
    return uri.isascii() and uri.isprintable() and not set(' \\"<>{}|^`') & set(uri)
