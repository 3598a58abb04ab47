"""The way back to a producer, watched: a digest of each opaque carrier that came in, compared with each that goes out.

What a producer issued may go back to it byte for byte, and nowhere else. A ledger holds digests, no content.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final, Literal

import orjson

from reticent.errors import ConfigurationError, EgressRefused, ProducerMismatch
from reticent.integrations._guard import Guard, PlanSource
from reticent.serializers._providers import read_model, read_url
from reticent.serializers.digests import Digest, digests
from reticent.serializers.producers import Producer, from_clue
from reticent.streams.sse import SseFraming

__all__ = ["Answer", "Ledger", "RoundTrip", "parsed"]

_MOST: Final = 100_000
"""Digests that a ledger keeps; the oldest go first."""


class Ledger:
    """Who issued which opaque carrier: digests of what was answered, by the producer that answered it.

    Safe to share between threads. ``dump`` and ``load`` carry it to the worker that goes on with a task.
    """

    def __init__(self, *, most: int = _MOST) -> None:
        """Start empty; ``most`` is how many digests are kept."""
        self._most = most
        self._issued: OrderedDict[Digest, Producer] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._issued)

    def __repr__(self) -> str:
        return f"Ledger({len(self)} digests)"

    def issued(self, answer: Any, producer: str | Producer) -> int:
        """Note that ``producer`` issued every opaque carrier of ``answer``; their number.

        Raises:
            ConfigurationError: ``producer`` names none.
            EgressRefused: ``answer`` cannot be read.
        """
        told = Producer.parse(producer) if isinstance(producer, str) else producer
        found = digests(answer)
        with self._lock:
            for digest in found:
                self._issued[digest] = told
                self._issued.move_to_end(digest)
            while len(self._issued) > self._most:
                self._issued.popitem(last=False)
        return len(found)

    def check(self, body: Any, to: str | Producer, *, unknown: Literal["refuse", "carry"] = "refuse") -> int:
        """Show that every opaque carrier of ``body`` was issued by ``to``, and is what it was; their number.

        ``unknown`` says what becomes of carriers that are not in the ledger.

        Raises:
            ProducerMismatch: one is altered or unknown, or another system issued it. Content is never told.
            EgressRefused: ``body`` cannot be read.
        """
        told = Producer.parse(to) if isinstance(to, str) else to
        found = digests(body)
        for position, digest in enumerate(found):
            at = f"{digest.kind} {position} of {len(found)}"
            issuer = self._issued.get(digest)
            if issuer is None and unknown == "refuse":
                raise ProducerMismatch(f"{at} was altered or not issued here: {digest.length} bytes going to {told}")
            if issuer is not None and not issuer.same_as(told):
                raise ProducerMismatch(f"{at} was issued by {issuer} and would go to {told}")
        return len(found)

    def producer_of(self, message: Any) -> Producer | None:
        """Who issued ``message``: the one producer of all its opaque carriers, None when there is no such one.

        Raises:
            EgressRefused: ``message`` cannot be read.
        """
        told = {self._issued.get(digest) for digest in digests(message)}
        return told.pop() if len(told) == 1 else None

    def dump(self) -> bytes:
        """The ledger as JSON."""
        with self._lock:
            rows = [[one.kind, one.name, one.sha256, one.length, str(by)] for one, by in self._issued.items()]
        return orjson.dumps({"version": 1, "issued": rows})

    @classmethod
    def load(cls, data: bytes) -> Ledger:
        """The ledger that ``dump`` wrote.

        Raises:
            ConfigurationError: it is no ledger.
        """
        ledger = cls()
        try:
            told = orjson.loads(data)
            if told["version"] == 1:
                for kind, name, sha256, length, by in told["issued"]:
                    ledger._issued[Digest(kind, name, sha256, length)] = Producer.parse(by)
                return ledger
        except (ValueError, TypeError, KeyError):
            pass
        raise ConfigurationError("this is no ledger that this release can read")


class RoundTrip:
    """What passes between one application and its producers, checked on the way out and noted on the way in."""

    def __init__(
        self,
        surface: str,
        *,
        plan: PlanSource = None,
        ledger: Ledger | None = None,
        producer: str | Producer | None = None,
        unknown: Literal["refuse", "carry"] = "refuse",
    ) -> None:
        """Watch the way over ``surface``.

        ``producer`` is who answers where the address does not tell (a gateway of your own); ``unknown`` says what
        becomes of carriers that are not in the ledger.

        Raises:
            UnknownSurface: the plan has no such surface.
            ConfigurationError: ``producer`` names none, or the surface is strip, so that no body can have any.
        """
        self.guard = Guard(surface, plan=plan, strict=True)
        if not self.guard.passes:
            raise ConfigurationError(f"surface {surface!r} is strip; a round trip needs one whose verdict is pass")
        self.ledger = Ledger() if ledger is None else ledger
        self.unknown: Literal["refuse", "carry"] = unknown
        self._producer = Producer.parse(producer) if isinstance(producer, str) else producer

    def check(self, url: str, body: Any) -> int:
        """Check a request before it leaves; the number of opaque carriers in it.

        Raises:
            ProducerMismatch: a carrier is altered or unknown, or would go to another system.
            EgressRefused: the body cannot be read.
        """
        if isinstance(body, (bytes, str)):
            body = parsed(body)
        try:
            return self.ledger.check(body, self.producer(url, body), unknown=self.unknown)
        except EgressRefused as error:
            self.guard.withheld(error, None)
            raise

    def producer(self, url: str, body: Any) -> Producer:
        """Who answers a request: told at construction, else by the host, and by the model the body names."""
        model = body.get("model") if isinstance(body, dict) else None
        if self._producer is not None:
            return self._producer
        where = read_url(url)
        named = read_model(model) if isinstance(model, str) else read_model("")
        host = url.partition("://")[2].partition("/")[0].lower() or "unknown"
        provider = where.provider or named.provider or host
        return from_clue(where.under(named), provider)


class Answer:
    """One answer on its way in: notes what its producer issued, whole or streamed, and never fails the caller.

    What cannot be read is not noted; then it does not go back either.
    """

    def __init__(self, trip: RoundTrip, producer: Producer, *, streamed: bool) -> None:
        """Read an answer of ``producer``."""
        self._trip = trip
        self._producer = producer
        self._framing = SseFraming() if streamed else None
        self._parts: list[bytes] = []
        self._blocks: dict[Any, dict[str, Any]] = {}

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes, decoded."""
        try:
            if self._framing is None:
                self._parts.append(chunk)
                return
            for frame in self._framing.feed(chunk):
                self._event(frame.data)
        except Exception as error:  # noqa: BLE001 - the caller's answer goes on; the way back is what refuses
            self._trip.guard.withheld(error, None)

    def end(self) -> None:
        """Say that the answer is over."""
        try:
            whole = b"".join(self._parts)
            if whole.strip():
                self._trip.ledger.issued(whole, self._producer)
            if self._blocks:
                message = {"role": "assistant", "content": list(self._blocks.values())}
                self._trip.ledger.issued([message], self._producer)
        except Exception as error:  # noqa: BLE001 - as in feed
            self._trip.guard.withheld(error, None)

    def _event(self, data: bytes | None) -> None:
        event = parsed(data) if data else None
        if not isinstance(event, dict):
            return
        kind = event.get("type")
        if kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            self._blocks[event.get("index")] = dict(event["content_block"])
        elif kind == "content_block_delta":
            self._delta(event.get("index"), event.get("delta"))
        else:
            self._trip.ledger.issued(event, self._producer)

    def _delta(self, index: Any, delta: Any) -> None:
        """A signature comes in a delta of its own: https://platform.claude.com/docs/en/build-with-claude/streaming."""
        block = self._blocks.get(index)
        if block is None or not isinstance(delta, dict) or delta.get("type") != "signature_delta":
            return
        block["signature"] = f"{block.get('signature') or ''}{delta.get('signature', '')}"


def parsed(data: bytes | str) -> Any:
    """The JSON values of ``data``; None when it is none, as for a body that holds no messages."""
    try:
        return orjson.loads(data)
    except ValueError:
        return None
