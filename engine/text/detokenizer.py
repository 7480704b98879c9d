"""Token ids to text one token at a time, never half a character and nothing twice.

Knows nothing of stop strings and of where the text goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

CONTEXT_TOKENS = 8
"""How many of the prompt's last tokens are context enough, even if the first of them begin inside a character."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_MAX_CHARACTER_BYTES = 4
_MAX_WINDOW_TOKENS = 64


class IncrementalDetokenizer:
    """Holds back text that ends inside a character.

    A token's text can depend on the ones before it (spaces, joined bytes), so a window of the last tokens is decoded
    with each new one, and what follows the text shown of it is new. `context` is what the first piece goes on from:
    without it, SentencePiece takes the first space for the one it puts before a text.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], context: Sequence[int] = ()) -> None:
        self._decode = decode
        self._window = _without_broken_start(decode, list(context))
        self._num_settled = len(self._window)
        self._shown = decode(self._window) if self._window else ""

    def add(self, token_id: int) -> str:
        """The text that is certain now; empty while a character is incomplete."""
        self._window.append(token_id)
        decoded = self._decode(self._window)
        num_open = _num_open(decoded)
        text = self._new_text(decoded[: len(decoded) - num_open])
        if text and not num_open:
            # Tokens without text (special ones) are no context by themselves, so they never end the window.
            self._settle(self._num_settled)
            self._shown = self._decode(self._window)
        elif len(self._window) > _MAX_WINDOW_TOKENS:
            self._settle(len(self._window) - _MAX_WINDOW_TOKENS // 2)
            decoded = self._decode(self._window)
            self._shown = decoded[: len(decoded) - _num_open(decoded)]
        return text

    def finish(self) -> str:
        """What is still held back, broken bytes as U+FFFD."""
        return self._new_text(self._decode(self._window)) if len(self._window) > self._num_settled else ""

    def _new_text(self, certain: str) -> str:
        num_common = _common_length(self._shown, certain)
        if num_common < min(len(self._shown.rstrip(_REPLACEMENT)), len(certain)):
            # Byte fallback spoils a whole run of bytes for one that is wrong or missing: what was shown stays as it
            # was, and the run goes on by itself.
            self._window = self._window[self._num_settled :]
            self._num_settled, self._shown = 0, ""
            decoded = self._decode(self._window)
            certain, num_common = decoded[: len(decoded) - _num_open(decoded)], 0
        text = certain[num_common:]
        if text:
            self._shown = certain
        return text

    def _settle(self, start: int) -> None:
        """From here on the window begins with its token `start`."""
        self._window = self._window[start:]
        self._num_settled = len(self._window)


def _num_open(decoded: str) -> int:
    """How many replacement signs at the end may still become a character."""
    num_broken = len(decoded) - len(decoded.rstrip(_REPLACEMENT))
    # A character has at most four bytes, with a sign for all of them or for each. More are broken, up to the last.
    return num_broken if num_broken <= _MAX_CHARACTER_BYTES else 1


def _without_broken_start(decode: Callable[[Sequence[int]], str], context: list[int]) -> list[int]:
    """The context from its first whole character on: its first tokens may be the rest of one that was cut off."""
    for num_cut in range(min(_MAX_CHARACTER_BYTES, len(context))):
        if not decode(context[num_cut:]).startswith(_REPLACEMENT):
            return context[num_cut:]
    return context


def _common_length(first: str, second: str) -> int:
    """Length of the beginning that both texts share."""
    differing = (index for index, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differing, min(len(first), len(second)))
