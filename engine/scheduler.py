"""Which sequences compute how many tokens in the next step, and which give their blocks to others.

Decides on numbers alone; knows nothing of tensors and text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.cache.kv_cache import BlockMoves, KVCache
from engine.cache.swap import PreemptionCosts
from engine.draft import MAX_DRAFT_TOKENS, NO_DRAFT, Draft
from engine.errors import QueueFullError
from engine.messages import QueueReason
from engine.sequence import Sequence, SequenceState
from engine.step_times import StepTimes

Preemption = Literal["swap", "recompute"]


@dataclass(frozen=True, slots=True)
class ScheduledChunk:
    """The next `num_tokens` uncomputed tokens of a sequence, and after them those of a draft.

    `forks` begin with the token after the chunk, as the sequence itself does.
    """

    sequence: Sequence
    num_tokens: int
    draft: Draft = NO_DRAFT
    forks: tuple[Sequence, ...] = ()

    @property
    def num_rows(self) -> int:
        return self.num_tokens + len(self.draft.token_ids)

    @property
    def closes_gap(self) -> bool:
        """Whether no token is left uncomputed, so that the next one can be drawn."""
        return self.num_tokens == self.sequence.num_pending_tokens


@dataclass(frozen=True, slots=True)
class PreemptedSequence:
    """`sequence` lost `num_blocks` blocks for the sake of `winner`."""

    sequence: Sequence
    winner: Sequence
    how: Preemption
    num_blocks: int


@dataclass(frozen=True, slots=True)
class ResumedSequence:
    """`sequence` got `num_blocks` of its blocks back."""

    sequence: Sequence
    how: Preemption
    num_blocks: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """One step: at most `max_batched_tokens` tokens in `chunks`, whose blocks are taken."""

    chunks: list[ScheduledChunk] = field(default_factory=list)
    preempted: list[PreemptedSequence] = field(default_factory=list)
    resumed: list[ResumedSequence] = field(default_factory=list)
    unpinned: list[str] = field(default_factory=list)
    """Names of pins that had to give way."""
    reason: QueueReason = "budget"
    """Why whoever still waits does, prefix waits apart."""


@dataclass(frozen=True, slots=True)
class SchedulerLimits:
    """Counts as named; `watermark` is a share of the pool. `preemption` None takes the cheaper way."""

    max_batched_tokens: int
    max_running_sequences: int
    max_waiting_requests: int
    max_prompt_chunk: int
    watermark: float = 0.01
    ageing_s: float = 20.0
    chunk_alignment: int = 1
    """A prompt is cut only at multiples of so many tokens, wherever the budget ends: see batch invariance in ADR 3."""
    preemption: Preemption | None = None
    wide_rows: int | None = None
    max_stretch: float | None = None
    """How many times as long a step may take for the prompts in it while as many answers run; None for any."""
    min_prompt_tokens: int = 4
    """Tokens of prompts in each step, however slow: fewer would not pay the step."""

    def __post_init__(self) -> None:
        # So that each running sequence can decode in each step.
        assert self.max_batched_tokens >= self.max_running_sequences, self
        # So that the first prompt advances beside any number of decodes.
        assert self.max_batched_tokens - self.max_running_sequences >= self.chunk_alignment - 1, self
        assert self.max_prompt_chunk >= self.chunk_alignment, self


class Scheduler:
    """Live sequences: `running` hold blocks, `waiting` hold none, `swapped` have theirs in the host pool.

    All of them stand in one order: the more urgent first, then the older. A sequence is admitted when its tokens and
    a few blocks more fit; if the pool runs out later, the last in that order gives way. The first one never does, and
    the whole pool holds any one sequence, so something always gets done.
    """

    def __init__(self, cache: KVCache, limits: SchedulerLimits, costs: PreemptionCosts) -> None:
        self._cache = cache
        self._limits = limits
        self.costs = costs
        self.step_times = StepTimes()
        self.front_owner: str | None = None
        self.running: list[Sequence] = []
        self.waiting: list[Sequence] = []
        self.swapped: list[Sequence] = []

    def __iter__(self) -> Iterator[Sequence]:
        """All live sequences."""
        yield from self.running
        yield from self.swapped
        yield from self.waiting

    def add(self, sequence: Sequence) -> None:
        """Raises `QueueFullError`."""
        if len(self.waiting) >= self._limits.max_waiting_requests:
            raise QueueFullError(
                f"{len(self.waiting)} requests are waiting already, which is the limit: try again when one has finished"
            )
        self.waiting.append(sequence)

    def remove(self, sequence: Sequence) -> None:
        """Forget a sequence that ended and give its blocks back. Idempotent."""
        for place in (self.running, self.swapped, self.waiting):
            if sequence in place:
                place.remove(sequence)
        self._cache.release(sequence)

    def in_order(self, sequences: list[Sequence], now_s: float) -> list[Sequence]:
        """The most urgent first. Each `ageing_s` of waiting counts as one priority."""

        def rank(sequence: Sequence) -> tuple[int, float]:
            is_front = bool(sequence.owner) and sequence.owner == self.front_owner
            aged = int((now_s - sequence.arrival_s) / self._limits.ageing_s)
            return max(0, (0 if is_front else sequence.priority) - aged), sequence.arrival_s

        return sorted(sequences, key=rank)

    def schedule(self, now_s: float) -> Schedule:
        schedule = Schedule()
        budget = self._schedule_running(schedule, now_s, self._prompt_budget())
        if schedule.preempted:
            # Whoever came in now would take what was just made free.
            return Schedule(schedule.chunks, schedule.preempted, reason="memory")
        reason = self._admit_waiting(schedule, budget, now_s)
        return Schedule(schedule.chunks, resumed=schedule.resumed, unpinned=schedule.unpinned, reason=reason)

    def _prompt_budget(self) -> int:
        """Tokens of prompts in this step: a token of each running answer always fits, and comes soon enough."""
        num_decodes = sum(sequence.state is SequenceState.DECODE for sequence in self.running)
        budget = self._limits.max_batched_tokens - num_decodes
        if not num_decodes or self._limits.max_stretch is None:
            return budget
        # Where more wait for their first token than for their next, the others' patience counts as well.
        num_prompts = len(self.running) - num_decodes + len(self.waiting)
        allowed = self.step_times.max_prompt_tokens(self._limits.max_stretch) * max(1.0, num_prompts / num_decodes)
        return min(budget, max(int(allowed), self._limits.min_prompt_tokens, self._limits.chunk_alignment))

    def _schedule_running(self, schedule: Schedule, now_s: float, prompt_budget: int) -> int:
        """Chunks of those that run, in order; returns what is left of the budget for prompts."""
        order = self.in_order(self.running, now_s)
        while order:
            sequence = order.pop(0)
            is_decode = sequence.state is SequenceState.DECODE
            num_tokens = 1 if is_decode else self._chunk_size(sequence, min(prompt_budget, self._chunk_limit(order)))
            if num_tokens <= 0:
                continue
            end = sequence.num_computed_tokens + num_tokens
            while self._cache.num_blocks_to_extend(sequence, end) > self._cache.num_available:
                victim = order.pop() if order else sequence
                schedule.preempted.append(self._preempt(victim, sequence, now_s))
                if victim is sequence:
                    break
            else:
                self._add_chunk(schedule, sequence, num_tokens)
                prompt_budget -= 0 if is_decode else num_tokens
        return prompt_budget

    def _chunk_size(self, sequence: Sequence, limit: int) -> int:
        """At most `limit` of its pending tokens: all of them, or up to a place where prompts may be cut."""
        if sequence.num_pending_tokens <= limit:
            return sequence.num_pending_tokens
        end = sequence.num_computed_tokens + limit
        return end - end % self._limits.chunk_alignment - sequence.num_computed_tokens

    def _chunk_limit(self, others: list[Sequence]) -> int:
        """Tokens of one prompt in this step: all of the budget, unless another prompt wants some too."""
        is_alone = not self.waiting and all(other.state is SequenceState.DECODE for other in others)
        return self._limits.max_batched_tokens if is_alone else self._limits.max_prompt_chunk

    def _add_chunk(self, schedule: Schedule, sequence: Sequence, num_tokens: int) -> None:
        self._cache.extend(sequence, sequence.num_computed_tokens + num_tokens)
        chunk = ScheduledChunk(sequence, num_tokens)
        if sequence.num_forks and chunk.closes_gap:
            chunk = replace(chunk, forks=tuple(sequence.fork(1 + i) for i in range(sequence.num_forks)))
        schedule.chunks.append(chunk)

    def draft_limits(self, schedule: Schedule) -> list[tuple[Sequence, int]]:
        """The sequences that decode in this step, and how many guessed tokens each may have computed besides.

        Guesses take what budget is left and what blocks are free; nothing is evicted or preempted for them.
        """
        budget = self._limits.max_batched_tokens - sum(chunk.num_rows for chunk in schedule.chunks)
        num_free = 0 if schedule.preempted else self._cache.pool.num_free
        limits: list[tuple[Sequence, int]] = []
        for chunk in schedule.chunks:
            sequence = chunk.sequence
            if sequence.state is not SequenceState.DECODE:
                continue
            end = sequence.num_computed_tokens + chunk.num_tokens
            # The last token of an answer is drawn after its last guess.
            wanted = min(MAX_DRAFT_TOKENS, sequence.max_tokens - sequence.num_output_tokens - 1, budget)
            room = (len(sequence.block_ids) + num_free) * self._cache.block_size - end
            limit = max(0, min(wanted, room)) if sequence.uses_speculation else 0
            budget -= limit
            num_free -= self._cache.blocks_for(end + limit) - len(sequence.block_ids)
            limits.append((sequence, limit))
        return limits

    def with_drafts(self, schedule: Schedule, drafts: Mapping[Sequence, Draft]) -> list[ScheduledChunk]:
        """The step's chunks with the drafts behind them, which keep to `draft_limits`, and room for both."""
        chunks: list[ScheduledChunk] = []
        for chunk in schedule.chunks:
            draft = drafts.get(chunk.sequence, NO_DRAFT)
            if draft.token_ids:
                chunk = replace(chunk, draft=draft)
                self._cache.extend(chunk.sequence, chunk.sequence.num_computed_tokens + chunk.num_rows)
            chunks.append(chunk)
        return chunks

    def start_forks(self, chunk: ScheduledChunk) -> None:
        """Let the forks of a computed chunk run on the blocks of its sequence."""
        for fork in chunk.forks:
            fork.num_computed_tokens = chunk.sequence.num_computed_tokens
            fork.num_registered_blocks = chunk.sequence.num_registered_blocks
            self._cache.share(chunk.sequence, fork)
            self.running.append(fork)
            chunk.sequence.num_forks -= 1

    def _preempt(self, sequence: Sequence, winner: Sequence, now_s: float) -> PreemptedSequence:
        self.running.remove(sequence)
        num_blocks = self._cache.num_held_blocks(sequence)
        how = self._limits.preemption
        if how is None:
            is_swap = self.costs.prefers_swap(sequence.num_computed_tokens, num_blocks)
            how = "swap" if is_swap else "recompute"
        if how == "swap" and num_blocks and self._cache.can_swap_out(sequence):
            self._cache.swap_out(sequence)
            sequence.move(SequenceState.SWAPPED, now_s)
            self.swapped.append(sequence)
            return PreemptedSequence(sequence, winner, "swap", num_blocks)
        self._cache.forget(sequence)
        sequence.move(SequenceState.WAITING, now_s)
        self.waiting.append(sequence)
        return PreemptedSequence(sequence, winner, "recompute", num_blocks)

    def restart_moved(self, moves: BlockMoves, now_s: float) -> set[Sequence]:
        """Let those whose blocks could not be moved be computed again, and return them. Nobody else has the blocks."""
        lost = {target for pairs in (moves.swap_in, moves.copies) for _, target in pairs}
        lost_on_host = {target for _, target in moves.swap_out}
        moved = {s for s in self if lost.intersection(s.block_ids) or lost_on_host.intersection(s.host_block_ids)}
        for sequence in moved:
            (self.swapped if sequence.state is SequenceState.SWAPPED else self.running).remove(sequence)
            self._cache.release(sequence)
            self._cache.forget(sequence)
            sequence.move(SequenceState.WAITING, now_s)
            self.waiting.append(sequence)
        return moved

    def _admit_waiting(self, schedule: Schedule, budget: int, now_s: float) -> QueueReason:
        """Let in whoever fits, in order and without passing anybody; returns why the first who does not must wait."""
        for sequence in self.in_order(self.waiting + self.swapped, now_s):
            if budget <= 0:
                return "budget"
            num_running = len(self.running) + sum(other.num_forks for other in self.running)
            if num_running + sequence.num_forks >= self._limits.max_running_sequences:
                return "sequences"
            matched = [] if sequence.state is SequenceState.SWAPPED else self._cache.match(sequence)
            if sequence.state is SequenceState.WAITING and self._is_prefix_coming(sequence, matched):
                # It waits some steps for blocks that it would otherwise compute a second time.
                continue
            if not self._has_room(sequence, matched):
                if self.running or not self._cache.prefix_cache.pins():
                    return "memory"
                # Nothing runs, so nothing but what is kept warm stands in the way.
                schedule.unpinned.append(self._cache.drop_oldest_pin())
                return "memory"
            self._admit(schedule, sequence, matched, now_s)
            others = [other for other in self.running if other is not sequence]
            num_tokens = self._chunk_size(sequence, min(budget, self._chunk_limit(others)))
            if num_tokens > 0:
                self._add_chunk(schedule, sequence, num_tokens)
                budget -= num_tokens
        return "budget"

    def queue_reason(self, sequence: Sequence, reason: QueueReason) -> QueueReason:
        """Why a sequence waits, if all before it wait because of `reason`."""
        # Asked of all that wait in every step, and a long cached beginning takes long to match.
        if not self._cache.shares_next_block(sequence, self.running):
            return reason
        return "prefix" if self._is_prefix_coming(sequence, self._cache.match(sequence)) else reason

    def _is_prefix_coming(self, sequence: Sequence, matched: list[int]) -> bool:
        return self._cache.is_being_computed(sequence, len(matched), self.running)

    def _has_room(self, sequence: Sequence, matched: list[int]) -> bool:
        """Whether all its tokens fit, with a watermark besides if it is not the only one."""
        max_chunk = self._limits.max_batched_tokens
        needed = self._cache.num_blocks_to_finish(sequence, max_chunk, matched)
        available = self._cache.num_available - self._cache.num_evictable_in(matched)
        # What running prompts have still to take is theirs; each fork copies the block that it shares in part.
        promised = sum(self._cache.num_blocks_to_finish(s, max_chunk) + s.num_forks for s in self.running)
        spare = 0
        if self.running:
            spare = sequence.num_forks + max(1, int(self._limits.watermark * self._cache.pool.num_blocks))
        return needed + promised + spare <= available

    def _admit(self, schedule: Schedule, sequence: Sequence, matched: list[int], now_s: float) -> None:
        if sequence.state is SequenceState.SWAPPED:
            self.swapped.remove(sequence)
            self._cache.swap_in(sequence)
            schedule.resumed.append(ResumedSequence(sequence, "swap", self._cache.num_held_blocks(sequence)))
        else:
            self.waiting.remove(sequence)
            self._cache.reuse(sequence, matched)
            wide_rows = self._limits.wide_rows
            sequence.has_wide_prefill = wide_rows is not None and sequence.num_pending_tokens >= wide_rows
            if sequence.num_preemptions:
                schedule.resumed.append(ResumedSequence(sequence, "recompute", self._cache.num_held_blocks(sequence)))
        sequence.queue_place = None
        is_decode = sequence.num_output_tokens > 0 and sequence.num_pending_tokens == 1
        was_decoding = sequence.state is SequenceState.SWAPPED and is_decode
        sequence.move(SequenceState.DECODE if was_decoding else SequenceState.PREFILL, now_s)
        self.running.append(sequence)
