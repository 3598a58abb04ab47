"""The command line: what each command prints, and how it ends."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reticent.cli import _exit, build_app

SECRET = "CANARY-cli-4c11"
BODY = json.dumps({"role": "assistant", "reasoning_content": SECRET, "content": "Done."}).encode()

GOOD = """\
version: 1
places:
  producer: {kind: system, producer: true}
  on_call: {kind: person}
surfaces:
  roundtrip:
    verdict: pass
    holds: {kind: memory, lifetime: request}
    flows: [producer]
    owner: agents
    why: It goes back to the API that issued it.
  logs:
    verdict: strip
    holds: {kind: memory, lifetime: request}
    flows: [on_call]
    owner: platform
    why: On-call reads the lines.
"""


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote."""

    code: int
    out: bytes
    err: str


class _Standard(io.TextIOWrapper):
    """Standard input or output over bytes in memory."""

    def __init__(self, data: bytes = b"") -> None:
        self.bytes = io.BytesIO(data)
        super().__init__(self.bytes, encoding="utf-8", write_through=True)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run one command in process, with standard input."""

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        out, err = _Standard(), _Standard()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", _Standard(stdin))
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            code = _exit.run(build_app(), arguments)
        return Result(code, out.bytes.getvalue(), err.bytes.getvalue().decode())

    return call


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A small table in a file."""
    file = tmp_path / "surfaces.yaml"
    file.write_text(GOOD)
    return file


def test_filter_strips_standard_input(run: Any) -> None:
    """What comes out of a strip surface is the input without reasoning, byte for byte."""
    result = run("filter", "--surface", "logs", stdin=BODY)
    assert result == Result(0, b'{"role": "assistant", "content": "Done."}', "")


def test_filter_on_a_pass_surface_copies(run: Any) -> None:
    """On a pass surface the same bytes come out, whatever they are."""
    assert run("filter", "--surface", "request_memory", stdin=b"\x00 not JSON").out == b"\x00 not JSON"


def test_filter_reads_a_file_of_lines(run: Any, tmp_path: Path) -> None:
    """A file of JSON lines is filtered line by line, and a report says what went."""
    file = tmp_path / "turns.jsonl"
    file.write_bytes(BODY + b"\n" + b'{"role":"user","content":"hi"}\n')
    result = run("filter", "--surface", "logs", "--report", str(file))
    assert result.out == b'{"role": "assistant", "content": "Done."}\n{"role":"user","content":"hi"}\n'
    assert json.loads(result.err)["removals"] == {"openai-chat/reasoning_content": {"count": 1, "length": len(SECRET)}}


@pytest.mark.parametrize("input_", ["json", "sse", "text", "log", "auto"])
def test_filter_declared_input(run: Any, input_: str) -> None:
    """Each kind of input is filtered as what it was said to be."""
    data = {
        "json": BODY,
        "sse": b"data: " + BODY + b"\n\n",
        "text": f"<think>{SECRET}</think>Done.".encode(),
        "log": f"INFO ThinkingBlock(thinking='{SECRET}', type='thinking')\n".encode(),
        "auto": BODY,
    }[input_]
    result = run("filter", "--surface", "logs", "--input", input_, stdin=data)
    assert result.code == 0
    assert SECRET.encode() not in result.out


def test_refused_input_writes_nothing(run: Any) -> None:
    """Input that cannot be judged ends with 3, nothing on standard output and no payload in the message."""
    result = run("filter", "--surface", "logs", "--input", "json", stdin=BODY[:-4])
    assert (result.code, result.out) == (3, b"")
    assert "malformed-input" in result.err
    assert SECRET not in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("filter",), "--surface"),
        (("filter", "--surface", "logz"), "Did you mean 'logs'"),
        (("filter", "--surface", "logs", "--dialect", "anthropic-mesages"), "Did you mean 'anthropic-messages'"),
        (("filter", "--surface", "logs", "--input", "xml"), "xml"),
        (("filter", "--surface", "logs", "no-such-file"), "no-such-file"),
        (("explain", "task_stor"), "Did you mean 'task_store'"),
        (("table", "--table", "no-such-table.yaml"), "no-such-table.yaml"),
        (("tabel",), "tabel"),
        (("diff",), "old"),
    ],
)
def test_usage_and_configuration_errors(run: Any, arguments: tuple[str, ...], said: str) -> None:
    """A wrong word ends with 2 and says what was wrong, with the nearest right one."""
    result = run(*arguments)
    assert result.code == 2
    assert result.out == b""
    assert said.lower() in result.err.lower()


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_table_lists_every_surface(run: Any, format_: str) -> None:
    """All eight surfaces are there, in every format, without colour."""
    out = run("table", "--format", format_).out.decode()
    for name in ("provider_roundtrip", "task_store", "logs", "warehouse"):
        assert name in out
    assert "\x1b" not in out


@pytest.mark.parametrize("format_", ["text", "json", "dot"])
def test_explain_names_the_conditions(run: Any, format_: str) -> None:
    """The explanation of a pass names what blocks the readers."""
    out = run("explain", "task_store", "--format", format_).out.decode()
    assert "encrypted_per_task" in out
    if format_ == "text":
        assert "The one change that would flip it" in out


@pytest.mark.parametrize("format_", ["text", "json", "sarif", "github"])
def test_check_finds_a_row_that_disagrees(run: Any, table: Path, format_: str) -> None:
    """A row that says pass although a person can read it is a finding, with its line."""
    assert run("check", str(table)).code == 0
    table.write_text(GOOD.replace("verdict: strip", "verdict: pass"))
    result = run("check", str(table), "--format", format_)
    assert result.code == 1
    assert "verdict-disagrees" in result.out.decode()
    assert "13" in result.out.decode()


def test_diff_says_what_opens(run: Any, table: Path, tmp_path: Path) -> None:
    """A surface that starts to pass is a finding; the other way round is not."""
    other = tmp_path / "other.yaml"
    other.write_text(GOOD.replace("flows: [on_call]", "flows: [producer]").replace("verdict: strip", "verdict: pass"))
    opened = run("diff", str(table), str(other))
    assert opened.code == 1
    assert "logs" in opened.out.decode()
    assert run("diff", str(other), str(table)).code == 0
    assert run("diff", str(table), str(table)).code == 0


def test_expectations_next_to_a_table(run: Any, table: Path) -> None:
    """Expectations that are met end with 0, one that is not ends with 1, none at all with 2."""
    file = table.with_name("surfaces.expect.yaml")
    file.write_text("version: 1\ntable: surfaces.yaml\nexpect:\n  - {surface: logs, verdict: strip}\n")
    assert run("test", str(table.parent)).code == 0
    file.write_text(file.read_text().replace("strip", "pass"))
    result = run("test", str(file), "--format", "json")
    assert result.code == 1
    assert json.loads(result.out)["results"][0]["problems"]
    file.unlink()
    assert run("test", str(table.parent)).code == 2


def test_compile_writes_a_plan_that_filters(run: Any, table: Path, tmp_path: Path) -> None:
    """A compiled plan decides like its table."""
    plan = tmp_path / "plan.json"
    assert run("compile", str(table), "-o", str(plan)).code == 0
    assert run("filter", "--surface", "logs", "--table", str(plan), stdin=BODY).out.endswith(b'"content": "Done."}')
    plan.write_bytes(plan.read_bytes().replace(b'"strip"', b'"pass"'))
    assert run("filter", "--surface", "logs", "--table", str(plan), stdin=BODY).code == 2


def test_demo_shows_the_difference(run: Any) -> None:
    """The demo has a line per surface, with the thought only where it may rest."""
    lines = run("demo").out.decode().splitlines()
    shown = {line.split()[0]: line for line in lines if "bytes" in line and "turn" not in line}
    assert "thinking" in shown["task_store"]
    assert "thinking" not in shown["logs"]
    assert len(shown) == 8


def test_no_command_is_without_help(run: Any) -> None:
    """Every command says what it does."""
    from typer.main import get_command

    group: Any = get_command(build_app())
    for name, command in group.commands.items():
        assert command.help or name == "conformance", name
        assert run(name, "--help").code == 0
