"""Hold keeps what a client may not see; restore puts it back where it was, byte for byte."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.store.turns import MAKERS, Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.store import Tasks

FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "values": (lambda value: value, lambda value: value),
    "compact bytes": (lambda value: json.dumps(value, separators=(",", ":")).encode(), json.loads),
    "spaced bytes": (lambda value: json.dumps(value, indent=2, ensure_ascii=False).encode(), json.loads),
    "text": (json.dumps, json.loads),
}


def entries_of(case: Case, visible: dict[str, Any]) -> list[Any]:
    """The entries that a client adds to its history after it was shown ``visible``."""
    if case.dialect == "gemini":
        return [visible["candidates"][0]["content"]]
    if "choices" in visible:
        return [visible["choices"][0]["message"]]
    if case.dialect in {"openai-responses", "gemini-interactions"}:
        return list(visible["output"] if "output" in visible else visible["steps"])
    if case.dialect == "bedrock-converse":
        return [visible["output"]["message"]]
    return [visible["message"] if "message" in visible else {name: visible[name] for name in ("role", "content")}]


def body(case: Case, entries: list[Any]) -> dict[str, Any]:
    """A request body whose history is a question and ``entries``."""
    return {"model": "m", case.name: [{"role": "user", "content": "Where is order 7?"}, *entries], "x": 1.50}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", MAKERS)
def test_round_trip(make: Callable[[], Case], form: str, local: Tasks) -> None:
    """The client sees no canary, and the history that it sends comes back as the producer issued it."""
    case = make()
    write, read = FORMS[form]
    before = copy.deepcopy(case.answer)

    visible = local.hold("t", write(case.answer))
    shown = entries_of(case, read(visible))
    restored = local.restore("t", write(body(case, shown)))

    assert type(write(case.answer)) is type(visible) is type(restored)
    assert [] == [canary for canary in case.canaries if canary in json.dumps(shown)]
    assert body(case, case.entries) == read(restored)
    assert json.dumps(body(case, case.entries)) == json.dumps(read(restored))
    assert before == case.answer


@pytest.mark.parametrize("make", MAKERS)
def test_lists_and_single_messages(make: Callable[[], Case], local: Tasks) -> None:
    """A turn may be the entries alone, and so may a history."""
    case = make()

    visible = local.hold("t", case.entries, model="m")

    assert case.entries == local.restore("t", visible)
    assert [(1, 0)] == [(one.turn, one.sequence) for one in local.turns("t")]
