"""The events of a step as they gather: what was decided, told in the messages of the bridge.

Decides nothing, and counts nothing.
"""

from __future__ import annotations

from engine.cache.kv_cache import KVCache
from engine.messages import (
    ContextTrimmed,
    Event,
    FinishReason,
    PrefillProgress,
    PrefixPinned,
    QueueReason,
    RequestFinished,
    RequestPreempted,
    RequestQueued,
    RequestResumed,
)
from engine.records import RequestRecord
from engine.scheduler import Schedule, Scheduler
from engine.sequence import Sequence


class Reports:
    """`block_bytes` is the size of one block over all layers."""

    def __init__(self, scheduler: Scheduler, cache: KVCache, block_bytes: int) -> None:
        self._scheduler = scheduler
        self._cache = cache
        self._block_bytes = block_bytes
        self._events: list[Event] = []

    def add(self, event: Event) -> None:
        self._events.append(event)

    def drain(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def accepted(self, sequence: Sequence) -> None:
        """What had to be left out of a chat, before anything else of its request."""
        if sequence.dropped_messages:
            counts = (sequence.num_dropped_tokens, sequence.num_prompt_tokens)
            self.add(ContextTrimmed(sequence.request_id, sequence.dropped_messages, *counts))

    def positions(self, reason: QueueReason, now_s: float) -> None:
        """Places in the queue that have changed since they were told last. All but prefix waits are for `reason`."""
        for position, sequence in enumerate(self._scheduler.in_order(self._scheduler.waiting, now_s)):
            told = (position, self._scheduler.queue_reason(sequence, reason))
            if sequence.queue_place != told:
                sequence.queue_place = told
                self.add(RequestQueued(sequence.request_id, *told))

    def moves(self, schedule: Schedule) -> None:
        """Who lost blocks to whom, who got them back, and which pins gave way."""
        for preempted in schedule.preempted:
            size_bytes = preempted.num_blocks * self._block_bytes
            ids = (preempted.sequence.request_id, preempted.winner.request_id)
            self.add(RequestPreempted(*ids, preempted.how, preempted.num_blocks, size_bytes))
        for resumed in schedule.resumed:
            size_bytes = resumed.num_blocks * self._block_bytes
            self.add(RequestResumed(resumed.sequence.request_id, resumed.how, resumed.num_blocks, size_bytes))
        for owner in schedule.unpinned:
            self.pin(owner, is_wanted=False)

    def pin(self, owner: str, is_wanted: bool) -> None:
        """What is kept for an owner, after it was to be kept (`is_wanted`) or let go."""
        num_blocks = len(self._cache.prefix_cache.pins().get(owner, ()))
        is_gone = is_wanted and num_blocks == 0
        self.add(PrefixPinned(owner, num_blocks, num_blocks * self._block_bytes, is_gone))

    def finished(self, record: RequestRecord, reason: FinishReason) -> None:
        """The end of a request that was neither refused nor failed."""
        self.add(
            RequestFinished(
                record.request_id,
                reason,
                record.num_prompt_tokens,
                record.num_cached_tokens,
                record.num_output_tokens,
                record.ttft_s,
                # Drafted tokens arrive together, so a short answer may have taken no time after its first token.
                None if record.tpot_s is None else 1 / max(record.tpot_s, 1e-9),
                num_drafted_tokens=record.num_drafted_tokens,
                num_accepted_tokens=record.num_accepted_tokens,
                tpot_s=record.tpot_s,
                queue_s=record.queue_s,
                prefill_s=record.prefill_s,
                decode_s=record.decode_s,
                preempted_s=record.preempted_s,
                num_preemptions=record.num_preemptions,
                seed=record.seed,
            )
        )

    def prefill(self, sequence: Sequence) -> None:
        """How far the prompt is; what is computed again after a preemption was told before."""
        num_computed = min(sequence.num_computed_tokens, sequence.num_prompt_tokens)
        if num_computed > sequence.num_told_tokens:
            sequence.num_told_tokens = num_computed
            counts = (num_computed, sequence.num_prompt_tokens, sequence.num_cached_tokens)
            self.add(PrefillProgress(sequence.request_id, *counts))
