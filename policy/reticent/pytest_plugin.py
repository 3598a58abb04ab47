"""A pytest plugin: no test of yours lets reasoning out without failing.

Installed with reticent, it offers

- ``assert_no_reasoning(value)``: fails when a strip surface would take anything out of ``value``;
- ``canary_message``: a function from a dialect to a marked message (``reticent.probe.ProbeMessage``);
- ``watched_exits``: looks at every handler of ``logging``, every exporter of OpenTelemetry, standard output and
  standard error while the test runs, and fails it afterwards when a mark of one of its canary messages got out;
- ``assert_no_loops(history)``: fails when a call is made again in its task (see ``reticent.history.signals``);
- ``assert_resumable(found)``: fails when a sweep of ``reticent.history.harness`` found a point that lost something;
- ``loop_signature``: a detector for the test's agent to report its calls to; the test fails when one was repeated.

No failure quotes what was found: it names the rule, the place and the length.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from reticent.history.harness import Sweep
    from reticent.history.signals import LoopDetector
    from reticent.probe import ProbeMessage, Sink

__all__ = [
    "WatchedExits",
    "assert_no_loops",
    "assert_no_reasoning",
    "assert_resumable",
    "canary_message",
    "loop_signature",
    "watched_exits",
]


def assert_no_reasoning(value: Any, *, surface: str = "logs", plan: Any = None) -> None:
    """Fail unless ``value`` (JSON, text, a Python value or an SDK object) may rest on ``surface`` as it is.

    Raises:
        AssertionError: it holds reasoning, or cannot be judged. The error names rules, counts and lengths.
    """
    from reticent.compiler import load_plan
    from reticent.compiler.plan import Plan
    from reticent.errors import EgressRefused

    decided = plan if isinstance(plan, Plan) else load_plan(plan)
    serializer = decided.serializer(surface)
    try:
        _judge(serializer, value)
    except EgressRefused as error:
        raise AssertionError(f"{type(value).__name__} cannot be judged: {error.code}") from None
    removals = serializer.report.removals
    if removals:
        told = ", ".join(f"{rule} ({one.count}x, {one.length} characters)" for rule, one in sorted(removals.items()))
        raise AssertionError(f"{type(value).__name__} holds reasoning that {surface!r} may not have: {told}")


def assert_no_loops(history: Sequence[Any], **options: Any) -> None:
    """Fail when a call of ``history`` is made again in its task; ``options`` are those of ``signals_of``.

    Raises:
        AssertionError: it is. The error names tools and steps, and no argument.
    """
    from reticent.history.signals import signals_of

    found = signals_of(history, **options).loops
    if found:
        told = ", ".join(f"{loop.tool} at step {loop.step} as at step {loop.first}" for loop in found)
        raise AssertionError(f"the agent repeats itself: {told}")


def assert_resumable(found: Sweep) -> None:
    """Fail when a sweep found a point at which a compaction lost something.

    Raises:
        AssertionError: it did. The error names the points and what differs there, and no content.
    """
    if found.broken:
        raise AssertionError(found.render())


def _judge(serializer: Any, value: Any) -> None:
    if isinstance(value, str):
        serializer.text(value)
    elif isinstance(value, bytes | bytearray):
        serializer.text(bytes(value).decode("utf-8", "surrogateescape"))
    else:
        serializer.value(value)


class WatchedExits:
    """The exits of one test; :meth:`message` plants, :meth:`leaks` looks."""

    def __init__(self, *sinks: Sink) -> None:
        """Watch ``sinks``."""
        self._sinks = list(sinks)
        self._planted: list[ProbeMessage] = []
        self._stack = contextlib.ExitStack()

    def watch(self, sink: Sink) -> None:
        """Watch another sink as well, such as a database of the application."""
        self._stack.enter_context(sink.watching())
        self._sinks.append(sink)

    def message(self, dialect: str) -> ProbeMessage:
        """A marked message that must not get out."""
        from reticent.probe import message

        planted = message(dialect)
        self._planted.append(planted)
        return planted

    def leaks(self) -> list[str]:
        """Where a mark got out: sink, place, dialect and spelling; empty when none did."""
        from reticent.probe.drill import searched

        found = [searched(sink, self._planted, permitted=False) for sink in self._sinks]
        return [f"{leak.sink}: {leak.where}: {leak.dialect} ({leak.spelling})" for one in found for leak in one.leaks]

    @contextlib.contextmanager
    def watching(self) -> Generator[WatchedExits]:
        """Watch for as long as this lasts."""
        with self._stack:
            for sink in self._sinks:
                self._stack.enter_context(sink.watching())
            yield self


class _Output:
    """Standard output and standard error, as far as pytest captures them."""

    name = "standard streams"

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._seen: list[tuple[str, bytes]] = []

    @contextlib.contextmanager
    def watching(self) -> Generator[None]:
        """Take down what was printed when the test is over, and print it again for the report."""
        yield
        out, err = self._capsys.readouterr()
        sys.stdout.write(out)
        sys.stderr.write(err)
        self._seen = [("standard output", out.encode()), ("standard error", err.encode())]

    def content(self) -> list[tuple[str, bytes]]:
        """What was printed."""
        return self._seen


@pytest.fixture
def canary_message() -> Callable[[str], ProbeMessage]:
    """A function that gives a marked message of a dialect."""
    from reticent.probe import message

    return message


@pytest.fixture
def watched_exits(capsys: pytest.CaptureFixture[str]) -> Iterator[WatchedExits]:
    """The exits of this test; it fails at its end when a mark of ``watched_exits.message(...)`` got out."""
    from reticent.probe import LogSink, SpanSink

    sinks: list[Any] = [LogSink(), _Output(capsys)]
    if "opentelemetry.sdk.trace" in sys.modules:
        sinks.append(SpanSink())
    exits = WatchedExits(*sinks)
    with exits.watching():
        yield exits
    found = exits.leaks()
    if found:
        pytest.fail("reasoning got out: " + "; ".join(found), pytrace=False)


@pytest.fixture
def loop_signature() -> Iterator[LoopDetector]:
    """A detector to report calls to; the test fails at its end when one was made again in its task."""
    from reticent.history.signals import LoopDetector

    detector = LoopDetector()
    yield detector
    if detector.alerts:
        told = ", ".join(f"{one.tool} at step {one.step} as at step {one.first}" for one in detector.alerts)
        pytest.fail(f"the agent repeats itself: {told}", pytrace=False)
