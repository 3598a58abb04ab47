"""Scripted models of LangChain that reason, and a handler that keeps what it is told; for langchain-core alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field
from tests.integrations.reasoning import VISIBLE


class Model(BaseChatModel):
    """A model that calls a tool and then answers, reasoning both times; it wants its own blocks back in between."""

    secret: str = Field(repr=False)
    turns: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_options: Any) -> Model:
        """The tools are known."""
        assert tools
        return self

    def _generate(self, messages: list[BaseMessage], *_given: Any, **_options: Any) -> ChatResult:
        self.turns += 1
        block = {"type": "thinking", "thinking": f"{self.secret} {self.turns}", "signature": f"{self.secret}s"}
        if self.turns == 1:
            reply = AIMessage(content=[block], tool_calls=[{"name": "find", "args": {"number": 1}, "id": "c1"}])
        else:
            assert self.secret in repr(messages), "the model did not get its own blocks back"
            reply = AIMessage(content=[block, {"type": "text", "text": VISIBLE}])
        return ChatResult(generations=[ChatGeneration(message=reply)])


class Tags(Model):
    """A model that streams inline tags."""

    def _stream(
        self,
        messages: list[BaseMessage],  # noqa: ARG002 - LangChain's signature
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's signature
        run_manager: CallbackManagerForLLMRun | None = None,
        **_options: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for piece in ("<thi", "nk>", self.secret, "</think>\n", VISIBLE, "."):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager:
                run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk


class Recorder(BaseCallbackHandler):
    """Keeps everything it is told."""

    def __init__(self) -> None:
        """Start empty."""
        self.told: list[Any] = []
        self.tokens: list[str] = []

    def on_chat_model_start(self, serialized: Any, messages: Any, **options: Any) -> None:
        """Keep a start."""
        self.told.append((serialized, messages, options))

    def on_llm_new_token(self, token: Any, **options: Any) -> None:
        """Keep a token."""
        self.tokens.append(token)
        self.told.append(options)

    def on_llm_end(self, response: Any, **options: Any) -> None:
        """Keep an answer."""
        self.told.append((response, options))

    def on_chain_end(self, outputs: Any, **options: Any) -> None:
        """Keep outputs."""
        self.told.append((outputs, options))

    def on_llm_error(self, error: BaseException, **options: Any) -> None:
        """Keep an error."""
        self.told.append((error, str(error), options))
