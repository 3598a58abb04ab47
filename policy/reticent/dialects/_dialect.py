"""What a dialect is: a section of the vocabulary, and the few functions that data cannot say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from reticent.edits import Edit

if TYPE_CHECKING:
    from reticent.dialects._marks import Form
    from reticent.dialects._rules import Kinds
    from reticent.dialects._stream import StreamContext, StreamHandler


class Walker(Protocol):
    """The part of the walk that a hook may use."""

    def withhold(self, rule: str, value: Any) -> None:
        """Count ``value`` as removed by ``rule``."""
        ...

    def value(self, value: Any, position: int, key: Any, depth: int) -> Edit | None:
        """The edit of a value that the walk would not reach by itself."""
        ...

    def withholds(self, reasoning_class: str) -> bool:
        """Whether the surface withholds content of this class."""
        ...

    def check_list(self, name: str, items: Sequence[Any], edits: dict[Any, Edit]) -> None:
        """Withhold elements of unknown type from the closed list ``name``; ``edits`` are those of the object around."""
        ...

    def is_unknown(self, at: str, item: Mapping[str, Any]) -> bool:
        """Whether ``item`` has a type that may not stand in the closed position ``at`` and is to be withheld."""
        ...


Hook = Callable[[Walker, Mapping[str, Any], dict[Any, Edit], int], "Edit | None"]
"""``(walker, node, edits, position) -> edit of the whole node, or None``.

Called after the members of ``node`` were looked at; ``edits`` holds what they lose so far and may be added to. The
node is never changed. A hook runs when a node has the key that it is registered under.
"""


ListHook = Callable[[Walker, Sequence[Any], "dict[Any, Edit]", Any], None]
"""``(walker, items, edits, key)``: called for an array that loses something; may add to ``edits``."""


def _never(_value: Any) -> bool:
    return False


def _nothing(_event: Any) -> Collection[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """One wire shape.

    ``recognise`` says whether a parsed payload is this dialect at its root; it decides names, never whether something
    is stripped. ``hooks`` are keyed by the object key that calls them, or by the beginning of
    such keys and an asterisk (``llm.input_messages.*``); ``lists``
    run on every array that loses something. Dialects with events also say which events are
    theirs (``claims``), which of those hold only a piece of a text (``partial``), and make the handler of one stream.
    ``pieces`` claims events that look like any record and are a piece of text only because they are sent as an event.

    ``mark`` makes the marks of this protocol, where its readers would not take one as it is (``_marks``). ``gathers``
    names the arrays of which an event holds a piece only; there the handler leaves marks, and not the walk.

    Two members only save time. ``signs`` says what a payload must hold, as compact JSON spells it, before the hooks
    under a key can find anything: nothing (an empty tuple) when they only follow up on what is gone already, or read
    a string as a model's own text. Without an entry the key itself is the sign. ``lone`` are types of content blocks
    that can go without any id, index or neighbour having to follow.
    """

    id: str
    kinds: Kinds
    recognise: Callable[[Any], bool] = _never
    hooks: Mapping[str, tuple[Hook, ...]] = field(default_factory=dict[str, tuple[Hook, ...]])
    signs: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    lone: frozenset[str] = frozenset()
    lists: tuple[ListHook, ...] = ()
    claims: Callable[[dict[str, Any]], bool] = _never
    partial: Callable[[dict[str, Any]], bool] = _never
    pieces: Callable[[dict[str, Any]], bool] = _never
    stream: Callable[[StreamContext], StreamHandler] | None = None
    mark: Form | None = None
    gathers: Callable[[dict[str, Any]], Collection[str]] = _nothing
