"""Rows: a column may be reasoning by its name, a cell may hold a whole body, and a body may be a whole stream.

A row is judged as the object it stands for, its columns as members: ``role``, ``content`` and ``reasoning_content``
mean in a table what they mean in a message, and what a person wrote stays theirs. A cell that holds a stream as it
came is judged as that stream, and one that holds MessagePack as the values that it stands for.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from reticent.dialects._positions import ROLES, Position
from reticent.edits import DROP, Cut, Edit, apply
from reticent.errors import EgressRefused, InputTooLarge
from reticent.scan._kinds import kind_of
from reticent.scan._msgpack import NIL, Packed, opened
from reticent.scan._msgpack_cut import packed, without
from reticent.scan._places import carriers
from reticent.scan.findings import pointer
from reticent.scan.judge import Hit
from reticent.serializers import jsonbytes
from reticent.serializers.stream import StripStream
from reticent.streams.detect import SNIFF_LIMIT
from reticent.streams.tags import may_hold_reasoning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reticent.scan.judge import Judge

Cell: TypeAlias = Any
"""Text, bytes, JSON values (of a column that holds such), or anything else, which is not looked at."""

UNREAD: Final = {
    "bytes": ("unknown-format", "cells with bytes that are neither text nor a known stream"),
    "pickle": ("pickle", "cells with pickled Python objects, which are never unpickled"),
    "inside": ("unknown-format", "pieces of bytes inside MessagePack that are neither text nor MessagePack"),
}
"""Why a cell is not looked at: the code, and what is counted."""
_STREAM: Final = re.compile(r"\s*(?:(?:data|event|id|retry)?:|[0-9a-z]:[\"{\[])|\s*\{.*\}\s*\n\s*\{", re.DOTALL)
_STREAMS: Final = frozenset({"sse", "jsonl", "ai-sdk-v4", "aws-eventstream"})
_ROLES: Final = ("role", "author", "sender", "speaker")
_THEIRS: Final = frozenset({Position.USER, Position.SYSTEM})


@dataclass(slots=True)
class JudgedRow:
    """What was found in one row, by column; ``changes`` are the cells without it, None for one that goes.

    ``whole`` says that the row as such is reasoning, so that no cell of it can be told to be innocent.
    ``unread`` are columns with bytes that cannot be looked at, each with a word of ``UNREAD``.
    """

    hits: list[tuple[str | None, Hit]] = field(default_factory=list[tuple["str | None", Hit]])
    changes: dict[str, Cell] = field(default_factory=dict[str, Cell])
    whole: bool = False
    unread: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


@dataclass(frozen=True, slots=True)
class Json:
    """A cell of a column of parsed JSON; ``text`` is how the store spells it."""

    text: str

    def parsed(self) -> Any:
        """The JSON values."""
        return orjson.loads(self.text)


@dataclass(frozen=True, slots=True)
class Nested:
    """What is to go from a cell of nested values, which only its store has as they are."""

    edit: Edit

    def applied(self, value: Any) -> Any:
        """``value`` without it."""
        return apply(value, self.edit)


class RowJudge:
    """Judges the rows of one table."""

    def __init__(self, judge: Judge, columns: Iterable[str]) -> None:
        """Judge rows with these ``columns``."""
        self._judge = judge
        self._limit = judge.program.options.max_bytes
        self._telling = any(judge.presearch.may_hold(f'"{name}"'.encode("utf-8", "replace")) for name in columns)

    def judged(self, row: Mapping[str, Cell]) -> JudgedRow:
        """What is in ``row``.

        Raises:
            EgressRefused: it cannot be judged.
        """
        found = JudgedRow()
        packed = {name: inner for name, cell in row.items() if (inner := self._unpacked(name, cell, found)) is not None}
        if not packed:
            self._judge_cells(row, found)
            return found
        records = {name for name, inner in packed.items() if self._is_record(name, inner.value, found)}
        opened = {**row, **{name: inner.value for name, inner in packed.items()}}
        self._judge_cells({name: cell for name, cell in opened.items() if name not in records}, found)
        found.changes = {
            name: _packed(packed[name], cell) if name in packed else cell for name, cell in found.changes.items()
        }
        return found

    def _judge_cells(self, row: Mapping[str, Cell], found: JudgedRow) -> None:
        texts = {name: text for name, cell in row.items() if (text := self._text(name, cell, found)) is not None}
        if not self._telling and not any(may_hold(self._judge, cell) for cell in texts.values()):
            return
        plain: dict[str, Any] = {}
        for name, cell in texts.items():
            if not self._is_stream(name, cell, row, found):
                plain[name] = cell.parsed() if isinstance(cell, Json) else cell
        self._row(row, plain, found)

    def _is_record(self, name: str, value: Any, found: JudgedRow) -> bool:
        """Whether a cell's object is a row in its turn, with a whole stream in a member; what it holds is found."""
        from reticent.scan._records import is_record, members

        judged = members(self._judge, value) if is_record(value) else None
        if judged is None:
            return False
        found.hits += [(name, self._hit(hit.rule, hit.length, pointer((member,)))) for member, hit in judged[0]]
        if judged[1]:
            found.changes[name] = Nested(judged[1])
        return True

    def _unpacked(self, name: str, cell: Cell, found: JudgedRow) -> Packed | None:
        """The MessagePack in a cell; None for a cell that is something else."""
        if not isinstance(cell, (bytes, bytearray, memoryview)) or len(cell) > self._limit:
            return None
        data = bytes(cell)
        try:
            data.decode()
        except UnicodeDecodeError:
            try:
                packed = opened(data)
            except ImportError:
                return None
            found.unread += [(name, kind) for kind in (packed.unread.elements() if packed else ())]
            return packed
        return None

    def _text(self, name: str, cell: Cell, found: JudgedRow) -> Cell:
        """What there is to look at in a cell: text, JSON, numbers and flags, None for nothing."""
        if isinstance(cell, (bytes, bytearray, memoryview)):
            cell = bytes(cell)
            try:
                cell = cell.decode()
            except UnicodeDecodeError:
                kind = kind_of(cell[:SNIFF_LIMIT], is_all=True)
                if kind == "aws-eventstream":
                    return cell
                found.unread.append((name, kind if kind in UNREAD else "bytes"))
                return None
        if isinstance(cell, (str, Json)) and len(cell if isinstance(cell, str) else cell.text) > self._limit:
            raise InputTooLarge(f"a cell of more than {self._limit} characters")
        return cell if isinstance(cell, (str, Json, dict, list, int)) else None

    def _is_stream(self, name: str, cell: Cell, row: Mapping[str, Cell], found: JudgedRow) -> bool:
        """Whether a cell is a whole stream; what that holds goes into ``found``."""
        if isinstance(cell, bytes):
            wire, data = "aws-eventstream", cell
        elif isinstance(cell, str) and is_stream_like(cell):
            data = cell.encode("utf-8", "surrogatepass")
            wire = kind_of(data[:SNIFF_LIMIT], is_all=len(data) <= SNIFF_LIMIT)
        else:
            return False
        if wire not in _STREAMS:
            return False
        stream = StripStream("scan", self._judge.program, wire=wire, starts_inside=False)
        try:
            out = stream.feed(data) + stream.flush()
        except EgressRefused:
            if isinstance(cell, bytes):
                raise
            return False  # it only looks like one
        hits = self._judge.hits(stream.report)
        found.hits += [(name, hit) for hit in hits]
        if hits:
            is_text = isinstance(row[name], str)
            found.changes[name] = out.decode("utf-8", "surrogatepass") if is_text else out
        return True

    def _row(self, row: Mapping[str, Cell], plain: dict[str, Any], found: JudgedRow) -> None:
        told, edit = self._judge.value(plain)
        if edit is DROP:
            found.whole = True
            found.hits += [(None, self._hit(carrier.rule, carrier.length, "")) for carrier in told]
            return
        edits: Any = edit if isinstance(edit, dict) else {}
        for carrier in told:
            if not carrier.path:
                found.hits.append((None, self._hit(carrier.rule, carrier.length, "")))
                continue
            column = str(carrier.path[0])
            found.hits.append((column, self._hit(carrier.rule, carrier.length, pointer(carrier.path[1:]))))
        for name, inner in edits.items():
            self._pointed(name, plain[name], found)
            found.changes[name] = _edited(row[name], plain[name], inner)
        if not _is_theirs(plain):
            for name, cell in plain.items():
                if name not in edits and isinstance(cell, str) and may_hold_reasoning(cell):
                    self._answer(name, row[name], cell, found)

    def _pointed(self, name: str, cell: Any, found: JudgedRow) -> None:
        """Give findings in a cell of JSON text the pointers inside it, where the cell alone has the same."""
        if not isinstance(cell, str) or cell[:1] not in ("{", "["):
            return
        try:
            told, _ = carriers(orjson.loads(cell), self._judge.program)
        except (EgressRefused, ValueError):
            return
        mine = [hit for column, hit in found.hits if column == name]
        if Counter(carrier.rule for carrier in told) == Counter(hit.rule for hit in mine):
            found.hits = [pair for pair in found.hits if pair[0] != name]
            found.hits += [(name, self._hit(one.rule, one.length, pointer(one.path))) for one in told]

    def _answer(self, name: str, stored: Cell, cell: str, found: JudgedRow) -> None:
        """A cell that may be what a model wrote."""
        judged = self._judge.text(cell.encode("utf-8", "surrogateescape"))
        if judged.hits:
            found.hits += [(name, hit) for hit in judged.hits]
            is_text = isinstance(stored, str)
            found.changes[name] = judged.body.decode("utf-8", "surrogateescape") if is_text else judged.body

    def _hit(self, rule: str, length: int, at: str) -> Hit:
        hit = Hit(rule, self._judge.class_of(rule), 1, length)
        return replace(hit, where=replace(hit.where, pointer=at)) if at else hit


def may_hold(judge: Judge, cell: Cell) -> bool:
    """Whether a search through a cell as JSON finds a word that it has to be judged for."""
    if isinstance(cell, str):
        data = cell.encode("utf-8", "surrogatepass")
    elif isinstance(cell, Json):
        data = cell.text.encode()
    elif isinstance(cell, (dict, list)):
        data = _dumped(cell)
    else:
        return isinstance(cell, bytes)
    return judge.presearch.may_hold(data)


def _dumped(cell: Cell) -> bytes:
    try:
        return orjson.dumps(cell, default=str)
    except TypeError:  # half a surrogate pair, or a number that is too long
        return json.dumps(cell, default=str).encode()


def _packed(cell: Packed, new: Cell) -> bytes:
    """A cell of MessagePack with what is left of its values; where all goes, the object that stands for nothing."""
    if isinstance(new, Nested):
        return without(cell.data, new.edit)
    return NIL if new is None else packed(new)


def is_stream_like(text: str) -> bool:
    """Whether a text may be a whole stream."""
    return _STREAM.match(text) is not None


def _is_theirs(row: Mapping[str, Any]) -> bool:
    """Whether the row says that a person or the application wrote it."""
    return any(isinstance(row.get(name), str) and ROLES.get(row[name]) in _THEIRS for name in _ROLES)


def _edited(stored: Cell, plain: Any, edit: Edit) -> Cell:
    """The cell as its store holds it, without what ``edit`` takes out; None when all of it goes."""
    if edit is DROP:
        return None
    if isinstance(stored, Json):
        return Json(jsonbytes.splice(stored.text.encode(), edit).decode())
    if isinstance(edit, Cut):
        text = edit.apply(plain)
        return text if isinstance(stored, str) else text.encode("utf-8", "surrogateescape")
    return Nested(edit)
