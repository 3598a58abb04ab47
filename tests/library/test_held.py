"""``Held`` shows a placeholder to everything that prints, dumps or pickles it."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import pprint
import traceback
from typing import Any

import orjson
import pytest
from anthropic.types import ThinkingBlock
from pydantic import BaseModel

from reticent import Held
from reticent.held import opened
from reticent.testing import canary, leaks

SHOWN = "[reticent holds a dict: 12 characters]"


def value(secret: str) -> dict[str, Any]:
    """A block of reasoning."""
    return {"type": "thinking", "thinking": secret, "signature": f"{secret}s"}


@pytest.mark.parametrize(
    "show",
    [
        repr,
        str,
        format,
        ascii,
        "{0!r:>80}".format,
        json.dumps,
        lambda held: json.dumps({"a": [held], held: 1}),
        orjson.dumps,
        lambda held: orjson.dumps({"a": [held]}),
        pickle.dumps,
        lambda held: pickle.dumps([held], 0),
        lambda held: pickle.loads(pickle.dumps(held)),  # noqa: S301 - its own bytes
        pprint.pformat,
        lambda held: repr(held.__dir__()),
        lambda held: held.encode(),
        lambda held: f"{held + 'x'}{held[:]}{held.upper()}",
    ],
)
def test_nothing_that_shows_it_shows_what_it_holds(show: Any) -> None:
    """Printers and encoders see a text with the class and the length of what is held."""
    secret = canary()
    shown = show(Held(value(secret)))

    assert not leaks(shown if isinstance(shown, str | bytes) else repr(shown), secret)


def test_the_placeholder_tells_kind_and_length() -> None:
    """The placeholder has the class of the value and the number of characters in it."""
    block = ThinkingBlock(type="thinking", thinking="abc", signature="de")

    assert SHOWN == str(Held({"a": "twelve chars"}))
    assert "[reticent holds a ThinkingBlock: 13 characters]" == str(Held(block))
    assert "[reticent holds a object]" == str(Held(object()))


def test_open_gives_the_very_object() -> None:
    """What was put in comes out, and nothing can take its place."""
    given = value("x")
    held = Held(given)

    assert held.open() is given
    with pytest.raises(AttributeError):
        held.other = 1
    with pytest.raises(TypeError):
        vars(held)


def test_copies_are_the_same_object_and_pickles_are_empty() -> None:
    """A copy in memory is the object itself; what a pickle brings back is the placeholder."""
    held = Held({"a": "twelve chars"})
    unpickled: Any = pickle.loads(pickle.dumps(held))  # noqa: S301 - its own bytes

    assert copy.copy(held) is held
    assert copy.deepcopy([held])[0] is held
    assert type(unpickled) is str
    assert SHOWN == unpickled


def test_two_are_equal_only_if_they_are_one() -> None:
    """Equal placeholders do not make equal values, so that nothing can be guessed by comparing."""
    one, other = Held("abc"), Held("abc")

    assert one == one  # noqa: PLR0124 - identity is what is asked
    assert one != other
    assert one != str(one)
    assert 2 == len({one, other})


class Turn(BaseModel):
    """A model that keeps a block for the next request."""

    said: str
    block: Held[dict[str, Any]]
    anything: Any = None


@dataclasses.dataclass
class Row:
    """A dataclass that keeps a block."""

    block: Held[dict[str, Any]]


def test_dumps_of_models_show_the_placeholder() -> None:
    """Pydantic dumps, reprs, copies and dataclass dictionaries show the placeholder; the model still has the value."""
    secret = canary()
    turn = Turn(said="hi", block=Held(value(secret)), anything=Held(value(secret)))
    shown = [repr(turn), turn.model_dump_json(), repr(turn.model_dump()), json.dumps(turn.model_dump())]

    assert not leaks("".join(shown), secret)
    assert secret == turn.block.open()["thinking"]
    assert secret == turn.model_copy(deep=True).block.open()["thinking"]
    assert not leaks(json.dumps(dataclasses.asdict(Row(turn.block))), secret)
    assert "string" == Turn.model_json_schema(mode="serialization")["properties"]["block"]["type"]


def test_an_error_with_it_shows_the_placeholder() -> None:
    """A traceback whose exception names it shows the placeholder."""
    secret = canary()
    shown = "".join(traceback.format_exception(ValueError(Held(value(secret)))))

    assert not leaks(shown, secret)


def test_a_body_for_the_producer_is_opened_as_a_whole() -> None:
    """``opened`` gives lists and dictionaries with the values in place, and changes nothing of what it was given."""
    given = {"messages": [{"role": "assistant", "content": [Held({"type": "thinking"}), {"type": "text"}]}]}

    assert {"messages": [{"role": "assistant", "content": [{"type": "thinking"}, {"type": "text"}]}]} == opened(given)
    assert isinstance(given["messages"][0]["content"][0], Held)
