"""What the engine tells its clients. Knows nothing of who reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.messages.counting import TokensCounted
from engine.messages.hub import HubFailed, HubResults, RepositoryFacts
from engine.messages.library import LibraryEvent
from engine.messages.memory import MemoryEvent

FinishReason = Literal["stop", "length", "cancelled"]
QueueReason = Literal["sequences", "memory", "budget", "prefix"]
JobStage = Literal["download", "convert", "measure", "verify", "move"]


@dataclass(frozen=True, slots=True)
class EngineStarted:
    """The engine thread is ready for commands. `backend` is the one that really runs.

    `handicap`: why it is slower than it could be, empty if it is not.
    """

    backend: str
    num_threads: int
    handicap: str = ""


@dataclass(frozen=True, slots=True)
class ContextTrimmed:
    """A chat had outgrown the context: the model does not read the messages at the indexes `dropped` of its `Submit`.

    Sent before the request is queued. `num_kept_tokens` is the prompt that is left.
    """

    request_id: str
    dropped: tuple[int, ...]
    num_dropped_tokens: int
    num_kept_tokens: int


@dataclass(frozen=True, slots=True)
class RequestQueued:
    """A request waits, because of `reason`. `position` 0 is the next to be admitted. Sent again whenever one changes.

    `prefix`: another request is computing blocks that this one begins with.
    """

    request_id: str
    position: int
    reason: QueueReason


@dataclass(frozen=True, slots=True)
class RequestPreempted:
    """A running request gave its blocks to another. `swap` keeps them in host memory, `recompute` drops them."""

    request_id: str
    for_request_id: str
    how: Literal["swap", "recompute"]
    num_blocks: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class RequestResumed:
    """A preempted request runs again; `num_blocks` came back from host memory or from the prefix cache."""

    request_id: str
    how: Literal["swap", "recompute"]
    num_blocks: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class PrefillProgress:
    """After each prefill chunk: how many of the prompt's tokens are computed, cached ones included."""

    request_id: str
    num_computed_tokens: int
    num_prompt_tokens: int
    num_cached_tokens: int


@dataclass(frozen=True, slots=True)
class TokenLogprobs:
    """Natural log-probability of a generated token, and the most probable tokens of its place, best first.

    Of the model's own distribution: before biases, penalties, masks, temperature and filters.
    """

    logprob: float
    top: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """New text of an answer; concatenated, the deltas are the answer. `text` may be empty while held back.

    `logprobs` has one entry per token id if the request asked for them, else none. `index` tells a request's answers
    apart.
    `reasoning` is new text of the thinking part, which stands before the answer and is none of it.
    """

    request_id: str
    text: str
    token_ids: tuple[int, ...]
    logprobs: tuple[TokenLogprobs, ...] = ()
    reasoning: str = ""
    index: int = 0


@dataclass(frozen=True, slots=True)
class PromptLogprobs:
    """Log-probabilities of the prompt's tokens from `start` on; sent chunk by chunk, each token's once."""

    request_id: str
    start: int
    token_ids: tuple[int, ...]
    logprobs: tuple[TokenLogprobs, ...]


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """One of several answers of a request ended; `RequestFinished` follows when the last one has."""

    request_id: str
    index: int
    reason: FinishReason
    num_completion_tokens: int


@dataclass(frozen=True, slots=True)
class RequestFinished:
    """The one end of a request that was accepted. Its blocks are already released.

    `ttft_s` counts from arrival to the first token, None if there was none; `tokens_per_s` is the rate of
    the tokens after the first, None with fewer than two, and `tpot_s` the mean time of each of those.
    The phases divide the time from arrival to end: `queue_s` until it was first let in, `preempted_s` whenever it had
    to wait again, `prefill_s` while prompt or lost tokens were computed, `decode_s` from there on. All in seconds.

    Of several answers `reason` is the first that holds for any of them of `cancelled`, `length`, `stop`; tokens and
    preemptions are those of all, `tpot_s` is the mean over all, and the phases are of the one that ended last.
    """

    request_id: str
    reason: FinishReason
    num_prompt_tokens: int
    num_cached_tokens: int
    num_completion_tokens: int
    ttft_s: float | None
    tokens_per_s: float | None
    num_drafted_tokens: int = 0
    num_accepted_tokens: int = 0
    """Of the tokens that were guessed, those that were right."""
    tpot_s: float | None = None
    queue_s: float = 0.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    preempted_s: float = 0.0
    num_preemptions: int = 0
    seed: int | None = None
    """From which its random numbers came: asked for again with it, the same prompt gives the same answer."""


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """The one end of a request that was refused or broke. `code` is an `EngineError` code.

    `retry_after_s` is a guess when the queue will have room, for a request that was refused because it is full.
    """

    request_id: str
    code: str
    message: str
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class PrefixPinned:
    """How much is kept for an owner now; nothing after it was let go.

    `is_gone`: it was to be kept, but nothing of it is cached any more.
    """

    owner: str
    num_blocks: int
    size_bytes: int
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class PrefixSaved:
    """The first `num_tokens` tokens of an owner's newest request are in a file of `size_bytes`."""

    owner: str
    path: str
    num_tokens: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class PrefixRestored:
    """The first `num_tokens` of the `num_saved_tokens` tokens in the file are cached now: all, or as many as fit.

    `num_new_blocks` blocks were written for it; the others were cached already.
    """

    owner: str
    path: str
    num_tokens: int
    num_saved_tokens: int
    num_new_blocks: int


@dataclass(frozen=True, slots=True)
class PrefixRefused:
    """A prefix could not be saved, or was not restored; nothing has changed. `code` is an `EngineError` code."""

    owner: str
    path: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job's stage is. `download` and `verify` count bytes, `convert` and `measure` count layers.

    `waits_for` says why the job waits and goes on by itself later: for the network, or for room on a full disk.
    `left_s` is the time that converting and measuring will still take together, an estimate; None where none is made.
    """

    job_id: str
    stage: JobStage
    done: int
    total: int
    waits_for: str | None = None
    left_s: float | None = None


@dataclass(frozen=True, slots=True)
class JobFinished:
    """The one end of a job: `model_id` on success, else the error's `code` (`cancelled` too) and `message`.

    What a conversion has cost in quality is `ModelEntry.fidelity` of the model in `list_models`: perplexities of source
    and model, their divergence, and how often both agree. None if nothing was changed.
    """

    job_id: str
    model_id: str | None
    code: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class ModelLoadProgress:
    model_id: str
    num_layers_loaded: int
    num_layers: int


@dataclass(frozen=True, slots=True)
class ModelLoaded:
    """A model is ready. `weight_bytes` is what the weights take in memory, `max_context` is in tokens.

    `workspace_bytes` is what a step needs besides at most: activations, logits, tables. A token's keys and values take
    `kv_bytes_per_token`, and would take `eight_bit_kv_bytes_per_token` with `kv_dtype` int8. A chat keeps the blocks of
    its newest `cache_window` tokens alone (None: all), and of a prompt as many as a step of `max_chunk` tokens needs.
    A chat without a system prompt gets one of `own_system_tokens` tokens from the model's template, or none if it is 0.
    """

    model_id: str
    name: str
    backend: str
    max_context: int
    weight_bytes: int
    num_blocks: int
    block_size: int
    kv_bytes_per_token: int
    workspace_bytes: int = 0
    eight_bit_kv_bytes_per_token: int = 0
    cache_window: int | None = None
    max_chunk: int = 1
    own_system_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelLoadFailed:
    """A model could not be loaded, or could not be unloaded because requests are live."""

    model_id: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ModelUnloaded:
    model_id: str


@dataclass(frozen=True, slots=True)
class EngineStats:
    """The engine as a whole after a step; the block counts sum to the pool's blocks (the null block apart)."""

    num_running: int
    num_waiting: int
    num_swapped: int
    num_free_blocks: int
    num_cached_blocks: int
    num_referenced_blocks: int
    tokens_per_s: float
    """Generated tokens of all requests together over the last second."""


@dataclass(frozen=True, slots=True)
class EngineDied:
    """The engine thread ended, by a fault of its own or because it could not start; every live request has failed."""

    code: str
    message: str


Event = (
    EngineStarted
    | ContextTrimmed
    | RequestQueued
    | RequestPreempted
    | RequestResumed
    | PrefixPinned
    | PrefixSaved
    | PrefixRestored
    | PrefixRefused
    | PrefillProgress
    | TextDelta
    | PromptLogprobs
    | AnswerFinished
    | RequestFinished
    | RequestFailed
    | JobProgress
    | JobFinished
    | TokensCounted
    | HubResults
    | RepositoryFacts
    | HubFailed
    | LibraryEvent
    | MemoryEvent
    | ModelLoadProgress
    | ModelLoaded
    | ModelLoadFailed
    | ModelUnloaded
    | EngineStats
    | EngineDied
)
