"""A surface's verdict and every dialect's vocabulary, compiled once into dispatch tables.

The walk asks the program what rules can fire on an object with these keys, which types are known and what a carrier
leaves behind. All of it is looked up; nothing is decided per message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

from reticent.dialects import Dialect, Hook, Kinds
from reticent.dialects._positions import TELLERS, TELLING, TYPES, Position
from reticent.dialects._rules import BlockRule, MemberRule

if TYPE_CHECKING:
    from reticent.dialects._dialect import ListHook
    from reticent.dialects._marks import Form
    from reticent.serializers.native import Settler
    from reticent.serializers.scan import Scanner

UnknownTypes = Literal["withhold", "suspect", "carry"]
OnStrip = Literal["drop", "mark"]
MAX_DEPTH = 200
MAX_BYTES = 64 * 1024 * 1024
_SPEAKERS = {kind for kind, position in TYPES.items() if position == Position.ASSISTANT}
OWN_WORDS = "table"
"""The section that a table's own vocabulary makes; it counts whatever dialect is fixed."""
_SHAPES_LIMIT = 4096
_WIDEST_SHAPE = 64
"""Members of an object whose shape is remembered; one with more is a table, and its keys will not come again."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a surface decided: the content classes to withhold and how to treat what is left or unknown.

    ``max_depth`` counts nested containers, ``max_bytes`` bytes of one payload. A ``dialect``
    that the caller fixed closes positions to the types of that dialect alone; rules of all dialects apply all the same.
    """

    withhold: frozenset[str] = frozenset({"text", "summary", "opaque"})
    on_strip: OnStrip = "drop"
    unknown_types: UnknownTypes = "withhold"
    max_depth: int = MAX_DEPTH
    max_bytes: int = MAX_BYTES
    dialect: str | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """Everything that can matter about objects with one set of keys.

    Without anything in it, unless a ``type`` or a ``role`` says more, an object is only looked through (not ``ruled``).
    """

    ruled: bool
    told: bool
    """Whether a key other than ``type`` and ``role`` may say where the object stands."""
    discriminators: tuple[tuple[str, Mapping[str, tuple[BlockRule, ...]]], ...]
    members: tuple[tuple[str, tuple[MemberRule, ...]], ...]
    hooks: tuple[Hook, ...]


@dataclass(slots=True)
class Program:
    """The tables for one set of options; safe to share between threads."""

    options: Options
    discriminators: dict[str, dict[str, tuple[BlockRule, ...]]] = field(
        default_factory=dict[str, dict[str, tuple[BlockRule, ...]]]
    )
    members: dict[str, tuple[MemberRule, ...]] = field(default_factory=dict[str, tuple[MemberRule, ...]])
    hooks: dict[str, tuple[Hook, ...]] = field(default_factory=dict[str, tuple[Hook, ...]])
    lists: tuple[ListHook, ...] = ()
    marks: tuple[Form, ...] = ()
    signs: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    lone: frozenset[str] = frozenset()
    lifts: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict[str, dict[str, tuple[str, ...]]])
    visible: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    opens: tuple[str, ...] = ()
    untyped: frozenset[str] = frozenset()
    patterns: dict[str, tuple[Hook, ...]] = field(default_factory=dict[str, "tuple[Hook, ...]"])
    triggers: frozenset[str] = frozenset()
    ruled_types: frozenset[str] = frozenset()
    shapes: dict[tuple[Any, ...], Shape] = field(default_factory=dict[tuple[Any, ...], Shape])
    _known: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    _scanner: Scanner | None = None
    _settler: tuple[Settler | None] | None = None

    @property
    def types(self) -> Mapping[str, tuple[BlockRule, ...]]:
        """Block rules by the value of ``type``."""
        return self.discriminators.get("type", {})

    @property
    def roles(self) -> Mapping[str, tuple[BlockRule, ...]]:
        """Block rules by the value of ``role``."""
        return self.discriminators.get("role", {})

    def shape(self, names: tuple[Any, ...]) -> Shape:
        """What can matter about objects with the keys ``names``; the cache is emptied when a client floods it."""
        found = self.shapes.get(names)
        if found is None:
            found = self._make_shape(names)
            if len(names) <= _WIDEST_SHAPE:
                if len(self.shapes) >= _SHAPES_LIMIT:
                    self.shapes.clear()
                self.shapes[names] = found
        return found

    def known(self, at: str) -> frozenset[str]:
        """Every type that may stand in the list ``at``: visible ones and those that are reasoning."""
        found = self._known.get(at)
        if found is None:
            ruled = self.discriminators.get(at, self.types).keys()
            found = self._known[at] = self.visible.get(at, frozenset()) | ruled
        return found

    @property
    def scanner(self) -> Scanner:
        """What settles payloads of this program without a walk; compiled when it is first asked for."""
        if self._scanner is None:
            from reticent.serializers.scan import Scanner

            self._scanner = Scanner(self)
        return self._scanner

    @property
    def settler(self) -> Settler | None:
        """The native pass that settles payloads of this program before anything else looks; None without one."""
        if self._settler is None:
            from reticent.serializers.native import make_settler

            self._settler = (make_settler(self),)
        return self._settler[0]

    def is_open(self, kind: str) -> bool:
        """Whether ``kind`` lies in a namespace that a protocol leaves to its users."""
        return any(fnmatchcase(kind, pattern) for pattern in self.opens)

    def _make_shape(self, names: tuple[Any, ...]) -> Shape:
        hooks = dict.fromkeys(hook for name in names for hook in self._hooks_of(name))
        return Shape(
            ruled=bool(hooks) or not self.triggers.isdisjoint(names),
            told=not TELLING.isdisjoint(names),
            discriminators=tuple((name, self.discriminators[name]) for name in names if name in self.discriminators),
            members=tuple((name, self.members[name]) for name in names if name in self.members),
            hooks=tuple(hooks),
        )

    def _hooks_of(self, name: Any) -> Iterator[Hook]:
        yield from self.hooks.get(name, ())
        if isinstance(name, str):
            for start, hooks in self.patterns.items():
                if name.startswith(start):
                    yield from hooks


def compile_program(dialects: Iterable[Dialect], options: Options, extra: Iterable[Kinds] = ()) -> Program:
    """One program out of every dialect; a value that two dialects claim keeps both rules.

    ``extra`` are sections that come from a table's own vocabulary.
    """
    program = Program(options)
    dialects = tuple(dialects)
    for section in (*(dialect.kinds for dialect in dialects), *extra):
        _add(program, section)
    for dialect in dialects:
        program.lists += dialect.lists
        program.marks += () if dialect.mark is None else (dialect.mark,)
        program.lone |= dialect.lone
        for key, hooks in dialect.hooks.items():
            table = program.patterns if key.endswith("*") else program.hooks
            table[key.rstrip("*")] = (*table.get(key.rstrip("*"), ()), *hooks)
            signs = dialect.signs.get(key, (f'"{key[:-1]}' if key.endswith("*") else f'"{key}":',))
            program.signs[key] = (*program.signs.get(key, ()), *signs)
    keys = program.members.keys() | program.hooks.keys() | program.discriminators.keys() | program.lifts.keys()
    program.triggers = frozenset((keys | TELLERS.keys()) - {"type", "role"})
    program.ruled_types = frozenset(program.types.keys() | program.lifts.get("type", {}).keys() | _SPEAKERS)
    return program


def _add(program: Program, section: Kinds) -> None:
    for block in section.blocks:
        table = program.discriminators.setdefault(block.key, {})
        table[block.value] = (*table.get(block.value, ()), block)
    for member in section.members:
        program.members[member.key] = (*program.members.get(member.key, ()), member)
    for event, key in section.lifts.items():
        name, _, value = event.rpartition("=")
        events = program.lifts.setdefault(name or "type", {})
        events[value] = (*events.get(value, ()), key)
    for wrap in section.wraps:
        if len(wrap.at) == 1 and wrap.value != "*":
            lifts = program.lifts.setdefault(wrap.key, {})
            lifts[wrap.value] = (*lifts.get(wrap.value, ()), wrap.at[0])
    fixed = program.options.dialect
    for at, names in section.visible.items():
        if (
            fixed is not None
            and fixed not in (section.dialect, section.data.get("extends"))
            and section.dialect != OWN_WORDS
        ):
            continue
        program.visible[at] = program.visible.get(at, frozenset()) | names
    program.opens = tuple(dict.fromkeys((*program.opens, *section.opens)))
    program.untyped |= set(section.untyped)
