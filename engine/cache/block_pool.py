"""Which physical blocks are free and how many owners each of the others has.

Knows neither what is in a block nor who owns it.
"""

from __future__ import annotations

NULL_BLOCK = 0
"""Stands where a table needs an entry and no token is; owned by nobody, never written, never handed out."""


class BlockPool:
    """`num_blocks` blocks, ids 1 .. num_blocks, plus the null block. `ref_counts[b]` is the number of live owners."""

    def __init__(self, num_blocks: int) -> None:
        assert num_blocks > 0, f"a pool of {num_blocks} blocks"
        self.num_blocks = num_blocks
        self.ref_counts = [0] * (num_blocks + 1)
        # The block that was freed last is handed out first: its pages are there already. Taken in turn, the whole pool
        # would become resident though few blocks are ever in use at once.
        self._free = list(range(num_blocks, 0, -1))

    @property
    def num_free(self) -> int:
        return len(self._free)

    def take(self) -> int:
        """A free block, with its taker as the one owner. Raises IndexError if none is free."""
        block_id = self._free.pop()
        assert self.ref_counts[block_id] == 0, f"free block {block_id} has {self.ref_counts[block_id]} owners"
        self.ref_counts[block_id] = 1
        return block_id

    def retain(self, block_id: int) -> None:
        """Add an owner to a block that has one already."""
        assert self.ref_counts[block_id] > 0, f"block {block_id} is free and cannot be shared"
        self.ref_counts[block_id] += 1

    def release(self, block_id: int) -> int:
        """Take one owner away and return how many are left; with none left the block is free."""
        assert self.ref_counts[block_id] > 0, f"block {block_id} is free already"
        self.ref_counts[block_id] -= 1
        if self.ref_counts[block_id] == 0:
            self._free.append(block_id)
        return self.ref_counts[block_id]

    def free_blocks(self) -> frozenset[int]:
        return frozenset(self._free)
