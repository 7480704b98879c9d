"""Which block is handed out next."""

from __future__ import annotations

from engine.cache.block_pool import NULL_BLOCK, BlockPool


def test_blocks_that_were_in_use_are_handed_out_before_untouched_ones():
    pool = BlockPool(100)
    handed_out = set()
    for _ in range(50):
        block_ids = [pool.take() for _ in range(3)]
        handed_out.update(block_ids)
        for block_id in block_ids:
            pool.release(block_id)
    assert len(handed_out) == 3


def test_every_block_is_handed_out_before_there_is_none():
    pool = BlockPool(5)
    assert {pool.take() for _ in range(5)} == set(range(1, 6)) - {NULL_BLOCK}
    assert pool.num_free == 0
