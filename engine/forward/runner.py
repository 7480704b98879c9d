"""Runs a batch: block copies, decoder, sampling. Owns the pool's arrays for as long as the model is loaded.

Knows nothing of queues, text and events.
"""

from __future__ import annotations

from collections.abc import Sequence as Chunks

import numpy as np

from engine.cache.kv_cache import BlockMoves
from engine.cache.snapshot import BlockContents
from engine.chunk_result import ChunkResult
from engine.forward.batch import Batch, build_batch
from engine.forward.sampler import Sampler
from engine.forward.verification import Verifier
from engine.messages import TokenLogprobs
from engine.models.decoder import Decoder, make_host_pool, make_pool
from engine.scheduler import ScheduledChunk
from engine.sequence import Sequence
from kernels.arrays import Array
from kernels.ops import Backend

_LOGIT_ROWS = 32
"""Rows of a prompt whose logits stand in memory at once."""


class Runner:
    """Raises RuntimeError or MemoryError from the backend; the pool's other blocks are then untouched."""

    def __init__(
        self, decoder: Decoder, backend: Backend, num_blocks: int, block_size: int, num_host_blocks: int
    ) -> None:
        self._decoder = decoder
        self._backend = backend
        self._sampler = Sampler(backend)
        self._verifier = Verifier(self._sampler)
        self._pool = make_pool(decoder.spec, num_blocks, block_size, backend)
        self._host_pool = make_host_pool(self._pool, num_host_blocks)

    def move_blocks(self, moves: BlockMoves) -> None:
        """Swap out, swap in, copy, in this order: what is taken in may stand where something was taken out."""
        pool, host = self._pool.sides, self._host_pool.sides
        for pairs, source, target in (
            (moves.swap_out, pool, host),
            (moves.swap_in, host, pool),
            (moves.copies, pool, pool),
        ):
            if pairs:
                self._copy(source, target, [a for a, _ in pairs], [b for _, b in pairs])

    def read_blocks(self, block_ids: Chunks[int]) -> BlockContents:
        """A copy of whole blocks, in host memory."""
        sides = (side.take(list(block_ids), axis=1) for side in self._pool.sides)
        return BlockContents(len(block_ids), *(side.reshape(-1).view(np.uint8).data for side in sides))

    def write_blocks(self, contents: BlockContents, pairs: Chunks[tuple[int, int]]) -> None:
        """Write some of the `contents` into the pool: pairs (index in contents, block id)."""
        sides = [
            np.frombuffer(side, pool.dtype).reshape(pool.shape[0], contents.num_blocks, *pool.shape[2:])
            for side, pool in zip(contents.sides, self._pool.sides, strict=True)
        ]
        self._copy(sides, self._pool.sides, [index for index, _ in pairs], [b for _, b in pairs])

    def _copy(self, source: Chunks[Array], target: Chunks[Array], sources: list[int], targets: list[int]) -> None:
        for from_side, to_side in zip(source, target, strict=True):
            self._backend.copy_blocks(from_side, to_side, sources, targets)

    def run(self, chunks: Chunks[ScheduledChunk]) -> dict[Sequence, ChunkResult]:
        """Compute the chunks, draw the next tokens of every sequence whose gap this closes, and verify its draft."""
        with self._backend.computing():
            return self._run(build_batch(chunks, self._pool.block_size))

    def _run(self, batch: Batch) -> dict[Sequence, ChunkResult]:
        hidden = self._decoder.hidden(batch.forward, self._pool)
        drawn = hidden if batch.draws_every_row else hidden[batch.draw_rows]
        logits = self._decoder.logits(drawn) if batch.draws else drawn
        tokens = self._verifier.tokens(logits, batch.draws, batch.chunks)
        results: dict[Sequence, ChunkResult] = {}
        for chunk, start, (own, forks) in zip(batch.chunks, batch.first_rows, tokens, strict=True):
            logprobs = self._prompt_logprobs(chunk, start, hidden)
            results[chunk.sequence] = ChunkResult(own, forks, logprobs)
        return results

    def _prompt_logprobs(self, chunk: ScheduledChunk, first_row: int, hidden: Array) -> tuple[TokenLogprobs, ...]:
        """Of the prompt's tokens after the chunk's rows, which are those of hidden [M, hidden] from `first_row` on."""
        sequence = chunk.sequence
        if not sequence.needs_prompt_logprobs:
            return ()
        hidden = hidden[first_row : first_row + chunk.num_rows]
        start = sequence.num_computed_tokens
        # Rows that were computed again, after a preemption, were told before.
        first, last = sequence.num_told_logprobs, min(start + chunk.num_tokens, sequence.num_prompt_tokens - 1)
        told: list[TokenLogprobs] = []
        for tile in range(first, last, _LOGIT_ROWS):
            logits = self._decoder.logits(hidden[tile - start : min(tile + _LOGIT_ROWS, last) - start])
            next_ids = sequence.token_ids[tile + 1 : tile + 1 + len(logits)]
            for row, token_id in zip(logits, next_ids, strict=True):
                logprobs = self._sampler.logprobs(row, token_id, sequence.params.prompt_logprobs)
                assert logprobs is not None
                told.append(logprobs)
        return tuple(told)
