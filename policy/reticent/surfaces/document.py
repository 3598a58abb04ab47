"""A YAML file as plain values, with the line and column of every key.

Read from the node tree instead of a constructed object, so that a key written twice is seen, and nothing in the
file can name a Python type. Dates stay text. Anchors are resolved, within a limit on the size of what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reticent.errors import Fault

Path = tuple[str | int, ...]

MAX_NODES = 100_000
"""More values than any table has; keeps a file of nested anchors from growing without end."""

MAX_DEPTH = 50

_SCALARS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "timestamp": str,
    "bool": lambda text: text.lower() == "true",
    "int": lambda text: int(text.replace("_", ""), 0),
    "float": float,
    "null": lambda _: None,
}


@dataclass(frozen=True, slots=True)
class Positions:
    """The file's name, and for each path into the table the line and column of its key, both from 1."""

    file: str = "table"
    places: Mapping[Path, tuple[int, int]] = field(default_factory=dict[Path, tuple[int, int]])

    def find(self, path: Path) -> tuple[int, int]:
        """Line and column of ``path``, or of the nearest thing around it that the file has; (0, 0) without a file."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.places:
                return self.places[path[:length]]
        return (0, 0)

    def fault(self, path: Path, code: str, message: str, fix: str = "") -> Fault:
        """A fault at ``path``, with its place in the file."""
        line, column = self.find(path)
        return Fault(self.file, line, column, dotted(path), code, message, fix)


def dotted(path: Path) -> str:
    """``path`` in one word (``surfaces.logs.flows.0``); characters that would not print are escaped."""
    return printable(".".join(map(str, path)))


def printable(text: str) -> str:
    """``text`` without anything that a terminal or a log would obey instead of show."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


@dataclass(frozen=True, slots=True)
class Document:
    """What a YAML file says: ``data`` as plain values, where everything stands, and what is wrong with the YAML."""

    data: Any
    positions: Positions
    faults: tuple[Fault, ...]


def read_document(text: str, file: str) -> Document:
    """Read YAML text; faults of the YAML itself are returned, not raised."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except YAMLError as error:
        return _unreadable(error, file)
    except RecursionError:
        return _refused(file, (1, 1), "the file nests too deeply to be read")
    if root is None:
        return _refused(file, (1, 1), "the file is empty")
    reader = _Reader(file)
    data = reader.value(root, ())
    return Document(data, Positions(file, reader.places), tuple(reader.faults))


def _unreadable(error: Exception, file: str) -> Document:
    mark = getattr(error, "problem_mark", None)
    where = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    return _refused(file, where, f"this is not YAML: {getattr(error, 'problem', None) or 'it cannot be read'}")


def _refused(file: str, where: tuple[int, int], message: str) -> Document:
    fault = Fault(file, *where, "", "not-yaml", message)
    return Document(None, Positions(file, {(): where}), (fault,))


class _Reader:
    """Walks the node tree once; collects values, positions and faults."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.places: dict[Path, tuple[int, int]] = {}
        self.faults: list[Fault] = []
        self._left = MAX_NODES

    def value(self, node: Any, path: Path) -> Any:
        self._left -= 1
        self.places.setdefault(path, _where(node))
        if self._left < 0 or len(path) > MAX_DEPTH:
            return self._complain(node, path, "too-large", "the table is too large or refers to itself")
        if node.id == "mapping":
            return {key: self.value(child, (*path, key)) for key, child in self._pairs(node, path)}
        if node.id == "sequence":
            return [self.value(child, (*path, index)) for index, child in enumerate(node.value)]
        return self._scalar(node, path)

    def _pairs(self, node: Any, path: Path) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        for key_node, child in node.value:
            key = key_node.value
            if self._left < 0:
                return
            if not isinstance(key, str) or key_node.tag == "tag:yaml.org,2002:merge" or not _is_text(key):
                self._complain(key_node, path, "wrong-shape", "a key must be plain text; merge keys are not read")
                continue
            if key in seen:
                self._complain(
                    key_node, (*path, key), "duplicate-key", f"{key!r} stands here twice", "keep one of the two"
                )
                continue
            seen.add(key)
            self.places[(*path, key)] = _where(key_node)
            yield key, child

    def _scalar(self, node: Any, path: Path) -> Any:
        if not _is_text(node.value):
            return self._complain(
                node, path, "wrong-shape", "half of a character pair is not text", "write a plain value"
            )
        read = _SCALARS.get(str(node.tag).rpartition(":")[2])
        if read is None:
            return self._complain(
                node, path, "wrong-shape", f"the tag {node.tag!s} is not read here", "write a plain value"
            )
        try:
            return read(node.value)
        except ValueError:
            return node.value

    def _complain(self, node: Any, path: Path, code: str, message: str, fix: str = "") -> None:
        if code == "too-large" and any(fault.code == code for fault in self.faults):
            return
        self.faults.append(Fault(self.file, *_where(node), dotted(path), code, message, fix))


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _where(node: Any) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1
