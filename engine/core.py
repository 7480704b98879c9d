"""The engine's step: schedule, run, settle. Turns requests into events.

No threads in it, and no tensors: the runner it is given does the arithmetic.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from collections.abc import Sequence as Chunks
from dataclasses import dataclass, field
from typing import Protocol

from engine.cache.block_view import snapshot_blocks
from engine.cache.invariants import check_invariants
from engine.cache.kv_cache import BlockMoves, KVCache
from engine.cache.swap import PreemptionCosts
from engine.errors import DeadlineError, EngineError, ForwardError, QueueFullError
from engine.messages import (
    BlockSnapshot,
    EngineStats,
    Event,
    FinishReason,
    PrefillProgress,
    PrefixPinned,
    QueueReason,
    RequestFailed,
    RequestFinished,
    RequestPreempted,
    RequestQueued,
    RequestResumed,
    Submit,
    TextDelta,
    TokenLogprobs,
)
from engine.metrics import Metrics
from engine.requests import RequestReader
from engine.sampled_token import SampledToken
from engine.scheduler import Schedule, ScheduledChunk, Scheduler
from engine.sequence import Sequence, SequenceState
from engine.text.detokenizer import CONTEXT_TOKENS, IncrementalDetokenizer
from engine.text.reasoning import ReasoningSplitter
from engine.text.stop import StopMatcher

_log = logging.getLogger(__name__)

_MIN_TIMED_TOKENS = 16
_MAX_REMEMBERED_OWNERS = 64


class BatchRunner(Protocol):
    """What the core needs of a runner; see `engine.forward.runner.Runner`."""

    def move_blocks(self, moves: BlockMoves) -> None: ...

    def run(self, chunks: Chunks[ScheduledChunk]) -> dict[str, SampledToken]: ...


@dataclass(slots=True)
class _Answer:
    """A live request and its way from tokens to shown text."""

    sequence: Sequence
    detokenizer: IncrementalDetokenizer
    stop: StopMatcher
    splitter: ReasoningSplitter | None
    unsent_token_ids: list[int] = field(default_factory=list)
    unsent_logprobs: list[TokenLogprobs] = field(default_factory=list)


class EngineCore:
    """Requests of one loaded model. `clock` gives seconds and never goes back; `block_bytes` is one block's size."""

    def __init__(
        self,
        reader: RequestReader,
        runner: BatchRunner,
        cache: KVCache,
        scheduler: Scheduler,
        clock: Callable[[], float],
        block_bytes: int,
    ) -> None:
        self._reader = reader
        self._runner = runner
        self._cache = cache
        self._scheduler = scheduler
        self._clock = clock
        self._block_bytes = block_bytes
        self._answers: dict[str, _Answer] = {}
        self._newest: dict[str, Sequence] = {}
        self._queue_reason: QueueReason = "budget"
        self._events: list[Event] = []
        self._written: frozenset[int] = frozenset()
        self.metrics = Metrics()

    @property
    def num_live(self) -> int:
        return len(self._answers)

    def submit(self, submit: Submit) -> None:
        """Queue a request, or refuse it by a `RequestFailed`."""
        if submit.request_id in self._answers:
            _log.error("request id %s is live already; the second request is dropped", submit.request_id)
            return
        try:
            sequence = self._reader.read(submit, self._clock())
            self._scheduler.add(sequence)
        except QueueFullError as error:
            self._on_failed(submit.request_id, error.code, str(error), self.metrics.mean_request_s())
            return
        except EngineError as error:
            self._on_failed(submit.request_id, error.code, str(error))
            return
        # A raw prompt's text goes on; a chat's answer is a text of its own.
        context = [] if submit.prompt is None else sequence.token_ids[-CONTEXT_TOKENS:]
        detokenizer = IncrementalDetokenizer(self._reader.tokenizer.decode, context)
        splitter = self._reader.splitter(submit, sequence.token_ids)
        stop = StopMatcher(self._reader.stops(submit))
        self._answers[submit.request_id] = _Answer(sequence, detokenizer, stop, splitter)
        self._publish_positions(self._queue_reason)

    def bring_to_front(self, owner: str) -> None:
        """Requests of this owner go before those of all others."""
        self._scheduler.front_owner = owner

    def pin_prefix(self, owner: str, is_pinned: bool) -> None:
        """Keep, or no longer keep, what is cached of the owner's newest ended request."""
        newest = self._newest.get(owner)
        if not is_pinned:
            self._cache.prefix_cache.unpin(owner)
        elif newest is not None:
            self._cache.pin(owner, newest)
        self._publish_pin(owner)

    def cancel(self, request_id: str) -> None:
        """End a request now; its blocks are free when this returns. Unknown and ended ids are ignored."""
        answer = self._answers.get(request_id)
        if answer is not None:
            # A character that was cut in half is left out: nobody asked for its replacement sign.
            self._send_text(answer, answer.stop.finish(), is_last=True)
            self._finish(answer, SequenceState.CANCELLED, "cancelled")

    def live_request_ids(self) -> list[str]:
        return list(self._answers)

    def fail_all(self, code: str, message: str) -> None:
        """End every live request by a failure."""
        for answer in list(self._answers.values()):
            self._fail(answer, code, message)

    def step(self) -> list[Event]:
        """One forward for whoever is due, and all events since the last call."""
        now_s = self._clock()
        self._fail_overdue(now_s)
        schedule = self._scheduler.schedule(now_s)
        self._publish_moves(schedule)
        self._queue_reason = schedule.reason
        self._publish_positions(schedule.reason)
        self._runner.move_blocks(self._cache.drain_moves())
        if schedule.chunks:
            self._settle(schedule.chunks, self._run(schedule.chunks), now_s)
        return self.drain_events()

    def drain_events(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def _run(self, chunks: list[ScheduledChunk]) -> dict[str, SampledToken]:
        """The new tokens by request. If the batch breaks, each sequence is tried alone and only the culprits fail."""
        try:
            return self._runner.run(chunks)
        except (RuntimeError, MemoryError) as error:
            if len(chunks) == 1:
                _log.exception("forward of %s failed", chunks[0].sequence.request_id)
                message = f"The model failed on this request: {error}. Try again, or with a shorter chat"
                self._fail(self._answers[chunks[0].sequence.request_id], ForwardError.code, message)
                return {}
        tokens: dict[str, SampledToken] = {}
        for chunk in chunks:
            tokens |= self._run([chunk])
        return tokens

    def _fail_overdue(self, now_s: float) -> None:
        for answer in list(self._answers.values()):
            deadline_s = answer.sequence.deadline_s
            if deadline_s is not None and now_s >= deadline_s:
                allowed_s = deadline_s - answer.sequence.arrival_s
                self._fail(answer, DeadlineError.code, f"It had not ended after {allowed_s:g} s: allow it more time")

    def _settle(self, chunks: list[ScheduledChunk], tokens: dict[str, SampledToken], start_s: float) -> None:
        now_s = self._clock()
        size = self._cache.block_size
        written: set[int] = set()
        survivors = [chunk for chunk in chunks if chunk.sequence.is_live]
        num_generated = 0
        for chunk in survivors:
            sequence = chunk.sequence
            start, end = sequence.num_computed_tokens, sequence.num_computed_tokens + chunk.num_tokens
            written.update(sequence.block_ids[start // size : (end - 1) // size + 1])
            is_last = chunk.closes_gap
            sequence.num_computed_tokens = end
            self._cache.register(sequence)
            if sequence.state is SequenceState.PREFILL:
                self._on_prefilled(sequence, is_last)
            if is_last:
                num_generated += 1
                self._on_token(self._answers[sequence.request_id], tokens[sequence.request_id], now_s)
        self._written = frozenset(written)
        num_computed = sum(chunk.num_tokens for chunk in survivors)
        self.metrics.on_step(now_s, num_computed, num_generated)
        if num_computed >= _MIN_TIMED_TOKENS:
            # How long computing again would take is known from computing, in batches that resemble it.
            self._scheduler.costs = PreemptionCosts(
                (now_s - start_s) / num_computed, self._scheduler.costs.copy_s_per_block
            )

    def _on_prefilled(self, sequence: Sequence, is_last: bool) -> None:
        num_computed = min(sequence.num_computed_tokens, sequence.num_prompt_tokens)
        # What is computed again after a preemption was told before.
        if num_computed > sequence.num_told_tokens:
            sequence.num_told_tokens = num_computed
            counts = (num_computed, sequence.num_prompt_tokens, sequence.num_cached_tokens)
            self._events.append(PrefillProgress(sequence.request_id, *counts))
        if is_last:
            sequence.move(SequenceState.DECODE)

    def _on_token(self, answer: _Answer, token: SampledToken, now_s: float) -> None:
        sequence, token_id = answer.sequence, token.token_id
        sequence.token_ids.append(token_id)
        sequence.last_token_s = now_s
        if sequence.first_token_s is None:
            sequence.first_token_s = now_s
        answer.unsent_token_ids.append(token_id)
        if token.logprobs is not None:
            answer.unsent_logprobs.append(token.logprobs)
        is_end = token_id in sequence.end_token_ids
        text = "" if is_end else answer.detokenizer.add(token_id)
        if sequence.num_output_tokens >= sequence.params.min_tokens:
            text = answer.stop.add(text)
        is_full = sequence.num_output_tokens >= sequence.max_tokens
        if (is_end or is_full) and not answer.stop.has_matched:
            text += answer.stop.add(answer.detokenizer.finish())
            text += answer.stop.finish()
        self._send_text(answer, text, is_last=is_end or is_full or answer.stop.has_matched)
        if is_end or answer.stop.has_matched:
            self._finish(answer, SequenceState.FINISHED, "stop")
        elif is_full:
            self._finish(answer, SequenceState.FINISHED, "length")

    def _send_text(self, answer: _Answer, text: str, is_last: bool) -> None:
        reasoning = ""
        if answer.splitter is not None:
            reasoning, text = answer.splitter.add(text)
            if is_last:
                last = answer.splitter.finish()
                reasoning, text = reasoning + last.reasoning, text + last.answer
        if text or reasoning or answer.unsent_token_ids:
            token_ids, logprobs = tuple(answer.unsent_token_ids), tuple(answer.unsent_logprobs)
            self._events.append(TextDelta(answer.sequence.request_id, text, token_ids, logprobs, reasoning))
            answer.unsent_token_ids.clear()
            answer.unsent_logprobs.clear()

    def _finish(self, answer: _Answer, state: SequenceState, reason: FinishReason) -> None:
        sequence = answer.sequence
        self._end(sequence, state, reason)
        self.metrics.num_cached_tokens += sequence.num_cached_tokens
        self._events.append(
            RequestFinished(
                sequence.request_id,
                reason,
                sequence.num_prompt_tokens,
                sequence.num_cached_tokens,
                sequence.num_output_tokens,
                sequence.ttft_s(),
                sequence.tokens_per_s(),
            )
        )

    def _fail(self, answer: _Answer, code: str, message: str) -> None:
        self._end(answer.sequence, SequenceState.FAILED, None)
        self._on_failed(answer.sequence.request_id, code, message)

    def _on_failed(self, request_id: str, code: str, message: str, retry_after_s: float | None = None) -> None:
        self.metrics.ends["failed"] += 1
        self._events.append(RequestFailed(request_id, code, message, retry_after_s))

    def _end(self, sequence: Sequence, state: SequenceState, reason: FinishReason | None) -> None:
        # First out of the books: whatever breaks below, nobody ends it a second time.
        del self._answers[sequence.request_id]
        sequence.move(state)
        self._scheduler.remove(sequence)
        self._remember(sequence)
        if reason is not None:
            self.metrics.on_end(reason, self._clock() - sequence.arrival_s)

    def _remember(self, sequence: Sequence) -> None:
        """Keep which tokens an owner's newest request had, so that its blocks can be pinned."""
        self._newest.pop(sequence.owner, None)
        self._newest[sequence.owner] = sequence
        if len(self._newest) > _MAX_REMEMBERED_OWNERS:
            del self._newest[next(iter(self._newest))]

    def _publish_positions(self, reason: QueueReason) -> None:
        for position, sequence in enumerate(self._scheduler.in_order(self._scheduler.waiting, self._clock())):
            told = (position, self._scheduler.queue_reason(sequence, reason))
            if sequence.queue_place != told:
                sequence.queue_place = told
                self._events.append(RequestQueued(sequence.request_id, *told))

    def _publish_moves(self, schedule: Schedule) -> None:
        for preempted in schedule.preempted:
            self.metrics.preemptions[preempted.how] += 1
            size_bytes = preempted.num_blocks * self._block_bytes
            ids = (preempted.sequence.request_id, preempted.winner.request_id)
            self._events.append(RequestPreempted(*ids, preempted.how, preempted.num_blocks, size_bytes))
        for resumed in schedule.resumed:
            size_bytes = resumed.num_blocks * self._block_bytes
            request_id = resumed.sequence.request_id
            self._events.append(RequestResumed(request_id, resumed.how, resumed.num_blocks, size_bytes))
        for owner in schedule.unpinned:
            self._publish_pin(owner)

    def _publish_pin(self, owner: str) -> None:
        num_blocks = len(self._cache.prefix_cache.pins().get(owner, ()))
        self._events.append(PrefixPinned(owner, num_blocks, num_blocks * self._block_bytes))

    def stats(self) -> EngineStats:
        num_cached = self._cache.prefix_cache.num_evictable
        num_free = self._cache.pool.num_free
        return EngineStats(
            num_running=len(self._scheduler.running),
            num_waiting=len(self._scheduler.waiting),
            num_swapped=len(self._scheduler.swapped),
            num_free_blocks=num_free,
            num_cached_blocks=num_cached,
            num_referenced_blocks=self._cache.pool.num_blocks - num_free - num_cached,
            tokens_per_s=self.metrics.tokens_per_s(self._clock()),
        )

    def snapshot(self, model_id: str) -> BlockSnapshot:
        written = self._written if self._answers else frozenset()
        return snapshot_blocks(
            self._cache, self._scheduler.running, written, model_id, self.metrics.num_steps, self._block_bytes
        )

    def check_invariants(self) -> None:
        """Raises AssertionError if blocks and their owners disagree."""
        check_invariants(self._cache, self._scheduler)
