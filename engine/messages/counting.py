"""How many tokens texts have for the loaded model: the question and its answer. Knows nothing of tokenizers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CountTokens:
    """Count each of the texts by itself, without a template around it. `TokensCounted` answers, on a thread of its own.

    `count_id` is the client's, to know the answer by.
    """

    count_id: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TokensCounted:
    """The tokens of each text, in the order of the question; None if no model is loaded or its tokenizer fails."""

    count_id: str
    counts: tuple[int, ...] | None
