"""How many tokens to guess next for one sequence, from what came of the guesses before.

Pure counts: the same history gives the same lengths. Knows nothing of clocks, tokens and proposers.
"""

from __future__ import annotations

from engine.draft import MAX_DRAFT_TOKENS

_MEMORY = 0.9
"""Weight of what was counted so far when the next draft is counted: about ten drafts are remembered."""
_FIRST_TRIED, _FIRST_ACCEPTED = 1.5, 0.9
"""The history to begin with: medium success, and light enough that two or three drafts decide."""
_FIRST_PAUSE, _MAX_PAUSE = 16, 128
"""Steps without guesses after they did not pay; each pause is twice the last while they still do not."""


class Pace:
    """Chooses the length that yields the most tokens per unit of work, none if that is none.

    With every guess right with probability a, independently, k guesses yield 1 + a + ... + a**k tokens for the work of
    1 + k c steps (Leviathan, Kalman, Matias, "Fast inference from transformers via speculative decoding", 2023,
    theorem 3.8). `row_cost` is c: what a guessed token adds to the time of a step of one sequence, as a share of it.
    """

    def __init__(self, row_cost: float) -> None:
        assert row_cost > 0, row_cost
        self._row_cost = row_cost
        self._next_pause = _FIRST_PAUSE
        self._num_paused = 0
        self._begin()

    def _begin(self) -> None:
        """Another passage of the text has come meanwhile: what was learnt before the pause says little of it."""
        self._tried, self._accepted = _FIRST_TRIED, _FIRST_ACCEPTED
        self._num_verified = 0

    @property
    def acceptance(self) -> float:
        """The share of guesses that were right, of those that were looked at; recent ones count more."""
        return self._accepted / self._tried

    def next_length(self, num_sequences: int = 1) -> int:
        """Tokens to guess in this step, in which so many sequences decode; to be called once in each of them."""
        if self._num_paused:
            self._num_paused -= 1
            return 0
        length = best_length(self.acceptance, shared_row_cost(self._row_cost, num_sequences))
        if length:
            return length
        if not self._num_verified:
            # However dear a row is, only trying tells.
            return 1
        self._pause()
        return 0

    def on_verified(self, num_guessed: int, num_accepted: int) -> None:
        """Of one step's guesses so many were right, up to the first wrong one. No guess is no news."""
        assert 0 <= num_accepted <= num_guessed, (num_accepted, num_guessed)
        if not num_guessed:
            return
        # Those behind the first wrong one were not looked at.
        self._tried = _MEMORY * self._tried + min(num_guessed, num_accepted + 1)
        self._accepted = _MEMORY * self._accepted + num_accepted
        self._num_verified += 1

    def _pause(self) -> None:
        if self._num_verified >= _FIRST_PAUSE:
            # It paid for a while, so it may soon again.
            self._next_pause = _FIRST_PAUSE
        self._num_paused = self._next_pause - 1
        self._next_pause = min(2 * self._next_pause, _MAX_PAUSE)
        self._begin()


def best_length(acceptance: float, row_cost: float) -> int:
    """The k in 0 .. MAX_DRAFT_TOKENS with the most tokens per unit of work; the smallest of equal ones."""
    best, best_rate = 0, 1.0
    num_tokens = power = 1.0
    for length in range(1, MAX_DRAFT_TOKENS + 1):
        power *= acceptance
        num_tokens += power
        rate = num_tokens / (1 + length * row_cost)
        if rate > best_rate:
            best, best_rate = length, rate
    return best


def shared_row_cost(row_cost: float, num_sequences: int) -> float:
    """What a row adds to each sequence's part of a step that so many share.

    A step of n rows takes f + n r and is due to n sequences, so each pays for f / n + r. `row_cost` is r / (f + r).
    """
    return row_cost * num_sequences / (1 + row_cost * (num_sequences - 1))
