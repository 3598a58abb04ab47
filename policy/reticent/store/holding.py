"""Take a turn apart: what the client may see, and what is kept so that it can be put back.

Kept are the carriers, the gaps they leave, ids, and keyed digests of what is visible. The text of the conversation is
not kept, not even encrypted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.edits import DROP, Edit, apply
from reticent.errors import Tampered
from reticent.serializers import cutting, jsonbytes
from reticent.serializers.serializer import StripSerializer
from reticent.store import messages
from reticent.store.gaps import Gap, Path, encode, gaps
from reticent.store.messages import Place, pieces
from reticent.store.rules import ReplayRule, rule_for

if TYPE_CHECKING:
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report

_VERSION: Final = 1
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Unit:
    """One entry that the client can send back: how it is known again, and what is missing from it and before it."""

    ids: list[str]
    calls: list[str]
    kinds: list[str]
    digests: list[str]
    gap: Gap | None
    before: list[int]


@dataclass(slots=True)
class Held:
    """One held turn, without its sealed form.

    ``position`` is how many entries the request had that the turn answers, ``prefix`` a keyed digest of them, and
    ``around`` one of what stands beside them (system text, tools); each None when the request was not told.
    """

    rule: str
    dialect: str
    units: list[Unit] = field(default_factory=list[Unit])
    carriers: list[bytes] = field(default_factory=list[bytes])
    position: int | None = None
    prefix: str | None = None
    around: str | None = None

    def to_bytes(self) -> bytes:
        """A line of JSON, then the carriers one after another."""
        head = {
            "v": _VERSION,
            "rule": self.rule,
            "dialect": self.dialect,
            "position": self.position,
            "prefix": self.prefix,
            "around": self.around,
            "lengths": list(map(len, self.carriers)),
            "units": [
                [unit.ids, unit.calls, unit.kinds, unit.digests, unit.gap and unit.gap.to_json(), unit.before]
                for unit in self.units
            ],
        }
        return b"\n".join((orjson.dumps(head), b"".join(self.carriers)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Held:
        """The turn that ``to_bytes`` wrote.

        Raises:
            Tampered: this release cannot read it.
        """
        line, _, rest = data.partition(b"\n")
        head = orjson.loads(line)
        if head["v"] != _VERSION:
            raise Tampered(f"a turn has version {head['v']}; this release reads {_VERSION}")
        units = [_unit(*told) for told in head["units"]]
        carriers: list[bytes] = []
        at = 0
        for length in head["lengths"]:
            carriers.append(rest[at : at + length])
            at += length
        return cls(head["rule"], head["dialect"], units, carriers, head["position"], head["prefix"], head["around"])

    @property
    def anchors(self) -> list[str]:
        """Ids by which a history that holds this turn can be told."""
        return [name for unit in self.units for name in (*unit.ids, *unit.calls)]


def _unit(ids: list[str], calls: list[str], kinds: list[str], digests: list[str], gap: Any, before: list[int]) -> Unit:
    return Unit(ids, calls, kinds, digests, None if gap is None else Gap.from_json(gap), before)


class Taken:
    """One turn taken apart by the program of a surface."""

    def __init__(self, surface: str, program: Program, turn: Any) -> None:
        """Strip ``turn`` for ``surface``; ``visible`` is what is left, of the same shape.

        Raises:
            EgressRefused: as the surface's serializer does.
        """
        self._turn = turn
        self._value: Any = None
        self._edit: Edit | None = None
        serializer = StripSerializer(surface, program, self._find)
        if isinstance(turn, bytes | bytearray | memoryview | str):
            left = serializer(turn)
            self.visible: Any = left.decode("utf-8", "surrogatepass") if isinstance(turn, str) else left
        else:
            self.visible = serializer.value(turn)

    def _find(self, value: Any, program: Program, report: Report) -> Edit | None:
        self._value = value
        self._edit = cutting.everything(value, program, report)
        return self._edit

    @property
    def model(self) -> str | None:
        """The model that the turn names."""
        told = self._value if isinstance(self._value, Mapping) else {}
        return next((told[name] for name in ("model", "modelVersion") if isinstance(told.get(name), str)), None)

    def held(self, key: bytes, model: str | None) -> Held:
        """What is kept of the turn, with digests under ``key``; ``model`` wrote it.

        Raises:
            NotReplayable: no message of a model is in it.
        """
        found = messages.places(self._value)
        dialect = messages.dialect_of(self._value, found[0])
        rule = rule_for(dialect, model)
        taking = _Taking(self._source())
        held = Held(rule.name, dialect)
        for place in found:
            held.units += _units(self._value, self._edit, place, _Keeping(taking, key, rule))
        held.carriers = taking.carriers
        return held

    def _source(self) -> Any:
        """The turn as carriers are read from it: JSON bytes, else the values as they were handed in."""
        raw = self._turn.encode("utf-8", "surrogatepass") if isinstance(self._turn, str) else self._turn
        if not isinstance(raw, bytes | bytearray | memoryview):
            return (self._turn, self._value)
        data = bytes(raw).removeprefix(_BOM)
        return jsonbytes.without_superseded(data, cutting.parse(data))[1]


class _Taking:
    """Collects carriers: as they are spelt when the turn is bytes, as they are when it is values."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self.carriers: list[bytes] = []

    def __call__(self, path: Path, text: str | None) -> int:
        if text is not None:
            raw = encode(text)
        elif isinstance(self._source, bytes):
            raw = raw_at(self._source, path)
        else:
            original, value = self._source
            own = messages.at(original, path)
            raw = encode(messages.at(value, path) if own is None else own)
        self.carriers.append(raw)
        return len(self.carriers) - 1


def raw_at(data: bytes, path: Path) -> bytes:
    """The bytes of the value at ``path`` of a JSON document."""
    for key in path:
        spans = {name: (start, end) for name, _, start, end in jsonbytes.entries(data)}
        start, end = spans[key]
        data = data[start:end]
    return data.strip()


@dataclass(frozen=True, slots=True)
class _Keeping:
    """How units are kept: where carriers go, the key of digests, the rule of the producer."""

    take: _Taking
    key: bytes
    rule: ReplayRule

    def unit(self, value: Mapping[str, Any], edit: Edit | None, path: Path, before: list[int]) -> Unit:
        gap = gaps(value, edit, path, self.take)
        left = apply(value, edit)
        for name in self.rule.empty:
            if name in left and not left[name]:
                gap = gap or Gap()
                gap.members.append((name, None, self.take((*path, name), None), True))
        seen = pieces(left)
        name = left.get("id")
        return Unit(
            ids=[name] if isinstance(name, str) and name else [],
            calls=[piece.call for piece in seen if piece.call],
            kinds=[piece.kind for piece in seen],
            digests=[messages.digest(piece, self.key) for piece in seen],
            gap=gap,
            before=before,
        )


def _units(value: Any, edit: Edit | None, place: Place, keeping: _Keeping) -> list[Unit]:
    edit = _edit_at(edit, place.path)
    unit = messages.at(value, place.path)
    if not place.is_list:
        return [] if edit is DROP else [keeping.unit(unit, edit, place.path, [])]
    return _listed(unit, edit if isinstance(edit, dict) else {}, place, keeping)


def _edit_at(edit: Edit | None, path: Path) -> Edit | None:
    for key in path:
        edit = edit.get(key) if isinstance(edit, dict) else edit
    return edit


def _listed(entries: Sequence[Any], edits: Mapping[Any, Edit], place: Place, keeping: _Keeping) -> list[Unit]:
    """Units of a list; an entry that goes as a whole is kept with the entry it stands in front of.

    What stands behind the last entry is not kept: no producer takes reasoning that nothing follows.
    """
    found: list[Unit] = []
    before: list[int] = []
    for position, entry in enumerate(entries):
        edit = edits.get(position)
        path = (*place.path, position)
        if edit is DROP:
            before.append(keeping.take(path, None))
        elif messages.is_unit(entry):
            found.append(keeping.unit(entry, edit, path, before))
            before = []
    return found


def prefix_of(entries: Sequence[Any], key: bytes) -> str:
    """A keyed digest of the entries of a history, by what can be seen of them."""
    told = b"".join(messages.entry_digest(entry, key) for entry in entries)
    return hashlib.blake2b(told, key=key, digest_size=16).hexdigest()
