"""What every transcript shape answers: how to read an entry, and how to write the few entries that are ours."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from reticent.errors import UnsupportedType
from reticent.history.entries import Context, Entry, Part, PartKind, Path, Raw, Role, StopClass

if TYPE_CHECKING:
    from reticent.history.facts import Facts, PartFact

STOP_KEYS = ("stop_reason", "finish_reason", "stopReason", "finishReason")
"""Where a harness keeps the stop word beside a stored entry; each is the name some provider uses."""

METADATA = frozenset({*STOP_KEYS, "task_id", "seq", "nudge"})
"""Members that only the harness knows; a provider would refuse most of them."""

_LOOKALIKE = re.compile(r"think|thought|reason", re.IGNORECASE)


def plain(value: Any) -> Raw | None:
    """``value`` as a mapping: itself, or what an SDK object dumps; None when it is neither."""
    if isinstance(value, dict | Mapping):
        return cast("Raw", value)
    dump = getattr(value, "model_dump", None)
    return cast("Raw", dump(mode="json", by_alias=True, exclude_none=True)) if callable(dump) else None


def listed(value: Any) -> Sequence[Any]:
    """``value`` when it is a list or tuple, else nothing."""
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()


def word(value: Any) -> str | None:
    """``value`` when it is a non-empty string."""
    return value if isinstance(value, str) and value else None


def stop_word(raw: Raw) -> str | None:
    """The stop word stored beside an entry, under whichever provider's name."""
    for key in STOP_KEYS:
        found = raw.get(key)
        if found and isinstance(found, str):
            return found
    return None


def looks_like_reasoning(name: str) -> bool:
    """Whether the name of an unlisted type suggests reasoning; such a type is reported, never removed."""
    return _LOOKALIKE.search(name) is not None


class Read(NamedTuple):
    """What one shape finds in one entry, before the members all shapes share are added."""

    role: Role
    parts: list[Part]
    stop: str | None = None
    item_stop: bool = False


class Shape(ABC):
    """One transcript shape. ``content`` is the member that lists an entry's parts."""

    content = "content"

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    @property
    def name(self) -> str:
        """The dialect's id."""
        return self.facts.name

    @abstractmethod
    def look(self, raw: Raw, context: Context) -> Read:
        """Role, parts and stop word of one entry."""

    def read(self, pos: int, value: Any, context: Context) -> Entry:
        """One entry in normal form.

        Raises:
            UnsupportedType: the entry is no mapping and no SDK object; the message says where, not what.
        """
        raw = plain(value)
        if raw is None:
            raise UnsupportedType(f"entry {pos} of the history is a {type(value).__name__}, not an object")
        seen = self.look(raw, context)
        parts, played = self._played(seen, raw, context.text_prefix)
        seq = raw.get("seq")
        return Entry(
            pos=pos,
            role=seen.role,
            parts=tuple(parts),
            raw=raw,
            task_id=word(raw.get("task_id")),
            stop=self._stop(seen, context),
            item_stop=seen.item_stop,
            phase=word(raw.get("phase")),
            seq=seq if isinstance(seq, int) and not isinstance(seq, bool) else None,
            nudge=raw.get("nudge") is True,
            text_output=played,
        )

    def _stop(self, seen: Read, context: Context) -> StopClass:
        if seen.stop is None or seen.role is not Role.ASSISTANT:
            return StopClass.ABSENT
        stop = self.facts.stops.get(seen.stop, StopClass.CONTINUE)
        unsure = context.stop_strings and stop is StopClass.NATURAL and seen.stop == "stop"
        return StopClass.UNSURE if unsure else stop

    def _played(self, seen: Read, raw: Raw, prefix: str | None) -> tuple[list[Part], bool]:
        """Text-mode tools: user text that begins with the agreed prefix is a result without an id."""
        if prefix is None or seen.role is not Role.USER or not self.user_text(raw).startswith(prefix):
            return seen.parts, False
        kinds = {PartKind.TEXT: PartKind.RESULT}
        return [part._replace(kind=kinds.get(part.kind, part.kind), blank=False) for part in seen.parts], True

    # --- what an entry says -------------------------------------------------------------------------------------

    def user_text(self, raw: Raw) -> str:
        """The text of a user entry, joined; for prefixes and for quoting, never for judging."""
        return "\n\n".join(self.texts(raw))

    def texts(self, raw: Raw) -> list[str]:
        """The text parts of an entry, in order."""
        value = raw.get(self.content)
        if isinstance(value, str):
            return [value] if value else []
        found = (plain(part) for part in listed(value))
        return [part["text"] for part in found if part is not None and isinstance(part.get("text"), str)]

    # --- what we write ------------------------------------------------------------------------------------------

    def text_part(self, text: str) -> dict[str, Any]:
        """A text part of a user entry."""
        return {"type": "text", "text": text}

    def user_entry(self, texts: Sequence[str]) -> dict[str, Any]:
        """A user entry of ours."""
        return {"role": "user", self.content: [self.text_part(text) for text in texts]}

    def assistant_entry(self, text: str) -> dict[str, Any]:
        """An assistant entry of ours, without reasoning and unsigned."""
        return {"role": "assistant", self.content: [self.text_part(text)]}

    def moved(self, raw: Raw, parts: Sequence[Part]) -> list[Any]:
        """The user's own parts among ``parts``, as values that another user entry can take in."""
        value = raw.get(self.content)
        if isinstance(value, str):
            return [self.text_part(value)]
        return [value_at(raw, part.path) for part in parts]

    def extended(self, raw: Raw, additions: Sequence[Any]) -> Any:
        """The content of ``raw`` with further user parts behind its own."""
        value = raw.get(self.content)
        own = [self.text_part(value)] if isinstance(value, str) else list(listed(value))
        return [*own, *additions]

    def prefixed(self, raw: Raw, additions: Sequence[Any]) -> Any:
        """The content of ``raw`` with further user parts in front of its own."""
        value = raw.get(self.content)
        own = [self.text_part(value)] if isinstance(value, str) else list(listed(value))
        return [*additions, *own]

    def settle_paths(self, raw: Raw, paths: Sequence[Path]) -> list[Path]:
        """``paths`` to remove, less what they would leave empty and with the members that go along."""
        del raw
        return list(paths)

    @abstractmethod
    def body_path(self, raw: Raw, part: Part) -> Path:
        """Where the body of a client result stands, from the entry down."""

    def body_of(self, value: Any, text: str) -> Any:
        """``text`` in the form that ``value``, the body it replaces, has."""
        return [self.text_part(text)] if isinstance(value, list | tuple) else text

    @abstractmethod
    def error_result(self, call: Part, text: str) -> dict[str, Any]:
        """A result that says that ``call`` was given up: a part where results share an entry, else an entry."""

    @abstractmethod
    def arguments(self, raw: Raw, call: Part) -> Any:
        """What a call was made with: an object, or the text the provider wrote it as."""

    @abstractmethod
    def call_entry(self, call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """An assistant entry of ours with one call, without reasoning and unsigned."""

    @abstractmethod
    def result_of(self, call_id: str | None, name: str, text: str) -> dict[str, Any]:
        """The result of a call: a part where results share an entry, else an entry."""

    def result_entries(self, results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Results as entries."""
        return list(results) if self.own_result_entries() else [{"role": "user", self.content: list(results)}]

    def own_result_entries(self) -> bool:
        """Whether each result is an entry of its own."""
        return False


def value_at(raw: Any, path: Path) -> Any:
    """What stands at ``path`` below ``raw``."""
    value = raw
    for key in path:
        within = value if type(value) in _CONTAINERS else _opened(value)
        value = within[key]
    return value


_CONTAINERS = (dict, list, tuple)


def _opened(value: Any) -> Any:
    """A mapping of another class is its own container; an SDK object is opened by what it dumps."""
    return value if hasattr(value, "__getitem__") else plain(value)


def typed_part(facts: Facts, raw: Any, path: Path) -> tuple[Part, Raw, PartFact | None]:
    """A part that carries a ``type``; an unlisted or untyped one is unknown, and keeps its name."""
    fields = plain(raw)
    if fields is None:
        return Part(PartKind.TEXT if isinstance(raw, str) else PartKind.UNKNOWN, path), {}, None
    name = word(fields.get("type"))
    fact = facts.part(name) if name is not None else None
    kind = PartKind.UNKNOWN if fact is None else fact.kind
    return Part(kind, path, name=name, server=fact is not None and fact.server), fields, fact


def is_blank(value: Any) -> bool:
    """Whether a text shows nothing."""
    return not (isinstance(value, str) and value.strip())
