"""What a scan tells: where reasoning lies and what could not be read, never a character of either.

Values here go to terminals, CI logs and state files. They name places, rules, counts and lengths; the only words of
the payload among them are keys of JSON objects that look like identifiers.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reticent.serializers.program import Program

__all__ = ["Finding", "NotRead", "Note", "Where", "Write", "class_of", "pointer"]

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_.$:-]{0,47}")
_RULE_WORDS_OPAQUE: Final = re.compile(
    r"signature|encrypted|item_reference|previous_response_id|thought-id|redacted|opaque|raw_?span", re.IGNORECASE
)
_NO_DIALECT: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Where:
    """A place inside a source; what does not apply is None.

    ``line`` counts from 1; ``offset`` counts bytes of the content after decompression, from 0. ``pointer`` is a JSON
    pointer (RFC 6901) in which a key that may be text is written ``*``. ``key`` holds a row's key, or its rowid.
    ``row`` counts from 0 in its ``row_group``.
    """

    line: int | None = None
    offset: int | None = None
    pointer: str | None = None
    table: str | None = None
    column: str | None = None
    key: str | None = None
    row_group: int | None = None
    row: int | None = None

    def __str__(self) -> str:
        """The place in one line: ``:12 byte 340 /content/0``, ``public.messages.body [id=7] /content/0``."""
        parts: list[str] = []
        if self.line is not None:
            parts.append(f":{self.line}")
        if self.table is not None:
            parts.append(f" {self.table}.{self.column}" if self.column else f" {self.table}")
        elif self.column is not None:
            parts.append(f" column {self.column}")
        if self.row_group is not None:
            parts.append(f" [row group {self.row_group}, row {self.row}]")
        if self.key is not None:
            parts.append(f" [{self.key}]")
        if self.offset is not None:
            parts.append(f" byte {self.offset}")
        if self.pointer:
            parts.append(f" {self.pointer}")
        return "".join(parts)


NOWHERE: Final = Where()
"""The source as a whole."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Reasoning that rests in a source.

    ``source`` is a path (a member of an archive after ``!``) or the URL of a database without its password. ``rule``
    names what told it (``anthropic-messages/thinking``), ``dialect`` the wire shape, ``reasoning_class`` its content
    class; ``count`` carriers of ``length`` characters altogether.
    """

    source: str
    where: Where
    rule: str
    reasoning_class: str
    count: int
    length: int

    @property
    def dialect(self) -> str:
        """The dialect that the rule belongs to."""
        return self.rule.partition("/")[0] if "/" in self.rule else _NO_DIALECT

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {
            "kind": "finding",
            "source": self.source,
            **_told(self.where),
            "dialect": self.dialect,
            "rule": self.rule,
            "class": self.reasoning_class,
            "count": self.count,
            "length": self.length,
        }

    def __str__(self) -> str:
        """One line: place, rule, class, count and length."""
        times = "" if self.count == 1 else f"{self.count} times, "
        return f"{self.source}{self.where}: {self.rule} ({self.reasoning_class}, {times}{self.length} characters)"


@dataclass(frozen=True, slots=True)
class NotRead:
    """Something that was not looked through, and why: ``code`` for programs, ``message`` for people.

    ``partly`` says that it was judged as far as it can be (a line that is no JSON, as text), so that it may be
    rewritten without it.
    """

    source: str
    code: str
    message: str
    where: Where = NOWHERE
    partly: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The gap as JSON values."""
        return {
            "kind": "not-read",
            "source": self.source,
            **_told(self.where),
            "code": self.code,
            "message": self.message,
            "partly": self.partly,
        }

    def __str__(self) -> str:
        """One line: place, code and reason."""
        return f"{self.source}{self.where}: not read{' as a whole' if self.partly else ''}: {self.code}: {self.message}"


Note: TypeAlias = Finding | NotRead
Write: TypeAlias = "Callable[[bytes], object] | None"
"""Where what may stay goes, piece by piece; None for a look that changes nothing."""


def from_dict(told: dict[str, Any]) -> Note:
    """A finding or gap from ``to_dict``."""
    where = Where(**{name: told[name] for name in Where.__slots__ if name in told})
    if told["kind"] == "finding":
        return Finding(told["source"], where, told["rule"], told["class"], told["count"], told["length"])
    return NotRead(told["source"], told["code"], told["message"], where, told["partly"])


def placed(note: Note, **places: Any) -> Note:
    """``note`` with more of its place known."""
    return replace(note, where=replace(note.where, **places))


def pointer(path: Sequence[str | int]) -> str:
    """A JSON pointer, with ``*`` for keys that may be text rather than names."""
    return "".join(f"/{step if isinstance(step, int) or _PLAIN_KEY.fullmatch(step) else '*'}" for step in path)


def class_of(rule: str, program: Program) -> str:
    """The content class of what ``rule`` withholds: the vocabulary's word, or what the rule's name says."""
    return _classes(program).get(rule) or ("opaque" if _RULE_WORDS_OPAQUE.search(rule) else "text")


def _classes(program: Program) -> dict[str, str]:
    found: dict[str, str] = {}
    for table in program.discriminators.values():
        found |= {rule.name: rule.reasoning_class for rules in table.values() for rule in rules}
    for rules in program.members.values():
        found |= {rule.name: rule.reasoning_class for rule in rules}
    return found


def _told(where: Where) -> dict[str, Any]:
    return {name: value for name, value in asdict(where).items() if value is not None}
