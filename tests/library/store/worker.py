"""A worker: a process of its own that does with the tasks of one tenant what it is told, line by line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import reticent
from reticent.errors import ReticentError
from reticent.store import Keyset, Tasks, open_store

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

ROOT = Path(__file__).parents[3]


class Worker:
    """The other end of a worker."""

    def __init__(self, url: str, keyset: Path) -> None:
        """Start a process that opens the store at ``url`` with the keys in a file."""
        path = repr([str(ROOT), str(ROOT / "policy")])
        code = f"import sys; sys.path[:0] = {path}; from tests.library.store.worker import main; main()"
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", code, url, str(keyset)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        """Give the worker."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the process."""
        self._process.communicate(timeout=60)

    def __call__(self, method: str, *arguments: Any) -> Any:
        """Have a method of ``Tasks`` called there; what it returned."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([method, *arguments]).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "refused" not in answer, answer
        return answer["value"]


def main() -> None:
    """Do what each line of standard input says and answer it with a line."""
    plan = reticent.load_plan()
    with open_store(sys.argv[1], keys=Keyset.load(sys.argv[2])) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        for line in sys.stdin:
            method, *arguments = json.loads(line)
            try:
                answer = {"value": getattr(tasks, method)(*arguments)}
            except ReticentError as error:
                answer = {"refused": error.code, "said": str(error)}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
