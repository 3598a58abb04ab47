"""Columns of reasoning in tables that a text shows."""

from __future__ import annotations

import pytest

import reticent
from reticent.serializers import columns

CANARY = "KANARI-c01a77 weighs it"


def strip(text: str, surface: str = "logs") -> str:
    """The text for a surface."""
    return reticent.load_plan().serializer(surface).text(text)


FRAME = """\
        role content       reasoning_content
0       user   hello                    None
1  assistant      hi KANARI-c01a77 weighs it"""
"""As pandas prints it: the end of each cell below the end of its name."""


def test_a_printed_data_frame_loses_the_cells_of_the_column() -> None:
    """Nothing but the cell goes; an empty one stays."""
    assert strip(FRAME) == FRAME.replace(CANARY, "")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_row_of_another_width_ends_the_table(separator: str) -> None:
    """What stands below a table is none of its rows."""
    head = separator.join(["role", "encrypted_content", "content"])
    row = separator.join(["assistant", CANARY, "hi"])
    after = f"two{separator}cells"
    assert strip(f"{head}\n{row}\n{after}") == f"{head}\n{row.replace(CANARY, '')}\n{after}"


@pytest.mark.parametrize(
    "text",
    [
        "role, the reasoning_content and content of it\na, b, c",
        "we log role,reasoning,content\n1,2,3",
        "reasoning_content\nalone on a line",
        "  role content\n0 user   hello",
    ],
)
def test_a_line_that_is_no_head_changes_nothing(text: str) -> None:
    """Sentences, names of applications and single names are no heads of tables."""
    assert list(columns.spans(text)) == []
    assert strip(text) == text


@pytest.mark.parametrize("size", [1, 5, 64])
def test_rows_of_a_streamed_log_belong_to_the_head_above_them(size: int) -> None:
    """A text log in pieces keeps the lines of a table together."""
    text = f"2026-11-30 01:02:03 INFO rows\nid,reasoning_content\n1,{CANARY}\n2026-11-30 01:02:04 INFO done\n".encode()
    log = reticent.load_plan().stream("logs", wire="log")
    shown = b"".join([log.feed(text[at : at + size]) for at in range(0, len(text), size)]) + log.flush()
    assert shown == text.replace(CANARY.encode(), b"")
