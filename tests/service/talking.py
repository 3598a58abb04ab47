"""Conversations with tools, as clients hold them that know nothing of a proxy: the vendors' own SDKs, and bare HTTP."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tests.service.proxying import KEY, Client
from tests.simulator.answers import MODELS

if TYPE_CHECKING:
    import httpx2

Entry = dict[str, Any]
Call = tuple[str, str]
"""Id and name."""

QUESTION = "How many, and why?"


@dataclass
class Talker:
    """One conversation in one dialect; ``url`` is all that a client has to know of a proxy."""

    url: str
    client: Client = field(default_factory=Client)
    key: str = KEY
    headers: dict[str, str] = field(default_factory=dict)
    history: list[Any] = field(default_factory=list)
    model: str = ""
    tasks: set[str] = field(default_factory=set)
    long: bool = False
    """Whether the history gets so long that OpenAI's library takes a third of a second to look at each item of it."""
    _sdks: dict[str, Any] = field(default_factory=dict)

    dialect: ClassVar[str]

    def __post_init__(self) -> None:
        self.model = self.model or MODELS[self.dialect]

    def talk(self, *, stream: bool) -> int:
        """Ask, and answer calls until there are none; how many turns that took."""
        self.say(QUESTION)
        turns = 1
        while calls := self.turn(stream=stream):
            self.answer(calls)
            turns += 1
        return turns

    def say(self, text: str) -> None:
        """Add what a person says."""
        raise NotImplementedError

    def turn(self, *, stream: bool) -> list[Call]:
        """Ask for the next turn and add it; the calls that it makes."""
        raise NotImplementedError

    def answer(self, calls: list[Call]) -> None:
        """Add results."""
        raise NotImplementedError

    @cached_property
    def http(self) -> httpx2.Client:
        """A client of HTTP that notes the task of every answer."""
        return self.client.http(event_hooks={"response": [self._noted]})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def told(self, name: str) -> Entry:
        """The history as an argument of the library, or past its reading."""
        return {name: [], "extra_body": {name: self.history}} if self.long else {name: self.history}

    def sdk(self, kind: Any, url: str) -> Any:
        """The vendor's client at an address; making one takes longer than asking."""
        if url not in self._sdks:
            self._sdks[url] = kind(base_url=url, api_key=self.key, http_client=self.http, max_retries=0)
        return self._sdks[url]

    def _noted(self, response: httpx2.Response) -> None:
        if "reticent-task" in response.headers:
            self.tasks.add(response.headers["reticent-task"])


class Anthropic(Talker):
    """Anthropic's SDK."""

    dialect = "anthropic-messages"

    def say(self, text: str) -> None:
        """Add what a person says."""
        self.history.append({"role": "user", "content": [{"type": "text", "text": text}]})

    def turn(self, *, stream: bool) -> list[Call]:
        """Ask for the next turn and add it."""
        import anthropic

        sdk = self.sdk(anthropic.Anthropic, self.url)
        tool: Any = {"name": "lookup", "input_schema": {"type": "object"}}
        asked: Any = {"model": self.model, "max_tokens": 999, "messages": self.history, "tools": [tool]}
        asked["extra_headers"] = self.headers
        if stream:
            with sdk.messages.stream(**asked) as events:
                message: Any = events.get_final_message()
        else:
            message = sdk.messages.create(**asked)
        self.history.append({"role": "assistant", "content": message.content})
        return [(block.id, block.name) for block in message.content if block.type == "tool_use"]

    def answer(self, calls: list[Call]) -> None:
        """Add results."""
        results = [{"type": "tool_result", "tool_use_id": name, "content": f"result of {name}"} for name, _ in calls]
        self.history.append({"role": "user", "content": results})


class Responses(Talker):
    """OpenAI's SDK, Responses, with the history in the client's hands."""

    dialect = "openai-responses"

    def say(self, text: str) -> None:
        """Add what a person says."""
        self.history.append({"role": "user", "content": text})

    def turn(self, *, stream: bool) -> list[Call]:
        """Ask for the next turn and add it."""
        import openai

        sdk = self.sdk(openai.OpenAI, f"{self.url}/v1")
        asked: Any = {"model": self.model, "store": False, "extra_headers": self.headers, **self.told("input")}
        if stream:
            with sdk.responses.stream(**asked) as events:
                response: Any = events.get_final_response()
        else:
            response = sdk.responses.create(**asked)
        self.history += [item.to_dict(mode="json") for item in response.output]
        for item in self.history:
            item.pop("parsed_arguments", None)
            for part in item["content"] if isinstance(item.get("content"), list) else ():
                part.pop("parsed", None)
        return [(item.call_id, item.name) for item in response.output if item.type == "function_call"]

    def answer(self, calls: list[Call]) -> None:
        """Add results."""
        self.history += [
            {"type": "function_call_output", "call_id": name, "output": f"result of {name}"} for name, _ in calls
        ]


class Chat(Talker):
    """OpenAI's SDK, Chat Completions, talking to a server like DeepSeek's."""

    dialect = "openai-chat"

    def say(self, text: str) -> None:
        """Add what a person says."""
        self.history.append({"role": "user", "content": text})

    def turn(self, *, stream: bool) -> list[Call]:
        """Ask for the next turn and add it."""
        import openai

        sdk = self.sdk(openai.OpenAI, self.url)
        asked: Any = {"model": self.model, "extra_headers": self.headers, **self.told("messages")}
        if stream:
            with sdk.chat.completions.stream(**asked) as events:
                completion: Any = events.get_final_completion()
        else:
            completion = sdk.chat.completions.create(**asked)
        message = completion.choices[0].message
        calls = message.tool_calls or []
        entry: Entry = {"role": "assistant", "content": message.content}
        if calls:
            inner = [{"name": call.function.name, "arguments": call.function.arguments} for call in calls]
            entry["tool_calls"] = [
                {"id": call.id, "type": "function", "function": told} for call, told in zip(calls, inner, strict=True)
            ]
        self.history.append(entry)
        return [(call.id, call.function.name) for call in calls]

    def answer(self, calls: list[Call]) -> None:
        """Add results."""
        self.history += [{"role": "tool", "tool_call_id": name, "content": f"result of {name}"} for name, _ in calls]


class Gemini(Talker):
    """Gemini's REST interface over bare HTTP: events, or an array of chunks."""

    dialect = "gemini"
    array: ClassVar[bool] = False

    def say(self, text: str) -> None:
        """Add what a person says."""
        self.history.append({"role": "user", "parts": [{"text": text}]})

    def turn(self, *, stream: bool) -> list[Call]:
        """Ask for the next turn and add it."""
        verb = "streamGenerateContent" if stream else "generateContent"
        query = "?alt=sse" if stream and not self.array else ""
        url = f"{self.url}/v1beta/models/{self.model}:{verb}{query}"
        headers = {"x-goog-api-key": self.key, **self.headers}
        response = self.http.post(url, json={"contents": self.history}, headers=headers)
        response.raise_for_status()
        parts = [part for chunk in self._chunks(response, stream=stream) for part in _parts(chunk)]
        self.history.append({"role": "model", "parts": _joined(parts)})
        return [(part["functionCall"]["id"], part["functionCall"]["name"]) for part in parts if "functionCall" in part]

    def _chunks(self, response: httpx2.Response, *, stream: bool) -> list[Entry]:
        if not stream:
            return [response.json()]
        if self.array:
            return list(response.json())
        lines = response.text.splitlines()
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    def answer(self, calls: list[Call]) -> None:
        """Add results."""
        parts = [
            {"functionResponse": {"id": name, "name": title, "response": {"v": f"result of {name}"}}}
            for name, title in calls
        ]
        self.history.append({"role": "user", "parts": parts})


class GeminiArray(Gemini):
    """As ``Gemini``; streams are one array."""

    array = True


def _parts(chunk: Entry) -> list[Entry]:
    return [part for candidate in chunk.get("candidates", ()) for part in candidate.get("content", {}).get("parts", ())]


def _joined(parts: list[Entry]) -> list[Entry]:
    """Parts with pieces of one text joined, as a client keeps them; an empty text is nothing to keep."""
    kept: list[Entry] = []
    for part in parts:
        if kept and part.keys() == {"text"} == kept[-1].keys():
            kept[-1] = {"text": kept[-1]["text"] + part["text"]}
        elif part != {"text": ""}:
            kept.append(part)
    return kept


TALKERS: tuple[type[Talker], ...] = (Anthropic, Responses, Chat, Gemini, GeminiArray)


def fails(talk: Talker, *, stream: bool = False) -> str:
    """What a client is told of a turn that cannot be had: by its library, and by the bytes that came."""
    before, history = len(talk.client.seen), list(talk.history)
    said = ""
    try:
        talk.turn(stream=stream)
    except Exception as error:  # noqa: BLE001 - each library raises its own
        said = f"{type(error).__name__}: {error} "
    assert said or isinstance(talk, Gemini), "the library took it for a turn"
    talk.history = history
    return said + talk.client.seen[before:].decode()
