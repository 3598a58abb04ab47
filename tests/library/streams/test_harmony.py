"""Harmony framing: what is reasoning, what becomes text, and what keeps its markers."""

from __future__ import annotations

import pytest

from reticent.streams.harmony import read_header
from reticent.streams.tags import TextFilter, may_hold_reasoning, reasoning_spans

CANARY = "KANARI-52c0de"
ANALYSIS = f"<|channel|>analysis<|message|>{CANARY}<|end|>"
CALL = '<|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>{"a":1}<|call|>'


def streamed(text: str, size: int) -> str:
    """Feed a text in pieces of one size."""
    stream = TextFilter()
    return "".join([*(stream.feed(text[at : at + size]) for at in range(0, len(text), size)), stream.flush()])


CASES = {
    "analysis and final": (f"{ANALYSIS}<|start|>assistant<|channel|>final<|message|>42<|return|>", "42"),
    "final alone": ("<|channel|>final<|message|>42<|return|>", "42"),
    "final that was cut": (f"{ANALYSIS}<|start|>assistant<|channel|>final<|message|>4", "4"),
    "analysis that was cut": (f"<|channel|>analysis<|message|>{CANARY}", ""),
    "analysis without a terminator": (
        f"<|channel|>analysis<|message|>{CANARY}<|channel|>final<|message|>42<|return|>",
        "42",
    ),
    "analysis with a broken header": (f"<|channel|>analysis {CANARY} and on<|end|>", ""),
    "a tool call keeps its markers": (f"{ANALYSIS}{CALL}", CALL),
    "a final message after a kept one keeps its markers": (
        f"{CALL}<|start|>assistant{ANALYSIS}<|start|>assistant<|channel|>final<|message|>42<|return|>",
        f"{CALL}<|start|>assistant<|channel|>final<|message|>42<|return|>",
    ),
    "a tool call in the analysis channel": (
        "<|channel|>analysis to=python code<|message|>1+1<|call|>",
        "<|channel|>analysis to=python code<|message|>1+1<|call|>",
    ),
    "a tool result in the analysis channel": (
        "<|start|>python to=assistant<|channel|>analysis<|message|>2<|end|>",
        "<|start|>python to=assistant<|channel|>analysis<|message|>2<|end|>",
    ),
    "a preamble": (
        "<|channel|>commentary<|message|>Looking.<|end|>",
        "<|channel|>commentary<|message|>Looking.<|end|>",
    ),
    "user text is not read for tags": (
        "<|start|>user<|message|><think>mine</think><|end|>",
        "<|start|>user<|message|><think>mine</think><|end|>",
    ),
    "an open fence does not outlive its message": (
        f"<|channel|>final<|message|>```\ncode<|return|><|start|>assistant{ANALYSIS}b",
        "```\ncodeb",
    ),
    "a lone header at the end": ("<|start|>assistant", "<|start|>assistant"),
    "muse": (f"to=self<|message|>{CANARY}<|eom|><|start|>assistant to=user<|message|>42<|eot|>", "42"),
    "muse with a frame": (f"<|start|>assistant to=self<|message|>{CANARY}<|eom|>", ""),
    "degraded": (f"analysisThe user {CANARY}.assistantfinal42", "42"),
    "degraded, cut": (f"analysisThe user {CANARY}", ""),
    "degraded, small letter": (f"analysisthey {CANARY}assistantfinal42", "42"),
    "degraded with a tool call": (
        f"analysisWe {CANARY}assistantcommentary to=f json{{}}assistantanalysisNow {CANARY}assistantfinal42",
        "assistantcommentary to=f json{}42",
    ),
    "prose about analysis": ("analysis of assistantship finals", "analysis of assistantship finals"),
    "a capital": ("Analysis: the data", "Analysis: the data"),
    "a mention": (
        "The token <|channel|>analysis<|message|> opens it.",
        "The token <|channel|>analysis<|message|> opens it.",
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_messages(text: str, expected: str) -> None:
    """Analysis goes with its markers; a pure final message becomes its text; all else stays as it is."""
    for size in (1, 2, 3, 7, 64, 1 << 20):
        assert streamed(text, size) == expected
    spans = reasoning_spans(text)
    assert may_hold_reasoning(text) or not spans
    assert CANARY not in repr(spans)


def test_framing_can_be_left_unread() -> None:
    """Without harmony the tokens are ordinary text."""
    text = f"{ANALYSIS}analysis"
    assert reasoning_spans(text, harmony=False) == ()


def test_the_recipient_decides_before_the_channel() -> None:
    """A message to a tool is kept, whatever channel it is in, and one to nobody is judged by its channel."""
    kinds = {
        "<|channel|>analysis<|message|>": "reasoning",
        "<|start|>assistant<|channel|>analysis<|message|>": "reasoning",
        "<|channel|>final <|constrain|>json<|message|>": "answer",
        "<|channel|>commentary to=functions.f<|message|>": "kept",
        "<|start|>assistant to=functions.f<|channel|>analysis<|message|>": "kept",
        "<|start|>system<|message|>": "kept",
    }
    for text, kind in kinds.items():
        header = read_header(text, 0)
        assert header is not None
        assert (header.kind, header.end) == (kind, len(text))
