"""The block pool as a `BlockSnapshot`: bytes for the memory view. Reads the cache, changes nothing."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cache.block_pool import NULL_BLOCK
from engine.cache.kv_cache import KVCache
from engine.messages import BlockSnapshot
from engine.sequence import Sequence

_NO_OWNER = 255


def snapshot_blocks(
    cache: KVCache, sequences: Iterable[Sequence], written: frozenset[int], model_id: str, step: int, block_bytes: int
) -> BlockSnapshot:
    """Physical block b + 1 of the pool is entry b: the null block is left out."""
    num_blocks = cache.pool.num_blocks
    refs, is_cached, is_written = bytearray(num_blocks), bytearray(num_blocks), bytearray(num_blocks)
    owners = bytearray([_NO_OWNER]) * num_blocks
    names: dict[str, int] = {}
    holders: dict[int, set[int]] = {}
    live_refs: dict[int, int] = {}

    def index_of(owner: str) -> int:
        # Names beyond the last index a byte holds stay anonymous.
        return names.setdefault(owner, len(names)) if owner in names or len(names) < _NO_OWNER else _NO_OWNER

    for sequence in sequences:
        index = index_of(sequence.owner)
        for block_id in filter(NULL_BLOCK.__ne__, sequence.block_ids):
            live_refs[block_id] = live_refs.get(block_id, 0) + 1
            holders.setdefault(block_id, set()).add(index)
            owners[block_id - 1] = index
    for block_id in cache.prefix_cache.cached_blocks():
        is_cached[block_id - 1] = 1
        if block_id not in live_refs:
            owners[block_id - 1] = index_of(cache.last_owners[block_id])
    for block_id, count in live_refs.items():
        refs[block_id - 1] = min(count, 255)
    for block_id in written:
        is_written[block_id - 1] = 1
    shared = tuple((b - 1, tuple(sorted(held))) for b, held in sorted(holders.items()) if len(held) > 1)
    return BlockSnapshot(
        model_id,
        step,
        cache.block_size,
        block_bytes,
        bytes(refs),
        bytes(is_cached),
        bytes(owners),
        bytes(is_written),
        tuple(names),
        shared,
    )
