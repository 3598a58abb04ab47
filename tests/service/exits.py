"""The exits of a service while tests run: whatever it logged, counted, traced or answered, searched at the end.

Every canary has one shape (``reticent.testing.canary``), so nobody has to say which ones were used. What a surface
that may hold reasoning is given, and what a form or a history gives back to whoever sent it, are no leaks. Neither is
a name that the caller itself used (a surface, a block type) in the answer to it, nor that of a block type nobody knows
in the library's warning; such canaries are labelled ``name``, and have no business anywhere else.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import logging
import re
from typing import TYPE_CHECKING, Any

import pytest

from reticent.testing import CARRIER
from reticent_service import decision_log, metrics, problems

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

CANARY = re.compile(rb"%s-\w+-[0-9a-f]{16}" % CARRIER.encode())
NAME = f"{CARRIER}-name-"
TELL_NAMES = ("answer", "warning about a block type")
ENCODED = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
GIVES_BACK = re.compile(r"POST (?:/lab|/diff|/v1/history/\w+|/v1/break-glass/[\w-]+/show$)")
PASSES = re.compile(r"POST /v1/surfaces/(?:provider_roundtrip|task_store|tasks)/filter$")


class RunExits:
    """What came out, by exit; the same thing is kept once."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._seen: dict[bytes, tuple[str, bytes]] = {}

    def take(self, exit_name: str, data: bytes | str) -> None:
        """Take note of something that came out."""
        raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
        self._seen.setdefault(hashlib.sha256(raw).digest(), (exit_name, raw))

    def leaks(self) -> list[str]:
        """Exits and canaries that came out of them."""
        found = {(name, hit.decode()) for name, raw in self._seen.values() for hit in _canaries(raw)}
        return sorted(f"{name}: {hit}" for name, hit in found if not (name.startswith(TELL_NAMES) and NAME in hit))

    @contextlib.contextmanager
    def watching(self) -> Generator[RunExits]:
        """Watch every service of this process."""
        handler = _Handler(self)
        root = logging.getLogger()
        root.addHandler(handler)
        with pytest.MonkeyPatch.context() as patch:
            self._watch_told(patch)
            self._watch_answers(patch)
            yield self
        root.removeHandler(handler)

    def _watch_told(self, patch: pytest.MonkeyPatch) -> None:
        from opentelemetry.sdk.trace import Span

        line: Callable[..., bytes] = decision_log._line
        close, end = metrics.Metrics.close, Span.end

        def lined(record: object, **rest: object) -> bytes:
            written = line(record, **rest)
            self.take("decision log", written)
            return written

        def closed(told: metrics.Metrics) -> None:
            self.take("metrics", told.text())
            close(told)

        def ended(span: Span, *rest: Any) -> None:
            end(span, *rest)
            self.take("traces", span.to_json())

        patch.setattr(decision_log, "_line", lined)
        patch.setattr(metrics.Metrics, "close", closed)
        patch.setattr(Span, "end", ended)

    def _watch_answers(self, patch: pytest.MonkeyPatch) -> None:
        call = problems.CrashBarrier.__call__

        async def watched(barrier: problems.CrashBarrier, scope: Any, receive: Any, send: Any) -> None:
            asked = f"{scope.get('method')} {scope.get('path')}"
            carried = GIVES_BACK.match(asked) or (PASSES.match(asked) and not scope.get("query_string"))
            status = 0

            async def noted(message: Any) -> None:
                nonlocal status
                status = message.get("status", status)
                if status != 200 or not carried:
                    self.take(f"answer {status}", repr(message.get("headers")).encode() + message.get("body", b""))
                await send(message)

            await call(barrier, scope, receive, noted)

        patch.setattr(problems.CrashBarrier, "__call__", watched)


class _Handler(logging.Handler):
    def __init__(self, exits: RunExits) -> None:
        super().__init__(level=0)
        self._exits = exits

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a line and of the traceback that hangs on it."""
        unknown = record.name == "reticent" and str(record.msg).startswith("block type ")
        self._exits.take(TELL_NAMES[1] if unknown else "log", self.format(record))


def _canaries(raw: bytes) -> Iterator[bytes]:
    yield from CANARY.findall(raw)
    for match in ENCODED.finditer(raw):
        with contextlib.suppress(binascii.Error):
            plain = base64.b64decode(match[0].translate(bytes.maketrans(b"-_", b"+/")) + b"==")
            yield from CANARY.findall(plain)


@pytest.fixture(scope="module", autouse=True)
def watched_run() -> Iterator[RunExits]:
    """Watch while the tests of a module run, and those alone; it fails at its end when a canary came out anywhere."""
    with RunExits().watching() as exits:
        yield exits
    found = exits.leaks()
    if found:
        pytest.fail("canaries came out while these tests ran: " + "; ".join(found), pytrace=False)
