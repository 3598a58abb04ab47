"""Documented rows for the exits that teams forget, ready to be copied into a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from reticent.surfaces.document import read_document

FOLDER = Path(__file__).with_name("templates")


@dataclass(frozen=True, slots=True)
class Template:
    """One row to copy: ``text`` is the YAML with its comments, ``data`` the table fragment it says."""

    name: str
    title: str
    text: str
    data: Mapping[str, Any]


def templates() -> tuple[Template, ...]:
    """Every template that ships, by name."""
    return tuple(_template(path) for path in sorted(FOLDER.glob("*.yaml")))


def _template(path: Path) -> Template:
    text = path.read_text(encoding="utf-8")
    data = cast("dict[str, Any]", read_document(text, path.name).data)
    return Template(path.stem, text.partition("\n")[0].removeprefix("# ").strip(), text, data)
