"""Token ids to text one token at a time, never half a character and nothing twice.

Knows nothing of stop strings and of where the text goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

CONTEXT_TOKENS = 4
"""How many of the prompt's last tokens are context enough."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_MAX_CHARACTER_BYTES = 4


class IncrementalDetokenizer:
    """Holds back tokens whose bytes end inside a character.

    A token's text can depend on the ones before it (spaces, joined bytes), so each piece is the difference between two
    decodes that start at the same earlier token: `decode(context + new)` minus `decode(context)`. `context` is what
    the first piece goes on from: without it, SentencePiece takes the first space for the one it puts before a text.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], context: Sequence[int] = ()) -> None:
        self._decode = decode
        self._context = list(context)
        self._held: list[int] = []

    def add(self, token_id: int) -> str:
        """The text that is certain now; empty while a character is incomplete."""
        self._held.append(token_id)
        decoded = self._decode(self._context + self._held)
        # A character has at most four bytes and a token at least one: after that no further token can mend it.
        if decoded.endswith(_REPLACEMENT) and len(self._held) <= _MAX_CHARACTER_BYTES:
            return ""
        return self._settle(decoded)

    def finish(self) -> str:
        """What is still held back, broken bytes as U+FFFD."""
        return self._settle(self._decode(self._context + self._held)) if self._held else ""

    def _settle(self, decoded: str) -> str:
        # The common beginning, because a context that ended inside a character decodes differently once it is whole.
        text = decoded[_common_length(self._decode(self._context), decoded) :]
        # Tokens without text (special ones) are no context by themselves.
        self._context = self._held if text else self._context + self._held
        self._held = []
        return text


def _common_length(first: str, second: str) -> int:
    """Length of the beginning that both texts share."""
    differing = (index for index, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differing, min(len(first), len(second)))
