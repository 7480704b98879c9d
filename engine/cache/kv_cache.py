"""A sequence's blocks: matched from the prefix cache, taken from the pool, copied before writing, given back.

Works on block ids alone; the tensors lie in the runner's pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Sequence as Blocks
from dataclasses import dataclass, field

from engine.cache.block_pool import NULL_BLOCK, BlockPool
from engine.cache.prefix_cache import CachedBlock, PrefixCache, chain_digests
from engine.cache.swap import HostPool
from engine.cache.window import Window, num_blocks_for
from engine.sequence import Sequence


@dataclass(slots=True)
class BlockMoves:
    """Pairs (source, target) that must be copied before the next forward, in this order: out, in, copies."""

    swap_out: list[tuple[int, int]] = field(default_factory=list)
    """From the pool to the host pool."""
    swap_in: list[tuple[int, int]] = field(default_factory=list)
    """From the host pool to the pool."""
    copies: list[tuple[int, int]] = field(default_factory=list)
    """Inside the pool."""


class KVCache:
    """Hands blocks of `block_size` tokens to sequences. The caller makes sure, by `num_available`, of enough.

    Where every layer sees the last `window` tokens alone, the blocks before them are given back and the null block
    stands in their places, in a sequence's blocks as in a match.
    """

    def __init__(self, num_blocks: int, block_size: int, num_host_blocks: int = 0, window: int | None = None) -> None:
        self.block_size = block_size
        self.window = Window(window, block_size)
        self.pool = BlockPool(num_blocks)
        self.prefix_cache = PrefixCache(self.pool)
        self.host_pool = HostPool(num_host_blocks)
        self.last_owners: dict[int, str] = {}
        self._moves = BlockMoves()

    @property
    def num_available(self) -> int:
        """Blocks that can be taken now: free ones, and cached ones that nobody uses."""
        return self.pool.num_free + self.prefix_cache.num_evictable

    def blocks_for(self, num_tokens: int) -> int:
        """How many blocks hold so many tokens."""
        return num_blocks_for(num_tokens, self.block_size)

    def match(self, sequence: Sequence) -> list[int]:
        """The most blocks that need not be computed at the start of the sequence.

        At most (n - 1) // block_size of them: the last prompt token is always computed, for its logits.
        """
        if not sequence.uses_prefix_cache:
            return []
        return self.longest_hit(sequence, self._max_reused_blocks(sequence))

    def longest_hit(self, sequence: Sequence, max_blocks: int) -> list[int]:
        """At most `max_blocks` leading blocks, of which the cache has all that the token after them sees."""
        found: list[int] = []
        num_hit = run_start = 0
        for index, digest in enumerate(self.digests(sequence)[:max_blocks]):
            block_id = self.prefix_cache.find(digest, self._block_tokens(sequence, index))
            if block_id is not None:
                found.append(block_id)
                if run_start <= self.window.first_block((index + 1) * self.block_size):
                    num_hit = index + 1
            elif self.window.size is None:
                break
            else:
                found.append(NULL_BLOCK)
                run_start = index + 1
        num_passed = self.window.first_block(num_hit * self.block_size)
        return [NULL_BLOCK] * num_passed + found[num_passed:num_hit]

    def shares_next_block(self, sequence: Sequence, others: Iterable[Sequence]) -> bool:
        """Whether the next block that one of `others` computes is one that `sequence` begins with too.

        If not, `is_being_computed` is false for every block; to know that takes no match.
        """
        for other in others:
            index = other.num_computed_tokens // self.block_size
            digest = self.digests(other)[index : index + 1]
            if digest and digest == self.digests(sequence)[index : index + 1]:
                return True
        return False

    def is_being_computed(self, sequence: Sequence, index: int, others: Iterable[Sequence]) -> bool:
        """Whether one of `others` is about to compute the very block that `sequence` needs as its `index`-th."""
        if not sequence.uses_prefix_cache or index >= self._max_reused_blocks(sequence):
            return False
        digest = self.digests(sequence)[index]
        # The key covers all blocks before it, so an equal block can only stand at the same index.
        return any(
            other.uses_prefix_cache
            and other.num_computed_tokens < (index + 1) * self.block_size
            and self.digests(other)[index : index + 1] == [digest]
            for other in others
        )

    def num_evictable_in(self, block_ids: Iterable[int]) -> int:
        """How many of these blocks count as available until they are reused."""
        return sum(self.prefix_cache.is_evictable(block_id) for block_id in block_ids)

    def reuse(self, sequence: Sequence, block_ids: list[int]) -> None:
        """Start a sequence on the blocks that were matched for it."""
        assert not sequence.block_ids, f"{sequence.request_id} holds {len(sequence.block_ids)} blocks already"
        for block_id in _held(block_ids):
            self.prefix_cache.reuse(block_id)
            self.prefix_cache.count_hit(block_id)
            self.last_owners[block_id] = sequence.owner
        sequence.block_ids = list(block_ids)
        sequence.num_registered_blocks = len(block_ids)
        sequence.num_computed_tokens = len(block_ids) * self.block_size
        if not sequence.num_preemptions:
            sequence.num_cached_tokens = sequence.num_computed_tokens

    def num_held_blocks(self, sequence: Sequence) -> int:
        """How many blocks of the pool a sequence owns, those given back not among them."""
        return self._num_held(len(sequence.block_ids), sequence.num_computed_tokens)

    def _num_held(self, num_blocks: int, num_computed_tokens: int) -> int:
        return max(0, num_blocks - self.window.first_block(num_computed_tokens))

    def num_blocks_to_finish(self, sequence: Sequence, max_chunk: int, matched: list[int] | None = None) -> int:
        """How many blocks at most it holds more, once it holds `matched`, until all its tokens are computed.

        In chunks of at most `max_chunk` tokens.
        """
        num_computed, num_blocks = sequence.num_computed_tokens, len(sequence.block_ids)
        if matched:
            num_computed, num_blocks = len(matched) * self.block_size, len(matched)
        peak = self.window.peak_blocks(num_computed, len(sequence.token_ids), max_chunk)
        return peak - self._num_held(num_blocks, num_computed)

    def num_blocks_to_extend(self, sequence: Sequence, num_tokens: int) -> int:
        """How many blocks `extend` would take."""
        first_written = sequence.num_computed_tokens // self.block_size
        is_shared = (
            first_written < len(sequence.block_ids) and self.pool.ref_counts[sequence.block_ids[first_written]] > 1
        )
        return self.blocks_for(num_tokens) - len(sequence.block_ids) + is_shared

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
        self._moves.copies.append((block_id, copy))
        sequence.block_ids[index] = copy
        self._release(block_id)

    def share(self, source: Sequence, fork: Sequence) -> None:
        """Let a fork hold the blocks of its source; the one that is not full is copied when either writes it."""
        assert not fork.block_ids, f"{fork.request_id} holds {len(fork.block_ids)} blocks already"
        for block_id in _held(source.block_ids):
            self.pool.retain(block_id)
        fork.block_ids = list(source.block_ids)

    def truncate(self, sequence: Sequence) -> None:
        """Give back the blocks that stand after the computed tokens: those of a draft that was not accepted."""
        num_kept = self.blocks_for(sequence.num_computed_tokens)
        for block_id in reversed(sequence.block_ids[num_kept:]):
            self._release(block_id)
        del sequence.block_ids[num_kept:]

    def drain_moves(self) -> BlockMoves:
        """What must be copied before the next forward; each move is returned once."""
        moves, self._moves = self._moves, BlockMoves()
        return moves

    def can_swap_out(self, sequence: Sequence) -> bool:
        return self.num_held_blocks(sequence) <= self.host_pool.num_free

    def swap_out(self, sequence: Sequence) -> None:
        """Move a sequence's blocks to the host pool."""
        assert not sequence.host_block_ids, f"{sequence.request_id} is swapped out already"
        held = _held(sequence.block_ids)
        sequence.host_block_ids = self.host_pool.take(len(held))
        self._moves.swap_out += zip(held, sequence.host_block_ids, strict=True)
        self._release_blocks(sequence)

    def swap_in(self, sequence: Sequence) -> None:
        """Bring a sequence's blocks back into blocks of its own."""
        assert not sequence.block_ids, f"{sequence.request_id} holds {len(sequence.block_ids)} blocks already"
        taken = [self._take(sequence.owner) for _ in sequence.host_block_ids]
        self._moves.swap_in += zip(sequence.host_block_ids, taken, strict=True)
        sequence.block_ids = [NULL_BLOCK] * self.window.first_block(sequence.num_computed_tokens) + taken
        self.host_pool.give_back(sequence.host_block_ids)
        sequence.host_block_ids = []

    def forget(self, sequence: Sequence) -> None:
        """Give a sequence's blocks back and let it start anew; what is in the prefix cache stays there for now."""
        self._release_blocks(sequence)
        sequence.num_computed_tokens = 0
        sequence.num_registered_blocks = 0

    def pin(self, name: str, sequence: Sequence) -> int:
        """Keep what is cached of a sequence's tokens and is needed to go on after them; returns how many blocks."""
        return self.prefix_cache.pin(name, _held(self.longest_hit(sequence, len(sequence.token_ids))))

    def drop_oldest_pin(self) -> str:
        """Unpin what was pinned first, and return its name. Raises StopIteration if nothing is pinned."""
        name = next(iter(self.prefix_cache.pins()))
        self.prefix_cache.unpin(name)
        return name

    def register(self, sequence: Sequence) -> None:
        """Put the blocks that the last forward filled into the prefix cache, and give back those the window passed."""
        if sequence.uses_prefix_cache:
            self._insert_full_blocks(sequence)
        self._give_back_passed(sequence)

    def _insert_full_blocks(self, sequence: Sequence) -> None:
        num_full = sequence.num_computed_tokens // self.block_size
        for index in range(sequence.num_registered_blocks, num_full):
            digests = self.digests(sequence)
            parent = digests[index - 1] if index else sequence.scope
            block = CachedBlock(digests[index], tuple(self._block_tokens(sequence, index)), parent, index)
            self.prefix_cache.insert(block, sequence.block_ids[index])
        sequence.num_registered_blocks = num_full

    def _give_back_passed(self, sequence: Sequence) -> None:
        end = start = self.window.first_block(sequence.num_computed_tokens)
        while start and sequence.block_ids[start - 1] != NULL_BLOCK:
            start -= 1
        for index in range(start, end):
            # The last one goes first: a later request may share a beginning, but hardly ends in the middle; and a
            # long text, of which only the end is needed, does not push out what others need.
            self._release(sequence.block_ids[index], goes_first=True)
            sequence.block_ids[index] = NULL_BLOCK

    def has_room_for(self, blocks: Iterable[CachedBlock]) -> bool:
        """Whether `install` could put in all of these blocks."""
        found = [self.prefix_cache.find(block.digest, block.token_ids) for block in blocks]
        known = [block_id for block_id in found if block_id is not None]
        return len(found) - len(known) <= self.num_available - self.num_evictable_in(known)

    def install(
        self, owner: str, blocks: Blocks[CachedBlock], write: Callable[[list[tuple[int, int]]], None]
    ) -> tuple[int, int]:
        """Put blocks from outside, in the order of their chain, into the prefix cache, as many of the first as fit.

        `write` fills those that were not known, given as (index, block id); if it raises, none of them is cached.
        Takes free and evictable blocks alone, and leaves all of them evictable: nobody has less room than before.
        Returns how many of the blocks are cached now, and how many of them are new.
        """
        held: list[int] = []
        new: list[tuple[int, int]] = []
        try:
            for index, block in enumerate(blocks):
                block_id = self.prefix_cache.find(block.digest, block.token_ids)
                if block_id is not None:
                    # Held meanwhile, so that no later block is put into it.
                    self.prefix_cache.reuse(block_id)
                elif self.num_available:
                    block_id = self._take(owner)
                    new.append((index, block_id))
                else:
                    break
                held.append(block_id)
            if new:
                write(new)
            for index, block_id in new:
                self.prefix_cache.insert(blocks[index], block_id)
        finally:
            for block_id in reversed(held):
                self._release(block_id)
        return len(held), len(new)

    def digests(self, sequence: Sequence) -> list[bytes]:
        """Keys of all full blocks of the sequence's tokens, computed or not."""
        digests = sequence.block_digests
        new_tokens = sequence.token_ids[len(digests) * self.block_size :]
        digests += chain_digests(digests[-1] if digests else sequence.scope, new_tokens, self.block_size)
        return digests

    def _block_tokens(self, sequence: Sequence, index: int) -> list[int]:
        return sequence.token_ids[index * self.block_size : (index + 1) * self.block_size]

    def _max_reused_blocks(self, sequence: Sequence) -> int:
        num_tokens = len(sequence.token_ids) - 1
        if sequence.needs_prompt_logprobs:
            # A cached block has no logits: what is still to be told is computed again.
            num_tokens = min(num_tokens, sequence.num_told_logprobs)
        return num_tokens // self.block_size

    def release(self, sequence: Sequence) -> None:
        """Give all blocks back, those in the host pool too. Idempotent."""
        self._release_blocks(sequence)
        self.host_pool.give_back(sequence.host_block_ids)
        sequence.host_block_ids = []

    def _release_blocks(self, sequence: Sequence) -> None:
        block_ids, sequence.block_ids = sequence.block_ids, []
        for block_id in reversed(_held(block_ids)):
            self._release(block_id)

    def _take(self, owner: str) -> int:
        if not self.pool.num_free:
            self.prefix_cache.evict()
        block_id = self.pool.take()
        self.last_owners[block_id] = owner
        return block_id

    def _release(self, block_id: int, goes_first: bool = False) -> None:
        self.prefix_cache.on_released(block_id, self.pool.release(block_id), goes_first)


def _held(block_ids: list[int]) -> list[int]:
    return [block_id for block_id in block_ids if block_id != NULL_BLOCK]
