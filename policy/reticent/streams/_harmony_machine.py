"""Harmony's messages in a text: which go, which lose their markers, and which are kept as they are."""

from __future__ import annotations

from reticent.streams import harmony
from reticent.streams._cutting_machine import CuttingMachine

_FRAME_RULE = "harmony/marker"
_TERMINATOR_LENGTH = 12


class HarmonyMachine(CuttingMachine):
    """The part of the machine that knows the message framing of gpt-oss; ``use_harmony`` turns it on."""

    def __init__(self, *, starts_inside: bool, use_harmony: bool) -> None:
        super().__init__(starts_inside=starts_inside)
        self._harmony = use_harmony
        self._framed = False  # a harmony message was kept with its markers
        self._words: frozenset[str] = frozenset()  # what else to stop at in prose

    def _message(self, at: int) -> int | None:
        text = self._text
        if not self._harmony or not harmony.opens_message(text, at):
            return None
        header = harmony.read_header(text, at)
        if header is None and not self._final and harmony.header_may_grow(text, at):
            return self._wait(at)
        header = header or harmony.read_bare_analysis(text, at)
        if header is None:
            return None
        if not self._position.seam:
            return self._show(at, header.end)
        if header.kind == "reasoning":
            return self._open(at, header.end, harmony.ANALYSIS, "harmony/analysis")
        return self._answer(at, header.end) if header.kind == "answer" and not self._framed else self._keep(header.end)

    def _answer(self, at: int, end: int) -> int:
        """A final message with only reasoning before it becomes its text: the markers go."""
        self._cut(at, end, _FRAME_RULE)
        self._words |= {"answer"}
        self._position.restart()
        return end

    def _answer_end(self, at: int) -> int | None:
        # Below Markdown: a control token ends the message even when a fence in it was never closed.
        found = harmony.TERMINATOR.match(self._text, at)
        if found is None:
            growing = not self._final and harmony.TERMINATOR_GROWS.match(self._text, at)
            return self._wait(at) if growing else None
        self._words -= {"answer"}
        self._position.restart()
        return self._cut(at, found.end(), _FRAME_RULE)

    def _keep(self, end: int) -> int:
        """A tool call, a preamble, or a message of somebody else: kept as it is, up to its end."""
        self._framed = True
        self._opening = self._position.pristine = False
        self._state = self._kept
        return end

    def _kept(self, at: int) -> int:
        text = self._text
        found = harmony.NEXT_MESSAGE.search(text, at)
        if found is None:
            tail = harmony.TERMINATOR_GROWS.search(text, max(at, len(text) - _TERMINATOR_LENGTH))
            return self._wait(tail.start()) if tail and not self._final else len(text)
        end = found.start() if found.lastgroup == "stop" else found.end()
        self._kept_since = self._base + end
        self._position.restart()
        self._state = self._visible
        return end
