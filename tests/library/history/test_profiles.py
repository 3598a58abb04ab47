"""Profiles and transcript facts: found by model, dated, and strictest where nobody knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reticent.errors import ConfigurationError, UnknownDialect
from reticent.history import compact, profile_for, profile_named, recognise, sendable
from reticent.history.facts import Facts, Profile, dialect_facts, profiles
from reticent.history.shapes import BUILTIN, shape_of


@pytest.mark.parametrize(
    ("model", "dialect", "name"),
    [
        ("claude-3-7-sonnet-20250219", None, "anthropic-last-turn"),
        ("claude-sonnet-4-5-20250929", None, "anthropic-last-turn"),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "bedrock-converse", "anthropic-last-turn"),
        ("claude-opus-4-5", None, "anthropic-keep-all"),
        ("anthropic/claude-opus-5", None, "anthropic-keep-all"),
        ("claude-opus-5-20260801", None, "anthropic-keep-all"),
        ("claude-fable-5-1", None, "anthropic-prefix-bound"),
        ("claude-opus-5-5-20261001", None, "anthropic-prefix-bound"),
        ("gpt-5.2", "openai-responses", "openai-responses"),
        ("gpt-5.2", "openai-chat", "openai-chat"),
        ("o4-mini", "openai-responses", "openai-responses"),
        ("gemini-3-pro-preview", "gemini", "gemini-3"),
        ("models/gemini-3.5-flash", "gemini", "gemini-3.5"),
        ("deepseek-v4-pro", "openai-chat", "deepseek-v4"),
        ("deepseek-reasoner", "openai-chat", "deepseek-r1"),
        ("groq/qwen3", "openai-chat", "refuses-reasoning"),
        ("my-own-model", "openai-chat", "unknown"),
        ("", None, "unknown"),
        (None, None, "unknown"),
    ],
)
def test_profile_of_a_model(model: str | None, dialect: str | None, name: str) -> None:
    """R-FD-03: an undescribed model gets the strictest profile, never none."""
    assert name == profile_for(model, dialect=dialect).name


def test_facts_are_versioned_dated_and_sourced() -> None:
    """R-WL-04: each table has a version, and each section the vendor's page and the day it was read."""
    sections: list[Facts | Profile] = [*dialect_facts().values(), *profiles().values()]
    for section in sections:
        assert "2026-11-29" == section.version
        assert section.read
        assert section.url.startswith("https://") or "unknown" == section.name
    assert set(BUILTIN) == set(dialect_facts())


def test_unknown_names_are_refused_with_a_suggestion() -> None:
    """Nothing falls back in silence."""
    with pytest.raises(ConfigurationError, match="Did you mean 'gemini-3'"):
        profile_named("gemini-33")
    with pytest.raises(UnknownDialect, match="Did you mean 'gemini'"):
        shape_of("gemni")


def test_a_new_block_type_needs_a_line_and_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-WL-04: named as reasoning in the table, a type goes; without a name it is carried and reported."""
    from reticent.history import facts

    entries: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {"role": "assistant", "content": [{"type": "deep_thought", "x": 1}, {"type": "text", "text": "b"}]},
        {"role": "user", "content": [{"type": "text", "text": "c"}]},
    ]
    options: Any = {"dialect": "anthropic-messages", "profile": "anthropic-keep-all", "operations": ["strip"]}
    before = compact(entries, **options)
    assert ("deep_thought",) == before.report.boundary.lookalikes
    assert "deep_thought" in str(before.history)
    here = Path(facts.__file__).parent
    for name in ("transcripts.yaml", "profiles.yaml"):
        text = (here / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(
            text.replace("      thinking: reasoning\n", "      thinking: reasoning\n      deep_thought: reasoning\n", 1)
        )
    monkeypatch.setattr(facts, "_HERE", tmp_path)
    facts.dialect_facts.cache_clear()
    shape_of.cache_clear()
    try:
        assert "deep_thought" not in str(compact(entries, **options).history)
    finally:
        monkeypatch.undo()
        facts.dialect_facts.cache_clear()
        shape_of.cache_clear()


def test_plain_text_turns_count_as_chat() -> None:
    """Where two formats look alike one of them is named, and both are read alike."""
    plain = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert "openai-chat" == recognise(plain)


def test_sending_drops_what_only_the_harness_knows() -> None:
    """Task ids, sequence numbers and stop words stay home; an entry without any is the same object."""
    entries = [
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "b"}],
            "stop_reason": "end_turn",
            "task_id": "t",
            "phase": "x",
        },
    ]
    sent = sendable(entries, dialect="anthropic-messages")
    assert sent[0] is entries[0]
    assert {"role", "content"} == set(sent[1])
    assert "phase" in sendable(entries, dialect="openai-responses")[1]


def test_importing_the_package_reads_no_table() -> None:
    """A program that only wants the types pays for no YAML."""
    import subprocess
    import sys

    code = (
        "import sys, reticent.history; print(json.dumps([n for n in sys.modules if 'ruamel' in n or 'pydantic' in n]))"
    )
    out = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", f"import json; {code}"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    ).stdout
    assert [] == json.loads(out)
