"""What the engine needs of anything that guesses tokens. Knows nothing of the ways to guess."""

from __future__ import annotations

from collections.abc import Sequence as Wanted
from typing import Protocol

from engine.draft import Draft
from engine.sequence import Sequence


class Proposer(Protocol):
    """Sees a sequence's `token_ids`, which only ever grow, its parameters and its seed."""

    def propose(self, wanted: Wanted[tuple[Sequence, int]]) -> list[Draft]:
        """One draft for each (sequence, most tokens), in order; a draft may have fewer tokens, or none."""
        ...

    def forget(self, sequence: Sequence) -> None:
        """Free what is held for a sequence that has ended. Idempotent; unknown sequences are ignored."""
        ...
