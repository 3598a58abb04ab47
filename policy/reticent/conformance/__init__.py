"""The conformance vectors: small payloads in every dialect, and what may and may not come out.

They are plain JSON so that a filter in any language can be judged by them. Each says in one sentence why it is there.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from reticent.errors import ConfigurationError
from reticent.streams.aws_eventstream import make_message

Form = Literal["message", "history", "stream", "text", "log"]
_OTHER = ("schema", "history")
_PACKAGED = Path(__file__).resolve().parent.parent / "_conformance"
_CHECKOUT = Path(__file__).resolve().parents[3] / "tests" / "conformance"


@dataclass(frozen=True, slots=True)
class Vector:
    """One case.

    ``absent`` are canaries that may not be in the output in any spelling, ``present`` strings that must be.
    ``expected`` is the whole answer where there is only one: a JSON value, a text, or for streams a list of
    ``{"event", "data"}``; None where several are right.
    """

    id: str
    dialect: str
    why: str
    form: Form
    wire: str
    surface_class: Literal["strip", "pass"]
    input: Any
    absent: tuple[str, ...]
    present: tuple[str, ...]
    expected: Any
    starts_inside: bool

    @property
    def payload(self) -> bytes:
        """The bytes that a filter is given."""
        if self.wire == "aws-eventstream" and isinstance(self.input, list):
            return b"".join(make_message(item["event"], orjson.dumps(item["payload"])) for item in self.input)
        if isinstance(self.input, str):
            return self.input.encode()
        return orjson.dumps(self.input)


def vector_folder() -> Path:
    """Where the vectors are: in an installed package, or in a checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def load_vectors(folder: Path | None = None, *, dialect: str | None = None) -> tuple[Vector, ...]:
    """Every vector below ``folder`` (default: those that ship), sorted by dialect and file.

    Raises:
        ConfigurationError: a file is no vector file; the message names it.
    """
    root = folder or vector_folder()
    files = sorted(root.glob("*/*.json"))
    found = [vector for file in files if file.parent.name not in _OTHER for vector in _read(file)]
    return tuple(vector for vector in found if dialect is None or vector.dialect == dialect)


def _read(file: Path) -> list[Vector]:
    try:
        document = orjson.loads(file.read_bytes())
        return [_vector(document["dialect"], entry) for entry in document["vectors"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{file}: not a vector file ({type(error).__name__})") from None


def _vector(dialect: str, entry: dict[str, Any]) -> Vector:
    return Vector(
        id=f"{dialect}/{entry['id']}",
        dialect=dialect,
        why=entry["why"],
        form=entry["form"],
        wire=entry["wire"],
        surface_class=entry.get("surface_class", "strip"),
        input=entry["input"],
        absent=tuple(entry.get("absent", ())),
        present=tuple(entry.get("present", ())),
        expected=entry.get("expected"),
        starts_inside=entry.get("starts_inside", False),
    )


def encoded(vector: Vector) -> dict[str, Any]:
    """A vector as one line of the protocol that ``reticent conformance run --lines`` speaks."""
    return {
        "id": vector.id,
        "form": vector.form,
        "wire": vector.wire,
        "surface_class": vector.surface_class,
        "starts_inside": vector.starts_inside,
        "input": base64.b64encode(vector.payload).decode(),
    }
