"""The block pool as a `BlockSnapshot`: bytes for the memory view. Reads the cache, changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.cache.block_pool import NULL_BLOCK
from engine.cache.kv_cache import KVCache
from engine.messages import BlockSnapshot, ChatReport
from engine.sequence import Sequence

_NO_OWNER = 255


@dataclass(frozen=True, slots=True)
class PoolState:
    """What a snapshot tells besides the cache: its model and step, what this step wrote, and the chats."""

    model_id: str
    step: int
    block_bytes: int
    written: frozenset[int]
    chats: tuple[ChatReport, ...]


def snapshot_blocks(
    cache: KVCache, running: Iterable[Sequence], swapped: Iterable[Sequence], state: PoolState
) -> BlockSnapshot:
    """Physical block b + 1 of the pool is entry b: the null block is left out."""
    num_blocks = cache.pool.num_blocks
    refs, is_cached, is_pinned, is_written = (bytearray(num_blocks) for _ in range(4))
    owners = bytearray([_NO_OWNER]) * num_blocks
    names: dict[str, int] = {}
    holders: dict[int, set[int]] = {}
    live_refs: dict[int, int] = {}

    def index_of(owner: str) -> int:
        # Names beyond the last index a byte holds stay anonymous.
        return names.setdefault(owner, len(names)) if owner in names or len(names) < _NO_OWNER else _NO_OWNER

    for sequence in running:
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
    for block_ids in cache.prefix_cache.pins().values():
        for block_id in block_ids:
            is_pinned[block_id - 1] = 1
    for block_id in state.written:
        is_written[block_id - 1] = 1
    shared = tuple((b - 1, tuple(sorted(held))) for b, held in sorted(holders.items()) if len(held) > 1)
    return BlockSnapshot(
        state.model_id,
        state.step,
        cache.block_size,
        state.block_bytes,
        bytes(refs),
        bytes(is_cached),
        bytes(is_pinned),
        bytes(owners),
        bytes(is_written),
        tuple(names),
        shared,
        tuple((sequence.owner, len(sequence.host_block_ids)) for sequence in swapped),
        cache.host_pool.num_blocks,
        state.chats,
    )
