"""Writes ``documents.json``: hostile JSON documents, each around a block of reasoning, and what is to become of them.

Run it after a change here: ``python tests/hostile/generate.py``. A document is ``text``, ``hex`` where it is no UTF-8,
or ``parts`` (a text and how often it is repeated) where it is long. ``refused`` documents are no JSON, or more than a
surface takes; every other one is ``filtered``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CANARY = "CANARY-hostile-5d20"
FILE = Path(__file__).parent / "documents.json"
CARRIER = f'{{"type":"thinking","thinking":"{CANARY}","signature":"{CANARY}"}}'
MESSAGE = f'{{"role":"assistant","content":[{CARRIER},{{"type":"text","text":"shown"}}]}}'

Document = dict[str, Any]


def around(value: str) -> str:
    """A record with a message that holds reasoning, and ``value`` in front of it and behind."""
    return f'{{"a":{value},"message":{MESSAGE},"z":{value}}}'


def document(name: str, body: str | bytes, outcome: str) -> Document:
    """One document that is short enough to be written down."""
    if isinstance(body, str):
        return {"name": name, "outcome": outcome, "text": body}
    return {"name": name, "outcome": outcome, "hex": body.hex()}


def long(name: str, parts: list[tuple[str, int]], outcome: str) -> Document:
    """One document that is told by its parts."""
    return {"name": name, "outcome": outcome, "parts": [list(part) for part in parts]}


def structure() -> Iterator[Document]:
    """Brackets, commas, colons, white space and what follows the document."""
    good = {
        "empty-object": "{}",
        "empty-array": "[]",
        "nested-empties": "[[],{},[[]],[{}]]",
        "spaces": "  [ 1 , 2 ]  ",
        "tabs-and-newlines": "\t\n\r[\t1\n,\r2 ]",
        "empty-key": '{"":1}',
        "array-of-nulls": "[null,null,null]",
    }
    bad = {
        "trailing-comma-in-array": "[1,]",
        "trailing-comma-in-object": '{"b":1,}',
        "leading-comma": "[,1]",
        "double-comma": "[1,,2]",
        "missing-comma": "[1 2]",
        "missing-colon": '{"b" 1}',
        "double-colon": '{"b"::1}',
        "colon-in-array": '["b":1]',
        "comma-for-colon": '{"b",1}',
        "missing-value": '{"b":}',
        "missing-key": "{:1}",
        "number-as-key": "{1:1}",
        "null-as-key": "{null:1}",
        "array-as-key": "{[]:1}",
        "bare-key": "{b:1}",
        "single-quotes": "{'b':1}",
        "unclosed-array": "[1",
        "unclosed-object": '{"b":1',
        "closed-twice": "[1]]",
        "mismatched": '{"b":[1}',
        "lone-closer": "]",
        "lone-comma": ",",
        "line-comment": "[1] // note",
        "block-comment": "[/* note */1]",
        "hash-comment": "[1] # note",
        "form-feed": "[\f1]",
        "vertical-tab": "[\v1]",
        "null-byte": "[\x001]",
        "non-breaking-space": "[\u00a01]",
        "zero-width-space": "[\u200b1]",
        "line-separator-outside": "[\u20281]",
        "ellipsis": "[1,...]",
        "semicolon": "[1;2]",
        "python-tuple": "(1,2)",
        "python-set": "{1,2}",
        "function-call": "Date(1)",
        "template": "{{b}}",
        "angle-brackets": "<b>1</b>",
    }
    yield from (document(f"structure/{name}", around(value), "filtered") for name, value in good.items())
    yield from (document(f"structure/{name}", around(value), "refused") for name, value in bad.items())
    yield document("structure/nothing", "", "refused")
    yield document("structure/only-spaces", " \n\t ", "refused")
    yield document("structure/two-documents", MESSAGE + MESSAGE, "refused")
    yield document("structure/garbage-behind", MESSAGE + " x", "refused")
    yield document("structure/garbage-in-front", "x " + MESSAGE, "refused")
    yield document("structure/bracket-behind", MESSAGE + "}", "refused")
    yield document("structure/bracket-in-front", "[" + MESSAGE, "refused")
    yield document("structure/newline-in-front", "\n\n" + MESSAGE, "filtered")
    yield document("structure/newline-behind", MESSAGE + "\r\n", "filtered")
    yield document("structure/null-byte-behind", MESSAGE + "\x00", "refused")
    yield document("structure/record-separator", "\x1e" + MESSAGE, "refused")
    yield document("structure/xssi-prefix", ")]}',\n" + MESSAGE, "refused")
    yield document("structure/carrier-alone", CARRIER, "filtered")
    yield document("structure/array-of-carriers", f"[{CARRIER},{CARRIER}]", "filtered")
    yield document("structure/carrier-first", f"[{CARRIER},1]", "filtered")
    yield document("structure/carrier-last", f"[1,{CARRIER}]", "filtered")
    for at in range(1, len(MESSAGE), 11):
        yield document(f"structure/cut-at-{at}", MESSAGE[:at], "refused")


def numbers() -> Iterator[Document]:
    """Numbers at the edges of what a grammar or a parser takes."""
    good = [
        "0", "-0", "0.0", "-0.0", "1e1", "1E1", "1e+1", "1e-1", "1E+01", "0e0", "0e+10", "123456789", "-1",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890", "0.1", "1.0", "1.50",
        "3.141592653589793238462643383279", "1e308", "1.7976931348623157e308", "5e-324", "1e-400", "2.5e-1000",
        "1.0000000000000000000000000000000001", "100e-2", "1e22", "1e23",
    ]  # fmt: skip
    bad = [
        "01", "-01", "00", "+1", "1.", ".1", "-.1", "-", "--1", "1e", "1e+", "1e-", "1.e1", "e1", "1e1.5", "0x1F",
        "0b1", "0o7", "1_000", "1,000.5.2", "1 000", "NaN", "nan", "-NaN", "Infinity", "-Infinity", "inf", "1f",
        "1L", "1n", "1/2", "\u0661", "\uff11", "1\u0660", "1e\u0661", "0.1.2", "True", "None", "TRUE", "Null",
        "nul", "tru", "fals", "undefined", "nil", "1e400", "-1e400", "1e99999999",
    ]  # fmt: skip
    yield from (document(f"numbers/{value}", around(value), "filtered") for value in good)
    yield from (
        document(f"numbers/{value.encode('ascii', 'backslashreplace').decode()}", around(value), "refused")
        for value in bad
    )
    yield long("numbers/ten-thousand-digits", [(f'{{"message":{MESSAGE},"z":', 1), ("9", 10_000), ("}", 1)], "refused")
    yield long("numbers/long-fraction", [(f'{{"message":{MESSAGE},"z":0.', 1), ("3", 10_000), ("}", 1)], "filtered")
    yield long("numbers/long-exponent", [(f'{{"message":{MESSAGE},"z":1e-', 1), ("9", 10_000), ("}", 1)], "filtered")


def strings() -> Iterator[Document]:
    """Escapes, control characters and what only looks like the end of a string."""
    good = {
        "every-escape": r'"\"\\\/\b\f\n\r\t\u0041"',
        "escaped-quote-last": r'"a\""',
        "escaped-backslash-last": r'"a\\"',
        "many-backslashes": '"' + "\\\\" * 31 + '"',
        "quote-after-backslashes": '"' + "\\\\" * 8 + '\\""',
        "escaped-null": r'"a\u0000b"',
        "escaped-control": r'"\u0001\u001f"',
        "delete": '"\x7f"',
        "c1-control": '"\u0085"',
        "surrogate-pair": r'"\ud83d\ude00"',
        "upper-case-pair": r'"\uD83D\uDE00"',
        "astral": '"😀𝄞"',
        "combining": '"e\u0301"',
        "right-to-left": '"\u202eabc\u202c"',
        "line-separator": '"\u2028\u2029"',
        "replacement-character": '"\ufffd"',
        "non-character": '"\uffff\ufffe"',
        "byte-order-mark-inside": '"\ufeff"',
        "brackets": '"}]{["',
        "json-inside": json.dumps(MESSAGE),
        "json-inside-json-inside": json.dumps(json.dumps({"record": MESSAGE})),
        "looks-like-a-key": '"\\"type\\":\\"thinking\\""',
        "empty": '""',
        "only-escapes": r'"\u0020\u0020"',
    }
    bad = {
        "raw-newline": '"a\nb"',
        "raw-tab": '"a\tb"',
        "raw-null": '"a\x00b"',
        "raw-escape": '"a\x1bb"',
        "raw-unit-separator": '"\x1f"',
        "unknown-escape": r'"\x41"',
        "upper-case-escape": r'"\N"',
        "escaped-apostrophe": r"'\''",
        "short-unicode": r'"\u12"',
        "no-hex": r'"\u12G4"',
        "braced-unicode": r'"\u{41}"',
        "long-unicode": r'"\U00000041x"',
        "lone-high-surrogate": r'"\ud800"',
        "lone-low-surrogate": r'"\udc00"',
        "swapped-surrogates": r'"\ude00\ud83d"',
        "high-then-letter": r'"\ud83dA"',
        "backslash-last": '"a\\',
        "unclosed": '"a',
        "unclosed-by-escape": '"a\\"',
        "smart-quotes": "\u201ca\u201d",
        "two-strings": '"a""b"',
        "octal": r'"\101"',
    }
    yield from (document(f"strings/{name}", around(value), "filtered") for name, value in good.items())
    yield from (document(f"strings/{name}", around(value), "refused") for name, value in bad.items())
    yield long("strings/long", [(f'{{"message":{MESSAGE},"z":"', 1), ("x", 1 << 18), ('"}', 1)], "filtered")
    yield long(
        "strings/long-of-escapes", [(f'{{"message":{MESSAGE},"z":"', 1), ("\\\\", 1 << 16), ('"}', 1)], "filtered"
    )
    yield long("strings/long-of-quotes", [(f'{{"message":{MESSAGE},"z":"', 1), ('\\"', 1 << 16), ('"}', 1)], "filtered")
    yield long("strings/long-key", [('{"', 1), ("k", 200_000), (f'":1,"message":{MESSAGE}}}', 1)], "filtered")


def encodings() -> Iterator[Document]:
    """Bytes that are not UTF-8, and UTF-8 that is written oddly."""
    body = around('"é"')
    yield document("encodings/byte-order-mark", b"\xef\xbb\xbf" + body.encode(), "filtered")
    yield document("encodings/two-byte-order-marks", b"\xef\xbb\xbf" * 2 + body.encode(), "refused")
    yield document("encodings/mark-alone", b"\xef\xbb\xbf", "refused")
    for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp500"):
        yield document(f"encodings/{name}", body.encode(name), "refused")
    yield document("encodings/utf-7", body.encode("utf-7"), "filtered")  # only ASCII, so it is UTF-8 as well
    yield document("encodings/latin-1", body.encode("latin-1"), "refused")
    broken = {
        "overlong-quote": b"\xc0\xa2",
        "overlong-slash": b"\xe0\x80\xaf",
        "overlong-null": b"\xc0\x80",
        "lone-continuation": b"\x80",
        "missing-continuation": b"\xc3",
        "half-an-emoji": b"\xf0\x9f\x98",
        "five-bytes": b"\xf8\x88\x80\x80\x80",
        "beyond-unicode": b"\xf4\x90\x80\x80",
        "surrogate-in-utf-8": b"\xed\xa0\x80",
        "surrogate-pair-in-utf-8": b"\xed\xa0\xbd\xed\xb8\x80",
        "byte-fe": b"\xfe",
        "byte-ff": b"\xff",
    }
    for name, raw in broken.items():
        yield document(f"encodings/{name}", around('"@"').encode().replace(b"@", raw), "refused")
        key = around("1").replace('"a"', '"@"').encode().replace(b"@", raw)
        yield document(f"encodings/{name}-in-a-key", key, "refused")
    yield document("encodings/broken-in-reasoning", MESSAGE.encode().replace(b"CANARY", b"CANARY\xff", 1), "refused")


def keys() -> Iterator[Document]:
    """Keys that occur twice or are spelt with escapes, so that readers disagree on what they say."""
    escaped = {
        "type": CARRIER.replace('"type"', r'"\u0074ype"'),
        "value": CARRIER.replace(':"thinking"', r':"\u0074hinking"'),
        "member": CARRIER.replace('"thinking":"CANARY', r'"thinkin\u0067":"CANARY'),
        "all": CARRIER.replace("type", r"\u0074\u0079\u0070\u0065").replace('"thinking"', r'"\u0074hinking"'),
        "canary": CARRIER.replace("CANARY", r"\u0043ANARY"),
    }
    for name, carrier in escaped.items():
        yield document(f"keys/escaped-{name}", MESSAGE.replace(CARRIER, carrier), "filtered")
    twice = {
        "carrier-then-text": '{"type":"thinking","type":"text","thinking":"%s","text":"shown"}',
        "text-then-carrier": '{"type":"text","type":"thinking","text":"shown","thinking":"%s"}',
        "thinking-twice": '{"type":"thinking","thinking":"","thinking":"%s"}',
        "thinking-twice-other-order": '{"type":"thinking","thinking":"%s","thinking":""}',
        "escaped-twice": '{"type":"text","\\u0074ype":"thinking","thinking":"%s"}',
        "escaped-first": '{"\\u0074ype":"thinking","type":"text","thinking":"%s","text":"shown"}',
        "three-times": '{"type":"thinking","type":"text","type":"thinking","thinking":"%s"}',
    }
    for name, block in twice.items():
        content = MESSAGE.replace(CARRIER, block % CANARY)
        yield document(f"keys/{name}", content, "filtered")
        yield document(f"keys/{name}-spaced", content.replace(":", " : ").replace(",", ",\n "), "filtered")
    yield document("keys/content-twice", f'{{"role":"assistant","content":[{CARRIER}],"content":"shown"}}', "filtered")
    yield document(
        "keys/content-twice-turned", f'{{"role":"assistant","content":"a","content":[{CARRIER}]}}', "filtered"
    )
    yield document("keys/role-twice", f'{{"role":"user","role":"assistant","content":[{CARRIER}]}}', "filtered")
    yield document("keys/case", MESSAGE.replace('"role"', '"ROLE"'), "filtered")
    yield document("keys/proto", f'{{"__proto__":{MESSAGE},"constructor":{{"prototype":{MESSAGE}}}}}', "filtered")
    yield document("keys/dunder", f'{{"__class__":{MESSAGE},"__dict__":{MESSAGE}}}', "filtered")
    yield document("keys/numbers", f'{{"0":{MESSAGE},"1":{MESSAGE},"length":2}}', "filtered")
    yield long("keys/ten-thousand", [("{", 1), ('"k":1,', 10_000), (f'"message":{MESSAGE}}}', 1)], "filtered")


def depth() -> Iterator[Document]:
    """Nesting that would take the stack, or time, of a careless reader."""
    for count, outcome in (
        (50, "filtered"),
        (150, "filtered"),
        (250, "refused"),
        (1_100, "refused"),
        (100_000, "refused"),
    ):
        yield long(f"depth/arrays-{count}", [("[", count), (MESSAGE, 1), ("]", count)], outcome)
        yield long(f"depth/objects-{count}", [('{"a":', count), (MESSAGE, 1), ("}", count)], outcome)
        yield long(f"depth/unclosed-{count}", [("[", count), (MESSAGE, 1)], "refused")
        yield long(f"depth/closers-{count}", [(MESSAGE, 1), ("]", count)], "refused")
    yield long("depth/beside", [("[", 1), (f"{MESSAGE},", 500), ("[", 100), ("]", 100), ("]", 1)], "filtered")
    for count, outcome in ((3, "filtered"), (7, "filtered"), (10, "refused")):
        text = json.dumps({"record": json.loads(MESSAGE)})
        for _ in range(count):
            text = json.dumps({"a": text})
        yield document(f"depth/strings-{count}", text, outcome)


def size() -> Iterator[Document]:
    """Many small things."""
    yield long("size/empty-strings", [("[", 1), ('"",', 5_000), (MESSAGE, 1), ("]", 1)], "filtered")
    yield long("size/ones", [("[", 1), ("1,", 5_000), (MESSAGE, 1), ("]", 1)], "filtered")
    yield long("size/messages", [("[", 1), (f"{MESSAGE},", 300), (MESSAGE, 1), ("]", 1)], "filtered")
    yield long("size/spaces", [(" ", 1 << 17), (MESSAGE, 1), (" ", 1 << 17)], "filtered")
    yield long("size/newlines", [("[", 1), ("\n", 1 << 17), (MESSAGE, 1), ("]", 1)], "filtered")
    yield long("size/empty-objects", [("[", 1), ("{},", 20_000), (MESSAGE, 1), ("]", 1)], "filtered")


def documents() -> list[Document]:
    """All of them."""
    return [*structure(), *numbers(), *strings(), *encodings(), *keys(), *depth(), *size()]


def main() -> None:
    """Write the file."""
    lines = ",\n".join(json.dumps(entry) for entry in documents())
    FILE.write_text(f'{{"canary": "{CANARY}", "documents": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
