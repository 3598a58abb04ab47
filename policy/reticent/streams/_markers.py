"""The marks models put around reasoning inside plain text: data first, then what is compiled from it.

Every row was read on 2026-11-29 at the address in its comment. A marker is written as *atoms*, small pieces of a
regular expression, because a stream must also know whether the end of its buffer could still grow into one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Atoms = tuple[str, ...]

_FLAGS = re.IGNORECASE | re.ASCII  # ASCII: no Kelvin sign for a k, so that every way of matching agrees
_GAP = r"\s{0,4}"
_IS = r"(?:'(?:s)?|\u2019(?:s)?| (?:i(?:s)?)?)"
_ATTRIBUTES = r"(?:\s[^>]{0,256})?"  # the longest piece of text ever held back for one tag is about 300 characters


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """One way to open and close reasoning.

    ``name`` ends up in the rule (``inline-tag/<name>``). ``token`` is true for spellings that are single tokens of
    a vocabulary and do not occur in prose. ``lone`` says whether a closer without an opener means anything.
    ``close`` finds the end of a block: group ``stop`` is not part of it. ``growing`` finds, at the end of a text,
    what may still become a closer.
    """

    name: str
    opener: Atoms
    closer: Atoms
    token: bool
    lone: bool
    close: re.Pattern[str]
    growing: re.Pattern[str]

    @property
    def rule(self) -> str:
        """The rule a removal by this marker is reported under."""
        return f"inline-tag/{self.name}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What stands at a place: an opener or a closer of ``marker``, up to ``end``."""

    end: int
    marker: Marker
    closes: bool
    empty: bool = False


def spelled(text: str) -> Atoms:
    """One atom per character."""
    return tuple(re.escape(char) for char in text)


def _exactly(text: str) -> Atoms:
    """One atom per character, in this case only."""
    return tuple(f"(?-i:{re.escape(char)})" for char in text)


def growing(atoms: Sequence[str]) -> str:
    """A pattern for every non-empty beginning of ``atoms``."""
    pattern = ""
    for atom in reversed(atoms[1:]):
        pattern = f"(?:{atom}{pattern})?"
    return atoms[0] + pattern


def any_of(patterns: Iterable[str]) -> str:
    """An alternative of ``patterns``."""
    return "(?:" + "|".join(patterns) + ")"


def _marker(
    name: str, opener: Atoms, closer: Atoms, *, stops: tuple[str, ...] = (), token: bool = False, lone: bool = True
) -> Marker:
    ends = [closer, *map(spelled, stops)]
    close = "".join(closer) + (f"|(?P<stop>{any_of(map(re.escape, stops))})" if stops else "")
    tail = any_of(growing(end) for end in ends) + r"\Z"
    return Marker(name, opener, closer, token, lone, re.compile(close, _FLAGS), re.compile(tail, _FLAGS))


def _tag(name: str, spelling: Atoms) -> Marker:
    opener = ("<", _GAP, *spelling, _ATTRIBUTES, "/?", ">")
    return _marker(name, opener, ("<", _GAP, "/", _GAP, *spelling, _GAP, ">"))


def _pair(name: str, opener: str, closer: str, *, token: bool = True, stops: tuple[str, ...] = ()) -> Marker:
    return _marker(name, spelled(opener), spelled(closer), token=token, stops=stops, lone=not stops)


# Tag names. vLLM's reasoning parsers name the models: https://docs.vllm.ai/en/latest/features/reasoning_outputs.html
_TAG_NAMES = (
    "think",  # DeepSeek R1, Qwen3, GLM, MiniMax M2, ERNIE, Hunyuan and many more
    "thinking",  # Nova v1; Claude prompted without extended thinking
    "thought",  # https://ai.google.dev/gemini-api/docs/openai
    "reasoning",  # gpt-oss on Bedrock; https://github.com/agno-agi/agno
    "assistant_thinking",  # https://github.com/pydantic/pydantic-ai, how a foreign thought is replayed
    "budget:thinking",  # https://github.com/BerriAI/litellm, prompt_templates/common_utils.py
    "seed:think",  # Seed-OSS: https://github.com/vllm-project/vllm, seedoss_reasoning_parser.py
    "mm:think",  # MiniMax M3: the same repository, minimax_m3_reasoning_parser.py
    "antthinking",  # Claude asked for artifacts: https://github.com/anthropics/anthropic-cookbook
    "scratchpad",  # the same place, prompts that let the model write before it answers
    "thoughts",  # https://github.com/open-webui/open-webui, tags that users add to its list
    "inner_monologue",  # https://github.com/letta-ai/letta
    "longcat_think",  # LongCat: longcat_reasoning_parser.py
    "ifm|think",  # K2 Horizon, three efforts: k2_horizon_reasoning_parser.py
    "ifm|think_fast",
    "ifm|think_faster",
)

TAGS = tuple(_tag(name.replace("|", "-").replace(":", "-"), spelled(name)) for name in _TAG_NAMES)
# Hunyuan v3 and v4 write <think:SUFFIX> and close with the same suffix: hy_v3_reasoning_parser.py
_SUFFIX: Atoms = (*spelled("think:"), r"[\w.-]{1,40}")
SUFFIXED = _tag("think-suffix", _SUFFIX)

TOKENS: tuple[Marker, ...] = (
    # Magistral: https://docs.mistral.ai/capabilities/reasoning
    # In capitals only: "[think](…)" is a link.
    _marker("mistral-think", _exactly("[THINK]"), _exactly("[/THINK]")),
    # openPangu without tag tokens in its vocabulary: pangu_reasoning_parser.py
    _marker("pangu", _exactly("[unused16]"), _exactly("[unused17]")),
    # Kimi-VL: https://huggingface.co/moonshotai/Kimi-VL-A3B-Thinking
    _pair("kimi-vl", "◁think▷", "◁/think▷"),
    # Command: https://docs.cohere.com/docs/reasoning
    _pair("cohere", "<|START_THINKING|>", "<|END_THINKING|>"),
    # Gemma 4 writes "thought\n" after the opener; any channel is reasoning: gemma4_reasoning_parser.py
    _pair("gemma-channel", "<|channel>", "<channel|>"),
    # Kimi K3: kimi_k3_reasoning_parser.py; some servers put blanks between the three tokens
    _marker(
        "kimi-k3",
        (*spelled("<|open|>"), _GAP, *spelled("think"), _GAP, *spelled("<|sep|>")),
        (*spelled("<|close|>"), _GAP, *spelled("think"), _GAP, *spelled("<|sep|>")),
        token=True,
    ),
    # Inkling closes a thought by the end of the message or by the next content token: inkling_reasoning_parser.py
    _pair(
        "inkling",
        "<|content_thinking|>",
        "<|end_message|>",
        stops=("<|content_text|>", "<|content_invoke_tool_", "<|message_model|>", "<|content_model_end_sampling|>"),
    ),
    # Apertus, in apertus_reasoning_parser.py
    _pair("apertus", "<|inner_prefix|>", "<|inner_suffix|>"),
    # PLaMo 3: plamo3_reasoning_parser.py
    _pair("plamo", "<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    # Sky-T1, OpenThinker: https://github.com/NovaSky-AI/SkyThought
    _pair("begin-of-thought", "<|begin_of_thought|>", "<|end_of_thought|>"),
    # MedGemma: https://huggingface.co/google/medgemma-27b-text-it
    _pair("medgemma", "<unused94>", "<unused95>"),
    # Open WebUI keeps a thought in the text of the message: https://github.com/open-webui/open-webui, middleware.py
    _marker(
        "open-webui",
        (*spelled("<details"), r"\s{1,4}", *spelled('type="reasoning"'), _ATTRIBUTES, ">"),
        spelled("</details>"),
        token=True,
        lone=False,
    ),
    # Solar Open 2: solar_open2_reasoning_parser.py
    _pair("solar", "<|think:start|>", "<|think:end|>"),
    # ADK's PlanReActPlanner marks all but the final answer as thought:
    # https://github.com/google/adk-python, planners/plan_re_act_planner.py
    *(
        _pair("adk-planner", f"/*{step}*/", "/*FINAL_ANSWER*/", token=False)
        for step in ("PLANNING", "REPLANNING", "REASONING", "ACTION")
    ),
)

MARKERS = (*TAGS, SUFFIXED, *TOKENS)

# Marks in prose. They count at the very beginning of a text only.
# Granite 3: https://github.com/vllm-project/vllm, granite_reasoning_parser.py
GRANITE = _marker(
    "granite",
    (*spelled("Here"), _IS, *spelled(" my thought process:")),
    (*spelled("Here"), _IS, *spelled(" my response:")),
)
GRANITE_OPENER = re.compile("".join(GRANITE.opener))
GRANITE_GROWS = re.compile(growing(GRANITE.opener) + r"\Z")
# ReAct prompts (LlamaIndex, LangChain, smolagents): believed only when the second half follows within a limit.
REACT_CLOSE = re.compile(r"\n[ \t]{0,8}(?=(?:Action|Answer|Final Answer|Code):)")

# Some models wrap the answer as well: ERNIE 4.5 (ernie45_reasoning_parser.py), Hunyuan A13B
# (hunyuan_a13b_reasoning_parser.py). The wrapper is taken off directly after a removed block.
WRAPPER_NAMES = ("answer", "response")

# What ends reasoning that began in the prompt, whichever template began it.
_STRUCTURAL_ENDS = ("<|end|>", "<|return|>", "<|call|>", "<|eom|>", "<|eot|>", "<|end_message|>", "assistantfinal")
_ANY_END = [*(marker.closer for marker in MARKERS if marker.lone), *map(spelled, _STRUCTURAL_ENDS)]
FROM_PROMPT = Marker(
    name="starts-inside",
    opener=(),
    closer=(),
    token=False,
    lone=False,
    close=re.compile(any_of(dict.fromkeys("".join(end) for end in _ANY_END)), _FLAGS),
    growing=re.compile(any_of(dict.fromkeys(growing(end) for end in _ANY_END)) + r"\Z", _FLAGS),
)

LONGEST_MARKER = 340
"""No marker is longer than this many characters, attributes included."""

LONGEST_CLOSER = 80
"""No closer is longer than this many characters, blanks included."""


_BY_NAME: dict[str, Marker] = dict(zip(_TAG_NAMES, TAGS, strict=True))
_NAME = any_of([*map(re.escape, _TAG_NAMES), "".join(_SUFFIX)])
_TAG = re.compile(rf"<{_GAP}(?:(?P<opens>{_NAME}){_ATTRIBUTES}/?|/{_GAP}(?P<closes>{_NAME}){_GAP})>", _FLAGS)
_AFTER_ANGLE = frozenset(["|", "c", "C", "d", "D", "u", "U", ""])  # what may follow the "<" of a token


def _named() -> tuple[re.Pattern[str], dict[str, tuple[Marker, bool]]]:
    """One pattern for all tokens, and what each of its groups stands for."""
    groups: dict[str, tuple[Marker, bool]] = {}
    patterns: dict[str, str] = {}
    for marker in TOKENS:
        for closes, atoms in ((False, marker.opener), (True, marker.closer)):
            pattern = "".join(atoms)
            if pattern not in patterns and (marker.lone or not closes):
                patterns[pattern] = f"m{len(patterns)}"
                groups[patterns[pattern]] = (marker, closes)
    return re.compile("|".join(f"(?P<{group}>{pattern})" for pattern, group in patterns.items()), _FLAGS), groups


_TOKEN, _GROUPS = _named()


def _growing_tags() -> str:
    spellings = [*map(spelled, _TAG_NAMES), _SUFFIX]
    opens = any_of(growing((*spelling, _ATTRIBUTES, "/?", ">")) for spelling in spellings)
    closes = any_of(growing((*spelling, _GAP, ">")) for spelling in spellings)
    return rf"<{_GAP}(?:{opens}|/{_GAP}(?:{closes})?)?"


_GROWS = re.compile(
    any_of(
        [
            _growing_tags(),
            *dict.fromkeys(growing(atoms) for marker in TOKENS for atoms in (marker.opener, marker.closer)),
        ]
    )
    + r"\Z",
    _FLAGS,
)


def read_marker(text: str, at: int) -> Reading | None:
    """The opener or closer that stands at ``at``, if any."""
    tag = _TAG.match(text, at)
    if tag is not None:
        closes = tag["closes"] is not None
        marker = _BY_NAME.get((tag["closes"] or tag["opens"]).lower(), SUFFIXED)
        return Reading(tag.end(), marker, closes, empty=not closes and tag[0].endswith("/>"))
    if text[at] == "<" and text[at + 1 : at + 2] not in _AFTER_ANGLE:
        return None
    token = _TOKEN.match(text, at)
    if token is None or token.lastgroup is None:
        return None
    return Reading(token.end(), *_GROUPS[token.lastgroup])


def may_grow(text: str, at: int) -> bool:
    """Whether all of ``text`` from ``at`` on is the beginning of an opener or a closer."""
    return len(text) - at <= LONGEST_MARKER and _GROWS.match(text, at) is not None


_WRAPPER = re.compile(any_of(f"<{name}>" for name in WRAPPER_NAMES), _FLAGS)
_WRAPPER_GROWS = re.compile(any_of(growing(spelled(f"<{name}>")) for name in WRAPPER_NAMES) + r"\Z", _FLAGS)


def read_wrapper(text: str, at: int) -> re.Match[str] | None:
    """``<answer>`` or ``<response>`` at ``at``."""
    return _WRAPPER.match(text, at)


def wrapper_may_grow(text: str, at: int) -> bool:
    """Whether the end of ``text`` may still become an answer wrapper."""
    return _WRAPPER_GROWS.match(text, at) is not None
