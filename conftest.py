"""Command-line options, the no-skips rule of CI, and the documents that run as tests.

Every Markdown page that pytest is given is one test: its ``python`` and ``console`` examples run from top to bottom
in one namespace and one empty folder. CONTRIBUTING.md says how to write them.
"""

from __future__ import annotations

import contextlib
import doctest
import gc
import io
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from _pytest._code.code import ExceptionInfo, TerminalRepr, TracebackStyle

ROOT = Path(__file__).parent
NO_SKIPS = os.environ.get("RETICENT_CI", "") not in {"", "0"}

# No deadline: an example that is slow on a busy machine is not wrong.
settings.register_profile("reticent", deadline=None, max_examples=100, print_blob=True)
# CI draws the same examples for the same tests, so that what turns it red is the change and nothing else.
settings.register_profile("reticent-ci", settings.get_profile("reticent"), derandomize=True, database=None)
# `make hunt`: other examples each time, and more of them.
settings.register_profile("reticent-hunt", settings.get_profile("reticent"), max_examples=400)
settings.load_profile("reticent-ci" if NO_SKIPS else "reticent")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer ``--update-golden``, the only way a golden file is written."""
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files with what the code says now")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a parameter of bytes by its place: a packed file holds the second it was made in, and workers must agree."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether goldens are rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if NO_SKIPS and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"RETICENT_CI is set, and nothing may be skipped: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the garbage collector what collection makes: a gigabyte of SDKs and tests, all of it there to stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failure when RETICENT_CI is set."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn a skipped module into a failure when RETICENT_CI is set."""
    report = yield
    _refuse_skip(report)
    return report


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Collect Markdown pages that hold at least one example that runs."""
    if file_path.suffix != ".md" or "decisions" in file_path.parts:
        return None
    return DocumentFile.from_parent(parent, path=file_path)


@contextlib.contextmanager
def executors_put_back() -> Generator[None]:
    """Undo what Logfire does to the executors of the whole process, for good, once it is configured."""
    with contextlib.ExitStack() as stack:
        for pool in (ThreadPoolExecutor, ProcessPoolExecutor):
            stack.enter_context(mock.patch.object(pool, "submit", pool.submit))
        yield


@pytest.fixture
def own_executors() -> Iterator[None]:
    """Let a test configure Logfire without consequences for the next."""
    with executors_put_back():
        yield


@dataclass(frozen=True, slots=True)
class Example:
    """One fenced block: the language word, the rest of its first line, the source and the line it starts on."""

    language: str
    title: str | None
    source: str
    line: int


FENCE = re.compile(
    r"^(?P<skip><!-- not run: \S[^\n]* -->\n)?"
    r"```(?P<language>\w+)(?P<info>[^\n]*)\n(?P<source>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'title="([\w./-]+)"')


def examples(text: str) -> Iterator[Example]:
    """Read the fenced blocks of a page, less those under a ``<!-- not run: reason -->`` comment."""
    for match in FENCE.finditer(text):
        if match["skip"] is None:
            title = TITLE.search(match["info"])
            line = text.count("\n", 0, match.start("source")) + 1
            yield Example(match["language"], title and title[1], match["source"], line)


class ExampleFailed(Exception):
    """An example whose output is not what the page says."""


class DocumentFile(pytest.File):
    """A Markdown page with examples."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the page as one test, or nothing when no example of it runs."""
        found = tuple(examples(self.path.read_text(encoding="utf-8")))
        if any(example.language in {"python", "console"} for example in found):
            yield Document.from_parent(self, name="examples", found=found)


class Document(pytest.Item):
    """The examples of one page, run in order."""

    def __init__(self, *, found: tuple[Example, ...], **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]  # pytest passes name and parent through
        self.found = found

    def runtest(self) -> None:
        """Run every example; a titled block is a file, an ``output`` block is what the one before it printed."""
        namespace: dict[str, object] = {"__name__": "__main__"}
        printed: str | None = None
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), executors_put_back():
            for example in self.found:
                if example.title is not None:
                    _write(Path(folder), example)
                elif example.language == "python":
                    printed = self._run_python(example, namespace)
                elif example.language == "console":
                    self._run_console(example)
                elif example.language == "output":
                    self._compare(example.line, example.source, printed or "")

    def _run_python(self, example: Example, namespace: dict[str, object]) -> str:
        if ">>>" in example.source:
            self._run_doctest(example, namespace)
            return ""
        out = io.StringIO()
        # Blank lines in front give tracebacks the page's own line numbers.
        code = compile("\n" * (example.line - 1) + example.source, str(self.path), "exec", dont_inherit=True)
        with contextlib.redirect_stdout(out):
            exec(code, namespace)  # noqa: S102 - running the page is the test
        return out.getvalue()

    def _run_doctest(self, example: Example, namespace: dict[str, object]) -> None:
        test = doctest.DocTestParser().get_doctest(
            example.source, namespace, self.path.name, str(self.path), example.line - 1
        )
        said = io.StringIO()
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(test, out=said.write, clear_globs=False)
        namespace.update(test.globs)
        if said.getvalue():
            raise ExampleFailed(said.getvalue())

    def _run_console(self, example: Example) -> None:
        for command, expected in _commands(example.source):
            self._compare(example.line, expected, _shell(command))

    def _compare(self, line: int, expected: str, got: str) -> None:
        if not doctest.OutputChecker().check_output(expected, got, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE):
            raise ExampleFailed(f"{self.path.name}:{line}\n--- the page says\n{expected}\n--- it was\n{got}")

    def repr_failure(
        self, excinfo: ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """Show a wrong output as it is, anything else as a traceback that starts in the page."""
        if isinstance(excinfo.value, ExampleFailed):
            return str(excinfo.value)
        excinfo.traceback = excinfo.traceback.cut(path=str(self.path)) or excinfo.traceback
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Name the page in reports."""
        return self.path, 0, f"{self.path.name} examples"


def _write(folder: Path, example: Example) -> None:
    path = folder / str(example.title)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(example.source, encoding="utf-8")


def _commands(source: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", source, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def _shell(command: str) -> str:
    # Readers have `reticent` on their PATH; a checkout that is not installed has only the module.
    start = f"reticent() {{ '{sys.executable}' -c 'import reticent.cli; reticent.cli.main()' \"$@\"; }}; "
    roots = os.pathsep.join([str(ROOT / "policy"), str(ROOT / "service")])
    env = os.environ | {"PYTHONPATH": roots, "NO_COLOR": "1", "COLUMNS": "120"}
    done = subprocess.run(  # noqa: S603 - the commands are the pages' own
        ["/bin/sh", "-c", start + command],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout
