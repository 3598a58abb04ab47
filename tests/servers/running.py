"""Start a server program on the loopback interface, with a folder of its own and as an ordinary user."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Generator

ATTEMPTS: Final = 3  # another process may take the free port between the look and the start
SECONDS_TO_START: Final = 60
_FIRST, _COUNT = 11_000, 20_000
_STEPS: Final = itertools.count(os.getpid() * 997)
UNPRIVILEGED: Final = "nobody"  # PostgreSQL refuses to run as root, and no server of a test needs to


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: the address to connect to, the folder that holds all it writes, its process."""

    url: str
    folder: Path
    pid: int


class User(TypedDict, total=False):
    """The options of ``subprocess`` that choose the user of a program."""

    user: str
    group: str
    extra_groups: tuple[str, ...]


def ordinary_user() -> User:
    """Give the user a server runs as: root lends it one, everybody else runs it as themselves."""
    return User(user=UNPRIVILEGED, group="nogroup", extra_groups=()) if os.geteuid() == 0 else User()


@contextlib.contextmanager
def data_folder(name: str) -> Generator[Path]:
    """Make a folder that the server's user owns, and remove it with all that is in it."""
    folder = Path(tempfile.mkdtemp(prefix=f"reticent-{name}-"))
    try:
        give_away(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def give_away(path: Path) -> None:
    """Make the server's user the owner of a path."""
    if os.geteuid() == 0:
        shutil.chown(path, UNPRIVILEGED, "nogroup")


class Program:
    """A server program at a port of its own, that can be stopped and started again there."""

    def __init__(
        self, command: Callable[[int], list[str]], log: Path, ready: Callable[[int], bool], user: User | None = None
    ) -> None:
        """Know how to run it.

        The ordinary user runs it, unless another is told: a program of this checkout may stand where nobody else goes.
        """
        self._command, self._log, self._ready = command, log, ready
        self._user = ordinary_user() if user is None else user
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def pid(self) -> int:
        """The process that runs."""
        assert self._process is not None
        return self._process.pid

    def start(self, attempts: int = 1) -> None:
        """Run it, and wait until it answers; with more than one attempt, each at another port."""
        for _ in range(attempts):
            with self._log.open("ab") as out:
                self._process = subprocess.Popen(  # noqa: S603 - a server found on this machine
                    self._command(self.port),
                    stdout=out,
                    stderr=out,
                    stdin=subprocess.DEVNULL,
                    cwd=self._log.parent,
                    **self._user,
                )
            if _becomes_ready(self._process, self.port, self._ready):
                return
            self.port = free_port() if attempts > 1 else self.port
        raise AssertionError(f"{self._command(0)[0]} did not start:\n{self._log.read_text(errors='replace')[-2000:]}")

    def stop(self, number: signal.Signals) -> None:
        """Send a signal, and wait until the program has ended; none that runs is stopped already."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=20)


@contextlib.contextmanager
def running(program: Program, stop: signal.Signals) -> Generator[Program]:
    """Run a program until the block ends."""
    program.start(ATTEMPTS)
    try:
        yield program
    finally:
        program.stop(stop)


@contextlib.contextmanager
def serving(
    command: Callable[[int], list[str]],
    log: Path,
    ready: Callable[[int], bool],
    stop: signal.Signals,
    user: User | None = None,
) -> Generator[tuple[int, int]]:
    """Run the command made for a free port until the block ends; give the port and the process id."""
    with running(Program(command, log, ready, user), stop) as program:
        yield program.port, program.pid


def _becomes_ready(server: subprocess.Popen[bytes], port: int, ready: Callable[[int], bool]) -> bool:
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end:
        if server.poll() is not None:
            return False
        if ready(port):
            return True
        time.sleep(0.05)
    server.kill()
    server.wait(timeout=20)
    return False


def free_port() -> int:
    """Find a port of the loopback interface that nobody listens on.

    It lies below those that systems lend to outgoing connections, and each process looks through them from another
    place on: what is free now is still free when the server comes to it.
    """
    for step in itertools.islice(_STEPS, _COUNT):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", _FIRST + step % _COUNT))
            return int(probe.getsockname()[1])
    raise AssertionError("no free port")
