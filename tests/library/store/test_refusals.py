"""A history that no longer fits what was held is refused, with a reason and a place, and without content."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.store.turns import anthropic, deepseek, gemini, mark, responses

from reticent.errors import InputTooLarge, MalformedInput, NotReplayable, RestoreRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from reticent.store import Tasks

BOUND = "claude-opus-5-1"
USER: dict[str, Any] = {"role": "user", "content": "Where is order 7?"}
SECRET = mark()


def call_id(entries: list[Any]) -> None:
    """Give a call another id."""
    entries[1]["content"][1]["id"] = "toolu_other"


def arguments(entries: list[Any]) -> None:
    """Change what a call asks for."""
    entries[1]["content"][1]["input"] = {"order": SECRET}


def text(entries: list[Any]) -> None:
    """Change what the model said."""
    entries[1]["content"][0]["text"] = SECRET


def parts_order(entries: list[Any]) -> None:
    """Send the parts of a message in another order."""
    entries[1]["content"].reverse()


def turns_order(entries: list[Any]) -> None:
    """Send the messages in another order."""
    entries[1], entries[3] = entries[3], entries[1]


def added_call(entries: list[Any]) -> None:
    """Add a call that nobody made."""
    entries.append({"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": SECRET, "input": {}}]})


def added_thought(entries: list[Any]) -> None:
    """Add a thought that nobody had."""
    entries[1]["content"].insert(0, {"type": "thinking", "thinking": SECRET, "signature": SECRET})


def foreign_turn(entries: list[Any]) -> None:
    """Add the turn of another producer."""
    thought = {"type": "thinking", "thinking": SECRET, "signature": SECRET}
    entries.insert(1, {"role": "assistant", "content": [thought, {"type": "text", "text": "Hello."}]})


def other_text_in_between(entries: list[Any]) -> None:
    """Send another message in the place of one that was only text."""
    entries[5] = {"role": "assistant", "content": SECRET}


CHANGES: list[tuple[Callable[[list[Any]], None], str, str]] = [
    (call_id, "call-ids-changed", "messages.1"),
    (arguments, "call-changed", "messages.1"),
    (text, "text-changed", "messages.1"),
    (parts_order, "order-changed", "messages.1"),
    (turns_order, "order-changed", "messages.3"),
    (added_call, "unknown-call", "messages.8"),
    (added_thought, "foreign-reasoning", "messages.1"),
    (foreign_turn, "foreign-reasoning", "messages.1"),
    (other_text_in_between, "text-changed", "messages.5"),
]


def conversation(tasks: Tasks, model: str = "claude-opus-4-6") -> list[Any]:
    """Hold four turns, the third of them without a call; the history of the client."""
    entries: list[Any] = [USER]
    for number in range(4):
        case = anthropic(f"toolu_{number}", model)
        answer = {**case.answer, "content": case.answer["content"][:3] if number == 2 else case.answer["content"]}
        visible = tasks.hold("t", answer, request={"system": "Be kind.", "messages": entries})
        entries = [
            *entries,
            {"role": "assistant", "content": visible["content"]},
            {**USER, "content": f"Go on {number}"},
        ]
    return copy.deepcopy(entries[:-1])


@pytest.mark.parametrize("written", [lambda body: body, lambda body: json.dumps(body).encode()])
@pytest.mark.parametrize(("change", "reason", "path"), CHANGES)
def test_changed_histories(change: Any, reason: str, path: str, written: Any, local: Tasks) -> None:
    """What a client changed is told in a word, with the place, and no text of it is in the error."""
    entries = conversation(local)
    change(entries)

    with pytest.raises(RestoreRefused) as told:
        local.restore("t", written({"messages": entries}))
    assert (reason, path) == (told.value.reason, told.value.path)
    assert SECRET not in str(told.value) + repr(told.value)
    assert told.value.__cause__ is None


def test_unchanged_history(local: Tasks) -> None:
    """The history as the client was shown it is restored, and a second time is not restored twice."""
    entries = conversation(local)

    restored = local.restore("t", entries)

    assert 4 == str(restored).count("redacted_thinking")
    assert restored == local.restore("t", restored)


def test_simplified_histories(local: Tasks) -> None:
    """What clients change without changing a word is taken: a lone text as a string, nulls, numbers, extra spaces."""
    case = anthropic("toolu_1")
    first = local.hold("t", {**case.answer, "content": case.answer["content"][:3]})
    second = local.hold("t", anthropic("toolu_2").answer)["content"]
    second[1] = {
        **second[1],
        "caller": None,
        "cache_control": {"type": "ephemeral"},
        "input": {"rate": 1.50, "order": 7.0},
    }

    restored = local.restore(
        "t",
        [
            USER,
            {"role": "assistant", "content": first["content"][0]["text"]},
            USER,
            {"role": "assistant", "content": second},
        ],
    )

    assert case.answer["content"][:3] == restored[1]["content"]
    assert ["thinking", "redacted_thinking", "text", "tool_use", "thinking", "tool_use"] == [
        block["type"] for block in restored[3]["content"]
    ]


def test_shorter_histories(local: Tasks) -> None:
    """A client may leave earlier turns away, or go back to one, where nothing is bound to them."""
    entries = conversation(local)

    assert 3 == len(local.restore("t", entries[4:7]))
    assert "thinking" in str(local.restore("t", entries[:3]))
    assert [USER] == local.restore("t", [USER])
    earlier = [USER, {"role": "assistant", "content": "An earlier answer."}, *entries]
    assert "redacted_thinking" in str(local.restore("t", earlier))


@pytest.mark.parametrize("told", [True, False])
def test_bound_to_the_prefix(told: bool, local: Tasks) -> None:
    """Where reasoning is bound to all that stands before it, a history that lost or changed some of it is refused."""
    entries: list[Any] = [USER]
    for number in range(3):
        visible = local.hold(
            "t",
            anthropic(f"toolu_{number}", BOUND).answer,
            request={"system": "s", "messages": entries} if told else None,
        )
        entries = [*entries, {"role": "assistant", "content": visible["content"]}, USER]
    changed = [{**USER, "content": "Where is order 8?"}, *entries[1:]]

    assert "signature" in str(local.restore("t", {"system": "s", "messages": entries}))
    with pytest.raises(RestoreRefused) as refused:
        local.restore("t", entries[2:])
    assert ("prefix-changed" if told else "turn-missing") == refused.value.reason
    if told:
        for body in ({"system": "s", "messages": changed}, {"system": "other", "messages": entries}):
            with pytest.raises(RestoreRefused, match="prefix-changed"):
                local.restore("t", body)


def test_held_twice(local: Tasks) -> None:
    """A turn that was held, not acknowledged and held again does not stand in its own way."""
    case = anthropic("toolu_1", BOUND)
    local.hold("t", case.answer)
    first = local.hold("t", case.answer)
    second = local.hold("t", anthropic("toolu_2", BOUND).answer)

    history = [USER, *({"role": "assistant", "content": one["content"]} for one in (first, second))]
    assert case.entries == local.restore("t", history)[1:2]


def test_parallel_calls_and_dropped_items(local: Tasks) -> None:
    """Items of a turn may have results in between, and one that the client drops takes its reasoning with it."""
    case = responses("call_1")
    message, first, second = local.hold("t", case.answer)["output"]
    results = [{"type": "function_call_output", "call_id": name, "output": "x"} for name in ("call_1", "call_1b")]

    mixed = local.restore("t", {"input": [USER, message, first, results[0], second, results[1]]})["input"]
    assert [*case.entries[:4], results[0], case.entries[4], results[1]] == mixed[1:]
    less = local.restore("t", {"input": [USER, first, second, *results]})["input"]
    assert [*case.entries[2:], *results] == less[1:]


def test_items_by_reference(local: Tasks) -> None:
    """A body whose history the server holds has nothing to restore and comes back as it is."""
    local.hold("t", responses().answer)
    body = {"previous_response_id": "resp_1", "input": "And then?"}

    assert body is local.restore("t", body)


def test_rules_that_keep_reasoning_away(local: Tasks) -> None:
    """A provider that refuses reasoning in a history gets none, and one that wants an empty member gets it back."""
    case = deepseek("call_1", "deepseek-reasoner")
    visible = local.hold("r1", case.answer)["choices"][0]["message"]
    assert [visible] == local.restore("r1", [visible])

    empty = deepseek("call_1").answer["choices"][0]["message"] | {"reasoning_content": ""}
    shown = local.hold("v4", empty, model="deepseek-v4")
    sent = {name: value for name, value in shown.items() if name != "reasoning_content"}
    assert "" == local.restore("v4", [sent])[0]["reasoning_content"]
    assert [empty] == local.restore("v4", [shown])


@pytest.mark.parametrize("turn", [{"usage": {"output_tokens": 3}}, [], "[]", {"error": {"message": SECRET}}, [USER]])
def test_what_is_no_turn(turn: Any, local: Tasks) -> None:
    """What holds no message of a model is refused or kept as nothing, and a history that is none is refused."""
    if isinstance(turn, dict):
        with pytest.raises(NotReplayable) as told:
            local.hold("t", turn)
        assert SECRET not in str(told.value)
    else:
        assert turn == local.hold("t", turn)
        assert 0 == local.turns("t")[0].carriers


def test_input_that_cannot_be_read(local: Tasks) -> None:
    """Bytes that are no JSON, or too many of them, are refused before anything is kept."""
    case = gemini()
    local.hold("t", case.answer)
    for method in (local.hold, local.restore):
        with pytest.raises(MalformedInput):
            method("t", f'{{"{SECRET}'.encode())
        with pytest.raises(InputTooLarge):
            method("t", b" " * (64 * 1024 * 1024 + 1))
    with pytest.raises(MalformedInput):
        local.restore("t", 7)
    assert 1 == len(local.turns("t"))
