"""The rules that hold between pool, prefix cache and live sequences after every step.

Checked after each step in tests, and by the engine thread when it falls idle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.cache.block_pool import NULL_BLOCK
from engine.cache.kv_cache import KVCache
from engine.sequence import Sequence, SequenceState


def check_invariants(cache: KVCache, sequences: Iterable[Sequence]) -> None:
    """Raises AssertionError with the values that disagree. `sequences` are all that may hold blocks."""
    pool, prefix_cache = cache.pool, cache.prefix_cache
    cached = prefix_cache.cached_blocks()
    free = pool.free_blocks()
    owners: Counter[int] = Counter(cached.keys())
    pinned = [block_id for block_ids in prefix_cache.pins().values() for block_id in block_ids]
    owners.update(pinned)
    # A pin counts as a live owner.
    referenced: set[int] = set(pinned)
    swapped: list[int] = []
    for sequence in sequences:
        held = _held_blocks(cache, sequence)
        owners.update(held)
        referenced.update(held)
        swapped += sequence.host_block_ids
    wrong = {
        b: (pool.ref_counts[b], owners[b]) for b in range(1, pool.num_blocks + 1) if pool.ref_counts[b] != owners[b]
    }
    assert not wrong, f"blocks whose count differs from their owners (count, owners): {wrong}"
    unreferenced = cached.keys() - referenced
    total = len(free) + len(unreferenced) + len(referenced)
    assert total == pool.num_blocks, (len(free), len(unreferenced), len(referenced), pool.num_blocks)
    assert not free & (referenced | cached.keys()), free & (referenced | cached.keys())
    assert cached.keys() >= set(pinned), pinned
    assert unreferenced == {b for b in cached if prefix_cache.is_evictable(b)}, unreferenced
    assert len(set(swapped)) == len(swapped), swapped
    assert len(swapped) + cache.host_pool.num_free == cache.host_pool.num_blocks, swapped
    assert all(len(entry.token_ids) == cache.block_size for entry in cached.values())


def _held_blocks(cache: KVCache, sequence: Sequence) -> list[int]:
    """Blocks of the pool that the sequence holds, after its own account has been checked."""
    num_passed = cache.window.first_block(sequence.num_computed_tokens)
    passed, held = sequence.block_ids[:num_passed], sequence.block_ids[num_passed:]
    needed = cache.blocks_for(sequence.num_computed_tokens)
    if sequence.state is SequenceState.SWAPPED:
        assert not sequence.block_ids, (sequence.request_id, sequence.block_ids)
        assert num_passed + len(sequence.host_block_ids) == needed, (sequence.request_id, num_passed, needed)
    else:
        assert not sequence.host_block_ids, (sequence.request_id, sequence.state, sequence.host_block_ids)
        assert len(sequence.block_ids) == needed, (sequence.request_id, sequence.block_ids, needed)
    # The null block stands where the window has passed, and nowhere else.
    assert all(block_id == NULL_BLOCK for block_id in passed), (sequence.request_id, num_passed, passed)
    assert NULL_BLOCK not in held, (sequence.request_id, num_passed, held)
    is_decoding = sequence.state is SequenceState.DECODE
    assert not is_decoding or sequence.num_pending_tokens == 1, (sequence.request_id, sequence.num_pending_tokens)
    return held
