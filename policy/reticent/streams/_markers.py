"""The marks models put around reasoning inside plain text: data first, then what is compiled from it.

Every row was read on 2026-11-29 or 30 at the address in its comment. Forms in prose are in ``_phrases``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reticent.streams._marker_forms import FLAGS, GAP, Atoms, Marker, any_of, exactly, growing, marker_of, spelled

_ATTRIBUTES = r"(?:\s[^>]{0,256})?"  # the longest piece of text ever held back for one tag is about 400 characters
_LONG_ATTRIBUTES = r"\s[^<>]{256}"  # a signature as an attribute: the tag opened, wherever it ends


@dataclass(frozen=True, slots=True)
class Reading:
    """What stands at a place: an opener or a closer of ``marker``, up to ``end``."""

    end: int
    marker: Marker
    closes: bool
    empty: bool = False


def _tag(name: str, spelling: Atoms, *, begun: Atoms = ()) -> Marker:
    """A tag of the form of XML; a closer of another such name ends it only when it stands alone on its line."""
    growing_name = begun or spelling
    closer = ("<", GAP, "/", GAP, *spelling, GAP, "/?", ">")
    tail = any_of([growing(("<", GAP, "/", GAP, *growing_name, GAP, "/?", ">")), _OTHER_CLOSER_GROWS]) + r"\Z"
    return Marker(
        name,
        ("<", GAP, *spelling, _ATTRIBUTES, "/?", ">"),
        closer,
        token=False,
        lone=True,
        close=re.compile("".join(closer) + "|" + _OTHER_CLOSER, FLAGS),
        growing=re.compile(tail, FLAGS),
        begun=("<", GAP, *growing_name, _ATTRIBUTES, "/?", ">"),
    )


def _pair(name: str, opener: str, closer: str, *, token: bool = True, stops: tuple[str, ...] = ()) -> Marker:
    return marker_of(name, spelled(opener), spelled(closer), token=token, stops=stops, lone=not stops)


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
    "reasoning_scratchpad",  # https://github.com/NousResearch/hermes-agent, strip_think_blocks
    "chain_of_thought",  # prompts that let a model reason before it answers; filters of clients know these five
    "chain-of-thought",
    "cot",
    "thought_process",
    "thinking_process",
    "inner_thoughts",  # https://github.com/letta-ai/letta
    "internal_monologue",
    "internal_thoughts",
)
# Hunyuan v3 and v4 write <think:SUFFIX> and close with the same suffix: hy_v3_reasoning_parser.py
_SUFFIX: Atoms = (*spelled("think:"), r"[\w.-]{1,40}")
# aider's own tag has a fixed number behind it: https://github.com/Aider-AI/aider, reasoning_tags.py
_NUMBERED: Atoms = (*spelled("thinking-content-"), r"[0-9a-f]{1,40}")
# Some models put their own name in front (M2_7think, deepseek_thought): hermes-agent pull request 75094
_PREFIXED: Atoms = (r"[a-z][\w.]{0,22}[_\d](?:think(?:ing)?|thoughts?|reasoning)",)

_NAME = any_of([*map(re.escape, _TAG_NAMES), "".join(_SUFFIX), "".join(_NUMBERED), *_PREFIXED])
_OTHER_CLOSER = rf"\n[ \t]{{0,4}}<{GAP}/{GAP}{_NAME}{GAP}/?>(?=[ \t]{{0,4}}\r?\n)"
_OTHER_CLOSER_GROWS = rf"\n[ \t]{{0,4}}(?:<{GAP}(?:/{GAP}(?:[\w.:|-]{{1,44}}{GAP}/?(?:>[ \t]{{0,4}}\r?)?)?)?)?"

TAGS = tuple(_tag(name.replace("|", "-").replace(":", "-"), spelled(name)) for name in _TAG_NAMES)
SUFFIXED = _tag("think-suffix", _SUFFIX)
NUMBERED = _tag("thinking-content", _NUMBERED)
PREFIXED = _tag("prefixed", _PREFIXED, begun=(r"[a-z][\w.]{0,31}",))

_ING: Atoms = ("(?:i(?:ng?)?)?",)
_FOLDED: Atoms = (*spelled("<details"), r"(?:\s[^>]{0,160})?", ">", r"\s{0,24}", *spelled("<summary>"))
_FOLD_TITLES = any_of(
    [
        r"think(?:ing)?(?: process)?(?:\.{3}|\u2026)?",
        r"thought (?:process|for [^<]{1,24})",
        r"reasoning process",
        r"chain of thought",
        r"\u601d\u8003(?:\u8fc7\u7a0b|\u4e2d)(?:\.{3}|\u2026)?",  # "thinking process", "thinking" in Chinese
    ]
)

TOKENS: tuple[Marker, ...] = (
    # Magistral: https://docs.mistral.ai/capabilities/reasoning
    # In capitals only: "[think](…)" is a link.
    marker_of("mistral-think", exactly("[THINK]"), exactly("[/THINK]")),
    # llama.cpp's command line prints these around a thought: https://github.com/ggml-org/llama.cpp, tools/cli
    marker_of("llama-cli", exactly("[Start thinking]"), exactly("[End thinking]"), lone=False),
    # Tags that went through a full-width input method or a translation; splitters of clients know them as well
    marker_of(
        "full-width",
        (*exactly("\uff1c"), *spelled("think"), *_ING, *exactly("\uff1e")),
        (*exactly("\uff1c"), any_of(["/", "\uff0f"]), *spelled("think"), *_ING, *exactly("\uff1e")),
    ),
    # openPangu without tag tokens in its vocabulary: pangu_reasoning_parser.py
    marker_of("pangu", exactly("[unused16]"), exactly("[unused17]")),
    # Kimi-VL: https://huggingface.co/moonshotai/Kimi-VL-A3B-Thinking
    _pair("kimi-vl", "◁think▷", "◁/think▷"),
    # Command: https://docs.cohere.com/docs/reasoning
    _pair("cohere", "<|START_THINKING|>", "<|END_THINKING|>"),
    # Gemma 4 writes "thought\n" after the opener; any channel is reasoning: gemma4_reasoning_parser.py
    _pair("gemma-channel", "<|channel>", "<channel|>"),
    # Kimi K3: kimi_k3_reasoning_parser.py; some servers put blanks between the three tokens
    marker_of(
        "kimi-k3",
        (*spelled("<|open|>"), GAP, *spelled("think"), GAP, *spelled("<|sep|>")),
        (*spelled("<|close|>"), GAP, *spelled("think"), GAP, *spelled("<|sep|>")),
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
    marker_of(
        "open-webui",
        (*spelled("<details"), r"(?:\s[^>]{0,128})?", r"\s{1,4}", *spelled('type="reasoning"'), _ATTRIBUTES, ">"),
        spelled("</details>"),
        token=True,
        lone=False,
    ),
    # Dify shows a thought folded up: https://github.com/langgenius/dify, and so do scripts that turn tags into HTML
    # (https://github.com/microsoft/genaiscript, think.ts). Only a summary that says nothing else counts.
    replace(
        marker_of(
            "details",
            (*_FOLDED, r"\s{0,8}", rf"(?:[^\w\s<]{{1,3}}\s{{0,2}})?{_FOLD_TITLES}", r"\s{0,8}", *spelled("</summary>")),
            spelled("</details>"),
            token=True,
            lone=False,
        ),
        begun=(*_FOLDED, r"[^<]{0,48}", *spelled("</summary>")),
    ),
    # LibreChat's legacy messages; other chat clients write such blocks too:
    # https://github.com/danny-avila/LibreChat, client/src/components/Artifacts/Thinking.tsx
    marker_of("librechat", exactly(":::thinking"), spelled(":::"), lone=False),
    # aider prints a heading above each part: https://github.com/Aider-AI/aider, reasoning_tags.py
    marker_of("aider", spelled("► **THINKING**"), spelled("► **ANSWER**"), lone=False),
    # Solar Open 2: solar_open2_reasoning_parser.py
    _pair("solar", "<|think:start|>", "<|think:end|>"),
    # ADK's PlanReActPlanner marks all but the final answer as thought:
    # https://github.com/google/adk-python, planners/plan_re_act_planner.py
    *(
        _pair("adk-planner", f"/*{step}*/", "/*FINAL_ANSWER*/", token=False)
        for step in ("PLANNING", "REPLANNING", "REASONING", "ACTION")
    ),
)

MARKERS = (*TAGS, SUFFIXED, NUMBERED, PREFIXED, *TOKENS)

# What ends reasoning that began in the prompt, whichever template began it.
_STRUCTURAL_ENDS = ("<|end|>", "<|return|>", "<|call|>", "<|eom|>", "<|eot|>", "<|end_message|>", "assistantfinal")
_ANY_END = [*(marker.closer for marker in MARKERS if marker.lone), *map(spelled, _STRUCTURAL_ENDS)]
_ANY_CLOSER: Atoms = ("<", GAP, "/", GAP, *PREFIXED.begun[2:3], GAP, "/?", ">")
FROM_PROMPT = Marker(
    name="starts-inside",
    opener=(),
    closer=(),
    token=False,
    lone=False,
    close=re.compile(any_of(dict.fromkeys("".join(end) for end in _ANY_END)), FLAGS),
    growing=re.compile(any_of(dict.fromkeys(growing(end) for end in [*_ANY_END, _ANY_CLOSER])) + r"\Z", FLAGS),
)

LONGEST_MARKER = 420
"""No marker is longer than this many characters, attributes included."""

LONGEST_CLOSER = 80
"""No closer is longer than this many characters, blanks included."""


_BY_NAME: dict[str, Marker] = dict(zip(_TAG_NAMES, TAGS, strict=True))
_TAG = re.compile(
    rf"<{GAP}(?:(?P<opens>{_NAME})(?:{_ATTRIBUTES}/?>|{_LONG_ATTRIBUTES})|/{GAP}(?P<closes>{_NAME}){GAP}/?>)", FLAGS
)
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
    return re.compile("|".join(f"(?P<{group}>{pattern})" for pattern, group in patterns.items()), FLAGS), groups


_TOKEN, _GROUPS = _named()


def _growing_tags() -> str:
    names = any_of([_NAME, r"[a-z][\w.:|-]{0,31}\Z"])  # a name that is not complete may become any
    return rf"<{GAP}(?:{names}{_ATTRIBUTES}/?|/{GAP}(?:{names}{GAP}/?)?)?"


def _beginnings() -> Iterator[Atoms]:
    for marker in TOKENS:
        yield marker.begun or marker.opener
        yield marker.closer


_GROWS = re.compile(any_of([_growing_tags(), *dict.fromkeys(map(growing, _beginnings()))]) + r"\Z", FLAGS)


def read_marker(text: str, at: int) -> Reading | None:
    """The opener or closer that stands at ``at``, if any."""
    tag = _TAG.match(text, at)
    if tag is not None:
        closes = tag["closes"] is not None
        marker = _named_so((tag["closes"] or tag["opens"]).lower())
        return Reading(tag.end(), marker, closes, empty=not closes and tag[0].endswith("/>"))
    if text[at] == "<" and text[at + 1 : at + 2] not in _AFTER_ANGLE:
        return None
    token = _TOKEN.match(text, at)
    if token is None or token.lastgroup is None:
        return None
    return Reading(token.end(), *_GROUPS[token.lastgroup])


def _named_so(name: str) -> Marker:
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith("think:"):
        return SUFFIXED
    return NUMBERED if name.startswith("thinking-content-") else PREFIXED


def may_grow(text: str, at: int) -> bool:
    """Whether all of ``text`` from ``at`` on is the beginning of an opener or a closer."""
    return len(text) - at <= LONGEST_MARKER and _GROWS.match(text, at) is not None
