"""Closed positions and what a removal leaves behind: unknown types, marks, messages with nothing left.

A content list of an assistant message has a closed vocabulary: a type that nobody listed is a block the vendor added
after this release, and may well be next quarter's reasoning. Toward a person it is withheld until somebody has looked.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reticent.dialects._marks import Counted, block_label, block_length, is_mark, mark_of
from reticent.edits import DROP, Cut, Edit, Put

if TYPE_CHECKING:
    from reticent.serializers.walk import Walk

_log = logging.getLogger("reticent")
_warned: set[str] = set()
_LOOKS_LIKE_REASONING = re.compile(
    r"think|thought|reason|rationale|reflect|ponder|deliberat|scratch|monolog|cogit|muse|musing|analysis", re.IGNORECASE
)
_LISTS = ("content", "parts", "output")
_LEAN = frozenset({"role", "content", "parts", "id", "name", "type", "status", "phase"})


def check_message(walk: Walk, node: Mapping[str, Any], edits: dict[Any, Edit]) -> None:
    """Withhold blocks of unknown type from the lists of an assistant message."""
    for name in _LISTS:
        items = node.get(name)
        if isinstance(items, list):
            check_list(walk, name, items, edits)


def check_list(walk: Walk, name: str, items: Sequence[Any], edits: dict[Any, Edit]) -> None:
    """Withhold elements of unknown type from one list, the edits of which stand in ``edits[name]``."""
    inner = edits.get(name)
    if inner is DROP:
        return
    mine: dict[Any, Edit] = dict(inner) if isinstance(inner, dict) else {}
    for at, item in enumerate(items):
        is_whole = mine.get(at) is None or isinstance(mine[at], dict)
        if item.__class__ is dict and is_whole and withheld_unknown(walk, name, item):
            mine[at] = Put(mark_of(walk.program.marks, item, name, Counted(block_label(item), 1, block_length(item))))
            edits[name] = mine


def withheld_unknown(walk: Walk, name: str, item: Mapping[str, Any]) -> bool:
    """Whether an element of the list ``name`` has a type that nobody listed, and goes for it; counted either way.

    Where a protocol tells its blocks by another key (``part_kind``), ``name`` is that key.
    """
    told = None if name in _LISTS else item.get(name)
    kind = told if isinstance(told, str) else item.get("type")
    if isinstance(kind, str):
        if kind in walk.program.known(name) or walk.program.is_open(kind):
            return False
    elif not item or not walk.program.untyped.isdisjoint(item):
        return False
    if is_mark(item):
        return False
    label = block_label(item if kind is None else {"type": kind})
    walk.report.unknown_types[label] = walk.report.unknown_types.get(label, 0) + 1
    mode = walk.program.options.unknown_types
    _warn_once(label, mode)
    if mode == "carry" or (mode == "suspect" and not _suspicious(item)):
        return False
    walk.withhold("unknown-type", item)
    return True


def _warn_once(label: str, mode: str) -> None:
    if label not in _warned:
        _warned.add(label)
        _log.warning("block type %r is in no vocabulary; unknown_types=%s decides what happens to it", label, mode)


def _suspicious(item: Mapping[str, Any]) -> bool:
    names = [str(item.get("type", "")), *map(str, item)]
    return any(_LOOKS_LIKE_REASONING.search(name) for name in names)


def mark_runs(walk: Walk, items: Sequence[Any], edits: dict[Any, Edit], key: Any) -> None:
    """Turn each run of dropped blocks into one mark, for surfaces that say ``on_strip: mark``."""
    at = 0
    while at < len(items):
        run = at
        while edits.get(at) is DROP and isinstance(items[at], dict):
            at += 1
        if at > run:
            counted = Counted(block_label(items[run]), at - run, sum(map(block_length, items[run:at])))
            edits[run] = Put(mark_of(walk.program.marks, items[run], key, counted))
        at += 1


def left_with_nothing(item: Any, edit: Edit) -> Edit | None:
    """DROP when the edit leaves a message of a history without any content, else None.

    Only a lean message goes: one that carries a stop reason or usage still tells its reader something.
    """
    if not isinstance(edit, dict) or not isinstance(item, dict) or "role" not in item:
        return None
    if not _LEAN.issuperset(name for name in item if edit.get(name) is not DROP):
        return None
    for name in ("content", "parts"):
        if name in item and not _empties(item[name], edit.get(name)):
            return None
    return DROP


def _empties(value: Any, edit: Edit | None) -> bool:
    if isinstance(edit, Cut):
        return not edit.apply(value).strip()
    if value.__class__ is list:
        gone = edit if isinstance(edit, dict) else {}
        return all(gone.get(at) is DROP for at in range(len(value)))
    return value is None or value == "" or edit is DROP
