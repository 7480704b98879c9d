"""What a proposer guesses of one sequence's next tokens. Knows nothing of how it was guessed or will be verified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Not at run time: the scheduler carries drafts, and does no arithmetic.
    from kernels.arrays import Array

MAX_DRAFT_TOKENS = 7
"""With the token that is pending anyway, up to eight rows of one sequence are verified in one forward."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The tokens that may come next, the nearest first.

    `probabilities`: float64 [len(token_ids), vocabulary], the distribution each token was drawn from, its rows summing
    to 1. None if each token was chosen with certainty, which is a distribution with all its mass on that token.
    """

    token_ids: tuple[int, ...]
    probabilities: Array | None = field(default=None, compare=False)

    def first(self, num_tokens: int) -> Draft:
        """Of so many tokens at most."""
        if num_tokens >= len(self.token_ids):
            return self
        probabilities = None if self.probabilities is None else self.probabilities[:num_tokens]
        return Draft(self.token_ids[:num_tokens], probabilities)


NO_DRAFT = Draft(())
