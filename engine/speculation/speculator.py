"""Which sequences get drafts of which length in a step: a proposer's guesses, as many as have paid lately.

Knows nothing of blocks and budgets, and does not verify.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence as Wanted
from weakref import WeakKeyDictionary

from engine.draft import NO_DRAFT, Draft
from engine.sequence import Sequence
from engine.speculation.pace import Pace
from engine.speculation.proposer import Proposer

_log = logging.getLogger(__name__)
_MAX_LONGER = 1 / 3
"""By so much of itself guesses may lengthen a step for those in it that go without: they keep three quarters of their
speed."""
_ROUNDING = 1e-9


class Speculator:
    """`row_cost`: what a guessed token adds to the time of a step of one sequence, as a share of it."""

    def __init__(self, proposer: Proposer, row_cost: float) -> None:
        self._proposer: Proposer | None = proposer
        self._row_cost = row_cost
        self._paces: WeakKeyDictionary[Sequence, Pace] = WeakKeyDictionary()

    def propose(self, limits: Wanted[tuple[Sequence, int]]) -> list[Draft]:
        """A draft for each of the sequences that decode in this step, of at most so many tokens."""
        lengths = [min(self._pace(sequence).next_length(len(limits)), limit) for sequence, limit in limits]
        if not all(lengths) and _most_beside(len(lengths), self._row_cost) < 1:
            # Guessed in vain, again in each step.
            return [NO_DRAFT] * len(lengths)
        wanted = [(sequence, length) for (sequence, _), length in zip(limits, lengths, strict=True) if length > 0]
        guessed = dict(zip((sequence for sequence, _ in wanted), self._guess(wanted), strict=True))
        drafts = [guessed.get(sequence, NO_DRAFT) for sequence, _ in limits]
        spared = spared_lengths([len(draft.token_ids) for draft in drafts], self._row_cost)
        return [draft.first(length) for draft, length in zip(drafts, spared, strict=True)]

    def on_verified(self, sequence: Sequence, num_guessed: int, num_accepted: int) -> None:
        self._pace(sequence).on_verified(num_guessed, num_accepted)

    def forget(self, sequence: Sequence) -> None:
        """Free what is held for a sequence that has ended. Idempotent."""
        self._paces.pop(sequence, None)
        if self._proposer is not None:
            self._proposer.forget(sequence)

    def _pace(self, sequence: Sequence) -> Pace:
        pace = self._paces.get(sequence)
        if pace is None:
            pace = self._paces[sequence] = Pace(self._row_cost)
        return pace

    def _guess(self, wanted: list[tuple[Sequence, int]]) -> list[Draft]:
        if self._proposer is None or not wanted:
            return [NO_DRAFT] * len(wanted)
        try:
            return self._proposer.propose(wanted)
        except (RuntimeError, MemoryError, ValueError, IndexError):
            # A guess is never worth an answer: from now on there are none.
            _log.exception("guessing tokens failed and is switched off")
            self._proposer = None
            return [NO_DRAFT] * len(wanted)


def _most_beside(num_sequences: int, row_cost: float) -> int:
    """Tokens of drafts that a step of so many sequences may have where one of them goes without."""
    return int(_MAX_LONGER * (1 + row_cost * (num_sequences - 1)) / row_cost + _ROUNDING)


def spared_lengths(lengths: Wanted[int], row_cost: float) -> list[int]:
    """The drafts' lengths, the longest of them shortened until they do not hold up those that go without (0).

    A step of one sequence takes 1, and each further row, of a sequence or of a draft, `row_cost`.
    """
    spared = list(lengths)
    if all(spared):
        return spared
    most = _most_beside(len(spared), row_cost)
    while sum(spared) > most:
        spared[spared.index(max(spared))] -= 1
    return spared
