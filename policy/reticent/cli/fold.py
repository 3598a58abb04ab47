"""``reticent fold``: older results of settled work become a summary that a command of yours writes."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reticent.cli._history import ContextOption, DialectOption, FileArgument, context, document
from reticent.cli._options import TextJson
from reticent.cli._scratchpad import PadFile, sealing, sources
from reticent.errors import ConfigurationError, FoldConflict

if TYPE_CHECKING:
    from reticent.history.document import Document
    from reticent.history.fold import FoldOutcome, Prepared
    from reticent.history.fold.preparing import FoldOptions
    from reticent.history.keeping import Keeping
    from reticent.history.progress import Progress, Step
    from reticent.history.scratchpad import Scratchpad
    from reticent.history.summaries import Summariser

SourcesOption = Annotated[
    Path | None, typer.Option("--sources", help="Declared tools and identifier patterns, as JSON.")
]


class ModeName(StrEnum):
    """How the request plays its tools."""

    auto = "auto"
    native = "native"
    text = "text"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("fold")
    def _fold(  # noqa: PLR0913, PLR0917 - typer makes one option of each argument
        file: FileArgument = None,
        summariser: Annotated[
            str | None,
            typer.Option("--summariser", metavar="COMMAND", help="Reads the prompt, writes the summary; no shell."),
        ] = None,
        summary: Annotated[
            Path | None, typer.Option("--summary", help="A summary that was written for this prompt elsewhere.")
        ] = None,
        prompt: Annotated[
            bool, typer.Option("--prompt", help="Write the prompt to standard output, fold nothing.")
        ] = False,
        keep: Annotated[
            int | None, typer.Option("--keep", min=1, help="Latest tool results that stay; default 2.")
        ] = None,
        window: Annotated[
            int | None, typer.Option("--window", min=1, help="Context window in tokens: fold only from 0.9 of it on.")
        ] = None,
        scratchpad: Annotated[
            Path | None, typer.Option("--scratchpad", help="JSON file of facts, attempts and notes; made when missing.")
        ] = None,
        keys: Annotated[
            Path | None,
            typer.Option("--keys", help="Keyset file that encrypts --scratchpad; `reticent tasks new-keys`."),
        ] = None,
        tools: SourcesOption = None,
        profile: Annotated[
            str | None, typer.Option("--profile", help="What the provider demands; default: by --model.")
        ] = None,
        model: Annotated[
            str | None, typer.Option("--model", help="Model id; default: the request body's own `model`.")
        ] = None,
        mode: Annotated[
            ModeName, typer.Option("--mode", help="How tools are played; found when left out.")
        ] = ModeName.auto,
        timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds the summariser may take.")] = 120.0,
        dialect: DialectOption = "auto",
        harness: ContextOption = None,
        progress: Annotated[bool, typer.Option("--progress", help="Each step to standard error.")] = False,
        report: Annotated[bool, typer.Option("--report", help="The report to standard error.")] = False,
        format_: Annotated[TextJson, typer.Option("--format", help="How to print the report.")] = TextJson.text,
    ) -> int:
        """Fold older tool results of settled work into a summary, to standard output, if the request gets smaller.

        Whatever the summariser does, what cannot be folded comes out as it went in; then the reason goes to standard
        error, and the exit code is 1. The live task is copied byte for byte.
        """
        if sum([summariser is not None, summary is not None, prompt]) != 1:
            raise ConfigurationError("name one of --summariser COMMAND, --summary FILE and --prompt")
        read = document(file)
        if read.wrapped:
            raise ConfigurationError("this is a session log, not a request; `reticent signals` reads it")
        sealed = sealing(keys)
        pad, before = PadFile(scratchpad, sealed).read()
        options: FoldOptions = {
            "profile": profile,
            "model": model or read.model,
            "dialect": None if dialect == "auto" else dialect,
            "context": context(harness),
        }
        from reticent.history.keeping import Keeping
        from reticent.history.progress import silent

        told = _tell if progress else silent
        asked = _Asked(keep=keep, window=window, mode=mode, told=told, options=options)
        keeping = Keeping(sources=sources(tools), summariser=_command(summariser), timeout=timeout)
        found = _prepared(read, pad, keeping, asked)
        if prompt:
            return _prompted(found, format_)
        outcome = _finished(found, summary, told)
        try:
            with PadFile(scratchpad if outcome.folded else None, sealed).replacing(outcome.pad, before):
                _write(read.rewritten(outcome.changes))
        except FoldConflict as conflict:
            _write(read.rewritten(()))
            sys.stderr.write(f"conflict: {conflict}\n")
            return 1
        return _told(outcome, format_, always=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the options say, once the files are read."""

    keep: int | None
    window: int | None
    mode: ModeName
    told: Progress
    options: FoldOptions


def _prepared(read: Document, pad: Scratchpad, keeping: Keeping, asked: _Asked) -> Prepared | FoldOutcome:
    from reticent.history.fold import Mode, prepare, request_of
    from reticent.history.fold.automatic import untouched

    request = request_of(read)
    resting = untouched(request, pad, asked.window)
    if resting is not None:
        return resting
    mode = None if asked.mode is ModeName.auto else Mode(asked.mode.value)
    return prepare(request, pad, keeping, keep=asked.keep, mode=mode, progress=asked.told, **asked.options)


def _finished(found: Prepared | FoldOutcome, summary: Path | None, told: Progress) -> FoldOutcome:
    from reticent.history.fold import FoldOutcome, complete, finish

    if isinstance(found, FoldOutcome):
        return found
    if summary is None:
        return asyncio.run(complete(found, progress=told))
    try:
        text = summary.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{summary}: cannot be read ({type(error).__name__})") from None
    return asyncio.run(finish(found, text, progress=told))


def _command(command: str | None) -> Summariser | None:
    if command is None:
        return None
    arguments = shlex.split(command)
    if not arguments:
        raise ConfigurationError("--summariser names no command")

    async def run(prompt: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            out, _ = await process.communicate(prompt.encode("utf-8", "replace"))
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        if process.returncode:
            raise ConfigurationError(f"the summariser ended with code {process.returncode}")
        return out.decode("utf-8")

    return run


def _prompted(found: Prepared | FoldOutcome, format_: TextJson) -> int:
    from reticent.history.fold import FoldOutcome

    if isinstance(found, FoldOutcome):
        return _told(found, format_, always=True)
    _write(found.prompt.encode("utf-8", "replace") + b"\n")
    return 0


def _told(outcome: FoldOutcome, format_: TextJson, *, always: bool) -> int:
    report = outcome.report
    quiet = outcome.folded or report.status == "not-due" or report.reason == "nothing-to-fold"
    if always or not quiet:
        text = json.dumps(report.to_json(), indent=2) if format_ is TextJson.json else report.render()
        sys.stderr.write(text + "\n")
    return 0 if quiet else 1


def _tell(step: Step) -> None:
    sys.stderr.write(f"{step.value}\n")
    sys.stderr.flush()


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
