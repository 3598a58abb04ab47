"""loguru: the patcher, the sink, and what is printed when a handler fails."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from loguru import logger
from tests.integrations.reasoning import FORMS, VISIBLE, Broken, ThinkingBlock, clean, cycle, forms, message

from reticent.errors import UnknownSurface
from reticent.integrations.loguru import ReticentPatcher, ReticentSink
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def own_logger() -> Iterator[None]:
    """Take away what other tests configured, and leave nothing behind."""
    logger.remove()
    yield
    logger.remove()
    logger.configure(patcher=lambda _record: None)


def raises(value: object) -> None:
    """Raise with ``value`` in the message; the only variable of the frame."""
    raise ValueError(value)


@logger.catch
def logs_failure(value: object) -> None:
    """Let loguru log what is raised, with the value of every variable."""
    raises(value)


@pytest.mark.parametrize("serialize", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_records_show_no_reasoning(form: str, serialize: bool, capfd: pytest.CaptureFixture[str]) -> None:
    """Message, ``extra`` and exceptions lose reasoning; variables of frames are not printed."""
    secret = canary()
    value = forms(secret)[form]
    out = io.StringIO()
    logger.configure(patcher=ReticentPatcher("logs"))
    logger.add(out, format="{level} {message} {extra}\n{exception}", serialize=serialize, diagnose=True, backtrace=True)
    logger.bind(answer=value).info("turn")
    logger.info(value if isinstance(value, str) else repr(value))
    logger.info("{it}", it=value)
    logger.opt(colors=True).info("<red>turn</red>\n{}", value)
    logs_failure(value)

    assert "ValueError" in out.getvalue()
    assert "in raises" in out.getvalue()
    assert clean(out.getvalue(), secret)
    assert ("", "") == capfd.readouterr()


def test_serialized_records_stay_json() -> None:
    """Serialized records are one JSON document each, with the fields they had."""
    secret = canary()
    out = io.StringIO()
    logger.configure(patcher=ReticentPatcher("logs"))
    logger.add(out, serialize=True)
    logger.bind(answer=message(secret), number=7, bad=cycle(secret), worse=Broken(secret)).info("turn")
    extra = json.loads(out.getvalue())["record"]["extra"]

    assert 7 == extra["number"]
    assert [{"type": "text", "text": VISIBLE}] == extra["answer"]["content"]
    assert "[reticent withheld a value: cyclic-input]" == extra["bad"]
    assert clean(out.getvalue(), secret)


def test_handler_that_fails_prints_no_reasoning(capfd: pytest.CaptureFixture[str]) -> None:
    """When a sink fails, loguru prints the record to standard error, and it is clean by then."""
    secret = canary()

    def fail(_message: Any) -> None:
        raise OSError("disk full")

    logger.configure(patcher=ReticentPatcher("logs"))
    logger.add(fail)
    logger.bind(answer=ThinkingBlock(secret)).info("turn {}", ThinkingBlock(secret))

    said = capfd.readouterr().err
    assert "Logging error in Loguru Handler" in said
    assert clean(said, secret)


@pytest.mark.parametrize("form", [form for form in FORMS if form != "tags"])
def test_sink_hands_on_clean_text(form: str) -> None:
    """A guarded sink cleans the finished message, also of what a later patcher put in."""
    secret = canary()
    lines: list[str] = []
    logger.add(ReticentSink("logs", lines.append), format="{message} {extra}")
    logger.patch(lambda record: record["extra"].update(answer=forms(secret)[form])).info("turn")

    assert 1 == len(lines)
    assert lines[0].startswith("turn ")
    assert clean(lines[0], secret)


def test_sink_writes_to_files_and_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    """A sink can be anything with ``write``; without one it is standard error."""
    secret = canary()
    out = io.StringIO()
    logger.add(ReticentSink("logs", out), format="{message}")
    logger.add(ReticentSink("logs"), format="{message}")
    logger.info("{}", ThinkingBlock(secret))

    assert "ThinkingBlock(" in out.getvalue()
    assert out.getvalue() == capfd.readouterr().err
    assert clean(out.getvalue(), secret)


@pytest.mark.parametrize("adapter", [ReticentPatcher, ReticentSink])
def test_unknown_surface_fails_at_start(adapter: Any) -> None:
    """A wrong name fails when the adapter is made."""
    with pytest.raises(UnknownSurface):
        adapter("log")
