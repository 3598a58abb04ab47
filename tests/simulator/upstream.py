"""A provider behind HTTP: four protocols, streaming and not, and a history is taken back only under its rules."""

from __future__ import annotations

import json
import secrets
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.simulator import streaming
from tests.simulator.answers import MODELS, PROFILES, answer_of, history_of
from tests.simulator.dialects import RENDERERS
from tests.simulator.providers import Refused, accept
from tests.simulator.render import Signals
from tests.simulator.runs import Call, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.types import Receive, Scope, Send

Entry = dict[str, Any]

_PATHS = {
    "/v1/messages": "anthropic-messages",
    "/v1/responses": "openai-responses",
    "/v1/chat/completions": "openai-chat",
    "/chat/completions": "openai-chat",
}


@dataclass
class Asked:
    """One request as it arrived."""

    method: str
    target: bytes
    headers: dict[bytes, bytes]
    body: bytes


@dataclass
class Upstream:
    """An ASGI application. A conversation takes ``steps`` turns with calls, then the answer."""

    steps: int = 3
    fault: Callable[[Asked], str | None] = lambda _asked: None
    """Says what goes wrong with a request: redirect, overloaded, echo, cut, error-event, endless, wrong-type."""
    asked: list[Asked] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)
    """Every word that nobody but the producer may see: markers in texts, and signatures."""
    refused: list[str] = field(default_factory=list)
    cut: streaming.Cut = streaming.halves
    chunk: int = 0
    """Bytes per piece on the wire; 0: one event each."""
    closed: int = 0
    """Streams that a client left."""
    _issued: dict[str, list[Entry]] = field(default_factory=dict)
    _number: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            for word in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{word}.complete"})
            return
        body = bytearray()
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        asked = Asked(scope["method"], target, dict(scope["headers"]), bytes(body))
        self.asked.append(asked)
        await _Answering(self, (scope, receive, send), asked).run()

    def turn(self, dialect: str, body: Entry) -> Entry:
        """The next turn of the conversation in ``body``.

        Raises:
            Refused: the history is not what this provider takes.
        """
        history = history_of(dialect, body)
        with self._lock:
            issued = self._issued.setdefault(dialect, [])
            try:
                accept(PROFILES[dialect], dialect, history, issued)
            except Refused as refused:
                self.refused.append(str(refused))
                raise
            entries = self._entries(dialect, history)
            issued += entries
            self._number += 1
            done = _steps(dialect, history)
            return answer_of(dialect, entries, number=self._number, calls=done < self.steps)

    def _entries(self, dialect: str, history: list[Entry]) -> list[Entry]:
        done = _steps(dialect, history)
        thought = self._secret()
        if done < self.steps:
            calls = tuple(
                Call(f"call_{secrets.token_hex(6)}", "lookup", json.dumps({"n": n})) for n in range(1 + done % 3)
            )
            turn = Turn("t", text="Let me look." if done % 2 else "", reasoning=thought, calls=calls, stop="tool")
        else:
            turn = Turn("t", text="It is 42.", reasoning=thought)
        renderer = RENDERERS[dialect](signals=Signals(stops=False, phases=False), dialect=dialect, entries=[*history])
        renderer.blocks = _thoughts(history) if dialect == "anthropic-messages" else self._number
        entries = renderer.turn(turn)
        self._note(entries)
        return [_dressed(entry) for entry in entries]

    def _secret(self) -> str:
        marker = f"PRIV-{secrets.token_hex(8)}"
        self.secrets.add(marker)
        return f"{marker} café \u202e \U0001f600 <b> because of {secrets.token_hex(4)}\r\nand so on"

    def _note(self, value: Any) -> None:
        """Remember every signature."""
        if isinstance(value, dict):
            for name in ("signature", "encrypted_content", "thoughtSignature", "data"):
                if isinstance(value.get(name), str):
                    self.secrets.add(value[name])
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            self._note(inner)


def _dressed(entry: Entry) -> Entry:
    """An item of Responses with what a real one has."""
    if entry.get("type") in {"message", "function_call"}:
        entry = {"id": f"it_{secrets.token_hex(6)}", **entry, "status": "completed"}
    if entry.get("type") == "message":
        entry["content"] = [{**part, "annotations": []} for part in entry["content"]]
    return entry


def _steps(dialect: str, history: list[Entry]) -> int:
    """Turns of the model since a person last spoke."""
    if dialect == "openai-responses":
        count = 0
        for before, item in zip([{}, *history], history, strict=False):
            count = 0 if item.get("role") == "user" else count
            count += item.get("type") == "function_call_output" and before.get("type") != "function_call_output"
        return count
    done = 0
    for entry in history:
        done = 0 if _speaks(entry) else done + (entry.get("role") in {"assistant", "model"})
    return done


def _speaks(entry: Entry) -> bool:
    if entry.get("role") != "user":
        return False
    content = entry.get("content", entry.get("parts"))
    return isinstance(content, str) or any(
        "functionResponse" not in part and part.get("type") != "tool_result" for part in content or ()
    )


def _thoughts(history: list[Entry]) -> int:
    """The number of the last thought in a history that has none left out."""
    return sum(
        block.get("type") == "thinking"
        for entry in history
        if isinstance(entry.get("content"), list)
        for block in entry["content"]
    )


class _Answering:
    """One answer."""

    def __init__(self, upstream: Upstream, asgi: tuple[Scope, Receive, Send], asked: Asked) -> None:
        self._upstream = upstream
        self._scope, self._receive, self._send = asgi
        self._asked = asked

    async def run(self) -> None:
        """Answer."""
        fault = self._upstream.fault(self._asked)
        path: str = self._scope["path"]
        dialect = _PATHS.get(path) or ("gemini" if "enerateContent" in path else None)
        if fault == "redirect":
            await self._whole(307, b"", [(b"location", b"http://127.0.0.1:9/elsewhere")])
        elif fault == "overloaded":
            await self._whole(529, b'{"type":"error","error":{"type":"overloaded_error","message":"busy"}}')
        elif fault == "wrong-type":
            await self._whole(200, b"<html>", [(b"content-type", b"text/html")])
        elif fault == "echo":
            await self._whole(400, json.dumps({"error": {"message": f"wrong: {self._asked.body.decode()}"}}).encode())
        elif dialect is None:
            await self._other(path)
        else:
            await self._turn(dialect, fault)

    async def _turn(self, dialect: str, fault: str | None) -> None:
        body = json.loads(self._asked.body)
        try:
            answer = self._upstream.turn(dialect, body)
        except Refused as refused:
            told = {"type": "error", "error": {"type": "invalid_request_error", "message": refused.word}}
            await self._whole(400, json.dumps(told).encode())
            return
        chunks = ":streamGenerateContent" in self._scope["path"]
        if not (body.get("stream") or chunks):
            data = json.dumps(answer).encode()
            await self._whole(200, data[: len(data) // 2] if fault == "cut" else data, broken=fault == "cut")
            return
        events = streaming.events(dialect, answer, self._upstream.cut)
        array = chunks and b"alt=sse" not in self._scope["query_string"]
        await self._stream(list(self._pieces(dialect, events, array=array)), array=array, fault=fault)

    def _pieces(self, dialect: str, events: list[Entry], *, array: bool) -> Iterator[bytes]:
        data = streaming.as_array(events) if array else streaming.as_sse(dialect, events)
        size = self._upstream.chunk
        if size:
            yield from (data[at : at + size] for at in range(0, len(data), size))
        elif array:
            yield data
        else:
            yield from (piece + b"\n\n" for piece in data.split(b"\n\n")[:-1])

    async def _stream(self, pieces: list[bytes], *, array: bool, fault: str | None) -> None:
        kind = b"application/json; charset=UTF-8" if array else b"text/event-stream; charset=utf-8"
        headers = [(b"content-type", kind), (b"x-request-id", b"req_1"), (b"set-cookie", b"seen=1")]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        if fault in {"cut", "error-event", "endless"}:
            pieces = pieces[: len(pieces) * 2 // 3]
        for piece in pieces:
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        if fault == "endless":
            await self._until_left()
        if fault == "cut":
            raise RuntimeError("the provider vanishes")
        if fault == "error-event":
            told = {"type": "error", "code": "server_error", "error": {"type": "overloaded_error", "message": "busy"}}
            event = b"event: error\ndata: " + json.dumps(told).encode() + b"\n\n"
            await self._send({"type": "http.response.body", "body": event, "more_body": True})
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _until_left(self) -> None:
        """Say nothing more until the client leaves."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._upstream.closed += 1

    async def _whole(
        self, status: int, body: bytes, extra: list[tuple[bytes, bytes]] | None = None, *, broken: bool = False
    ) -> None:
        length = len(body) + 10 if broken else len(body)
        told = {b"content-type": b"application/json", b"x-request-id": b"req_1", b"set-cookie": b"seen=1"}
        told |= {b"content-length": str(length).encode(), **dict(extra or ())}
        headers = list(told.items())
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": broken})
        if broken:
            raise RuntimeError("the provider vanishes")

    async def _other(self, path: str) -> None:
        """Models, and a stored response that has its reasoning still."""
        if path == "/v1/models":
            await self._whole(200, json.dumps({"data": [{"id": name} for name in MODELS.values()]}).encode())
        elif path == "/v1/echo":
            await self._whole(200, json.dumps({"length": len(self._asked.body)}).encode())
        else:
            entries = self._upstream._entries("openai-responses", [])
            answer = answer_of("openai-responses", entries, number=1, calls=False)
            await self._whole(200, json.dumps(answer).encode())
