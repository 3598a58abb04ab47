"""``reticent demo``: the shipped table's verdicts, and one message as each surface shows it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import orjson
import typer

from reticent.cli._options import TableOption, TextJsonMarkdown, plan, write
from reticent.cli.table import render, text_table

if TYPE_CHECKING:
    from reticent.compiler import Plan

MESSAGE: dict[str, Any] = {
    "id": "msg_0142",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet",
    "content": [
        {
            "type": "thinking",
            "thinking": "Third refund this year and the story changed twice. Possibly dishonest, but order 4921 did "
            "arrive broken, so the policy covers it. Do not mention the suspicion.",
            "signature": "EqoBCkgIARABGAIiQL8Zr0pTmVd5uC3x",
        },
        {"type": "text", "text": "Your parcel did arrive damaged, so the refund is on its way."},
        {"type": "tool_use", "id": "toolu_01", "name": "refund", "input": {"order": 4921, "amount": "18.45"}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 412, "output_tokens": 96},
}
"""One turn in the shape the Anthropic API returns it; the text was made up for this page."""

_SHOWN = 60


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("demo")
    def _demo(table: TableOption = None) -> None:
        """Print every surface's verdict with its path, and one message as each surface would hold it."""
        compiled = plan(table)
        payload = orjson.dumps(MESSAGE)
        write(render(compiled, TextJsonMarkdown.text))
        write(f"\nOne turn of a model, {len(payload)} bytes:\n")
        write(textwrap.indent(orjson.dumps(MESSAGE, option=orjson.OPT_INDENT_2).decode(), "    "))
        write("\nThe same turn as it rests on each surface:\n")
        write(text_table([_row(compiled, name, payload) for name in compiled.surfaces]))
        write("\nNext: reticent explain task_store | reticent filter --surface logs < turn.json")


def _row(compiled: Plan, name: str, payload: bytes) -> tuple[str, ...]:
    serializer = compiled.serializer(name)
    out = serializer(payload)
    blocks = orjson.loads(out)["content"]
    return name, compiled.decision(name).verdict, f"{len(out)} bytes", "  +  ".join(map(_brief, blocks))


def _brief(block: dict[str, Any]) -> str:
    kind = block["type"]
    if kind == "tool_use":
        return f"{kind} {block['name']}"
    return f"{kind} {textwrap.shorten(block[kind], _SHOWN, placeholder=' …')!r}"
