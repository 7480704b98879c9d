"""One request inside the engine: its tokens, its blocks, its state and the table of moves between states.

Knows nothing of tensors, and does not decide when it moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto

from engine.messages import SamplingParams


class SequenceState(Enum):
    WAITING = auto()
    """Holds no blocks: it has just come, or it was preempted and will be computed again."""
    SWAPPED = auto()
    """Preempted; its blocks lie in the host pool."""
    PREFILL = auto()
    DECODE = auto()
    FINISHED = auto()
    CANCELLED = auto()
    FAILED = auto()


_ENDS = frozenset({SequenceState.FINISHED, SequenceState.CANCELLED, SequenceState.FAILED})

_PREEMPTED = frozenset({SequenceState.WAITING, SequenceState.SWAPPED})

MOVES: dict[SequenceState, frozenset[SequenceState]] = {
    SequenceState.WAITING: frozenset({SequenceState.PREFILL, SequenceState.CANCELLED, SequenceState.FAILED}),
    SequenceState.SWAPPED: frozenset(
        {
            SequenceState.WAITING,  # its copy was lost
            SequenceState.PREFILL,
            SequenceState.DECODE,
            SequenceState.CANCELLED,
            SequenceState.FAILED,
        }
    ),
    SequenceState.PREFILL: frozenset({SequenceState.DECODE}) | _PREEMPTED | _ENDS,
    SequenceState.DECODE: _PREEMPTED | _ENDS,
    SequenceState.FINISHED: frozenset(),
    SequenceState.CANCELLED: frozenset(),
    SequenceState.FAILED: frozenset(),
}


@dataclass(slots=True, eq=False, weakref_slot=True)
class Sequence:
    """A prompt and what was generated after it. Times are seconds of one monotonic clock.

    `token_ids[:num_computed_tokens]` have their keys and values in `block_ids`, in order, `block_size` tokens a block.
    """

    request_id: str
    owner: str
    scope: bytes
    """Root of the prefix-cache keys: requests of different scope never share blocks."""
    token_ids: list[int]
    num_prompt_tokens: int
    max_tokens: int
    params: SamplingParams
    seed: int
    arrival_s: float
    rope_offset: int = 0
    """What its positions are moved by in the tables of the rotary embedding (`RopeSpec.offset`)."""
    index: int = 0
    """Which of its request's answers it is."""
    priority: int = 1
    """0 is the most urgent. Ageing lifts it with time, see `Scheduler`."""
    deadline_s: float | None = None
    """When it fails if it has not ended."""
    uses_prefix_cache: bool = True
    uses_speculation: bool = True
    dropped_messages: tuple[int, ...] = ()
    num_dropped_tokens: int = 0
    """What its prompt lacks of the chat, which had outgrown the context: indexes of messages, and their tokens."""
    end_token_ids: frozenset[int] = frozenset()
    """Tokens that end it: the model's, unless it ignores them, and its own stop tokens."""
    state: SequenceState = SequenceState.WAITING
    num_computed_tokens: int = 0
    num_cached_tokens: int = 0
    has_wide_prefill: bool = False
    """The prompt's uncached part is long enough for the backend's kernel for many rows."""
    block_ids: list[int] = field(default_factory=list)
    block_digests: list[bytes] = field(default_factory=list)
    """Prefix-cache keys of the leading full blocks, as far as they were asked for."""
    num_registered_blocks: int = 0
    """Leading blocks that the prefix cache was shown already."""
    host_block_ids: list[int] = field(default_factory=list)
    """Where its blocks lie in the host pool while it is swapped out."""
    num_swaps: int = 0
    num_recomputes: int = 0
    """Preemptions by their kind."""
    num_drafted_tokens: int = 0
    num_accepted_tokens: int = 0
    """Of the drafted tokens, those that were right."""
    queue_place: tuple[int, str] | None = None
    """Position and reason as they were told last."""
    num_told_tokens: int = 0
    """How far its prefill was told to be."""
    num_told_logprobs: int = 0
    """How many of the prompt's tokens have had their log-probabilities told; the first has none."""
    num_forks: int = 0
    """How many more answers begin where its prompt ends."""
    first_scheduled_s: float | None = None
    first_token_s: float | None = None
    last_token_s: float | None = None
    moved_s: float | None = None
    """When it came into its state, if not by its arrival."""
    queue_s: float = 0.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    preempted_s: float = 0.0
    """Time in each phase up to `moved_s`; `RequestRecord` tells which is which."""

    @property
    def is_live(self) -> bool:
        return self.state not in _ENDS

    @property
    def num_output_tokens(self) -> int:
        return len(self.token_ids) - self.num_prompt_tokens

    @property
    def num_pending_tokens(self) -> int:
        """Tokens whose keys and values are still to be computed."""
        return len(self.token_ids) - self.num_computed_tokens

    @property
    def num_preemptions(self) -> int:
        return self.num_swaps + self.num_recomputes

    @property
    def max_length(self) -> int:
        """The most tokens it may ever hold, prompt included."""
        return self.num_prompt_tokens + self.max_tokens

    @property
    def needs_prompt_logprobs(self) -> bool:
        is_asked = self.params.prompt_logprobs is not None and self.index == 0
        return is_asked and self.num_told_logprobs < self.num_prompt_tokens - 1

    def fork(self, index: int) -> Sequence:
        """A further answer to the same prompt, with the same tokens and no blocks yet."""
        return replace(
            self,
            index=index,
            seed=self.seed + index,
            token_ids=list(self.token_ids),
            block_ids=[],
            block_digests=list(self.block_digests),
            host_block_ids=[],
            num_forks=0,
            num_swaps=0,
            num_recomputes=0,
            num_told_tokens=self.num_prompt_tokens,
        )

    def move(self, state: SequenceState, now_s: float) -> None:
        """The one writer of its state, and of what follows from a move: the times of phases, counts of preemptions."""
        assert state in MOVES[self.state], f"{self.request_id}: no move from {self.state.name} to {state.name}"
        since_s = self.arrival_s if self.moved_s is None else self.moved_s
        assert now_s >= since_s, f"{self.request_id}: {now_s} s is before its last move at {since_s} s"
        self._close_phase(now_s - since_s)
        if self.first_scheduled_s is None and state is SequenceState.PREFILL:
            self.first_scheduled_s = now_s
        self.num_swaps += state is SequenceState.SWAPPED
        self.num_recomputes += state is SequenceState.WAITING
        self.state, self.moved_s = state, now_s

    def _close_phase(self, duration_s: float) -> None:
        match self.state:
            case SequenceState.PREFILL:
                self.prefill_s += duration_s
            case SequenceState.DECODE:
                self.decode_s += duration_s
            case _ if self.first_scheduled_s is None:
                self.queue_s += duration_s
            case _:
                self.preempted_s += duration_s

    def ttft_s(self) -> float | None:
        """Seconds from arrival to the first token."""
        return None if self.first_token_s is None else self.first_token_s - self.arrival_s

    @property
    def end_s(self) -> float:
        """When it ended. Asked of a live one it is the caller's mistake."""
        assert not self.is_live, f"{self.request_id} is {self.state.name}"
        assert self.moved_s is not None, f"{self.request_id} ended without a move"
        return self.moved_s
