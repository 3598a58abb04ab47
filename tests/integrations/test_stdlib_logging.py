"""``logging``: every part of a record, every handler, and what is printed when something fails."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import logging.handlers
import queue
import traceback
from typing import TYPE_CHECKING, Any

import pytest
from pythonjsonlogger.json import JsonFormatter
from rich.console import Console
from rich.logging import RichHandler
from tests.integrations.reasoning import FORMS, VISIBLE, Broken, ThinkingBlock, clean, cycle, forms, message

from reticent.errors import UnknownSurface
from reticent.integrations.stdlib_logging import ReticentFilter, ReticentFormatter, guard_handlers
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Generator


class Remembering(logging.Handler):
    """Keeps what reaches it, as a handler that reads records itself would see it."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self.records: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep every attribute of the record."""
        self.records.append(dict(vars(record)))


class WithLocals(logging.Formatter):
    """Writes local variables into tracebacks."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """The traceback with the variables of each frame."""
        return "".join(traceback.TracebackException(*ei, capture_locals=True).format())


class Exit:
    """A logger with one handler that writes text, and one behind it that keeps records."""

    def __init__(self, formatter: logging.Formatter | None = None, surface: str = "logs") -> None:
        """Make the logger and guard its first handler."""
        self.out = io.StringIO()
        self.seen = Remembering()
        self.logger = logging.Logger("app")  # noqa: LOG001 - one of our own, that no other test knows
        writing = logging.StreamHandler(self.out)
        writing.setFormatter(formatter)
        self.logger.addHandler(writing)
        guard_handlers(surface, logger=self.logger)
        self.logger.addHandler(self.seen)

    @property
    def everything(self) -> str:
        """All that left, and all that a later handler could read."""
        return self.out.getvalue() + repr(self.seen.records)


@pytest.fixture(params=["plain", "locals", "json", "none"])
def an_exit(request: pytest.FixtureRequest) -> Exit:
    """An exit with each kind of formatter."""
    formatters: dict[str, logging.Formatter | None] = {
        "plain": logging.Formatter("%(levelname)s %(message)s"),
        "locals": WithLocals("%(levelname)s %(message)s"),
        "json": JsonFormatter("%(levelname)s %(message)s"),
        "none": None,
    }
    return Exit(formatters[request.param])


@pytest.mark.parametrize("form", FORMS)
def test_no_part_of_a_record_shows_reasoning(an_exit: Exit, form: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Message, arguments, named arguments and ``extra`` lose reasoning in every form it comes in."""
    secret = canary()
    value = forms(secret)[form]
    an_exit.logger.info(value)
    an_exit.logger.info("%s and %r", value, value)
    an_exit.logger.info("%(it)s", {"it": value})
    an_exit.logger.info("call", extra={"payload": value})
    an_exit.logger.info(f"an answer:\n{value}")  # noqa: G004 - what applications do

    assert 5 == len(an_exit.seen.records)
    assert clean(an_exit.everything, secret)
    assert ("", "") == capfd.readouterr()


def raises(value: object) -> None:
    """Raise with ``value`` in the message; the only variable of the frame."""
    raise ValueError(value)


def logs_failure(logger: logging.Logger, value: object) -> None:
    """Log an exception with a cause, from a frame that knows the value."""
    try:
        try:
            raises(value)
        except ValueError as error:
            raise RuntimeError(f"no answer in {value!r}") from error
    except RuntimeError:
        logger.exception("failed", stack_info=True)


@pytest.mark.parametrize("form", FORMS)
def test_exceptions_show_no_reasoning(an_exit: Exit, form: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The text of an exception, of its cause, and of the variables in its frames loses reasoning."""
    secret = canary()
    logs_failure(an_exit.logger, forms(secret)[form])

    assert "RuntimeError" in an_exit.out.getvalue()
    assert "in logs_failure" in an_exit.out.getvalue()
    assert an_exit.seen.records[0]["exc_info"] is None
    assert clean(an_exit.everything, secret)
    assert ("", "") == capfd.readouterr()


def test_rich_tracebacks_with_locals_show_no_reasoning() -> None:
    """A handler that reads ``exc_info`` itself, to print local variables, finds none."""
    secret = canary()
    out = io.StringIO()
    logger = logging.Logger("app")  # noqa: LOG001 - one of our own
    logger.addHandler(
        RichHandler(console=Console(file=out, width=200), rich_tracebacks=True, tracebacks_show_locals=True)
    )
    guard_handlers("logs", logger=logger)
    logs_failure(logger, ThinkingBlock(secret))

    assert "ValueError" in out.getvalue()
    assert clean(out.getvalue(), secret)


def test_queue_gets_clean_records() -> None:
    """What a queue handler puts into its queue holds no reasoning any more."""
    secret = canary()
    waiting: queue.Queue[logging.LogRecord] = queue.Queue()
    logger = logging.Logger("app")  # noqa: LOG001 - one of our own
    logger.addHandler(logging.handlers.QueueHandler(waiting))
    guard_handlers("logs", logger=logger)
    logger.info("%s", message(secret), extra={"answer": message(secret)})

    record = waiting.get_nowait()
    assert VISIBLE in record.getMessage()
    assert clean(vars(record), secret)


def test_json_lines_stay_json() -> None:
    """A formatter that writes JSON still writes one JSON document per record, with the fields it had."""
    secret = canary()
    out = Exit(JsonFormatter("%(levelname)s %(message)s"))
    out.logger.warning("turn %d", 7, extra={"answer": message(secret), "ratio": 0.10})
    out.logger.warning("bad", extra={"answer": cycle(secret)})
    first, second = (json.loads(line) for line in out.out.getvalue().splitlines())

    assert ("WARNING", "turn 7", 0.10) == (first["levelname"], first["message"], first["ratio"])
    assert [{"type": "text", "text": VISIBLE}] == first["answer"]["content"]
    assert "[reticent withheld a value: cyclic-input]" == second["answer"]
    assert clean(out.out.getvalue(), secret)


def test_clean_records_keep_template_and_arguments() -> None:
    """A record without reasoning keeps its template and its arguments, so that trackers can still group by it."""
    answer = {"a": 1}
    out = Exit()
    out.logger.info("%s took %d ms, %.1f %%: %r", "step", 12, 99.5, answer)

    seen = out.seen.records[0]
    assert "step took 12 ms, 99.5 %: {'a': 1}\n" == out.out.getvalue()
    assert "%s took %d ms, %.1f %%: %r" == seen["msg"]
    assert answer is seen["args"][3]


def test_a_name_among_the_arguments_takes_what_follows_it() -> None:
    """A name of a field that is an argument itself makes a field of the argument behind it."""
    secret = canary()
    out = Exit()
    out.logger.info("%s: %s", "reasoning_content", f"The customer {secret} may be lying")

    assert out.seen.records[0]["msg"].startswith("[") or secret not in out.seen.records[0]["msg"]
    assert clean(out.everything, secret)


def test_arguments_that_do_not_fit_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Arguments that do not fit the message go to nobody, least of all to standard error."""
    secret = canary()
    out = Exit()
    out.logger.info("one %s", message(secret), repr(ThinkingBlock(secret)))  # noqa: PLE1205 - one too many
    out.logger.info("%d", message(secret))

    assert "one %s [reticent: 2 arguments that do not fit the message]" in out.out.getvalue()
    assert clean(out.everything, secret)
    assert ("", "") == capfd.readouterr()


def test_objects_that_fail_leave_a_placeholder(capfd: pytest.CaptureFixture[str]) -> None:
    """An object whose repr raises does not stop the log call, and its error is not shown."""
    secret = canary()
    out = Exit()
    out.logger.error("got %r", Broken(secret), extra={"it": Broken(secret)})
    out.logger.error(Broken(secret))

    assert "got '[reticent withheld a value: adapter-failure]'" in out.out.getvalue()
    assert clean(out.out.getvalue(), secret)
    assert clean({name: str(value) for name, value in out.seen.records[1].items()}, secret)
    assert ("", "") == capfd.readouterr()


def test_formatter_that_fails_leaves_a_placeholder(capfd: pytest.CaptureFixture[str]) -> None:
    """When the formatter raises, a line says so, and the record is not printed to standard error."""

    class Failing(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            raise ValueError(record.getMessage())

    out = Exit(Failing())
    out.logger.error("visible words")

    assert "ERROR app [reticent withheld a value: adapter-failure]\n" == out.out.getvalue()
    assert ("", "") == capfd.readouterr()


def test_formatter_alone_cleans_the_line() -> None:
    """A formatter with a guard cleans the finished line, whatever the record holds."""
    secret = canary()
    formatter = ReticentFormatter("logs", inner=WithLocals())
    record = logging.makeLogRecord({"msg": "answer: %s", "args": (ThinkingBlock(secret),), "levelname": "INFO"})

    line = formatter.format(record)

    assert "answer: ThinkingBlock(" in line
    assert clean(line, secret)
    assert 1 <= formatter.guard.counts.removed


def test_filter_on_a_logger_cleans_for_all_handlers() -> None:
    """On the logger of an SDK that prints its requests, one filter serves every handler behind it."""
    secret = canary()
    seen = Remembering()
    logger = logging.Logger("anthropic._base_client")  # noqa: LOG001 - one of our own
    logger.addFilter(ReticentFilter("logs"))
    logger.addHandler(seen)
    logger.debug("Request options: %s", {"json_data": {"messages": [message(secret)]}})

    assert VISIBLE in str(seen.records)
    assert clean(seen.records, secret)


@contextlib.contextmanager
def bare_root() -> Generator[logging.Logger]:
    """The root logger without handlers, put back afterwards; pytest adds its own when a test begins."""
    root = logging.getLogger()
    assert logging.lastResort is not None
    before, last = list(root.handlers), logging.lastResort
    filters, formatter = list(last.filters), last.formatter
    root.handlers[:] = []
    yield root
    root.handlers[:] = before
    last.filters[:], last.formatter = filters, formatter


def test_last_resort_is_guarded_too(capfd: pytest.CaptureFixture[str]) -> None:
    """Without any handler, ``logging`` writes to standard error, and that is guarded in the same call."""
    secret = canary()
    with bare_root() as root:
        guarded = guard_handlers("logs")
        root.warning("%s", message(secret))

    assert (logging.lastResort,) == guarded
    said = capfd.readouterr().err
    assert VISIBLE in said
    assert clean(said, secret)


def test_guarding_twice_is_guarding_once() -> None:
    """A handler that has its guard is left alone."""
    handler = logging.StreamHandler(io.StringIO())
    with bare_root() as root:
        root.addHandler(handler)
        guard_handlers("logs")
        formatter = handler.formatter
        guard_handlers("logs")

    assert 1 == len(handler.filters)
    assert formatter is handler.formatter


def test_unknown_surface_touches_no_handler() -> None:
    """A wrong name fails at start, before any handler is changed."""
    logger = logging.Logger("app")  # noqa: LOG001 - one of our own
    logger.addHandler(logging.NullHandler())

    with pytest.raises(UnknownSurface):
        guard_handlers("log", logger=logger)

    assert [] == logger.handlers[0].filters


def test_pass_surface_leaves_records_alone() -> None:
    """On a pass surface the record is the one that was made."""
    value = message("x")
    out = Exit(surface="request_memory")
    out.logger.info("%s", value, extra={"it": value})

    assert value is out.seen.records[0]["args"][0] if isinstance(out.seen.records[0]["args"], tuple) else True
    assert value is out.seen.records[0]["it"]
