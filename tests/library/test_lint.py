"""The static exit finder: what it follows, what it leaves alone, what may be allowed."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from reticent.errors import ConfigurationError
from reticent.lint import CODES, lint, render

ASK = """
import logging
from anthropic import Anthropic
client = Anthropic()
log = logging.getLogger(__name__)
def ask(history):
    return client.messages.create(model="m", max_tokens=9, messages=history)
"""


def found(folder: Path, source: str, *, ask: bool = True) -> list[tuple[str, str]]:
    """Codes and lines of the findings in ``source``, which can call ``ask``."""
    path = folder / "module.py"
    path.write_text((ASK if ask else "") + dedent(source), encoding="utf-8")
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(fault.code, lines[fault.line - 1].strip()) for fault in lint([folder]).findings]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("RET101", 'log.info("answer %s", reply)'),
        ("RET101", 'log.debug(f"answer {reply.content}")'),
        ("RET101", 'logging.getLogger("x").error(str(reply))'),
        ("RET102", 'span.set_attribute("out", json.dumps(reply.to_dict()))'),
        ("RET104", "json.dump(reply.model_dump(), file)"),
        ("RET104", "path.write_text(reply.to_json())"),
        ("RET106", "redis.set('key', reply.to_json())"),
        ("RET106", "producer.send('topic', json.dumps({'reply': reply.content}))"),
        ("RET107", "print(reply)"),
        ("RET108", "cursor.execute('INSERT INTO t VALUES (?)', (reply.to_json(),))"),
        ("RET105", "JSONResponse({'reply': [dict(block) for block in reply.content]})"),
    ],
)
def test_each_kind_of_exit(code: str, line: str, tmp_path: Path) -> None:
    """An answer in a call of each kind of sink is found, at that call."""
    source = f"""
    import json
    def turn(history, span, file, path, redis, producer, cursor):
        reply = ask(history)
        {line}
    """

    assert [(code, line)] == found(tmp_path, source)


@pytest.mark.parametrize(
    "line",
    [
        'log.info("tokens", reply.usage.output_tokens)',
        'log.info("stopped", extra={"why": reply.stop_reason, "id": reply.id})',
        'log.info("said %s", "".join(block.text for block in reply.content if block.type == "text"))',
        'log.info("blocks %d", len(reply.content))',
        "log.info('asked', history[0]['id'])",
        "log.info(to_logs.value(reply))",
        "print(to_logs.text(str(reply)))",
        "redis.set('key', ValueSerializer('conversation_db')(reply))",
        "history.append({'role': 'assistant', 'content': reply.content})",
        "ask([*history, {'role': 'assistant', 'content': reply.content}])",
        "unknown(reply)",
        "log.info('is it', reply == None)",
    ],
)
def test_what_is_no_finding(line: str, tmp_path: Path) -> None:
    """Counts, visible text, what was judged, what goes back, and calls nobody knows are left alone."""
    source = f"""
    import reticent
    from reticent.integrations.values import ValueSerializer
    to_logs = reticent.load_plan().serializer("logs")
    def turn(history, redis):
        reply = ask(history)
        {line}
    """

    assert [] == found(tmp_path, source)


def test_a_name_that_is_judged_is_clean(tmp_path: Path) -> None:
    """Names are followed in order: judged and assigned again means clean, on one branch only means not."""
    source = """
    from reticent.integrations.iterators import StreamGuard
    import reticent
    judge = reticent.load_plan().serializer("logs")
    def turn(history, maybe):
        reply = ask(history)
        if maybe:
            reply = judge.value(reply)
        log.info("one", reply)
        reply = judge.value(reply)
        log.info("two", reply)
    """

    assert [("RET101", 'log.info("one", reply)')] == found(tmp_path, source)


def test_answers_are_followed_through_functions_and_objects(tmp_path: Path) -> None:
    """An answer is followed into parameters, out of returns and yields, through attributes, and through other files."""
    (tmp_path / "sink.py").write_text("def record(log, what):\n    log.info('turn', what)\n", encoding="utf-8")
    source = """
    from sink import record
    class Agent:
        def __init__(self):
            self.messages = []
        def turn(self, history):
            reply = ask(history)
            self.messages.append(reply)
        def show(self):
            for message in self.messages:
                print(message)
    async def stream(history):
        async for event in client.messages.stream(messages=history):
            yield event
    async def main(history):
        async for event in stream(history):
            record(log, event)
    """
    (tmp_path / "module.py").write_text(ASK + dedent(source), encoding="utf-8")

    assert [("module.py", "RET107"), ("sink.py", "RET101")] == [
        (Path(fault.file).name, fault.code) for fault in lint([tmp_path]).findings
    ]


def test_arguments_of_the_sdks_classes_are_answers(tmp_path: Path) -> None:
    """A parameter that is annotated with a class of an SDK is an answer, wherever it comes from."""
    source = """
    from anthropic.types import Message
    from logging import getLogger
    log = getLogger("x")
    def record(message: Message | None, other: str) -> None:
        log.info("turn", message)
        log.info("turn", other)
    """

    assert [("RET101", 'log.info("turn", message)')] == found(tmp_path, source, ask=False)


@pytest.mark.parametrize(
    ("setup", "line"),
    [
        (
            "from reticent.integrations.stdlib_logging import guard_logging\nguard_logging('logs')",
            "log.info('x', reply)",
        ),
        (
            "from reticent.integrations.opentelemetry import ReticentSpanExporter\nReticentSpanExporter('logs', inner)",
            "span.set_attribute('x', str(reply))",
        ),
        (
            "from reticent.integrations.asgi import ReticentMiddleware\napp.add_middleware(ReticentMiddleware)",
            "Response(reply)",
        ),
    ],
)
def test_guards_of_a_whole_exit_are_seen(setup: str, line: str, tmp_path: Path) -> None:
    """Where the project guards a logger, an exporter or an application, calls that end there are no findings."""
    (tmp_path / "setup.py").write_text(setup, encoding="utf-8")

    assert [] == found(tmp_path, f"def turn(history, span):\n    reply = ask(history)\n    {line}\n")


def test_columns_of_mapped_classes(tmp_path: Path) -> None:
    """Storing an answer in a plain column is found, in one that is declared for a surface it is not."""
    source = """
    from reticent.integrations.sqlalchemy import ReticentJSON
    class Row(Base):
        open = mapped_column(JSON)
        guarded = mapped_column(ReticentJSON("conversation_db"))
    def turn(history):
        reply = ask(history)
        row = Row(guarded=reply.content)
        row.open = reply.content
        return Row(open=reply.to_dict())
    """

    assert [("RET103", "row.open = reply.content"), ("RET103", "return Row(open=reply.to_dict())")] == found(
        tmp_path, source
    )


def test_a_suppression_gives_its_reason(tmp_path: Path) -> None:
    """A comment allows its line or the next with a reason; without one it is a finding, and an idle one is too."""
    source = """
    def turn(history):
        reply = ask(history)
        print(reply)  # reticent: allow RET107 - a tool for developers, on their own machine
        # reticent: allow RET107 - as above
        print(reply)
        print(reply)  # reticent: allow RET107
        print(1)  # reticent: allow RET101 - nothing here
    """
    codes = [code for code, _ in found(tmp_path, source)]
    report = lint([tmp_path])

    assert ["RET107", "RET190", "RET191"] == sorted(codes)
    assert ["a tool for developers, on their own machine", "as above"] == [reason for _, reason in report.allowed]


def test_files_that_are_no_python_are_named(tmp_path: Path) -> None:
    """A file that cannot be parsed is a finding; a path that does not exist is a usage error."""
    (tmp_path / "bad.py").write_text("def (", encoding="utf-8")

    assert ["RET192"] == [fault.code for fault in lint([tmp_path]).findings]
    with pytest.raises(ConfigurationError, match="no such file"):
        lint([tmp_path / "gone"])


def test_findings_hold_no_source(tmp_path: Path) -> None:
    """Reports say file, line and code; they quote nothing of the source, and SARIF carries suppressions."""
    marker = "CANARY-in-a-literal"
    source = f"""
    def turn(history):
        reply = ask(history)
        log.info('{marker}', reply)
        print(reply)  # reticent: allow RET107 - why not
    """
    found(tmp_path, source)
    report = lint([tmp_path])
    sarif = json.loads(render.to_sarif(report))
    told = [render.to_text(report), render.to_json(report), json.dumps(sarif)]

    assert not any(marker in text for text in told)
    assert "1 file: 1 finding, 1 allowed" in told[0]
    assert not json.loads(told[1])["clean"]
    assert [None, "why not"] == [
        (one.get("suppressions") or [{}])[0].get("justification") for one in sarif["runs"][0]["results"]
    ]


def test_each_code_has_a_page() -> None:
    """Every code is described on a page of its own, and there is no page without a code."""
    pages = {path.stem.upper() for path in (Path(__file__).parents[2] / "docs/lint").glob("ret*.md")}

    assert set(CODES) == pages
