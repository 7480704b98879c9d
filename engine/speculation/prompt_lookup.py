"""Guesses by what followed the last time: the sequence's last tokens are looked up earlier in the sequence itself.

Needs no model and costs microseconds. Knows nothing of probabilities: what it finds it proposes with certainty.
"""

from __future__ import annotations

from collections.abc import Sequence as Wanted
from weakref import WeakKeyDictionary

from engine.draft import NO_DRAFT, Draft
from engine.sequence import Sequence

_NGRAM_LENGTHS = (3, 2)
"""Looked up in this order. Single tokens recur everywhere: what followed one is rarely what follows now."""


class PromptLookup:
    """A `Proposer`. Saxena, "Prompt lookup decoding", 2023."""

    def __init__(self) -> None:
        self._indexes: WeakKeyDictionary[Sequence, _NgramIndex] = WeakKeyDictionary()

    def propose(self, wanted: Wanted[tuple[Sequence, int]]) -> list[Draft]:
        return [self._propose(sequence, max_tokens) if max_tokens > 0 else NO_DRAFT for sequence, max_tokens in wanted]

    def forget(self, sequence: Sequence) -> None:
        self._indexes.pop(sequence, None)

    def _propose(self, sequence: Sequence, max_tokens: int) -> Draft:
        index = self._indexes.get(sequence)
        if index is None:
            index = self._indexes[sequence] = _NgramIndex()
        index.extend(sequence.token_ids)
        start = index.find(sequence.token_ids)
        return NO_DRAFT if start is None else Draft(_continuation(sequence.token_ids, start, max_tokens))


class _NgramIndex:
    """Where each n-gram of a growing list of tokens was last followed by something."""

    def __init__(self) -> None:
        self._num_indexed = 0
        self._followers: dict[tuple[int, ...], int] = {}
        """From an n-gram to the place after its latest occurrence. Lengths do not collide: tuples differ by length."""

    def extend(self, token_ids: list[int]) -> None:
        """Take in the tokens that are new; work grows with their number alone."""
        for end in range(max(1, self._num_indexed), len(token_ids)):
            for length in _NGRAM_LENGTHS:
                if length <= end:
                    self._followers[tuple(token_ids[end - length : end])] = end
        self._num_indexed = len(token_ids)

    def find(self, token_ids: list[int]) -> int | None:
        """Where what followed the longest known n-gram at the end begins."""
        for length in _NGRAM_LENGTHS:
            # The n-gram at the very end is not indexed yet, as nothing follows it.
            start = self._followers.get(tuple(token_ids[-length:])) if length < len(token_ids) else None
            if start is not None:
                return start
        return None


def _continuation(token_ids: list[int], start: int, num_tokens: int) -> tuple[int, ...]:
    """What stands from `start` on, repeated if the tokens end first: a period that began goes on."""
    known = token_ids[start : start + num_tokens]
    return tuple(known[place % len(known)] for place in range(num_tokens))
