"""What a model thinks and what it answers, told apart in streamed text. Knows nothing of tokens and of templates."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

OPEN, CLOSE = "<think>", "</think>"


class TextPieces(NamedTuple):
    """New text of the thinking part and of the answer; either may be empty."""

    reasoning: str
    answer: str


class _Phase(Enum):
    BEFORE = auto()
    INSIDE = auto()
    AFTER = auto()


class ReasoningSplitter:
    """Takes `<think>…</think>` out of an answer: one such part, whose opening tag stands at the beginning of a line.

    A tag elsewhere is text about the tag. White space around the thinking part belongs to neither. `is_open`: the
    prompt ends inside the thinking part, as some templates begin it themselves.
    """

    def __init__(self, is_open: bool = False) -> None:
        self._phase = _Phase.INSIDE if is_open else _Phase.BEFORE
        self._held = ""
        self._is_line_blank = True
        self._has_answer = False
        self._has_reasoning = False

    def add(self, text: str) -> TextPieces:
        """What is certain now; the beginning of a tag and white space before it wait."""
        reasoning = answer = ""
        self._held += text
        if self._phase is _Phase.BEFORE:
            answer = self._before()
        if self._phase is _Phase.INSIDE:
            reasoning = self._inside()
        if self._phase is _Phase.AFTER:
            answer += self._after()
        return TextPieces(reasoning, answer)

    def finish(self) -> TextPieces:
        """What was held back, now that no more text comes. A thinking part may stay open."""
        held, self._held = self._held, ""
        if self._phase is _Phase.INSIDE:
            return TextPieces(held.rstrip(), "")
        return TextPieces("", held if self._phase is _Phase.BEFORE else held.lstrip())

    def _before(self) -> str:
        start = self._find_open()
        if start is not None:
            before, self._held = self._held[:start], self._held[start + len(OPEN) :]
            self._phase = _Phase.INSIDE
            return before if self._has_answer or before.strip() else ""
        size = len(self._held) - _num_begun(self._held, OPEN)
        if not self._has_answer and not self._held[:size].strip():
            return ""
        text = self._take(size)
        if text:
            line = text[text.rfind("\n") + 1 :]
            self._is_line_blank = not line.strip() and ("\n" in text or self._is_line_blank)
            self._has_answer = self._has_answer or bool(text.strip())
        return text

    def _find_open(self) -> int | None:
        """Where a thinking part begins."""
        start = self._held.find(OPEN)
        while start >= 0:
            line_start = self._held.rfind("\n", 0, start) + 1
            if not self._held[line_start:start].strip() and (line_start or self._is_line_blank):
                return start
            start = self._held.find(OPEN, start + 1)
        return None

    def _inside(self) -> str:
        if not self._has_reasoning:
            self._held = self._held.lstrip()
        end = self._held.find(CLOSE)
        if end >= 0:
            text = self._held[:end].rstrip()
            self._held = self._held[end + len(CLOSE) :]
            self._phase, self._has_answer = _Phase.AFTER, False
        else:
            text = self._take(len(self._held[: len(self._held) - _num_begun(self._held, CLOSE)].rstrip()))
        self._has_reasoning = self._has_reasoning or bool(text)
        return text

    def _after(self) -> str:
        text, self._held = self._held, ""
        if not self._has_answer:
            text = text.lstrip()
        self._has_answer = self._has_answer or bool(text)
        return text

    def _take(self, size: int) -> str:
        text, self._held = self._held[:size], self._held[size:]
        return text


def _num_begun(text: str, tag: str) -> int:
    """Length of the end of `text` that may be the beginning of `tag`."""
    return next((size for size in range(min(len(tag) - 1, len(text)), 0, -1) if tag.startswith(text[-size:])), 0)
