"""Abstract runs as transcripts in five dialects, signed by a provider as each turn is issued."""

from __future__ import annotations

import hashlib
import hmac
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from tests.simulator.runs import Call, Event, Results, Run, Standing, Turn, User

SECRET = b"the provider's own"
METADATA = ("task_id", "seq", "nudge", "stop_reason", "finish_reason", "stopReason", "finishReason")


def seal(*words: str) -> str:
    """A signature over words, as only the provider can make it."""
    return hmac.new(SECRET, "\x1f".join(words).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:24]


def wire(entry: dict[str, Any], *, phase: bool) -> dict[str, Any]:
    """An entry as it is sent: without what only the harness knows."""
    return {key: value for key, value in entry.items() if key not in METADATA and (phase or key != "phase")}


@dataclass(frozen=True)
class Signals:
    """Which signals the harness stores beside the entries."""

    stops: bool = True
    phases: bool = True
    ids: bool = False
    seq: bool = False


@dataclass(frozen=True)
class Rendered:
    """A transcript, and for each event the position of its first entry; one more for the end."""

    entries: list[dict[str, Any]]
    starts: list[int]
    dialect: str

    def cut_at(self, run: Run, length: int) -> int:
        """The true boundary of the first ``length`` entries, in entries."""
        events = sum(1 for end in self.starts[1:] if end <= length)
        return self.starts[run.true_cut(events)]


@dataclass
class Renderer(ABC):
    """One dialect. ``issued`` remembers what was signed, by call id and in order."""

    signals: Signals = field(default_factory=Signals)
    dialect: str = ""
    entries: list[dict[str, Any]] = field(default_factory=list)
    blocks: int = 0

    def render(self, run: Run) -> Rendered:
        """All events of a run."""
        starts = [0]
        for event in run.events:
            self.add(event)
            starts.append(len(self.entries))
        if self.signals.seq:
            self.entries = [{**entry, "seq": index} for index, entry in enumerate(self.entries)]
        return Rendered(self.entries, starts, self.dialect)

    def add(self, event: Event) -> None:
        """Render one event."""
        if isinstance(event, User):
            new = [self.user(event.text) | ({"nudge": True} if event.nudge else {})]
        elif isinstance(event, Turn):
            new = self.turn(event)
        elif isinstance(event, Results):
            new = self.results(event)
        else:
            new = self.standing(event)
        self.entries += [entry | self._task(event) for entry in new]

    def _task(self, event: Event) -> dict[str, Any]:
        return {"task_id": event.task} if self.signals.ids and event.task else {}

    def labels(self, turn: Turn, key: str, words: dict[str, str]) -> dict[str, Any]:
        """Stop word and phase of a turn, as far as they are stored."""
        found: dict[str, Any] = {key: words[turn.stop]} if self.signals.stops else {}
        return found | ({"phase": turn.phase} if self.signals.phases and turn.phase else {})

    def prefix(self) -> str:
        """A digest of everything before the turn that is being issued, reasoning left out."""
        return prefix_digest(self.dialect, self.entries)

    def thinking(self, text: str) -> str:
        """A signature over a thought, its number, and all that came before it."""
        self.blocks += 1
        prefix = self.prefix()
        return f"{self.blocks}.{prefix}.{seal(text, str(self.blocks), prefix)}"

    def standing(self, event: Standing) -> list[dict[str, Any]]:
        """System text; only some dialects keep it among the entries."""
        del event
        return []

    @abstractmethod
    def user(self, text: str) -> dict[str, Any]:
        """User text."""

    @abstractmethod
    def turn(self, turn: Turn) -> list[dict[str, Any]]:
        """A model turn."""

    @abstractmethod
    def results(self, event: Results) -> list[dict[str, Any]]:
        """Tool results."""


def call_seal(call: dict[str, Any]) -> str:
    """Gemini's signature of one call."""
    return seal("call", json.dumps(call, sort_keys=True))


def prefix_digest(dialect: str, entries: list[dict[str, Any]]) -> str:
    """What a bound block is bound to: every earlier entry as it is sent, less its reasoning."""
    sent = [_bare(wire(entry, phase=dialect == "openai-responses")) for entry in entries]
    text = json.dumps([entry for entry in sent if entry is not None], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _bare(entry: dict[str, Any]) -> dict[str, Any] | None:
    content = entry.get("content")
    if not isinstance(content, list):
        return entry
    kept = [block for block in content if not is_reasoning(block)]
    return {**entry, "content": kept} if kept else None


def is_reasoning(block: dict[str, Any]) -> bool:
    """Whether a block of Anthropic or Bedrock is reasoning."""
    return block.get("type") in {"thinking", "redacted_thinking"} or "reasoningContent" in block


def call(number: int, name: str = "get_order") -> Call:
    """A call with a fixed id."""
    return Call(f"call_{number}", name, "{}")
