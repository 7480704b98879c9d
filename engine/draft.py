"""Tokens that were guessed for a sequence, to be verified in its next forward. Knows nothing of who guessed them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """`probabilities`: float64 [tokens, vocab], the distribution each token was drawn from.

    None if each token was chosen with certainty: a distribution with all its mass at one place.
    """

    token_ids: tuple[int, ...]
    probabilities: Tensor | None = None


NO_DRAFT = Draft(())
