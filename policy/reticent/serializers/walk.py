"""The recogniser: one pass over a value that finds every carrier of reasoning and writes down what is to go.

Every rule of every dialect looks at every object, because one body can speak several dialects and a record can hold
any of them. What a rule may do at a place depends on the position (``dialects._positions``) that the walk carries down.

``node`` is the hot path: an object without a single key or type that a rule names is only looked through. Everything
else goes to ``_ruled``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reticent.dialects._marks import is_mark
from reticent.dialects._positions import KEYS, ROLES, TYPES, Position, is_call
from reticent.dialects._positions import told as position_told
from reticent.dialects._where import CONDITIONS
from reticent.edits import DROP, Edit
from reticent.errors import InputTooDeep, MalformedInput
from reticent.serializers import closed, labels, literals, strings
from reticent.serializers.report import Report, measure

if TYPE_CHECKING:
    from reticent.dialects._rules import BlockRule, MemberRule
    from reticent.serializers.program import Program, Shape

_KIND = {str: "string", list: "list", dict: "object"}
_SCALARS = frozenset({int, bool, type(None)})
_ASSISTANT = int(Position.ASSISTANT)
_SYSTEM = int(Position.SYSTEM)
_RESULT = int(Position.RESULT)
_DATA = int(Position.DATA)
_KEYS = {key: int(position) for key, position in KEYS.items()}
_ROLES = {role: int(position) for role, position in ROLES.items()}
_TYPES = {kind: int(position) for kind, position in TYPES.items()}
_UNTOLD = frozenset({_DATA, _SYSTEM})
"""Positions that nothing below can change."""
_NOWHERE: Mapping[str, int] = {}
_OPENERS = '{["<\u25c1 \t\r\n'
"""What a string begins with that is JSON, a tag, or white space in front of one."""
_may_hold = literals.may_hold
_ANSWERS = labels.ANSWER_KEYS
_UNMARKED: Collection[str] = frozenset({"reasoning_details"})
"""Keys of arrays that hold nothing but reasoning: the member goes, as one that is a string does."""
EVENT_LISTS = frozenset({None, "outputBodyJson", "events", "chunks", "stream_events", "streamed_chunks", "raw_events"})
"""Keys under which arrays of stream events were seen (None: the payload itself)."""
_SHORTEST = strings.SHORTEST


class NotPlain(Exception):
    """The value holds something other than the classes a JSON parser makes; it has to be converted first."""


class Walk:
    """One pass with the tables of one program; ``report`` gathers what it found."""

    __slots__ = (
        "_max_depth",
        "_roles",
        "_shapes",
        "_typed",
        "_withhold",
        "fragments",
        "inline_tags",
        "nesting",
        "program",
        "report",
        "unmarked",
        "unsettled",
    )

    def __init__(self, program: Program, report: Report, *, inline_tags: bool = True) -> None:
        """Walk with the tables of ``program`` and count into ``report``.

        Without ``inline_tags``, text that models wrote is left to whoever sees the whole stream of it, and what ends
        in the middle of a value is a piece and not a value that was cut short.
        """
        self.program = program
        self.report = report
        self.nesting = 0
        self.unsettled: tuple[list[Any], list[int]] | None = None
        """An array, and the positions in it that have to be walked, when the others are known to hold nothing."""
        self.unmarked: Collection[str] = _UNMARKED
        """Keys of arrays that leave no marks."""
        self._roles = program.roles
        self.inline_tags = inline_tags
        self.fragments = not inline_tags
        self._shapes = program.shapes
        self._typed = program.ruled_types
        self._max_depth = program.options.max_depth
        self._withhold = program.options.withhold

    def root(self, value: Any, position: int = Position.OPEN) -> Edit | None:
        """The edits of a whole payload, or None when nothing in it is reasoning.

        Raises:
            InputTooDeep: ``value`` nests deeper than the program allows.
            MalformedInput: ``value`` holds a number that JSON cannot spell.
            NotPlain: ``value`` holds something that no JSON parser makes.
        """
        return self.value(value, int(position), None, 0)

    def value(self, value: Any, position: int, key: Any, depth: int) -> Edit | None:
        """The edit of one value that stands under ``key``."""
        kind = value.__class__
        if kind is dict:
            return self.node(value, position, key, depth)
        if kind is list:
            return self.items(value, position, key, depth)
        if kind is str:
            return strings.edit(self, value, position, key, depth) if len(value) >= _SHORTEST else None
        if kind not in _SCALARS:
            _check_scalar(value)
        return None

    def node(self, node: dict[Any, Any], position: int, key: Any, depth: int) -> Edit | None:
        """The edit of an object."""
        if depth > self._max_depth:
            raise InputTooDeep(f"nested deeper than {self._max_depth} levels")
        names = tuple(node)
        shape = self._shapes.get(names) or self.program.shape(names)
        if shape.ruled:
            return self._ruled(node, shape, position, key, depth)
        if position not in _UNTOLD:
            kind: Any = node.get("type")
            role: Any = node.get("role")
            if kind.__class__ is str:
                if kind in self._typed:
                    return self._ruled(node, shape, position, key, depth)
                position = _TYPES.get(kind, position)
            if role.__class__ is str:
                position = _ROLES.get(role, position)
                if position == _ASSISTANT or role in self._roles:
                    return self._ruled(node, shape, position, key, depth)
        return self._children(node, position, depth + 1, None)

    def items(self, items: list[Any], position: int, key: Any, depth: int) -> Edit | None:
        """The edit of an array."""
        if depth > self._max_depth:
            raise InputTooDeep(f"nested deeper than {self._max_depth} levels")
        if key in EVENT_LISTS and items:
            judged = self._events(items)
            if judged is not None:
                return judged[0]
        if self.unsettled is not None and items is self.unsettled[0]:
            return self._unsettled(items, position, key, depth)
        edits: dict[Any, Edit] | None = None
        depth += 1
        for at, item in enumerate(items):
            edit = (
                self.node(item, position, key, depth)
                if item.__class__ is dict
                else self.value(item, position, key, depth)
            )
            if edit is not None:
                if edits is None:
                    edits = {}
                edits[at] = closed.left_with_nothing(item, edit) or edit
        return edits if edits is None else self._with_neighbours(items, edits, key)

    def _unsettled(self, items: list[Any], position: int, key: Any, depth: int) -> Edit | None:
        """As ``items``, for an array most elements of which are known to hold nothing."""
        edits: dict[Any, Edit] = {}
        for at in self.unsettled[1] if self.unsettled is not None else ():
            edit = self.value(items[at], position, key, depth + 1)
            if edit is not None:
                edits[at] = closed.left_with_nothing(items[at], edit) or edit
        return self._with_neighbours(items, edits, key) if edits else None

    def _with_neighbours(self, items: list[Any], edits: dict[Any, Edit], key: Any) -> dict[Any, Edit]:
        """``edits`` of an array, and what its other elements lose or become on account of them."""
        for hook in self.program.lists:
            hook(self, items, edits, key)
        if self.program.options.on_strip == "mark" and key not in self.unmarked:
            closed.mark_runs(self, items, edits, key)
        return edits

    def withhold(self, rule: str, value: Any) -> None:
        """Count ``value`` as removed by ``rule``."""
        self.report.add(rule, measure(value))

    def withholds(self, reasoning_class: str) -> bool:
        """Whether the surface withholds content of this class."""
        return reasoning_class in self._withhold

    def check_list(self, name: str, items: Sequence[Any], edits: dict[Any, Edit]) -> None:
        """Withhold elements of unknown type from the closed list ``name``; ``edits`` are those of the object around."""
        closed.check_list(self, name, items, edits)

    def _events(self, items: list[Any]) -> tuple[Edit | None] | None:
        """The edits of an array of one stream's events, in a tuple; None when it is an array of something else."""
        from reticent.serializers.session import edits_of_events, is_event

        if not any(map(is_event, items[:3])):
            return None
        return (edits_of_events(self.program, self.report, items),)

    def _children(
        self, node: dict[Any, Any], inner: int, depth: int, edits: dict[Any, Edit] | None
    ) -> dict[Any, Edit] | None:
        """Edits of the members, added to ``edits``; members that have one already are left alone."""
        positions = _NOWHERE if inner in _UNTOLD else _KEYS
        for name, child in node.items():
            kind = child.__class__
            if kind is str:
                if len(child) < _SHORTEST or (
                    child[0] not in _OPENERS and inner != _ASSISTANT and not _may_hold(child) and name not in _ANSWERS
                ):
                    continue
            elif kind is not dict and kind is not list:
                if kind not in _SCALARS:
                    _check_scalar(child)
                continue
            if edits is not None and name in edits:
                continue
            below = positions.get(name, inner)
            if kind is str:
                edit = strings.edit(self, child, below, name, depth)
            else:
                if name == "input" and is_call(node):
                    below = _DATA
                edit = self.node(child, below, name, depth) if kind is dict else self.items(child, below, name, depth)
            if edit is not None:
                edits = {} if edits is None else edits
                edits[name] = edit
        return edits

    def _ruled(self, node: dict[Any, Any], shape: Shape, position: int, key: Any, depth: int) -> Edit | None:
        """The edit of an object that some rule, role or hook has an opinion on."""
        edits: dict[Any, Edit] = {}
        for name, table in shape.discriminators:
            kind = node[name]
            blocks = table.get(kind) if kind.__class__ is str else None
            if blocks is not None:
                edit = self._block(blocks, node, position, key, edits)
                if edit is not None:
                    return edit
        inner = self._inside(node, position, told=shape.told)
        for name, rules in shape.members:
            if name not in edits and self._member(rules, node, name, inner, key):
                edits[name] = DROP
        self._children(node, inner, depth + 1, edits)
        if inner == _ASSISTANT:
            closed.check_message(self, node, edits)
        for hook in shape.hooks:
            edit = hook(self, node, edits, inner)
            if edit is not None:
                return edit
        if edits and self._lifted(node, edits):
            return DROP
        return edits or None

    def _inside(self, node: Mapping[str, Any], position: int, *, told: bool) -> int:
        if position in (_DATA, _SYSTEM):
            return position
        role = node.get("role")
        if role.__class__ is str and role in _ROLES:
            return _ROLES[role]
        kind = node.get("type")
        if kind.__class__ is str and kind in _TYPES:
            return _TYPES[kind]
        return int(position_told(node, position)) if told else position

    def is_unknown(self, at: str, item: Mapping[str, Any]) -> bool:
        """Whether ``item`` has a type that may not stand in the closed position ``at`` and is to be withheld."""
        return closed.withheld_unknown(self, at, item)

    def _block(
        self, rules: tuple[BlockRule, ...], node: Mapping[str, Any], position: int, key: Any, edits: dict[Any, Edit]
    ) -> Edit | None:
        if position == _SYSTEM or (position == _DATA and not _has_companion(node)):
            return None
        if "withheld" in node and is_mark(node):
            return None
        for rule in rules:
            if rule.needs and not any(name in node for name in rule.needs):
                continue
            if rule.where != "any" and not CONDITIONS[rule.where](node, node, position, key):
                continue
            edit = self._withhold_block(rule, node, edits)
            if edit is not None:
                return edit
        return None

    def _withhold_block(self, rule: BlockRule, node: Mapping[str, Any], edits: dict[Any, Edit]) -> Edit | None:
        """DROP, or fields to drop put into ``edits`` when the surface may show a part of the block.

        A shell (nothing but ciphertext and handles) of a class that may be shown stays: a stream opens a block so.
        """
        withhold = self._withhold
        present = {name: cls for name, cls in rule.fields.items() if node.get(name)}
        shown = {name for name, cls in present.items() if cls not in withhold}
        if len(shown) == len(present) if present else rule.reasoning_class not in withhold:
            return None
        is_shell = rule.reasoning_class not in withhold and all(cls == "opaque" for cls in present.values())
        if is_shell or any(present[name] != "opaque" for name in shown):
            for name in present.keys() - shown:
                self.withhold(rule.name, node[name])
                edits[name] = DROP
            return None
        self.withhold(rule.name, node)
        return DROP

    def _member(
        self, rules: tuple[MemberRule, ...], node: Mapping[str, Any], name: str, position: int, parent: Any
    ) -> bool:
        value = node[name]
        if not value:
            return False
        kind = _KIND.get(value.__class__)
        for rule in rules:
            if kind not in rule.kinds or rule.reasoning_class not in self._withhold:
                continue
            if CONDITIONS[rule.where](node, value, position, parent):
                self.withhold(rule.name, value)
                return True
        return False

    def _lifted(self, node: Mapping[str, Any], edits: Mapping[Any, Edit]) -> bool:
        """Whether ``node`` is an event around a carrier that goes, so that it goes too."""
        for name, table in self.program.lifts.items():
            kind: Any = node.get(name)
            if kind.__class__ is str and any(edits.get(key) is DROP for key in table.get(kind, ())):
                return True
        return False


def _check_scalar(value: Any) -> None:
    if value.__class__ is not float:
        raise NotPlain
    if value - value != 0.0:  # only NaN and the infinities differ from themselves so
        raise MalformedInput("a number that is not finite has no JSON form")


def _has_companion(node: Mapping[str, Any]) -> bool:
    """Whether a block carries ciphertext, which an application's own data has no reason to."""
    return any(isinstance(node.get(name), str) for name in ("signature", "encrypted_content", "data"))
