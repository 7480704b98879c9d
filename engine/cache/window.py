"""What a sliding window lets a sequence give back, and how many blocks that leaves it with at most.

Arithmetic on token and block counts alone; knows neither blocks nor sequences.
"""

from __future__ import annotations

from dataclasses import dataclass


def num_blocks_for(num_tokens: int, block_size: int) -> int:
    """How many blocks hold so many tokens."""
    return -(-num_tokens // block_size)


@dataclass(frozen=True, slots=True)
class Window:
    """`size` is the most tokens that a position sees in any layer, itself included; None if some layer sees all."""

    size: int | None
    block_size: int

    def __post_init__(self) -> None:
        assert self.size is None or self.size > 0, f"a window of {self.size} tokens"

    def first_block(self, num_computed_tokens: int) -> int:
        """The first block that is kept once so many tokens are computed; those before it are given back.

        It is the first that the first token of the block under way sees. The next token may see one block less; but
        whoever goes on from these tokens' full blocks needs it, and the longest sequences would not get by with less.
        """
        if self.size is None:
            return 0
        start = num_computed_tokens - num_computed_tokens % self.block_size
        return max(0, start - self.size + 1) // self.block_size

    def peak_blocks(self, num_computed_tokens: int, num_tokens: int, max_chunk: int) -> int:
        """The most blocks that are held at once while a sequence goes from so many computed tokens to `num_tokens`.

        In chunks of at most `max_chunk` tokens: all keys of a chunk are written before its first row gives back any.
        """
        to_the_end = num_blocks_for(num_tokens, self.block_size) - self.first_block(num_computed_tokens)
        if self.size is None:
            return to_the_end
        chunk = min(max_chunk, num_tokens - num_computed_tokens)
        seen_before = num_blocks_for(self.size - 1, self.block_size)
        return min(to_the_end, seen_before + num_blocks_for(self.block_size - 1 + chunk, self.block_size))

    def longest_sequence(self, max_tokens: int, num_blocks: int, max_chunk: int) -> int:
        """How many tokens, `max_tokens` at most, a sequence may have that a pool of `num_blocks` must hold alone."""
        if self.peak_blocks(0, max_tokens, max_chunk) <= num_blocks:
            return max_tokens
        return num_blocks * self.block_size
