"""Can a provider's own context management reach into a task in flight?

Asked before it is switched on, from the strategy's parameters and the limits that hold for a task. A strategy that
counts uses, tokens or positions measures in the same units as a compactor that counts turns; that it runs on the
server makes it no safer. An unknown name or version is unknown, and unknown stays off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, cast

from reticent.errors import ConfigurationError

EVIDENCE = "2026-11-29"
"""The day the vendors' pages were read; a verdict holds for what they said then."""


class Reach(StrEnum):
    """The answer."""

    SAFE = "safe"
    """It cannot reach a live task, whatever the task does."""
    CONDITIONAL = "conditional"
    """It cannot as long as the stated limits are enforced."""
    UNSAFE = "unsafe"
    """It can; the witness says how."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLimits:
    """What bounds one task: tool steps, calls per step, tokens in all; and the tokens every request starts with.

    None means that nothing bounds it. ``settled_tokens`` counts system prompt, tools and settled history,
    ``settled_uses`` the tool uses in that history. ``server_tools`` says that the provider's tools are on: their loops
    run inside one request, where our step cap does not count.
    """

    steps: int | None = None
    parallel: int = 1
    tokens: int | None = None
    settled_tokens: int = 0
    settled_uses: int = 0
    window: int | None = None
    tools: frozenset[str] = frozenset()
    server_tools: bool = False

    def __post_init__(self) -> None:
        """Refuse numbers below zero."""
        for name in ("steps", "parallel", "tokens", "settled_tokens", "settled_uses", "window"):
            value = getattr(self, name)
            if isinstance(value, bool) or (value is not None and (not isinstance(value, int) or value < 0)):
                raise ConfigurationError(f"{name} must be a whole number of at least 0, not {value!r}")

    @property
    def uses(self) -> int | None:
        """The most tool uses one task may have; None when nothing bounds them."""
        return None if self.steps is None or self.server_tools else self.steps * self.parallel

    @property
    def peak(self) -> int | None:
        """The most tokens one request may have; None when nothing bounds them."""
        return None if self.tokens is None or self.server_tools else self.settled_tokens + self.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The verdict on one strategy. ``condition`` is what has to hold, or what makes it unsafe, in numbers."""

    strategy: str
    reach: Reach
    condition: str
    severity: str = ""
    """What an unsafe one takes from a live task: ``reasoning`` weighs more than ``evidence``."""
    witness: str = ""
    """A task within the limits that it reaches into."""
    evidence: str = EVIDENCE
    url: str = ""

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "strategy": self.strategy,
            "reach": self.reach.value,
            "condition": self.condition,
            "severity": self.severity,
            "witness": self.witness,
            "evidence": self.evidence,
            "url": self.url,
        }


_EDITING = "https://platform.claude.com/docs/en/build-with-claude/context-editing"
_COMPACTION = "https://platform.claude.com/docs/en/build-with-claude/compaction"
_OPENAI = "https://platform.openai.com/docs/guides/conversation-state"
_LIVE = "https://ai.google.dev/gemini-api/docs/live-session"


def check_request(
    request: Mapping[str, Any], limits: TaskLimits, *, boundary: int | None = None
) -> tuple[Finding, ...]:
    """Check everything in a request body that makes the provider rewrite history.

    Reads Anthropic's ``context_management.edits`` and ``compaction``, OpenAI's ``context_management`` and
    ``truncation``, and Gemini Live's ``contextWindowCompression``. ``boundary`` counts the settled entries of what an
    on-demand compaction would be sent.
    """
    found = [check_strategy(edit, limits) for edit in _edits(request.get("context_management"))]
    if request.get("compaction") is not None:
        found.append(check_on_demand("compaction", len(_list(request.get("messages"))), boundary))
    if request.get("truncation") is not None:
        found.append(check_strategy({"type": "truncation", "value": request["truncation"]}, limits))
    window = request.get("contextWindowCompression", request.get("context_window_compression"))
    if window is not None:
        found.append(check_strategy({"type": "sliding_window", **_map(window)}, limits))
    return tuple(found)


def check_strategy(strategy: Mapping[str, Any], limits: TaskLimits) -> Finding:
    """Check one strategy, as its provider's request names it (``{"type": "clear_tool_uses_20250919", ...}``)."""
    name = str(strategy.get("type", ""))
    check = _CHECKS.get(name)
    if check is None:
        return Finding(
            strategy=_named(name), reach=Reach.UNKNOWN, condition="nobody has described this name and version"
        )
    return check(strategy, limits)


def check_on_demand(name: str, sent: int, boundary: int | None) -> Finding:
    """A compaction that the client asks for, of the ``sent`` entries it names (Anthropic, ``/responses/compact``)."""
    condition = f"{sent} entries sent <= boundary {boundary}"
    if boundary is None:
        return Finding(strategy=name, reach=Reach.UNKNOWN, condition="the boundary of what is sent is not known")
    if sent <= boundary:
        return Finding(strategy=name, reach=Reach.SAFE, condition=condition, url=_COMPACTION)
    witness = f"entry {boundary} is live and would be summarised"
    return _unsafe(name, condition, "reasoning", witness, _COMPACTION)


def _clear_tool_uses(strategy: Mapping[str, Any], limits: TaskLimits) -> Finding:
    name = str(strategy["type"])
    keep = _number(strategy.get("keep"), 3)
    excluded = frozenset(str(tool) for tool in _list(strategy.get("exclude_tools")))
    if limits.tools and limits.tools <= excluded:
        return Finding(strategy=name, reach=Reach.SAFE, condition="every tool of the task is excluded", url=_EDITING)
    if limits.uses is not None and limits.uses <= keep:
        condition = f"{limits.uses} uses in a task <= keep {keep}"
        return Finding(strategy=name, reach=Reach.CONDITIONAL, condition=condition, url=_EDITING)
    trigger = _map(strategy.get("trigger"))
    if trigger.get("type") == "tool_uses":
        at = _number(trigger.get("value"), 0)
        within = limits.uses is not None and limits.uses + limits.settled_uses < at
        condition = f"{_shown(limits.uses)} uses in a task + {limits.settled_uses} settled < trigger {at}"
    else:
        at = _number(trigger.get("value"), 100_000)
        within = limits.peak is not None and limits.peak < at
        condition = f"{_shown(limits.peak)} tokens at most < trigger {at}"
    if within:
        return Finding(strategy=name, reach=Reach.CONDITIONAL, condition=condition, url=_EDITING)
    taken = "its oldest result and its arguments" if strategy.get("clear_tool_inputs") else "its oldest result"
    return _unsafe(name, f"not: {condition}", "evidence", f"a task of {keep + 1} uses loses {taken}", _EDITING)


def _clear_thinking(strategy: Mapping[str, Any], limits: TaskLimits) -> Finding:
    name = str(strategy["type"])
    keep = strategy.get("keep")
    if keep == "all" or _map(keep).get("type") == "all":
        return Finding(strategy=name, reach=Reach.SAFE, condition="it keeps all thinking", url=_EDITING)
    if keep is None:
        return Finding(strategy=name, reach=Reach.UNKNOWN, condition="the default depends on the model", url=_EDITING)
    number = _number(keep, 1)
    # The longest task has one assistant message more than it has steps.
    longest = None if limits.steps is None or limits.server_tools else limits.steps + 1
    if longest is not None and number >= longest:
        condition = f"keep {number} >= {longest} assistant messages in a task, however a turn is counted"
        return Finding(strategy=name, reach=Reach.CONDITIONAL, condition=condition, url=_EDITING)
    condition = f"keep {number} < {_shown(longest)}: safe only if a tool loop counts as one turn; probe it"
    return Finding(strategy=name, reach=Reach.UNKNOWN, condition=condition, url=_EDITING)


_TRIGGERS = ("trigger", "compact_threshold", "triggerTokens", "trigger_tokens")


def _by_tokens(
    default: Callable[[TaskLimits], int | None], severity: str, url: str, what: str
) -> Callable[[Mapping[str, Any], TaskLimits], Finding]:
    """A check of a strategy that starts at a number of tokens; ``default`` is the provider's own trigger."""

    def check(strategy: Mapping[str, Any], limits: TaskLimits) -> Finding:
        name = str(strategy["type"])
        value = next((strategy[key] for key in _TRIGGERS if strategy.get(key) is not None), None)
        at = default(limits) if value is None else _number(value, 0)
        if at is None:
            return Finding(strategy=name, reach=Reach.UNKNOWN, condition="its trigger is not stated", url=url)
        condition = f"{_shown(limits.peak)} tokens at most < trigger {_shown(at)}"
        if limits.peak is not None and limits.peak < at:
            return Finding(strategy=name, reach=Reach.CONDITIONAL, condition=condition, url=url)
        if limits.server_tools and limits.tokens is not None:
            detail = f"{condition}, but the provider's tools loop inside a request, where no budget of ours counts"
            return Finding(strategy=name, reach=Reach.UNKNOWN, condition=detail, url=url)
        return _unsafe(name, f"not: {condition}", severity, f"a task that grows past {_shown(at)} tokens {what}", url)

    return check


def _live_trigger(limits: TaskLimits) -> int | None:
    """Gemini Live slides at four fifths of the window unless it is told otherwise."""
    return None if limits.window is None else limits.window * 4 // 5


def _truncation(strategy: Mapping[str, Any], limits: TaskLimits) -> Finding:
    if strategy.get("value") == "disabled":
        return Finding(strategy="truncation", reach=Reach.SAFE, condition="it is disabled", url=_OPENAI)
    if strategy.get("value") != "auto":
        return Finding(strategy="truncation", reach=Reach.UNKNOWN, condition="nobody has described this value")
    cut = _by_tokens(lambda known: known.window, "reasoning", _OPENAI, "loses its first entries")
    return cut({"type": "truncation"}, limits)


def _memory(strategy: Mapping[str, Any], limits: TaskLimits) -> Finding:
    del limits
    return Finding(
        strategy=str(strategy["type"]),
        reach=Reach.SAFE,
        condition="it adds and removes nothing; what it holds is notes",
    )


_COMPACT = "is summarised in mid-work"

_CHECKS: Mapping[str, Callable[[Mapping[str, Any], TaskLimits], Finding]] = MappingProxyType(
    {
        "clear_tool_uses_20250919": _clear_tool_uses,
        "clear_thinking_20251015": _clear_thinking,
        "compact_20260112": _by_tokens(lambda _: 150_000, "reasoning", _COMPACTION, _COMPACT),
        "compaction": _by_tokens(lambda _: None, "reasoning", _OPENAI, _COMPACT),
        "truncation": _truncation,
        "sliding_window": _by_tokens(_live_trigger, "reasoning", _LIVE, "loses its opener"),
        "memory_20250818": _memory,
    }
)
"""By the exact name and version; a new version is unknown until somebody reads its page."""


def _unsafe(name: str, condition: str, severity: str, witness: str, url: str) -> Finding:
    return Finding(strategy=name, reach=Reach.UNSAFE, condition=condition, severity=severity, witness=witness, url=url)


def _edits(value: Any) -> list[Mapping[str, Any]]:
    """Anthropic lists edits in an object, OpenAI in a list."""
    edits = _list(value) or _list(_map(value).get("edits"))
    return [_map(edit) for edit in edits]


def _map(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def _number(value: Any, default: int) -> int:
    """A count given plainly or as ``{"type": ..., "value": N}``."""
    inner = _map(value).get("value", value)
    if isinstance(inner, str) and inner.isascii() and inner.isdigit():
        return int(inner)
    return inner if isinstance(inner, int) and not isinstance(inner, bool) else default


def _shown(value: int | None) -> str:
    return "unbounded" if value is None else str(value)


def _named(name: str) -> str:
    return name if name.replace("_", "").isalnum() and len(name) <= 64 else "?"  # noqa: PLR2004 - as report names are
