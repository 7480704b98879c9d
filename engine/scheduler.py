"""Which sequences compute how many tokens in the next step: one token budget, one limit on running sequences.

Decides on numbers alone; knows nothing of tensors and text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from engine.cache.kv_cache import KVCache
from engine.errors import QueueFullError
from engine.sequence import Sequence, SequenceState


@dataclass(frozen=True, slots=True)
class ScheduledChunk:
    """The next `num_tokens` uncomputed tokens of a sequence. `closes_gap` if none is left after them."""

    sequence: Sequence
    num_tokens: int

    @property
    def closes_gap(self) -> bool:
        return self.num_tokens == self.sequence.num_pending_tokens


class Scheduler:
    """Waiting sequences in arrival order, and the running ones.

    A sequence is admitted only if the blocks for its longest possible length are certain, so a running one never
    runs out of memory; and not while a running one computes blocks that both begin with.
    """

    def __init__(
        self,
        cache: KVCache,
        max_batched_tokens: int,
        max_running_sequences: int,
        max_waiting_requests: int,
        wide_rows: int | None = None,
    ) -> None:
        assert max_batched_tokens >= max_running_sequences, (max_batched_tokens, max_running_sequences)
        self._cache = cache
        self._max_batched_tokens = max_batched_tokens
        self._max_running_sequences = max_running_sequences
        self._max_waiting_requests = max_waiting_requests
        self._wide_rows = wide_rows
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []

    def __iter__(self) -> Iterator[Sequence]:
        """All live sequences, the running ones first."""
        yield from self.running
        yield from self.waiting

    def add(self, sequence: Sequence) -> None:
        if len(self.waiting) >= self._max_waiting_requests:
            raise QueueFullError(
                f"{len(self.waiting)} requests are waiting already, which is the limit: try again when one has finished"
            )
        self.waiting.append(sequence)

    def remove(self, sequence: Sequence) -> None:
        """Forget a sequence that ended and give its blocks back. Idempotent."""
        if sequence in self.running:
            self.running.remove(sequence)
        elif sequence in self.waiting:
            self.waiting.remove(sequence)
        self._cache.release(sequence)

    def schedule(self) -> list[ScheduledChunk]:
        """The next step's chunks; at most `max_batched_tokens` tokens in all. Blocks for them are taken."""
        budget = self._max_batched_tokens
        chunks: list[ScheduledChunk] = []
        # Decodes first, so that no prompt, however long, delays a running answer.
        for sequence in sorted(self.running, key=lambda s: s.state is not SequenceState.DECODE):
            budget -= self._schedule_chunk(sequence, budget, chunks)
        for sequence in list(self.waiting):
            if not budget or len(self.running) >= self._max_running_sequences:
                break
            matched = self._cache.match(sequence)
            if self._cache.is_being_computed(sequence, len(matched), self.running):
                # It waits some steps for blocks that it would otherwise compute a second time.
                continue
            if not self._has_room(sequence, matched):
                break
            self._admit(sequence, matched)
            budget -= self._schedule_chunk(sequence, budget, chunks)
        return chunks

    def _schedule_chunk(self, sequence: Sequence, budget: int, chunks: list[ScheduledChunk]) -> int:
        num_tokens = min(sequence.num_pending_tokens, budget)
        if num_tokens:
            self._cache.extend(sequence, sequence.num_computed_tokens + num_tokens)
            chunks.append(ScheduledChunk(sequence, num_tokens))
        return num_tokens

    def _has_room(self, sequence: Sequence, matched: list[int]) -> bool:
        """Whether the pool holds its longest length besides what is promised to the running sequences."""
        promised = sum(self._cache.blocks_for(s.max_length) - len(s.block_ids) for s in self.running)
        needed = self._cache.blocks_for(sequence.max_length) - len(matched)
        return needed + promised <= self._cache.num_available - self._cache.num_evictable_in(matched)

    def _admit(self, sequence: Sequence, matched: list[int]) -> None:
        self.waiting.remove(sequence)
        self._cache.reuse(sequence, matched)
        sequence.has_wide_prefill = self._wide_rows is not None and sequence.num_pending_tokens >= self._wide_rows
        sequence.queue_position = None
        sequence.move(SequenceState.PREFILL)
        self.running.append(sequence)
