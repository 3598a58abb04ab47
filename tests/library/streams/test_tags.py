"""The tag rule, marker by marker and trap by trap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.library.streams.aliases import ALIASES, IDS, PROSE

from reticent.streams import _markers as markers
from reticent.streams.tags import (
    HOLD_BACK,
    PROSE_WINDOW,
    TextFilter,
    may_hold_reasoning,
    reasoning_spans,
    replayed_spans,
)

if TYPE_CHECKING:
    from reticent.streams._marker_forms import Marker

CANARY = "KANARI-7f3a91"
SIZES = (1, 2, 7, 64, 1 << 20)


def shown(text: str, *, starts_inside: bool = False, live: bool = False, harmony: bool = True) -> str:
    """Cut the spans out of a whole text."""
    pieces, at = [], 0
    for span in reasoning_spans(text, starts_inside=starts_inside, live=live, harmony=harmony):
        pieces.append(text[at : span.start])
        at = span.end
    return "".join([*pieces, text[at:]])


def streamed(text: str, size: int, *, starts_inside: bool = False) -> str:
    """Feed a text in pieces of one size."""
    stream = TextFilter(starts_inside=starts_inside)
    pieces = [stream.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join([*pieces, stream.flush()])


@pytest.mark.parametrize(("opener", "closer", "name"), ALIASES, ids=IDS)
def test_every_alias_is_cut_with_its_markers(opener: str, closer: str, name: str) -> None:
    """A block at the start of a text goes, markers included, whole and streamed, under the rule of its marker."""
    text = f"\n{opener}{CANARY} a ```b``` c{closer}\n\nvisible"
    assert shown(text) == "\nvisible"
    assert [span.rule for span in reasoning_spans(text)] == [f"inline-tag/{name}"]
    assert {streamed(text, size) for size in SIZES} == {"\nvisible"}
    assert may_hold_reasoning(text)


@pytest.mark.parametrize(("opener", "closer", "name"), ALIASES, ids=IDS)
def test_every_alias_runs_to_the_end_when_it_is_not_closed(opener: str, closer: str, name: str) -> None:
    """Output that was cut inside the reasoning shows nothing of it, not even half a closer."""
    text = f"{opener}{CANARY}{closer[:-1]}"
    assert shown(text) == ""
    assert {streamed(text, size) for size in SIZES} == {""}
    assert name in reasoning_spans(text)[0].rule


@pytest.mark.parametrize("marker", markers.MARKERS, ids=lambda marker: marker.name)
def test_every_marker_of_the_table_is_tried_by_the_tests(marker: Marker) -> None:
    """No row of the table goes untested."""
    assert marker.name in {name for _, _, name in ALIASES}


@pytest.mark.parametrize(
    ("opener", "closer", "name"),
    # Prose and ordinary markup end nothing that the prompt began.
    [row for row in ALIASES if row[2] not in PROSE],
)
def test_a_closer_is_enough_when_the_prompt_opened_the_reasoning(opener: str, closer: str, name: str) -> None:
    """With ``starts_inside`` the first closer of any kind ends the reasoning, streamed as well."""
    assert name
    text = f"{CANARY} about `{opener}`\n{closer}\nvisible"
    assert shown(text, starts_inside=True) == "visible"
    assert {streamed(text, size, starts_inside=True) for size in SIZES} == {"visible"}


REMOVED = {
    "no opener, closer on a line of its own": (f"{CANARY} steps\n</think>\n\n42", "42"),
    "no opener, closer glued to the text": (f"{CANARY} done.</think>42", "42"),
    "a byte order mark before the block": (f"\ufeff<think>{CANARY}</think>b", "\ufeffb"),
    "a zero-width space before the block": (f"\u200b <think>{CANARY}</think>b", "\u200b b"),
    "no opener after a first block": (f"<think>a</think>{CANARY}\n</think>42", "42"),
    "two blocks on one line": ("<think>P1</think>a<think>P2</think>b", "ab"),
    "a block after the end of a sentence": (f"<think>P</think>One. <think>{CANARY}</think>Two.", "One. Two."),
    "two blocks in a row": (f"<think>P</think> <think>{CANARY}</think>b", " b"),
    "a block that opens a line": (f"Box one.\n<reasoning>{CANARY}</reasoning>\nBox two.", "Box one.\nBox two."),
    "a block on an indented line": (f"Box one.\n  <think>{CANARY}</think>\nBox two.", "Box one.\n  Box two."),
    "newlines stay behind a block inside a line": ("<think>P</think>a<think>P</think>\nb", "a\nb"),
    "indentation after a block": ("<think>P</think>\n    return 1", "    return 1"),
    "blanks after a block": ("<think>P</think>  b", "  b"),
    "the first closer ends it": ("<think>they wrote <think> here</think>Sure.", "Sure."),
    "a fence inside hides no closer": (f"<think>```\n{CANARY}</think>b", "b"),
    "an empty block": ("<think>\n\n</think>\n\nb", "b"),
    "an empty element": ("<think/>\nb", "b"),
    "a lone closer at the very start": ("</think>\n\nb", "b"),
    "a special token glued to text": (f"a<|START_THINKING|>{CANARY}<|END_THINKING|>b", "ab"),
    "an answer wrapper": ("<think>\nP\n</think>\n<answer>\n42\n</answer>\n", "42\n"),
    "a response wrapper": ("P\n</think>\n\n<response>\n42\n</response>\n", "42\n"),
    "an inkling thought without an end": (
        f"<|content_thinking|>{CANARY}<|content_text|>42",
        "<|content_text|>42",
    ),
    "a closed fence protects nothing after it": (f"```py\nx\n```\n<think>{CANARY}</think>b", "```py\nx\n```\nb"),
    "three backticks on a line are a code span": (f"```x``` a\n<think>{CANARY}</think>b", "```x``` a\nb"),
    "a lone backtick protects its line only": (f"the ` key\n<think>{CANARY}</think>b", "the ` key\nb"),
    "a ReAct thought": (f"Thought: {CANARY}\nAction: search", "Action: search"),
    "a second ReAct thought": (
        f"Thought: {CANARY}\nAction: search\nObservation: x\nThought: {CANARY}\nFinal Answer: 42",
        "Action: search\nObservation: x\nFinal Answer: 42",
    ),
}


@pytest.mark.parametrize(("text", "expected"), REMOVED.values(), ids=REMOVED)
def test_reasoning_goes(text: str, expected: str) -> None:
    """What counts as reasoning is cut, and nothing else changes."""
    assert shown(text) == expected
    assert may_hold_reasoning(text)
    live = shown(text, live=True)
    assert {streamed(text, size) for size in SIZES} == {live}


MENTIONS = {
    "both markers in a sentence": "The markers <think> and </think> bracket the scratch pad; keep both.",
    "a pair around words in a sentence": "Some print <think>a plan</think> first.",
    "an opener in a code span": "Use the `<think>` tag to begin. The rest stays.",
    "a pair in a code span": "Some checkpoints print `<think>a plan</think>` first.",
    "a pair in a long code span": "``<think>`a`</think>`` it is",
    "a fence": "Use:\n```\n<think>x</think>\n```\ndone",
    "a fence of tildes": "~~~xml\n<think>\n</think>\n~~~\ndone",
    "a fence in a list": "1. Use:\n   ```\n   <think>\n   </think>\n   ```\ndone",
    "a fence in a quote": "> ```\n> <think>\n> ```\ndone",
    "a fence that stays open": "```\n<think>x</think>\n",
    "a shorter fence inside a longer one": "````\n```\n<think>\n```\n````\ndone",
    "a quoted opener": 'It prints "<think>" first.',
    "a bracketed opener": "It prints a tag (<think>) first.",
    "a closer in a sentence": "It ends with </think> and goes on.",
    "an escaped opener": r"It prints \<think> first.",
    "half an opener at the end": "the sign in the log reads <thi",
    "another tag": "<thinker>x</thinker>",
    "HTML": "<p>a</p>\n<table>\n<td>b</td>",
    "a request setting": '{"thinking": {"type": "enabled"}, "reasoning": "low"}',
    "a token in a sentence": "The <|START_THINKING|> token opens it.",
    "a thought of somebody": "Thought: maybe you could rest.\nFeeling: tired",
    "prose about analysis": "analysis of the data shows assistant and final values",
    "prose about a process": "Here is my thought on the process: it works.",
    "a link": "[think](https://example.org/[unused])",
    "a fence after a block": "<p>\n```\n<think>\n```",
}


@pytest.mark.parametrize("text", MENTIONS.values(), ids=MENTIONS)
def test_a_mention_stays(text: str) -> None:
    """Prose and code that name the markers come through unchanged, whole and streamed."""
    assert shown(text) == text
    assert {streamed(text, size) for size in SIZES} == {text}


def test_a_mention_after_a_block_stays() -> None:
    """A real block before it does not make every later mention a block."""
    rest = "The <think> tag opens it, `<think>` in code, and </think> closes it."
    assert shown(f"<think>{CANARY}</think>{rest}") == rest


def test_a_stream_cannot_take_back_what_a_lone_closer_would() -> None:
    """Live, a closer without an opener loses only itself, and its rule says what to declare."""
    text = "said already\n</think>\nb"
    assert shown(text, live=True) == "said already\nb"
    assert streamed(text, 3) == "said already\nb"
    stream = TextFilter()
    stream.feed(text)
    assert [rule for rule, _ in stream.take_removed()] == ["inline-tag/think/lone-closer"]


def test_text_without_markers_is_given_at_once() -> None:
    """Nothing is held back that cannot become a marker."""
    stream = TextFilter()
    for piece in ("Hello, ", "a < b, ", "x[1] ", "y/2 ", "~~no~~ ", "</p> ", "`code` "):
        assert stream.feed(piece) == piece
        assert stream.held == 0


def test_held_text_is_the_beginning_of_a_marker() -> None:
    """A partial tag waits for its end, and comes out when the stream ends."""
    stream = TextFilter()
    assert stream.feed("see\n<thi") == "see\n"
    assert stream.held == len("<thi")
    assert stream.flush() == "<thi"
    assert stream.held == 0


def test_an_attribute_list_without_end_is_not_held_for_ever() -> None:
    """What is held back stays within the documented limit, however a tag goes on."""
    stream = TextFilter()
    out = ""
    for _ in range(HOLD_BACK):
        out += stream.feed("<think a")
        assert stream.held <= HOLD_BACK
    assert out + stream.flush() == "<think a" * HOLD_BACK


def test_prose_forms_are_given_up_after_a_window() -> None:
    """A text that opens with ``Thought:`` is held for the window at most, then shown."""
    text = "Thought: " + "x" * PROSE_WINDOW + "\nAction: search"
    stream = TextFilter()
    out = "".join(stream.feed(char) for char in text[: PROSE_WINDOW + 1])
    assert out.startswith("Thought: x")
    assert shown(text) == text


def test_removals_are_reported_with_their_lengths() -> None:
    """One entry for each block, by rule and length, and no text."""
    text = f"<think>{CANARY}</think>a\n<thinking>{CANARY}</thinking>\nb"
    stream = TextFilter()
    out = "".join(stream.feed(char) for char in text) + stream.flush()
    assert stream.removed == [
        ("inline-tag/think", len(f"<think>{CANARY}</think>")),
        ("inline-tag/thinking", len(f"<thinking>{CANARY}</thinking>\n")),
    ]
    assert CANARY not in out + repr(stream.removed) + repr(stream) + repr(reasoning_spans(text))


def test_unread_removals_do_not_pile_up() -> None:
    """Without anybody reading them, the lengths are added up by rule."""
    stream = TextFilter()
    stream.feed("<think>a</think>b" * 10_000)
    assert len(stream.removed) <= 257
    assert sum(length for _, length in stream.removed) == 10_000 * len("<think>a</think>")
    stream.take_removed()
    assert stream.removed == []


def test_the_replay_wrapper_in_user_text() -> None:
    """In user text only the exact wrapper of a replayed thought is looked for."""
    text = f"<assistant_thinking>{CANARY}</assistant_thinking>\nWhat does <think> do?"
    assert [(span.start, span.end) for span in replayed_spans(text)] == [(0, text.index("What"))]
    assert replayed_spans(f"<think>{CANARY}</think>") == ()
    assert replayed_spans(f"<assistant_thinking>{CANARY}")[0].end == len(f"<assistant_thinking>{CANARY}")


@pytest.mark.parametrize(
    "unit",
    ["<think>", "</think>", "<", "`", "```\n", "<think ", "</", "[", "a</think>\n", "Thought: x\n", "<|channel|>", "~"],
)
def test_floods_take_a_bounded_number_of_steps(unit: str) -> None:
    """A flood of markers is decided; held text and recorded removals stay small all along."""
    stream = TextFilter()
    piece = unit * 2_000
    total = 0
    for _ in range(10):
        total += len(stream.feed(piece))
        assert stream.held <= max(HOLD_BACK, PROSE_WINDOW)
        assert len(stream.removed) <= 2_001
    total += len(stream.flush())
    assert total == 10 * len(piece) - sum(length for _, length in stream.removed)
