"""The pytest plugin, in pytest runs of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reticent.pytest_plugin import assert_no_reasoning
from reticent.testing import canary, leaks

ROOT = Path(__file__).parents[2]
SUITE = """
import json, logging
from reticent.pytest_plugin import assert_no_reasoning

def test_quiet(watched_exits):
    planted = watched_exits.message("anthropic-messages")
    assert planted.marks

def test_prints(watched_exits):
    print(json.dumps(watched_exits.message("anthropic-messages").payload))

def test_logs(watched_exits):
    logging.getLogger("app").warning("turn %s", watched_exits.message("gemini").payload)

def test_message(canary_message):
    assert_no_reasoning({"content": "done"})
    assert_no_reasoning(canary_message("mistral").payload)
"""


def run(folder: Path, suite: str) -> str:
    """What pytest says to a suite of its own."""
    (folder / "test_app.py").write_text(suite, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "reticent.pytest_plugin", "-p", "no:cacheprovider"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "policy"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.stdout


def test_fixture_fails_the_tests_that_leak(tmp_path: Path) -> None:
    """A test that prints or logs a canary message fails at its end, one that does not passes; no mark is quoted."""
    said = run(tmp_path, SUITE)

    assert "reasoning got out: standard streams: standard output: anthropic-messages (plain)" in said
    assert "reasoning got out: logs: app: LogCaptureHandler: gemini (plain)" in said
    assert "AssertionError: dict holds reasoning that 'logs' may not" in said
    assert "1 failed, 3 passed, 2 errors" in said


LOOPS = """
def test_quiet(loop_signature):
    loop_signature.called("q", {"id": 1}, step=0)
    loop_signature.called("q", {"id": 2}, step=1)

def test_loud(loop_signature):
    for step in range(2):
        loop_signature.called("q", {"id": "CANARY"}, step=step)
"""


def test_the_loop_signature_fails_a_test(tmp_path: Path) -> None:
    """R-RT-04: a suite that reports its agent's calls to the fixture fails when one was made again."""
    said = run(tmp_path, LOOPS)

    assert "the agent repeats itself: q at step 1 as at step 0" in said
    assert "2 passed, 1 error" in said


@pytest.mark.parametrize(
    "value",
    [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "SECRET", "signature": "c2ln"}]},
        '{"type": "thinking", "thinking": "SECRET", "signature": "c2ln"}',
        b'{"reasoning_content": "SECRET"}',
        "ThinkingBlock(thinking='SECRET', signature='c2ln', type='thinking')",
    ],
)
def test_assertion_names_rules_and_quotes_nothing(value: Any) -> None:
    """The failure tells rule, count and length, never the reasoning."""
    with pytest.raises(
        AssertionError, match=r"holds reasoning that 'logs' may not have: .*\(1x, \d+ characters\)"
    ) as caught:
        assert_no_reasoning(value)

    assert "SECRET" not in str(caught.value)


def test_assertion_passes_what_may_rest_there() -> None:
    """Visible text passes, and reasoning does where the surface may have it."""
    assert_no_reasoning({"role": "assistant", "content": "Done."})
    assert_no_reasoning("a line that mentions thinking")
    assert_no_reasoning({"reasoning_content": "x"}, surface="task_store")


def test_what_cannot_be_judged_fails() -> None:
    """A value that cannot be judged is a failure with its code."""
    secret = canary()
    value: dict[str, Any] = {"it": secret}
    value["self"] = value

    with pytest.raises(AssertionError, match="cyclic-input") as caught:
        assert_no_reasoning(value)

    assert [] == leaks(str(caught.value), secret)
