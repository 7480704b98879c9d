"""Token ids to text one token at a time, never half a character and nothing twice.

Knows nothing of stop strings and of where the text goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class IncrementalDetokenizer:
    """Holds back tokens whose bytes end inside a character.

    A token's text can depend on the ones before it (spaces, joined bytes), so each piece is the difference between two
    decodes that start at the same earlier token: `decode(context + new)` minus `decode(context)`.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str]) -> None:
        self._decode = decode
        self._context: list[int] = []
        self._held: list[int] = []

    def add(self, token_id: int) -> str:
        """The text that is certain now; empty while a character is incomplete."""
        self._held.append(token_id)
        text = self._new_text()
        if text.endswith(_REPLACEMENT) and not self._is_hopeless(text):
            return ""
        return self._settle(text)

    def finish(self) -> str:
        """What is still held back, broken bytes as U+FFFD."""
        return self._settle(self._new_text()) if self._held else ""

    def _new_text(self) -> str:
        return self._decode(self._context + self._held)[len(self._decode(self._context)) :]

    def _is_hopeless(self, text: str) -> bool:
        # A character has at most four bytes and a token at least one: after that no further token can mend it.
        return len(self._held) > 4

    def _settle(self, text: str) -> str:
        self._context, self._held = self._held, []
        return text
