"""The guard: digests of opaque carriers, and whether all of them came back as they were issued."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from tests.library.serializers.carriers import CALL, CONVERSE, ITEM, REDACTED, SIGNED, message

from reticent.errors import ProducerMismatch
from reticent.serializers.producers import check_round_trip, digests


def _history() -> list[Any]:
    return [message(SIGNED, REDACTED), ITEM, CALL, CONVERSE]


def test_digests_are_of_every_opaque_carrier_in_order() -> None:
    """Each signature and ciphertext has one digest, which holds nothing of it."""
    found = digests(_history())

    assert [
        "thinking.signature",
        "redacted_thinking.data",
        "reasoning.encrypted_content",
        "thoughtSignature",
        "signature",
    ] == [digest.kind for digest in found]
    assert "CANARY" not in repr(found)


def test_digests_do_not_depend_on_place_or_spelling() -> None:
    """A response, the request that repeats it, bytes, text and values give the same digests."""
    history = _history()
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}, *history]}
    reordered = [message(dict(reversed(SIGNED.items())), REDACTED), ITEM, CALL, CONVERSE]

    assert digests(history) == digests(request)
    assert digests(history) == digests(json.dumps(request, indent=2))
    assert digests(history) == digests(orjson.dumps(history))
    assert digests(history) == digests(reordered)


def test_exact_round_trip_is_shown() -> None:
    """What came back whole and unchanged raises nothing."""
    check_round_trip(digests(_history()), digests({"messages": _history()}))
    check_round_trip((), ())


def _altered() -> list[Any]:
    return [message({**SIGNED, "signature": "CANARY-signature"}, REDACTED), *_history()[1:]]


@pytest.mark.parametrize(
    ("going", "said"),
    [
        (_altered(), "thinking.signature 0 of 5 was altered: 18 bytes issued, 16 going back"),
        (_history()[:3], "signature 4 of 5 did not go back"),
        ([message(SIGNED), *_history()[1:]], "redacted_thinking.data 1 of 5 did not go back"),
        ([_history()[1], _history()[0], *_history()[2:]], "thinking.signature 0 of 5 went back in another order"),
        ([*_history(), CALL], "thoughtSignature 5 of 6 was not issued"),
        ([message(SIGNED, REDACTED), {**ITEM, "id": "rs_2"}, *_history()], "was not issued"),
        ([], "thinking.signature 0 of 5 did not go back"),
    ],
)
def test_broken_round_trip_names_kind_and_position(going: Any, said: str) -> None:
    """A carrier that is altered, missing, moved or foreign is named by kind and position, never by content."""
    with pytest.raises(ProducerMismatch) as caught:
        check_round_trip(digests(_history()), digests(going))

    assert said in str(caught.value)
    assert "CANARY" not in repr(caught.value)
