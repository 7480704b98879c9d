"""Which blocks of the host pool are free, and the choice between swapping and computing again.

Knows block ids and seconds alone; the tensors lie with the runner.
"""

from __future__ import annotations

from dataclasses import dataclass


class HostPool:
    """`num_blocks` blocks of host memory, each owned by at most one swapped sequence."""

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self._free = list(range(num_blocks))

    @property
    def num_free(self) -> int:
        return len(self._free)

    def take(self, count: int) -> list[int]:
        """`count` free blocks. Raises ValueError if there are fewer."""
        if count > len(self._free):
            raise ValueError(f"{count} host blocks wanted, {len(self._free)} free")
        taken, self._free = self._free[:count], self._free[count:]
        return taken

    def give_back(self, block_ids: list[int]) -> None:
        self._free += block_ids
        assert len(self._free) <= self.num_blocks, (len(self._free), self.num_blocks)


@dataclass(frozen=True, slots=True)
class PreemptionCosts:
    """What moving and computing take on this machine: seconds per token computed, seconds per block copied one way."""

    compute_s_per_token: float
    copy_s_per_block: float

    def prefers_swap(self, num_tokens: int, num_blocks: int) -> bool:
        """Whether copying the blocks out and in again is cheaper than computing the tokens again."""
        return 2 * num_blocks * self.copy_s_per_block < num_tokens * self.compute_s_per_token
