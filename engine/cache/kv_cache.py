"""A sequence's blocks: matched from the prefix cache, taken from the pool, copied before writing, given back.

Works on block ids alone; the tensors lie in the runner's pool.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.cache.block_pool import BlockPool
from engine.cache.prefix_cache import PrefixCache, block_digest
from engine.sequence import Sequence


class KVCache:
    """Hands blocks of `block_size` tokens to sequences. The caller makes sure, by `num_available`, of enough."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.block_size = block_size
        self.pool = BlockPool(num_blocks)
        self.prefix_cache = PrefixCache(self.pool)
        self.last_owners: dict[int, str] = {}
        self._pending_copies: list[tuple[int, int]] = []

    @property
    def num_available(self) -> int:
        """Blocks that can be taken now: free ones, and cached ones that nobody uses."""
        return self.pool.num_free + self.prefix_cache.num_evictable

    def blocks_for(self, num_tokens: int) -> int:
        """How many blocks hold so many tokens."""
        return -(-num_tokens // self.block_size)

    def match(self, sequence: Sequence) -> list[int]:
        """The longest run of cached blocks that starts the sequence.

        At most (n - 1) // block_size of them: the last prompt token is always computed, for its logits.
        """
        block_ids: list[int] = []
        for index, digest in enumerate(self._digests(sequence)[: self._max_reused_blocks(sequence)]):
            block_id = self.prefix_cache.find(digest, self._block_tokens(sequence, index))
            if block_id is None:
                break
            block_ids.append(block_id)
        return block_ids

    def is_being_computed(self, sequence: Sequence, index: int, others: Iterable[Sequence]) -> bool:
        """Whether one of `others` is about to compute the very block that `sequence` needs as its `index`-th."""
        if index >= self._max_reused_blocks(sequence):
            return False
        digest = self._digests(sequence)[index]
        # The key covers all blocks before it, so an equal block can only stand at the same index.
        return any(
            other.num_computed_tokens < (index + 1) * self.block_size
            and self._digests(other)[index : index + 1] == [digest]
            for other in others
        )

    def num_evictable_in(self, block_ids: Iterable[int]) -> int:
        """How many of these blocks count as available until they are reused."""
        return sum(self.prefix_cache.is_evictable(block_id) for block_id in block_ids)

    def reuse(self, sequence: Sequence, block_ids: list[int]) -> None:
        """Start a sequence on the blocks that were matched for it."""
        assert not sequence.block_ids, f"{sequence.request_id} holds {len(sequence.block_ids)} blocks already"
        for block_id in block_ids:
            self.prefix_cache.reuse(block_id)
            self.last_owners[block_id] = sequence.owner
        sequence.block_ids = list(block_ids)
        sequence.num_registered_blocks = len(block_ids)
        sequence.num_cached_tokens = sequence.num_computed_tokens = len(block_ids) * self.block_size

    def extend(self, sequence: Sequence, num_tokens: int) -> None:
        """Give the sequence room for `num_tokens` in all, and make the block it writes next its own."""
        first_written = sequence.num_computed_tokens // self.block_size
        if first_written < len(sequence.block_ids):
            self._own(sequence, first_written)
        while len(sequence.block_ids) < self.blocks_for(num_tokens):
            sequence.block_ids.append(self._take(sequence.owner))

    def _own(self, sequence: Sequence, index: int) -> None:
        """Copy-on-write: a block with another owner, the cache included, is replaced by a copy before it is written."""
        block_id = sequence.block_ids[index]
        if self.pool.ref_counts[block_id] == 1:
            return
        copy = self._take(sequence.owner)
        self._pending_copies.append((block_id, copy))
        sequence.block_ids[index] = copy
        self._release(block_id)

    def drain_copies(self) -> list[tuple[int, int]]:
        """(source, target) blocks that must be copied before the next forward; each is returned once."""
        copies, self._pending_copies = self._pending_copies, []
        return copies

    def register(self, sequence: Sequence) -> None:
        """Put the blocks that the last forward filled into the prefix cache."""
        num_full = sequence.num_computed_tokens // self.block_size
        for index in range(sequence.num_registered_blocks, num_full):
            digest = self._digests(sequence)[index]
            self.prefix_cache.insert(digest, self._block_tokens(sequence, index), sequence.block_ids[index])
        sequence.num_registered_blocks = num_full

    def _digests(self, sequence: Sequence) -> list[bytes]:
        """Keys of all full blocks of the sequence's tokens, computed or not."""
        digests = sequence.block_digests
        for index in range(len(digests), len(sequence.token_ids) // self.block_size):
            parent = digests[-1] if digests else sequence.scope
            digests.append(block_digest(parent, self._block_tokens(sequence, index)))
        return digests

    def _block_tokens(self, sequence: Sequence, index: int) -> list[int]:
        return sequence.token_ids[index * self.block_size : (index + 1) * self.block_size]

    def _max_reused_blocks(self, sequence: Sequence) -> int:
        return (len(sequence.token_ids) - 1) // self.block_size

    def release(self, sequence: Sequence) -> None:
        """Give all blocks back. Idempotent."""
        block_ids, sequence.block_ids = sequence.block_ids, []
        for block_id in reversed(block_ids):
            self._release(block_id)

    def _take(self, owner: str) -> int:
        if not self.pool.num_free:
            self.prefix_cache.evict()
        block_id = self.pool.take()
        self.last_owners[block_id] = owner
        return block_id

    def _release(self, block_id: int) -> None:
        self.prefix_cache.on_released(block_id, self.pool.release(block_id))
