"""Runs the vectors against a filter: this one in process, or anybody's as a command."""

from __future__ import annotations

import base64
import os
import shlex
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import orjson

from reticent.conformance import Vector, encoded
from reticent.conformance.judge import Finding, judge
from reticent.errors import ConfigurationError, ReticentError

Filter = Callable[[Vector], bytes]
"""The output of some filter for one vector."""


@dataclass(slots=True)
class Score:
    """How one dialect went."""

    dialect: str
    vectors: int = 0
    passed: int = 0
    findings: list[Finding] = field(default_factory=list[Finding])

    def count(self, kind: str) -> int:
        """Findings of one kind."""
        return sum(finding.kind == kind for finding in self.findings)


def run(vectors: Iterable[Vector], filter_: Filter) -> list[Score]:
    """The score of ``filter_`` by dialect, in the order of the vectors."""
    scores: dict[str, Score] = {}
    for vector in vectors:
        score = scores.setdefault(vector.dialect, Score(vector.dialect))
        findings = _findings(vector, filter_)
        score.vectors += 1
        score.passed += not findings
        score.findings += findings
    return list(scores.values())


def _findings(vector: Vector, filter_: Filter) -> list[Finding]:
    try:
        return judge(vector, filter_(vector))
    except (ReticentError, subprocess.SubprocessError, OSError, ValueError) as error:
        return [Finding(vector.id, "crash", type(error).__name__)]


def own_filter(*, strip: str = "logs", allow: str = "request_memory", chunk: int = 1 << 20) -> Filter:
    """This library, by the packaged table: ``strip`` and ``allow`` name a strip and a pass surface."""
    from reticent.compiler import load_plan

    plan = load_plan()

    def filtered(vector: Vector) -> bytes:
        surface = strip if vector.surface_class == "strip" else allow
        if vector.form == "log":
            return plan.serializer(surface).text(vector.payload.decode()).encode()
        if vector.form in ("message", "history") and vector.wire == "json":
            return plan.serializer(surface)(vector.payload)
        stream = plan.stream(surface, wire=vector.wire, starts_inside=vector.starts_inside)
        data = vector.payload
        pieces = [stream.feed(data[at : at + chunk]) for at in range(0, len(data), chunk)]
        return b"".join([*pieces, stream.flush()])

    return filtered


def command_filter(command: str, *, timeout: float = 10.0) -> Filter:
    """A command that reads one input on standard input and writes its answer on standard output.

    ``{form}``, ``{wire}`` and ``{surface_class}`` in it are filled in; the same words stand in the environment as
    ``CONFORMANCE_FORM``, ``CONFORMANCE_WIRE``, ``CONFORMANCE_SURFACE_CLASS``, ``CONFORMANCE_STARTS_INSIDE``.
    ``timeout`` is in seconds and counts for each vector.
    """

    def filtered(vector: Vector) -> bytes:
        words = {"form": vector.form, "wire": vector.wire, "surface_class": vector.surface_class}
        arguments = [argument.format(**words) for argument in shlex.split(command)]
        environment = {f"CONFORMANCE_{name.upper()}": value for name, value in words.items()}
        environment["CONFORMANCE_STARTS_INSIDE"] = str(vector.starts_inside).lower()
        done = subprocess.run(  # noqa: S603 - running the command is what the caller asked for
            arguments,
            input=vector.payload,
            capture_output=True,
            timeout=timeout,
            check=True,
            env={**os.environ, **environment},
        )
        return done.stdout

    return filtered


class LineFilter:
    """A process that answers every vector: one JSON line in, one JSON line out.

    In: ``{"id", "form", "wire", "surface_class", "starts_inside", "input"}``, out: ``{"id", "output"}``, with input
    and output in base64.
    """

    def __init__(self, command: str) -> None:
        """Start the process."""
        try:
            self._process = subprocess.Popen(  # noqa: S603 - running the command is what the caller asked for
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except OSError as error:
            raise ConfigurationError(f"the command does not start ({type(error).__name__})") from None

    def __call__(self, vector: Vector) -> bytes:
        """Ask for one answer.

        Raises:
            OSError: the process ended.
            ValueError: the answer is no line of the protocol.
        """
        if self._process.stdin is None or self._process.stdout is None:
            raise OSError("no pipes")
        self._process.stdin.write(orjson.dumps(encoded(vector), option=orjson.OPT_APPEND_NEWLINE))
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise OSError("the process ended")
        answer = orjson.loads(line)
        if not isinstance(answer, dict) or answer.get("id") != vector.id or not isinstance(answer.get("output"), str):
            raise ValueError("not an answer to the question")
        return base64.b64decode(answer["output"])

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.terminate()
        self._process.wait(timeout=10)
