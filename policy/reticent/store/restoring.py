"""Put back into a history what was held: read it, match it, fill it, in bytes or in values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from reticent.edits import DROP, Edit, apply
from reticent.errors import EgressRefused, InputTooLarge, MalformedInput
from reticent.serializers import cutting
from reticent.serializers.plain import plain
from reticent.serializers.report import Report
from reticent.serializers.walk import Walk
from reticent.store import filling, messages
from reticent.store.gaps import Gap
from reticent.store.holding import Held, prefix_of
from reticent.store.matching import History, match, refuse, root_gap

if TYPE_CHECKING:
    from reticent.serializers.program import Program

_BOM: Final = b"\xef\xbb\xbf"
_AS_IT_IS: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
_AROUND: Final = ("system", "tools", "instructions", "systemInstruction", "toolConfig")
"""What a producer reads before the history: https://platform.claude.com/docs/en/build-with-claude/preserved-thinking."""


@dataclass(frozen=True, slots=True)
class Restoring:
    """The held turns of one task, the key of its digests, and what recognises reasoning in a history."""

    turns: Sequence[Held]
    key: bytes
    program: Program

    def __call__(self, history: Any) -> Any:
        """``history`` with every carrier back at its place; the same object when nothing is to go back.

        Raises:
            EgressRefused: it cannot be read.
            RestoreRefused: it does not fit what was held.
        """
        if isinstance(history, str):
            return self._bytes(history.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        if isinstance(history, bytes | bytearray | memoryview):
            return self._bytes(bytes(history))
        found = listed(history)
        if found is None:
            return history
        name, entries = found
        are_values = _is_json(entries)
        values = entries if are_values else plain(entries, max_depth=self.program.options.max_depth)
        gap, carriers = self._gap(self._read(name, history, values), values)
        if gap is None:
            return history
        back = filling.fill(list(entries) if are_values else _fillable(entries, gap), gap, carriers)
        return {**history, name: back} if name else back

    def _bytes(self, data: bytes) -> bytes:
        if len(data) > self.program.options.max_bytes:
            raise InputTooLarge(f"{len(data)} bytes, the limit is {self.program.options.max_bytes}")
        text = data.removeprefix(_BOM)
        value = cutting.parse(text)
        found = listed(value)
        if found is None:
            return data
        name, entries = found
        gap, carriers = self._gap(self._read(name, value, entries), entries)
        if gap is None:
            return data
        body = text.strip()
        start = len(data) - len(text) + len(text) - len(text.lstrip())
        filled = filling.fill_bytes(body, Gap(inside={name: gap}) if name else gap, carriers)
        return data[:start] + filled + data[start + len(body) :]

    def answered(self, request: Any) -> tuple[int, str, str | None] | None:
        """Of the request that a turn answers: how many entries, a digest of them, one of what stands beside them."""
        raw = request.encode("utf-8", "surrogatepass") if isinstance(request, str) else request
        value = cutting.parse(bytes(raw)) if isinstance(raw, bytes | bytearray | memoryview) else plain(raw)
        found = listed(value)
        if found is None:
            return None
        told = self._read(found[0], value, found[1])
        return len(told.entries), prefix_of(told.entries, self.key), told.around

    def _read(self, name: str, body: Any, entries: Sequence[Any]) -> History:
        """The entries, those of the model without reasoning; one that is nothing else does not count."""
        bare: list[Any] = []
        origins: list[int] = []
        carried: list[int] = []
        for position, entry in enumerate(entries):
            edit = self._reasoning(entry)
            if edit is not None:
                carried.append(position)
            if edit is not DROP:
                bare.append(apply(entry, edit))
                origins.append(position)
        return History(name, bare, around_of(body, self.key) if name else None, origins, carried)

    def _reasoning(self, entry: Any) -> Edit | None:
        """Reasoning that an entry of the model carries in blocks or members; tags in its text are its text."""
        if not messages.is_unit(entry) or self._is_clean(entry):
            return None
        edit = Walk(self.program, Report(), inline_tags=False).root(entry)
        return edit if edit is not None and _drops(edit) else None

    def _is_clean(self, entry: Any) -> bool:
        """Whether a search proves that an entry holds nothing, which costs a fraction of the walk; no says nothing."""
        try:
            return cutting.cut_value(entry, self.program, Report())[1] is None
        except EgressRefused:
            return False

    def _gap(self, history: History, entries: Sequence[Any]) -> tuple[Gap | None, list[bytes]]:
        """What is to go into ``entries``; None when nothing is, because it is there already or was never held."""
        gap, carriers = root_gap(match(history, self.turns, self.key))
        if not history.carried:
            return (gap if gap.elements or gap.inside else None), carriers
        if _spelled(filling.fill(history.entries, gap, carriers)) != _spelled(entries):
            refuse("foreign-reasoning", history, history.carried[0])
        return None, []


def _is_json(value: Any) -> bool:
    """Whether ``value`` is what a JSON parser makes, which is quicker to ask than to convert."""
    try:
        orjson.dumps(value, option=_AS_IT_IS)
    except TypeError:
        return False
    return True


def _drops(edit: Edit) -> bool:
    return any(map(_drops, edit.values())) if isinstance(edit, dict) else edit is DROP


def listed(history: Any) -> tuple[str, Sequence[Any]] | None:
    """The member that lists the entries (empty for a list alone), and the entries; None when there is no history.

    Raises:
        MalformedInput: it is neither a list nor a body.
    """
    if isinstance(history, list | tuple):
        return "", history
    if not isinstance(history, Mapping):
        raise MalformedInput(f"a history is a list of entries or a request body, not a {type(history).__name__}")
    name = next((name for name in messages.HISTORIES if isinstance(history.get(name), list | tuple)), None)
    return None if name is None else (name, history[name])


def around_of(body: Any, key: bytes) -> str:
    """A keyed digest of what stands beside the history of a request body."""
    told = {name: plain(body[name]) for name in _AROUND if isinstance(body, Mapping) and body.get(name) is not None}
    raw = orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(raw, key=key, digest_size=16).hexdigest()


def _spelled(entries: Sequence[Any]) -> list[bytes]:
    return [orjson.dumps(plain(entry), option=orjson.OPT_SORT_KEYS) for entry in entries]


def _fillable(entries: Sequence[Any], gap: Gap) -> list[Any]:
    """The entries as they are, those that are filled and are SDK objects as JSON values."""
    return [_opened(entry) if at in gap.inside else entry for at, entry in enumerate(entries)]


def _opened(value: Any) -> Any:
    """``value`` with objects of SDKs as dictionaries and everything else, ``bytes`` too, as it is."""
    if isinstance(value, dict):
        return {key: _opened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_opened(item) for item in value]
    return value if isinstance(value, str | int | float | bytes | bytearray | None) else _opened(plain(value))
