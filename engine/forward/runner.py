"""Runs a batch: block copies, decoder, sampling. Owns the pool's tensors for as long as the model is loaded.

Knows nothing of queues, text and events.
"""

from __future__ import annotations

from collections.abc import Sequence as Chunks

import torch

from engine.cache.kv_cache import BlockMoves
from engine.forward.batch import Batch, build_batch
from engine.forward.sampler import Sampler
from engine.models.decoder import Decoder, make_host_pool, make_pool
from engine.sampled_token import SampledToken
from engine.scheduler import ScheduledChunk
from kernels.ops import Backend


class Runner:
    """Raises RuntimeError or MemoryError from the backend; the pool's other blocks are then untouched."""

    def __init__(
        self, decoder: Decoder, backend: Backend, num_blocks: int, block_size: int, num_host_blocks: int
    ) -> None:
        self._decoder = decoder
        self._backend = backend
        self._sampler = Sampler(backend)
        self._pool = make_pool(decoder.spec, num_blocks, block_size, backend)
        self._host_pool = make_host_pool(self._pool, num_host_blocks)

    def move_blocks(self, moves: BlockMoves) -> None:
        """Swap out, swap in, copy, in this order: what is taken in may stand where something was taken out."""
        pool, host = self._pool, self._host_pool
        for pairs, source, target in (
            (moves.swap_out, pool, host),
            (moves.swap_in, host, pool),
            (moves.copies, pool, pool),
        ):
            if pairs:
                sources, targets = [a for a, _ in pairs], [b for _, b in pairs]
                self._backend.copy_blocks(source.keys, target.keys, sources, targets)
                self._backend.copy_blocks(source.values, target.values, sources, targets)

    @torch.inference_mode()
    def run(self, chunks: Chunks[ScheduledChunk]) -> dict[str, SampledToken]:
        """Compute the chunks; the next token of every sequence whose gap this closes, by request id."""
        batch: Batch = build_batch(chunks, self._pool.block_size, self._backend.device)
        hidden = self._decoder.hidden(batch.forward, self._pool)
        if not batch.sampled:
            return {}
        logits = self._decoder.logits(hidden[batch.logit_rows])
        return self._sampler.sample(logits, [chunk.sequence for chunk in batch.sampled])
