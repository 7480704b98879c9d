"""What a draft model has computed of each sequence: which tokens, and in which blocks of its own small pool.

Knows nothing of tensors and of what is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakSet

from engine.cache.block_pool import BlockPool
from engine.sequence import Sequence


@dataclass(slots=True)
class ComputedTokens:
    """`token_ids` have their keys and values in `block_ids`, in order; there may be room for more."""

    token_ids: list[int] = field(default_factory=list)
    block_ids: list[int] = field(default_factory=list)


class DraftCache:
    """Hands blocks of `block_size` tokens to sequences until the pool is full; then some go without guesses."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.block_size = block_size
        self.pool = BlockPool(num_blocks)
        self._computed: dict[Sequence, ComputedTokens] = {}
        self._without: WeakSet[Sequence] = WeakSet()

    def open(self, sequence: Sequence) -> ComputedTokens | None:
        """What is computed of the sequence's present tokens; guesses that were wrong are dropped.

        None if the pool had no room for the sequence once: to try in each step would cost more than it could bring.
        """
        if sequence in self._without:
            return None
        computed = self._computed.setdefault(sequence, ComputedTokens())
        pairs = zip(computed.token_ids, sequence.token_ids, strict=False)
        num_right = next((place for place, (mine, its) in enumerate(pairs) if mine != its), len(computed.token_ids))
        # The last token is always computed, for its logits.
        del computed.token_ids[min(num_right, len(sequence.token_ids) - 1) :]
        return computed

    def reserve(self, sequence: Sequence, num_tokens: int) -> bool:
        """Give an opened sequence room for so many tokens; False, and its blocks go to others, if there is none."""
        block_ids = self._computed[sequence].block_ids
        num_missing = -(-num_tokens // self.block_size) - len(block_ids)
        if num_missing > self.pool.num_free:
            self.forget(sequence)
            self._without.add(sequence)
            return False
        block_ids += [self.pool.take() for _ in range(num_missing)]
        return True

    def forget(self, sequence: Sequence) -> None:
        """Give the sequence's blocks back. Idempotent."""
        computed = self._computed.pop(sequence, None)
        if computed is not None:
            for block_id in computed.block_ids:
                self.pool.release(block_id)
