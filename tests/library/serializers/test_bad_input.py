"""Bad input on a strip surface: a typed error or a filtered answer, and no payload in any error."""

from __future__ import annotations

import json
import traceback
from typing import Any

import pytest

import reticent
from reticent.errors import (
    CyclicInput,
    EgressRefused,
    InputTooDeep,
    InputTooLarge,
    MalformedInput,
    UnsupportedType,
)
from reticent.serializers.program import Options, compile_program
from reticent.serializers.serializer import StripSerializer
from reticent.testing import leaks

SECRET = "CANARY-bad-input-77e1"
PLAN = reticent.load_plan()
LOGS = PLAN.serializer("logs")
MEMORY = PLAN.serializer("request_memory")
THOUGHT = f'{{"type":"thinking","thinking":"{SECRET}","signature":"{SECRET}"}}'


def _nested_strings(levels: int) -> bytes:
    text = THOUGHT
    for _ in range(levels):
        text = json.dumps({"m": text})
    return text.encode()


REFUSED: dict[str, tuple[bytes, type[EgressRefused]]] = {
    "empty": (b"", MalformedInput),
    "cut short": (f'{{"content":[{THOUGHT}'.encode(), MalformedInput),
    "trailing text": (f"{THOUGHT} {SECRET}".encode(), MalformedInput),
    "two documents": (f"{THOUGHT}{THOUGHT}".encode(), MalformedInput),
    "not a number": (f'{{"x":NaN,"y":"{SECRET}"}}'.encode(), MalformedInput),
    "infinity": (f'{{"x":-Infinity,"y":"{SECRET}"}}'.encode(), MalformedInput),
    "too big a float": (f'{{"x":1e999,"y":"{SECRET}"}}'.encode(), MalformedInput),
    "invalid UTF-8": (f'{{"y":"{SECRET}'.encode() + b'\xc3("}', MalformedInput),
    "half a surrogate pair": (f'{{"x":"\\ud800","y":"{SECRET}"}}'.encode(), MalformedInput),
    "UTF-16": (THOUGHT.encode("utf-16"), MalformedInput),
    "control character": (f'{{"y":"{SECRET}\x01"}}'.encode(), MalformedInput),
    "single quotes": (THOUGHT.replace('"', "'").encode(), MalformedInput),
    "too deep": (b"[" * 300 + THOUGHT.encode() + b"]" * 300, InputTooDeep),
    "too deep in strings": (_nested_strings(12), InputTooDeep),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_typed_and_hold_no_payload(name: str) -> None:
    """A payload that cannot be judged is refused with its own error class, and nothing of it is in the error."""
    data, kind = REFUSED[name]
    with pytest.raises(kind) as caught:
        LOGS(data)
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + str(vars(caught.value))
    assert SECRET not in told
    assert MEMORY(data) is data


@pytest.mark.parametrize(
    "body",
    [
        f'{{"content":[{THOUGHT}],"content":"v"}}',
        f'{{"content":"v","content":[{THOUGHT},{{"type":"text","text":"v"}}]}}',
        f'{{"role":"assistant","content":[{{"type":"text","type":"thinking","thinking":"{SECRET}","text":"v"}}]}}',
        f'{{"role":"assistant","content":[{{"type":"thinking","type":"text","thinking":"{SECRET}","text":"v"}}]}}',
        f'{{"role":"assistant","reasoning_content":"{SECRET}","reasoning_content":null,"content":"v"}}',
        f'{{"role":"assistant","reasoning_content":null,"reasoning_content":"{SECRET}","content":"v"}}',
        f'{{"a":{{"b":[{THOUGHT}]}},"a":{{"b":[]}},"c":{{"d":1,"d":{{"e":[{THOUGHT}]}}}}}}',
    ],
)
def test_no_copy_survives_under_a_second_key(body: str) -> None:
    """Where a key occurs twice, no copy of a carrier is left under either."""
    assert leaks(LOGS(body.encode()), SECRET) == []


@pytest.mark.parametrize(
    "body",
    [
        f'{{"role":"assistant","re\\u0061soning_content":"{SECRET}","content":"v"}}',
        f'{{"content":[{{"ty\\u0070e":"th\\u0069nking","th\\u0069nking":"{SECRET}"}}]}}',
        f'{{"c":"{{\\"ty\\\\u0070e\\":\\"th\\\\u0069nking\\",\\"thinking\\":\\"{SECRET}\\"}}"}}',
    ],
)
def test_escaped_keys_hide_nothing(body: str) -> None:
    """A key or type spelt with escapes is the key or type it spells."""
    assert leaks(LOGS(body.encode()), SECRET) == []


def test_spelling_of_what_stays_is_kept() -> None:
    """Numbers, escapes, spaces and the order of keys around a cut stay as they were written."""
    head = '{ "n" : 1.50, "big":123456789012345678901234567890, "e":1.0E+2, "s":"\\u00e9\\/" ,\n "content":[ '
    tail = '{"type":"text","text":"caf\\u00e9"}\t], "z":-0.0 }'
    assert LOGS(f"{head}{THOUGHT} , {tail}".encode()).decode() == head + tail


def test_byte_order_mark_is_kept() -> None:
    """A UTF-8 byte order mark stays where it was, and hides nothing."""
    mark = b"\xef\xbb\xbf"
    assert LOGS(mark + f'{{"content":[{THOUGHT}]}}'.encode()) == mark + b'{"content":[]}'
    clean = mark + b'{"a":1}'
    assert LOGS(clean) is clean


def test_large_payloads_are_refused() -> None:
    """A payload longer than the limit of its surface is refused by its length."""
    program = compile_program((), Options(max_bytes=10))
    with pytest.raises(InputTooLarge, match="11 bytes, the limit is 10"):
        StripSerializer("small", program)(b'{"a":"xyz"}')


def test_cyclic_values_are_refused() -> None:
    """A Python value that contains itself is refused as cyclic, not as deep."""
    cyclic: list[Any] = [SECRET]
    cyclic.append(cyclic)
    with pytest.raises(CyclicInput) as caught:
        LOGS.value({"x": cyclic})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (object(), UnsupportedType),
        ({"x": {1: object()}}, UnsupportedType),
        ({(1, 2): "x"}, UnsupportedType),
        ({"x": float("nan")}, MalformedInput),
        ({"x": float("inf")}, MalformedInput),
        ({"x": "\ud800"}, MalformedInput),
        ("\ud800", MalformedInput),
        (lambda: None, UnsupportedType),
    ],
)
def test_values_without_a_json_form_are_refused(value: Any, kind: type[EgressRefused]) -> None:
    """A Python value that JSON cannot hold is refused with a typed error."""
    with pytest.raises(kind):
        LOGS(value)


def test_huge_integers_keep_their_digits() -> None:
    """Whole numbers beyond 64 bits keep every digit, from bytes and from values."""
    number = 10**40 + 1
    assert LOGS({"n": number, "reasoning_content": SECRET}) == f'{{"n":{number}}}'.encode()


@pytest.mark.parametrize(
    "carrier",
    [
        {"type": "thinking", "thinking": {"deep": [SECRET]}, "signature": 3},
        {"type": "thinking", "thinking": [SECRET, {"text": SECRET}]},
        {"type": "redacted_thinking", "data": {"d": SECRET}},
        {"type": "reasoning", "summary": SECRET},
        {"type": "reasoning", "summary": [[SECRET]], "encrypted_content": {"x": SECRET}},
        {"reasoningContent": SECRET},
        {"thought": True, "text": {"t": SECRET}},
    ],
)
def test_wrong_types_in_carrier_fields_hide_nothing(carrier: dict[str, Any]) -> None:
    """A carrier whose fields have the wrong types is a carrier all the same."""
    payload = {"role": "assistant", "content": [carrier, {"type": "text", "text": "v"}]}
    assert leaks(LOGS(payload), SECRET) == []


def test_a_failing_dialect_withholds_the_payload() -> None:
    """A bug in a dialect gives a typed error without the payload, and nothing leaves."""
    from reticent.dialects import Dialect, parse_section

    def fails(*_: Any) -> None:
        raise ValueError(f"cannot make sense of {SECRET}")

    broken = Dialect("broken", parse_section("broken", {}), hooks={"boom": (fails,)})
    serializer = StripSerializer("logs", compile_program((broken,), Options()))
    with pytest.raises(reticent.EgressRefused, match="ValueError while looking at a payload for 'logs'") as caught:
        serializer({"boom": SECRET})
    assert SECRET not in "".join(traceback.format_exception(caught.value))
