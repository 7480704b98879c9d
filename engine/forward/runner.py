"""Runs a batch: block copies, decoder, sampling. Owns the pool's tensors for as long as the model is loaded.

Knows nothing of queues, text and events.
"""

from __future__ import annotations

from collections.abc import Sequence as Chunks

import torch

from engine.forward.batch import Batch, build_batch
from engine.forward.sampler import sampling_tensors
from engine.models.decoder import Decoder, make_pool
from engine.scheduler import ScheduledChunk
from kernels.ops import Backend


class Runner:
    """Raises RuntimeError or MemoryError from the backend; the pool's other blocks are then untouched."""

    def __init__(self, decoder: Decoder, backend: Backend, num_blocks: int, block_size: int) -> None:
        self._decoder = decoder
        self._backend = backend
        self._pool = make_pool(decoder.spec, num_blocks, block_size, backend)

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        """Copy (source, target) blocks of all layers."""
        if copies:
            sources, targets = [source for source, _ in copies], [target for _, target in copies]
            for pool in (self._pool.keys, self._pool.values):
                self._backend.copy_blocks(pool, sources, targets)

    @torch.inference_mode()
    def run(self, chunks: Chunks[ScheduledChunk]) -> dict[str, int]:
        """Compute the chunks; the next token id of every sequence whose gap this closes, by request id."""
        batch: Batch = build_batch(chunks, self._pool.block_size, self._backend.device)
        hidden = self._decoder.hidden(batch.forward, self._pool)
        if not batch.sampled:
            return {}
        logits = self._decoder.logits(hidden[batch.logit_rows])
        sequences = [chunk.sequence for chunk in batch.sampled]
        token_ids = self._backend.sample(logits, sampling_tensors(sequences)).tolist()
        return {sequence.request_id: token_id for sequence, token_id in zip(sequences, token_ids, strict=True)}
