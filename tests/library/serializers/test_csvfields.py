"""JSON in the fields of CSV lines."""

from __future__ import annotations

import csv
import io
import json

import pytest

import reticent
from reticent.testing import canary

_LOGS = reticent.load_plan().serializer("logs")


def _written(*rows: list[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("quoted", ['a "quoted" word, and a comma', 'back\\slash \\" both', "line\nend"])
def test_only_the_carrier_leaves_the_field(quoted: str) -> None:
    """What a CSV reader makes of the stripped lines is each row with its JSON stripped, whatever the texts hold."""
    message = {"role": "assistant", "content": quoted, "reasoning_content": f"{canary()} {quoted}"}
    text = _written(["id", "answer", "n"], [1, json.dumps(message), 'a "b"'], [2, json.dumps([1, quoted]), ""])

    rows = list(csv.reader(io.StringIO(_LOGS.text(text))))

    assert [["id", "answer", "n"], ["1", json.dumps({"role": "assistant", "content": quoted}), 'a "b"']] == rows[:2]
    assert ["2", json.dumps([1, quoted]), ""] == rows[2]


def test_a_field_that_was_cut_short_is_judged_as_cut_short() -> None:
    """Without its closing mark a field goes from the carrier on."""
    secret = canary()
    line = _written([1, json.dumps({"role": "assistant", "content": "ok", "reasoning_content": secret})])

    assert secret not in _LOGS.text(line[: line.index(secret) + len(secret)])


def test_a_field_that_is_a_carrier_leaves_a_placeholder() -> None:
    """A column that holds one block keeps its place."""
    line = _written([1, json.dumps({"type": "thinking", "thinking": canary(), "signature": "x"}), "end"])

    assert '1,"[reasoning removed]",end\n' == _LOGS.text(line)
