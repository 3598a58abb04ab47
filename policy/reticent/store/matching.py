"""Find in a history the turns that were held, and refuse a history that no longer fits them.

An entry is known by its own id, by the ids of its calls, else by keyed digests of what is visible in it. Whatever tells
which turn it is, all of its visible pieces have to be as they were: reasoning beside another text, another call or in
another order is what producers refuse, or worse, believe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

from reticent.errors import RestoreRefused
from reticent.store import messages
from reticent.store.gaps import Gap
from reticent.store.holding import Held, Unit, prefix_of
from reticent.store.messages import pieces
from reticent.store.rules import rule_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ADVICE: Final = {
    "call-ids-changed": "send the calls with the ids they were given",
    "call-changed": "send each call with the name and arguments the model wrote",
    "text-changed": "send the model's text as it was shown, or start a new task",
    "block-changed": "send the model's message as it was shown, or start a new task",
    "blocks-changed": "send all parts of the model's message and no others, or start a new task",
    "order-changed": "send the model's messages and their parts in the order in which they came",
    "unknown-call": "this call was not held in this task; hold every turn of a task, and name the right task",
    "turn-missing": "this model binds reasoning to everything before it; send all of it, or start a new task",
    "prefix-changed": "this model binds reasoning to everything before it; send that unchanged, or start a new task",
    "foreign-reasoning": "reasoning in a client's history is not what was held; send the history without reasoning",
}


@dataclass(frozen=True, slots=True)
class History:
    """A history as a client sends it: JSON values of its entries, less reasoning that should not be in it.

    ``name`` is the member of the body that lists them, empty when the list came alone; ``around`` is a keyed digest of
    what stands beside it. ``origins`` tells where each entry stood when the client sent it, ``carried`` where entries
    stood that came with reasoning; one that was nothing else is not among the entries.
    """

    name: str
    entries: Sequence[Any]
    around: str | None
    origins: Sequence[int]
    carried: Sequence[int] = ()


def refuse(reason: str, history: History, position: int) -> NoReturn:
    """Refuse the entry at ``position`` of what a client sent.

    Raises:
        RestoreRefused: always.
    """
    path = f"{history.name}.{position}" if history.name else str(position)
    raise RestoreRefused(f"{path}: {reason}; {_ADVICE[reason]}", reason=reason, path=path)


@dataclass(frozen=True, slots=True)
class _Known:
    """One held unit, and the turn it is of."""

    at: int
    turn: Held
    unit: Unit


def match(history: History, turns: Sequence[Held], key: bytes) -> dict[int, tuple[Held, Unit]]:
    """The held turn and unit of each entry, by position; entries that were never held are not in it.

    Raises:
        RestoreRefused: the history does not fit what was held.
    """
    flat = [(turn, unit) for turn in turns for unit in turn.units]
    known = [_Known(at, turn, unit) for at, (turn, unit) in enumerate(flat)]
    found = _Matching(history, known, key)
    found.all_entries()
    found.check_strangers()
    found.check_prefixes()
    return {position: (one.turn, one.unit) for position, one in found.matched.items()}


class _Matching:
    def __init__(self, history: History, known: Sequence[_Known], key: bytes) -> None:
        self._history = history
        self._known = known
        self._key = key
        self._by_name: dict[str, list[_Known]] = {}
        self._by_digests: dict[tuple[str, ...], list[_Known]] = {}
        self.matched: dict[int, _Known] = {}
        self._strangers: list[int] = []
        for one in known:
            for name in (*one.unit.ids, *one.unit.calls):
                self._by_name.setdefault(name, []).append(one)
            self._by_digests.setdefault(tuple(one.unit.digests), []).append(one)

    def all_entries(self) -> None:
        """Match every entry of the model, in order."""
        last = -1
        for position, entry in enumerate(self._history.entries):
            if messages.is_unit(entry):
                one = self._one(position, entry, last)
                if one is None:
                    self._strangers.append(position)
                else:
                    self.matched[position] = one
                    last = one.at

    def _one(self, position: int, entry: Mapping[str, Any], last: int) -> _Known | None:
        seen = pieces(entry)
        digests = [messages.digest(piece, self._key) for piece in seen]
        names = [name for name in (entry.get("id"), *(piece.call for piece in seen)) if isinstance(name, str) and name]
        named = [one for name in names for one in self._by_name.get(name, ())]
        same = self._by_digests.get(tuple(digests), ())
        # Ids of some producers start anew with each turn, so that the digests choose among several of one name.
        choices = [one for one in named if one in same] or named or same
        one = min((one for one in choices if one.at > last), key=lambda one: one.at, default=None)
        if one is None and named:
            self._refuse("order-changed", position)
        if one is not None and one.unit.digests != digests:
            self._refuse(_difference(one.unit, seen, digests), position)
        return one

    def _refuse(self, reason: str, position: int) -> NoReturn:
        refuse(reason, self._history, self._history.origins[position])

    # --- entries that nobody held -------------------------------------------------------------------------------

    def check_strangers(self) -> None:
        """Refuse entries that stand where a held one should, and calls in a live tool loop that nobody held."""
        first = min([*self.matched, self._loop()], default=0)
        seen = {id(one.turn) for one in self.matched.values()}
        missing = {one.turn.position for one in self._known if id(one.turn) not in seen} - {None}
        for position in self._strangers:
            entry = self._history.entries[position]
            calls = any(piece.kind == "call" for piece in pieces(entry))
            if calls and position >= first:
                self._refuse("unknown-call", position)
            if self._history.origins[position] in self._history.carried:
                self._refuse("foreign-reasoning", position)
            if position in missing or self._is_in_a_hole(position):
                self._refuse("text-changed" if not calls else "call-ids-changed", position)

    def _loop(self) -> int:
        """Where the live tool loop starts: behind the last text of a person."""
        said = [at for at, entry in enumerate(self._history.entries) if messages.is_said_by_user(entry)]
        return said[-1] + 1 if said else 0

    def _is_in_a_hole(self, position: int) -> bool:
        """Whether a held unit is missing between the neighbours of an entry that nobody held."""
        before = max((one.at for at, one in self.matched.items() if at < position), default=None)
        after = min((one.at for at, one in self.matched.items() if at > position), default=None)
        return before is not None and after is not None and after > before + 1

    # --- what stands before -------------------------------------------------------------------------------------

    def check_prefixes(self) -> None:
        """Refuse a changed prefix where the producer binds reasoning to it."""
        earlier: _Known | None = None
        checked: set[int] = set()
        for position, one in self.matched.items():
            if rule_named(one.turn.rule).bound == "prefix" and id(one.turn) not in checked:
                checked.add(id(one.turn))
                if one.turn.prefix is None:
                    self._unbroken(position, one, earlier)
                elif one.turn.prefix != self._prefix(position, one.turn):
                    self._refuse("prefix-changed", position)
            earlier = one

    def _unbroken(self, position: int, one: _Known, earlier: _Known | None) -> None:
        """Without the request that a turn answered, what can be told is that no earlier turn is missing."""
        first = 0 if earlier is None else earlier.at + 1
        there = [(known.unit.calls, known.unit.digests) for known in self.matched.values()]
        # A turn can be there twice: held, not acknowledged, and held again.
        if any((known.unit.calls, known.unit.digests) not in there for known in self._known[first : one.at]):
            self._refuse("turn-missing", position)

    def _prefix(self, position: int, turn: Held) -> str | None:
        told = self._history.around
        if told is not None and turn.around is not None and told != turn.around:
            return None
        return prefix_of(self._history.entries[:position], self._key)


def _difference(unit: Unit, seen: Sequence[messages.Piece], digests: Sequence[str]) -> str:
    """In a word, how an entry differs from what was held."""
    if sorted(piece.call for piece in seen if piece.call) != sorted(unit.calls):
        return "call-ids-changed"
    if sorted(digests) == sorted(unit.digests):
        return "order-changed"
    if len(digests) != len(unit.digests):
        return "blocks-changed"
    kinds = {kind for kind, mine, theirs in zip(unit.kinds, unit.digests, digests, strict=True) if mine != theirs}
    return "call-changed" if "call" in kinds else "text-changed" if "text" in kinds else "block-changed"


def root_gap(found: Mapping[int, tuple[Held, Unit]]) -> tuple[Gap, list[bytes]]:
    """The gaps of a list of entries, and the carriers that fill them."""
    gap = Gap()
    carriers: list[bytes] = []
    offsets: dict[int, int] = {}
    for position, (turn, unit) in found.items():
        if rule_named(turn.rule).back == "never":
            continue
        if id(turn) not in offsets:
            offsets[id(turn)] = len(carriers)
            carriers += turn.carriers
        shift = offsets[id(turn)]
        gap.elements += [(position, number + shift) for number in unit.before]
        if unit.gap is not None:
            gap.inside[position] = _shifted(unit.gap, shift)
    return gap, carriers


def _shifted(gap: Gap, by: int) -> Gap:
    return Gap(
        None if gap.put is None else gap.put + by,
        [(at, length, number + by) for at, length, number in gap.text],
        [(key, before, number + by, absent) for key, before, number, absent in gap.members],
        [(at, number + by) for at, number in gap.elements],
        {key: _shifted(inner, by) for key, inner in gap.inside.items()},
        gap.list_of_text,
    )
