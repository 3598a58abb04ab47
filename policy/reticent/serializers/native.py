"""The native settle pass, where it is installed: the answers of ``scan`` and ``layout`` without a parse.

``reticent-native`` is a distribution of its own (the extra ``native``). Without it, or with ``RETICENT_NATIVE=0`` in
the environment, everything here gives None and the library does the same work in Python. The pass gets its tables
from the modules that use them in Python; it holds no fact of its own. It answers what it can prove and leaves the rest
to the library, refusals included. ``docs/decisions/0046-a-native-pass-that-may-be-unsure.md`` has the argument.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import orjson

from reticent.edits import DROP
from reticent.serializers import layout, literals, panels, scan
from reticent.streams._phrases import GRANITE_OPENER
from reticent.streams.tags import HINT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reticent.edits import Children
    from reticent.serializers.program import Program
    from reticent.serializers.report import Report

SWITCH: Final = "RETICENT_NATIVE"
"""The environment variable that turns the pass off when it is ``0``; read when a program gets its first payload."""
CONTRACT: Final = 3
"""The form of tables and answers; a module of another form is not used."""

_log = logging.getLogger("reticent")

Gone: TypeAlias = "tuple[str, int, int | None, int]"
"""``(rule, characters, position of the message in the history or None, position of the block in its content)``."""


class Settler(Protocol):
    """The compiled pass of one program."""

    def settle(self, data: bytes) -> bytes | tuple[bytes, Sequence[Gone]] | None:
        """``data`` itself when it is clean, or what is left of it and what goes; None when the library has to look."""
        ...


def make_settler(program: Program) -> Settler | None:
    """The pass for ``program``; None where it is not installed, is switched off, or cannot tell what a table means."""
    found = module()
    if found is None:
        return None
    try:
        settler: Settler = found.Settler(tables(program))
    except ValueError as error:
        _log.warning("payloads are settled in Python: %s", error)
        return None
    return settler


def module() -> Any:
    """The native module, or None where it is not installed, has another form, or is switched off."""
    if os.environ.get(SWITCH) == "0":
        return None
    try:
        import reticent_native
    except ImportError:
        return None
    return reticent_native if reticent_native.CONTRACT == CONTRACT else None


def settled(data: bytes, program: Program, report: Report) -> bytes | None:
    """``data`` without the blocks that go, which are counted; None when the library has to look."""
    settler = program.settler
    found = None if settler is None else settler.settle(data)
    if isinstance(found, tuple):
        found, gone = found
        _count(gone, report)
    return found


def dumped(value: Any, program: Program, report: Report) -> bytes | None:
    """``value`` as compact JSON without the blocks that go, which are counted; None when the library has to look."""
    written = _written(value, program)
    return None if written is None else settled(written, program, report)


def edit_of(value: Any, program: Program, report: Report) -> tuple[Children | None] | None:
    """What goes from ``value``, as the walk would have put it, in a tuple; None when the library has to look."""
    written, settler = _written(value, program), program.settler
    found = None if written is None or settler is None else settler.settle(written)
    if not isinstance(found, tuple):
        return None if found is None else (None,)
    edits = _edits(value, found[1])
    if edits is not None:
        _count(found[1], report)
    return None if edits is None else (edits,)


def _written(value: Any, program: Program) -> bytes | None:
    """A dict as compact JSON; None when there is no pass, or JSON would not give the same value back."""
    if program.settler is None or value.__class__ is not dict:
        return None
    try:
        written = orjson.dumps(value, option=scan.AS_IS)
    except TypeError:
        return None
    return written if b"null" not in written or scan.is_exact(value) else None


def _count(gone: Sequence[Gone], report: Report) -> None:
    for rule, length, _, _ in gone:
        report.add(rule, length)


def _edits(value: dict[str, Any], gone: Sequence[Gone]) -> Children | None:
    """What goes, as the walk would have put it; None where something on the way is no list, and JSON hid it."""
    own: Children = {}
    blocks: dict[int, Children] = {}
    for _, _, message, block in gone:
        (own if message is None else blocks.setdefault(message, {}))[block] = DROP
    if own:
        return {"content": own} if value["content"].__class__ is list else None
    messages = value["messages"]
    if messages.__class__ is not list or any(messages[at]["content"].__class__ is not list for at in blocks):
        return None
    return {"messages": {at: {"content": edits} for at, edits in blocks.items()}}


def tables(program: Program) -> dict[str, Any]:
    """What the pass has to know of ``program``."""
    own = layout.Layout(program)
    return {
        "signs": list(scan.signs_of(program)),
        "words": scan.ANYWHERE,
        "known": {name: own.known[name] for name in layout.LISTS},
        "open": program.opens,
        "untyped": own.untyped,
        "lone": list(_lone(own)),
        "hooked": own.hooked,
        "rooted": own.rooted,
        "openings": [opening.decode() for opening in scan.OPENINGS],
        "opener": GRANITE_OPENER.pattern,
        "hint": "|".join([HINT.pattern.lower(), *panels.CORNERS]),
        "markers": [*scan.MARKERS, "\\u00"],
        "caseless": literals.CASELESS,
        "depth": max(0, program.options.max_depth - scan.NESTED_DEPTH),
    }


def _lone(own: layout.Layout) -> Iterator[tuple[str, str, frozenset[str], frozenset[str]]]:
    """``(type, rule, members one of which is needed, members a block may have)``, in the order they are tried."""
    for kind, rules in own.lone.items():
        for rule, allowed in rules:
            yield kind, rule.name, frozenset(rule.needs), allowed
