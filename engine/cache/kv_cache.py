"""A sequence's blocks: matched from the prefix cache, taken from the pool, copied before writing, given back.

Works on block ids alone; the tensors lie in the runner's pool.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.cache.block_pool import BlockPool
from engine.cache.prefix_cache import PrefixCache, block_digest
from engine.sequence import Sequence


@dataclass(slots=True)
class PrefixMatch:
    """Cached blocks that hold the start of a sequence, and their keys."""

    block_ids: list[int] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)


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

    def match(self, sequence: Sequence) -> PrefixMatch:
        """The longest run of cached blocks that starts the sequence.

        At most (n - 1) // block_size of them: the last prompt token is always computed, for its logits.
        """
        match = PrefixMatch()
        digest = sequence.scope
        for index in range((len(sequence.token_ids) - 1) // self.block_size):
            tokens = sequence.token_ids[index * self.block_size : (index + 1) * self.block_size]
            digest = block_digest(digest, tokens)
            block_id = self.prefix_cache.find(digest, tokens)
            if block_id is None:
                break
            match.block_ids.append(block_id)
            match.digests.append(digest)
        return match

    def num_evictable_in(self, match: PrefixMatch) -> int:
        """How many of the matched blocks count as available until they are reused."""
        return sum(self.prefix_cache.is_evictable(block_id) for block_id in match.block_ids)

    def reuse(self, sequence: Sequence, match: PrefixMatch) -> None:
        """Start a sequence on its matched blocks."""
        assert not sequence.block_ids, f"{sequence.request_id} holds {len(sequence.block_ids)} blocks already"
        for block_id in match.block_ids:
            self.prefix_cache.reuse(block_id)
            self.last_owners[block_id] = sequence.owner
        sequence.block_ids = list(match.block_ids)
        sequence.block_digests = list(match.digests)
        sequence.num_cached_tokens = sequence.num_computed_tokens = len(match.block_ids) * self.block_size

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
        for index in range(len(sequence.block_digests), num_full):
            tokens = sequence.token_ids[index * self.block_size : (index + 1) * self.block_size]
            parent = sequence.block_digests[-1] if sequence.block_digests else sequence.scope
            digest = block_digest(parent, tokens)
            sequence.block_digests.append(digest)
            self.prefix_cache.insert(digest, tokens, sequence.block_ids[index])

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
