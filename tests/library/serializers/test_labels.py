"""Answers that a record holds and log lines quote: model text that nobody signed."""

from __future__ import annotations

import json
import secrets

import pytest

import reticent

CANARY = f"CANARY-{secrets.token_hex(6)}"

QUOTED = {
    "an error message": (f"Could not parse LLM output: <think>{CANARY}</think>42", "Could not parse LLM output: 42"),
    "a pair in quotes": (f"got response='<think>{CANARY}</think>42' in 3ms", "got response='42' in 3ms"),
    "a repr that was cut short": (
        f"[type=json_invalid, input_value='<think>{CANARY} and t', input_type=str]",
        "[type=json_invalid, input_value='', input_type=str]",
    ),
    "no closer": (f"content=<think>{CANARY} and more", "content="),
    "a token": (f"2026-01-02T10:00:00Z model said: [THINK]{CANARY}[/THINK]42", "2026-01-02T10:00:00Z model said: 42"),
    "harmony": (
        f"output=<|channel|>analysis<|message|>{CANARY}<|end|><|start|>assistant<|channel|>final<|message|>42<|return|>",
        "output=42",
    ),
    "twice": (
        f"first: <think>{CANARY}</think>a second: <think>{CANARY}</think>b",
        "first: a second: b",
    ),
}
KEPT = (
    "user: <think>why</think>",
    "prompt='<think>why</think>'",
    "prompt template: '<think>'",
    "start_token=<think> end_token=</think>",
    "rule: <think> opens it",
    "format: <think>...</think>",
    "re.compile('<think>(.*?)</think>')",
    "{'role': 'user', 'content': '<think>why</think>'}",
    "INFO chunk='<think>'",
)


@pytest.mark.parametrize(("line", "expected"), QUOTED.values(), ids=QUOTED)
def test_a_block_behind_a_label_goes(line: str, expected: str) -> None:
    """Text that a log line quotes behind a label loses its blocks, in the line itself and in a record of it."""
    to_logs = reticent.load_plan().serializer("logs")
    assert to_logs.text(line) == expected
    assert json.loads(to_logs(json.dumps({"level": "ERROR", "msg": line}).encode())) == {
        "level": "ERROR",
        "msg": expected,
    }


@pytest.mark.parametrize("line", KEPT)
def test_a_mention_in_a_log_line_stays(line: str) -> None:
    """What a person, a prompt or a configuration says about a tag is no reasoning."""
    assert reticent.load_plan().serializer("logs").text(line) == line


@pytest.mark.parametrize("key", ["response", "completion", "output", "content", "text", "message", "title", "summary"])
def test_an_answer_in_a_record_loses_its_block(key: str) -> None:
    """A record without a role still says by the member's name that a model may have written the text."""
    to_logs = reticent.load_plan().serializer("logs")
    assert to_logs.value({key: f"<think>{CANARY}</think>42"}) == {key: "42"}


@pytest.mark.parametrize("key", ["prompt", "question", "page_content", "system_prompt", "user_input"])
def test_other_texts_of_a_record_stay(key: str) -> None:
    """Prompts, questions and documents may open with a tag."""
    record = {key: "<think>why</think> x"}
    assert reticent.load_plan().serializer("logs").value(record) is record


def test_a_title_about_a_tag_stays() -> None:
    """People write titles as well, so that only a block with its closer counts."""
    record = {"title": "<think> explained"}
    assert reticent.load_plan().serializer("logs").value(record) is record


def test_a_replaced_value_is_written_in_the_language_of_the_line() -> None:
    """A position that moves up is a number in the line, not a placeholder."""
    line = (
        "got {'content': [{'type': 'thinking', 'thinking': 'x'}], "
        "'citations': [{'text': 'b', 'content_index': 1, 'type': 'TEXT_CONTENT'}]}"
    )
    assert "'content_index': 0" in reticent.load_plan().serializer("logs").text(line)
