"""The engine's step: schedule, run, settle. Turns requests into events.

No threads in it, and no tensors: the runner it is given does the arithmetic.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from collections.abc import Sequence as Chunks
from typing import Protocol

from engine.answer import Answer
from engine.cache.invariants import check_invariants
from engine.cache.kv_cache import BlockMoves, KVCache
from engine.cache.swap import PreemptionCosts
from engine.chunk_result import ChunkResult, SampledToken
from engine.errors import DeadlineError, EngineError, ForwardError, QueueFullError, TextError
from engine.live_request import LiveRequest
from engine.memory_view import MemoryView
from engine.messages import (
    AnswerFinished,
    BlockSnapshot,
    EngineStats,
    Event,
    PromptLogprobs,
    QueueReason,
    RequestFailed,
    Submit,
    TextDelta,
)
from engine.metrics import Metrics
from engine.prefixes import BlockCopier, OwnedPrefixes
from engine.records import RequestRecord
from engine.reports import Reports
from engine.requests import RequestReader
from engine.scheduler import Schedule, ScheduledChunk, Scheduler
from engine.sequence import Sequence, SequenceState
from engine.speculation.speculator import Speculator

_log = logging.getLogger(__name__)

_FORWARD_ERRORS = (RuntimeError, MemoryError, ValueError, IndexError)
"""What arithmetic raises: no memory, and what numpy, torch and the kernels say of shapes and indexes."""
_MIN_TIMED_TOKENS = 16


class BatchRunner(BlockCopier, Protocol):
    """What the core needs of a runner; see `engine.forward.runner.Runner`."""

    def move_blocks(self, moves: BlockMoves) -> None: ...

    def run(self, chunks: Chunks[ScheduledChunk]) -> dict[Sequence, ChunkResult]: ...


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
        speculator: Speculator | None = None,
    ) -> None:
        self._reader = reader
        self._runner = runner
        self._cache = cache
        self._scheduler = scheduler
        self._clock = clock
        self._speculator = speculator
        self._requests: dict[str, LiveRequest] = {}
        self._queue_reason: QueueReason = "budget"
        self._reports = Reports(scheduler, cache, block_bytes)
        self.prefixes = OwnedPrefixes(reader.cache_identity, cache, scheduler, runner)
        self.view = MemoryView(cache, scheduler, self.prefixes, reader.tokenizer.decode, block_bytes)
        self.metrics = Metrics()

    def count_text(self, text: str) -> int:
        """How many tokens a text has by itself; may be called on any thread. Raises `TextError`."""
        return len(self._reader.tokenizer.encode(text))

    @property
    def num_live(self) -> int:
        return len(self._requests)

    def submit(self, submit: Submit) -> None:
        """Queue a request, or refuse it by a `RequestFailed`."""
        if submit.request_id in self._requests:
            _log.error("request id %s is live already; the second request is dropped", submit.request_id)
            return
        now_s = self._clock()
        try:
            sequence = self._reader.read(submit, now_s)
            answer = self._reader.answer(submit, sequence)
            self._scheduler.add(sequence)
        except EngineError as error:
            self._refuse(submit.request_id, error, now_s)
            return
        self._requests[submit.request_id] = LiveRequest(submit, [answer])
        self._reports.accepted(sequence)
        self._reports.positions(self._queue_reason, self._clock())

    def bring_to_front(self, owner: str) -> None:
        """Requests of this owner go before those of all others."""
        self._scheduler.front_owner = owner

    def pin_prefix(self, owner: str, is_pinned: bool) -> None:
        """Keep, or no longer keep, what is cached of the owner's newest ended request."""
        self.prefixes.pin(owner, is_pinned)
        self._reports.pin(owner, is_pinned)

    def pin_node(self, digest: bytes, is_pinned: bool, first_digest: bytes | None = None) -> None:
        """Keep, or no longer keep, the cached text that leads to a place of the prefix tree; see `PinNode`."""
        for name in self.view.pin(digest) if is_pinned else self.view.unpin(first_digest or digest, digest):
            self._reports.pin(name, is_pinned)

    def drop_node(self, digest: bytes) -> None:
        """Forget the cached block at a place of the prefix tree and all that follow it."""
        self._reports.add(self.view.drop(digest))

    def tell_block(self, block: int) -> None:
        """Report what is in a block."""
        self._reports.add(self.view.facts(block, self._clock()))

    def tell_steps(self) -> None:
        """Report the steps since this was called last, while the view is watched."""
        self._reports.add(self.view.take_steps(self._clock()))

    def cancel(self, request_id: str) -> None:
        """End a request now; its blocks are free when this returns. Unknown and ended ids are ignored."""
        request = self._requests.get(request_id)
        if request is None:
            return
        for answer in request.answers:
            if answer.sequence.is_live:
                self._report_text(answer.cut())
                request.reasons[answer.sequence.index] = "cancelled"
        self._finish(request, self._clock())

    def live_request_ids(self) -> list[str]:
        return list(self._requests)

    def fail_all(self, code: str, message: str) -> None:
        """End every live request by a failure."""
        for request_id in list(self._requests):
            self._fail(request_id, code, message)

    def step(self) -> list[Event]:
        """One forward for whoever is due, and all events since the last call."""
        now_s = self._clock()
        self._fail_overdue(now_s)
        schedule = self._scheduler.schedule(now_s)
        for preempted in schedule.preempted:
            self.metrics.preemptions[preempted.how] += 1
        self._queue_reason = schedule.reason
        self.view.on_schedule(schedule)
        self._reports.moves(schedule)
        self._reports.positions(schedule.reason, now_s)
        chunks = self._move_blocks(self._with_drafts(schedule))
        if chunks:
            self._settle(chunks, self._run(chunks), now_s)
        return self.drain_events()

    def drain_events(self) -> list[Event]:
        return self._reports.drain()

    def _with_drafts(self, schedule: Schedule) -> list[ScheduledChunk]:
        if self._speculator is None:
            return schedule.chunks
        limits = self._scheduler.draft_limits(schedule)
        drafts = self._speculator.propose(limits)
        return self._scheduler.with_drafts(
            schedule, {sequence: draft for (sequence, _), draft in zip(limits, drafts, strict=True)}
        )

    def _move_blocks(self, chunks: list[ScheduledChunk]) -> list[ScheduledChunk]:
        """Copy what the schedule decided; returns the chunks that can be computed after it."""
        moves = self._cache.drain_moves()
        try:
            self._runner.move_blocks(moves)
        except _FORWARD_ERRORS:
            _log.exception("blocks could not be moved; the answers they belong to are computed again")
            lost = self._scheduler.restart_moved(moves, self._clock())
            self.metrics.preemptions["recompute"] += len(lost)
            return [chunk for chunk in chunks if chunk.sequence not in lost]
        return chunks

    def _run(self, chunks: list[ScheduledChunk]) -> dict[Sequence, ChunkResult]:
        """What came of each chunk. If the batch breaks, each is tried alone and only the culprits fail."""
        try:
            return self._runner.run(chunks)
        except _FORWARD_ERRORS as error:
            if len(chunks) == 1:
                _log.exception("forward of %s failed", chunks[0].sequence.request_id)
                message = f"The model failed on this request: {error}. Try again, or with a shorter chat"
                self._fail(chunks[0].sequence.request_id, ForwardError.code, message)
                return {}
        results: dict[Sequence, ChunkResult] = {}
        for chunk in chunks:
            # With another answer of its request, it may have ended just now.
            if chunk.sequence.is_live:
                results |= self._run([chunk])
        return results

    def _fail_overdue(self, now_s: float) -> None:
        for request_id, request in list(self._requests.items()):
            deadline_s = request.first.deadline_s
            if deadline_s is not None and now_s >= deadline_s:
                allowed_s = deadline_s - request.first.arrival_s
                self._fail(
                    request_id, DeadlineError.code, f"It had not ended after {allowed_s:g} s: allow it more time"
                )

    def _settle(self, chunks: list[ScheduledChunk], results: dict[Sequence, ChunkResult], start_s: float) -> None:
        now_s = self._clock()
        written: set[int] = set()
        num_computed = num_generated = num_decodes = num_prompt_tokens = 0
        for chunk in chunks:
            sequence = chunk.sequence
            if not sequence.is_live:
                continue
            written.update(self._blocks_of(chunk))
            num_computed += chunk.num_rows
            if sequence.state is SequenceState.DECODE:
                num_decodes += 1
            else:
                num_prompt_tokens += chunk.num_rows
            num_generated += self._settle_chunk(chunk, results[sequence], now_s)
        num_decode_tokens = num_computed - num_prompt_tokens
        self.view.on_step(written, num_prompt_tokens, num_decode_tokens, len(chunks), (start_s, now_s))
        self.metrics.on_step(now_s, num_computed, num_generated)
        self._scheduler.step_times.on_step(num_decodes, num_prompt_tokens, now_s - start_s)
        if num_computed >= _MIN_TIMED_TOKENS:
            # How long computing again would take is known from computing, in batches that resemble it.
            self._scheduler.costs = PreemptionCosts(
                (now_s - start_s) / num_computed, self._scheduler.costs.copy_s_per_block
            )

    def _blocks_of(self, chunk: ScheduledChunk) -> list[int]:
        """The blocks that a chunk writes."""
        size, start = self._cache.block_size, chunk.sequence.num_computed_tokens
        return chunk.sequence.block_ids[start // size : (start + chunk.num_rows - 1) // size + 1]

    def _settle_chunk(self, chunk: ScheduledChunk, result: ChunkResult, now_s: float) -> int:
        """Book what a forward did for a sequence; returns how many tokens that generated."""
        sequence, request = chunk.sequence, self._requests[chunk.sequence.request_id]
        is_prefilled = sequence.state is SequenceState.PREFILL and chunk.closes_gap
        sequence.num_computed_tokens += chunk.num_tokens
        self._cache.register(sequence)
        self._report_prompt(sequence, result)
        if is_prefilled:
            sequence.move(SequenceState.DECODE, now_s)
        self._start_forks(request, chunk, now_s)
        if chunk.draft.token_ids:
            self._count_draft(sequence, len(chunk.draft.token_ids), len(result.tokens) - 1)
        num_generated = 0
        for token in result.tokens:
            # Each after the first says that the drafted token before it was right, and so are its keys and values.
            sequence.num_computed_tokens += num_generated > 0
            num_generated += 1
            self._on_token(request, request.answers[sequence.index], token, now_s)
            if not sequence.is_live:
                break
        if chunk.draft.token_ids and sequence.is_live:
            self._cache.register(sequence)
            self._cache.truncate(sequence)
        for fork, token in zip(chunk.forks, result.fork_tokens, strict=True):
            if fork.is_live:
                num_generated += 1
                self._on_token(request, request.answers[fork.index], token, now_s)
        return num_generated

    def _count_draft(self, sequence: Sequence, num_drafted: int, num_accepted: int) -> None:
        sequence.num_drafted_tokens += num_drafted
        sequence.num_accepted_tokens += num_accepted
        self.metrics.num_drafted_tokens += num_drafted
        self.metrics.num_accepted_tokens += num_accepted
        assert self._speculator is not None
        self._speculator.on_verified(sequence, num_drafted, num_accepted)

    def _start_forks(self, request: LiveRequest, chunk: ScheduledChunk, now_s: float) -> None:
        self._scheduler.start_forks(chunk)
        for fork in chunk.forks:
            fork.move(SequenceState.DECODE, now_s)
            request.answers.append(self._reader.answer(request.submit, fork))

    def _report_prompt(self, sequence: Sequence, result: ChunkResult) -> None:
        if sequence.state is not SequenceState.PREFILL:
            return
        self._reports.prefill(sequence)
        if result.prompt_logprobs:
            start = sequence.num_told_logprobs + 1
            sequence.num_told_logprobs += len(result.prompt_logprobs)
            token_ids = tuple(sequence.token_ids[start : start + len(result.prompt_logprobs)])
            self._reports.add(PromptLogprobs(sequence.request_id, start, token_ids, result.prompt_logprobs))

    def _on_token(self, request: LiveRequest, answer: Answer, token: SampledToken, now_s: float) -> None:
        sequence = answer.sequence
        sequence.last_token_s = now_s
        if sequence.first_token_s is None:
            sequence.first_token_s = now_s
        try:
            delta, reason = answer.add(token)
        except TextError as error:
            _log.exception("text of %s failed", sequence.request_id)
            self._fail(sequence.request_id, error.code, str(error))
            return
        self._report_text(delta)
        if reason is None:
            return
        request.reasons[sequence.index] = reason
        if request.num_answers > 1:
            counts = (reason, sequence.num_output_tokens)
            self._reports.add(AnswerFinished(sequence.request_id, sequence.index, *counts))
        if len(request.reasons) == request.num_answers:
            self._finish(request, now_s)
        else:
            self._release(sequence, SequenceState.FINISHED, now_s)

    def _report_text(self, delta: TextDelta | None) -> None:
        if delta is not None:
            self._reports.add(delta)

    def _finish(self, request: LiveRequest, now_s: float) -> None:
        reason = request.reason
        is_cancelled = reason == "cancelled"
        self._end(request, SequenceState.CANCELLED if is_cancelled else SequenceState.FINISHED, now_s)
        record = request.record(reason)
        self.metrics.on_end(record)
        self._reports.finished(record, reason)

    def _fail(self, request_id: str, code: str, message: str) -> None:
        request = self._requests[request_id]
        self._end(request, SequenceState.FAILED, self._clock())
        self.metrics.on_end(request.record("failed", code))
        self._reports.add(RequestFailed(request_id, code, message))

    def _refuse(self, request_id: str, error: EngineError, now_s: float) -> None:
        self.metrics.on_end(RequestRecord(request_id, "refused", now_s, now_s, error.code))
        retry_after_s = self.metrics.mean_request_s() if isinstance(error, QueueFullError) else None
        self._reports.add(RequestFailed(request_id, error.code, str(error), retry_after_s))

    def _end(self, request: LiveRequest, state: SequenceState, now_s: float) -> None:
        # First out of the books: whatever breaks below, nobody ends it a second time.
        del self._requests[request.first.request_id]
        for answer in request.answers:
            if answer.sequence.is_live:
                self._release(answer.sequence, state, now_s)
        self.prefixes.remember(request.first)

    def _release(self, sequence: Sequence, state: SequenceState, now_s: float) -> None:
        sequence.move(state, now_s)
        self._scheduler.remove(sequence)
        if self._speculator is not None:
            self._speculator.forget(sequence)

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
        return self.view.snapshot(model_id, self.metrics.num_steps)

    def check_invariants(self) -> None:
        """Raises AssertionError if blocks and their owners disagree."""
        check_invariants(self._cache, self._scheduler)
