"""One exchange over Envoy's external processing: its messages in, ours out, without I/O.

Headers of a response are answered when its first chunk was judged: Envoy waits with them, and a body that it would not
send here does not pass. What a content type means, and what happens to a body that cannot be judged, is said in
``_bodies``, for every server alike.
https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/ext_proc_filter (read 2026-11-29)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal

from reticent.integrations._bodies import FAILED, PROBLEM, STALE, Body, Headers, open_body
from reticent.integrations._envoy_messages import FULL_DUPLEX_STREAMED, OVERWRITE, ProcessingResponse

if TYPE_CHECKING:
    from reticent.integrations._guard import Guard

__all__ = ["CHUNK_BYTES", "Cut", "Exchange", "Side"]

Side = Literal["request", "response"]

_KINDS: Final = tuple(f"{side}_{part}" for part in ("headers", "body", "trailers") for side in ("request", "response"))

CHUNK_BYTES: Final = 64 * 1024
"""The longest piece of a body in one message, as Envoy's documentation recommends."""


class Cut(Exception):
    """The exchange cannot go on, and has to end with an error; says why, and nothing of a body."""


class Exchange:
    """One HTTP request and its response, as Envoy tells of them: messages in, messages out, no I/O."""

    def __init__(self, guard: Guard, side: Side = "response") -> None:
        """Judge the bodies of one ``side`` by ``guard``; the other side is carried."""
        self._guard = guard
        self._side = side
        self._passes = guard.passes
        self._modes: dict[str, int | None] = {"request": None, "response": None}
        self._method = "GET"
        self._body: Body | None = None
        self._held = False
        self._over = False

    def answers(self, message: Any) -> Iterator[Any]:
        """What to answer to one message, possibly nothing yet.

        Raises:
            Cut: the exchange has to end with an error.
        """
        self._check(message)
        if self._over:
            return
        name = next((name for name in _KINDS if message.HasField(name)), None)
        if name is None:
            raise Cut("a message of a kind that is not known here")
        told = getattr(message, name)
        side, _, part = name.partition("_")
        if part == "headers" and side == "request":
            self._method = dict(_headers(told.headers)).get(":method", "GET")
        if side != self._side or self._passes:
            yield from self._carried(side, part, told)
        elif part == "headers":
            yield from self._opened(told)
        elif self._body is None:
            yield from self._carried(side, part, told)
        elif part == "body":
            yield from self._judged(self._body, told.body, last=told.end_of_stream)
        else:
            yield from self._judged(self._body, b"", last=None)
            if not self._over:
                yield ProcessingResponse(**{f"{side}_trailers": {}})

    def _check(self, message: Any) -> None:
        """Refuse what would let a body pass unseen."""
        if message.HasField("protocol_config"):
            told = message.protocol_config
            self._modes = {"request": told.request_body_mode, "response": told.response_body_mode}
            if not self._passes and self._modes[self._side] != FULL_DUPLEX_STREAMED:
                raise Cut(f"{self._side}_body_mode has to be FULL_DUPLEX_STREAMED")
        if message.observability_mode and not self._passes:
            raise Cut("in observability_mode nothing can be withheld")

    # --- what is not judged -------------------------------------------------------------------------------------------

    def _carried(self, side: str, part: str, told: Any) -> Iterator[Any]:
        if part == "headers":
            # Upstream is asked for a body that can be read.
            plain = side == "request" and self._side == "response" and not self._passes
            yield _headers_answer(side, ["accept-encoding"] if plain else [])
        elif part == "trailers":
            yield ProcessingResponse(**{f"{side}_trailers": {}})
        elif self._modes[side] in (None, FULL_DUPLEX_STREAMED):
            yield from _chunks(side, told.body, last=told.end_of_stream)
        else:
            yield ProcessingResponse(**{f"{side}_body": {"response": {}}})

    # --- what is judged -----------------------------------------------------------------------------------------------

    def _opened(self, told: Any) -> Iterator[Any]:
        headers = _headers(told.headers)
        method = self._method if self._side == "response" else "POST"
        self._body = None
        if not told.end_of_stream:
            self._body = open_body(self._guard, headers, status=_status(headers), method=method)
        self._held = self._body is not None
        if self._body is None:
            # The length in an answer to HEAD would be that of a body nobody may see.
            yield _headers_answer(self._side, sorted(STALE) if method == "HEAD" else [])

    def _judged(self, body: Body, chunk: bytes, *, last: bool | None) -> Iterator[Any]:
        """A chunk of a body; ``last`` is None when trailers said that it is over, which end it themselves."""
        ends = last is not False
        if body.failed:
            out = b""
        else:
            out = body.feed(chunk)
            out += body.end() if ends else b""
            if body.failed:
                yield from self._refused(body, out)
                if self._over:
                    return
        if self._held and not body.failed and (ends or not body.whole):
            self._held = False
            yield _headers_answer(self._side, sorted(STALE))
        if last or (out and not body.failed):
            yield from _chunks(self._side, b"" if body.failed else out, last=bool(last))

    def _refused(self, body: Body, out: bytes) -> Iterator[Any]:
        """Say that the body is withheld: as the whole answer, or as the end of what was begun.

        What still arrives of it is taken and dropped.
        """
        if self._held:
            self._over = True
            yield _immediate(body.problem())
        elif out:
            yield from _chunks(self._side, out, last=False)
        else:
            raise Cut("a body that was begun cannot be judged to its end")


def _headers(told: Any) -> Headers:
    # Envoy fills `raw_value`; what came before it filled `value`.
    return [(one.key, one.raw_value.decode("latin-1") or one.value) for one in told.headers]


def _status(headers: Headers) -> int:
    told = dict(headers).get(":status", "")
    return int(told) if told.isdecimal() else 200


def _headers_answer(side: str, remove: list[str]) -> Any:
    response = {"header_mutation": {"remove_headers": remove}} if remove else {}
    return ProcessingResponse(**{f"{side}_headers": {"response": response}})


def _chunks(side: str, body: bytes, *, last: bool) -> Iterator[Any]:
    pieces = [body[at : at + CHUNK_BYTES] for at in range(0, len(body), CHUNK_BYTES)] or [b""]
    for number, piece in enumerate(pieces, 1):
        streamed = {"body": piece, "end_of_stream": last and number == len(pieces)}
        response = {"body_mutation": {"streamed_response": streamed}}
        yield ProcessingResponse(**{f"{side}_body": {"response": response}})


def _immediate(body: bytes) -> Any:
    kind = {"header": {"key": "content-type", "raw_value": PROBLEM.encode()}, "append_action": OVERWRITE}
    return ProcessingResponse(
        immediate_response={
            "status": {"code": FAILED},
            "headers": {"set_headers": [kind]},
            "body": body,
            "details": "reticent_withheld",
        }
    )
