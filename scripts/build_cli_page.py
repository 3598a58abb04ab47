"""Write ``docs/cli.md`` from the commands themselves; with ``--check``, say whether it is current."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from reticent.cli import build_app

TARGET = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
INTRODUCTION = """\
# The command line

<!-- Written by scripts/build_cli_page.py from the commands; edit those. -->

Every command ends with one of four exit codes, whatever its format:

| code | means |
|---|---|
| 0 | clean |
| 1 | findings: faults in a table, something that opens, an expectation that is not met |
| 2 | usage or configuration: an option, a file, a table or an engine |
| 3 | refused input or an internal failure; nothing unfiltered was written |

`reticent --version` says which release this is, the digest of its rules, and whether the native pass is in use.

Errors go to standard error and never quote a payload.
There is no colour when standard output is not a terminal, or when `NO_COLOR` is set.
`RETICENT_OPA_TOKEN` is the bearer token for `--opa`, and `RETICENT_OPA_CA` the file of authorities to trust over https.
`RETICENT_OPA_CERTIFICATE` and `RETICENT_OPA_KEY` are the certificate to show there, and its key; all of these are PEM.
"""


def page() -> str:
    """The Markdown text."""
    group = typer.main.get_command(build_app())
    return "\n".join([INTRODUCTION, *_sections(group, "reticent")])


def _sections(command: Any, name: str) -> Iterator[str]:
    children = getattr(command, "commands", None)
    if children is not None:
        for child in children.values():
            yield from _sections(child, f"{name} {child.name}")
        return
    context = command.context_class(command, info_name=name, color=False)
    yield f"## `{name}`\n"
    yield f"{_prose(command.help or '')}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{name} {usage}\n```\n"
    yield from _parameters(command, context)


def _prose(text: str) -> str:
    """Help text as paragraphs, each sentence on a line of its own."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return "\n\n".join(paragraph.replace(". ", ".\n") for paragraph in paragraphs)


def _parameters(command: Any, context: Any) -> Iterator[str]:
    rows = [row for row in (_row(parameter, context) for parameter in command.params) if row is not None]
    if rows:
        yield "| | |\n|---|---|"
        yield from (f"| `{left}` | {right} |" for left, right in rows)
        yield ""


def _row(parameter: Any, context: Any) -> tuple[str, str] | None:
    if parameter.name == "help":
        return None
    record = parameter.get_help_record(context)
    if record is None:
        return parameter.make_metavar(context), getattr(parameter, "help", "") or ""
    left, right = record
    return left.replace("|", "\\|"), right.replace("|", "\\|")


def main() -> int:
    """Write the page, or compare it."""
    text = page().rstrip() + "\n"
    if "--check" in sys.argv:
        current = TARGET.exists() and TARGET.read_text() == text
        print("docs/cli.md is current" if current else "docs/cli.md is stale: run `make regenerate`")
        return 0 if current else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
