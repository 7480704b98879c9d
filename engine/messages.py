"""What crosses the bridge between the engine thread and its clients: frozen records of plain values.

Commands to the engine stand first, its events after them. Knows neither tensors nor callables nor exceptions; standard
library only, so the window can import it at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FinishReason = Literal["stop", "length", "cancelled"]
QueueReason = Literal["sequences", "memory", "budget", "prefix"]
JobStage = Literal["download", "convert", "verify"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a chat. `role` is `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How to choose tokens and when to stop; `kernels.ops.SamplingTensors` tells the order and the formulas.

    `temperature` 0 is greedy. Off are `top_k` 0, `top_p` 1, `min_p` 0, `typical_p` 1, `repetition_penalty` 1 and the
    other penalties 0. All three count the tokens of prompt and output (OpenAI's servers: of the output alone for
    frequency and presence). `logit_bias` is added to its tokens' logits. `allowed_token_ids` None allows all.
    `seed` None lets the engine draw one. `max_tokens` bounds the generated tokens; a number is refused if the context
    or the pool could never hold it, None takes what they leave, up to `EngineConfig.default_max_tokens`.

    An answer ends with the model's own end tokens, unless `ignore_eos`, with `stop_token_ids`, and before the strings
    of `stop`. The token that ends it is counted and reported, but its text is not shown. Before `min_tokens` no end
    token is generated, unless it is all that may be, and stop strings are let through.
    `logprobs` asks for `TokenLogprobs` with so many of the most probable tokens; 0 for the generated token's alone.
    """

    temperature: float = 0.7
    top_k: int = 0
    top_p: float = 0.95
    min_p: float = 0.0
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    typical_p: float = 1.0
    repetition_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    logit_bias: tuple[tuple[int, float], ...] = ()
    banned_token_ids: tuple[int, ...] = ()
    allowed_token_ids: tuple[int, ...] | None = None
    min_tokens: int = 0
    ignore_eos: bool = False
    stop_token_ids: tuple[int, ...] = ()
    logprobs: int | None = None


@dataclass(frozen=True, slots=True)
class Submit:
    """Ask for one completion: either all `messages` of a chat, or a raw `prompt` without any template.

    `owner` names whose the blocks are in the memory view (a chat's id). Requests of different
    `security_domain`s never share cached blocks. `priority` 0 is the most urgent: the tab in front has 0 (see
    `BringToFront`), tabs behind it 1, other programs 2. After `timeout_s` an unfinished request fails.
    """

    request_id: str
    params: SamplingParams
    messages: tuple[ChatMessage, ...] = ()
    prompt: str | None = None
    owner: str = ""
    security_domain: str = "app"
    priority: int = 1
    timeout_s: float | None = None
    use_prefix_cache: bool = True


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop a request. Unknown or finished ids are ignored."""

    request_id: str


@dataclass(frozen=True, slots=True)
class BringToFront:
    """From now on the requests of this owner have priority 0, and those of the owner before it their own again."""

    owner: str


@dataclass(frozen=True, slots=True)
class PinPrefix:
    """Keep the cached blocks of an owner's newest request, or let them go. `PrefixPinned` answers."""

    owner: str
    is_pinned: bool


@dataclass(frozen=True, slots=True)
class LoadModel:
    """Load a model of the library and drop the one before it; refused while requests are live.

    Loading the one that is loaded only tells its facts again.
    """

    model_id: str


@dataclass(frozen=True, slots=True)
class UnloadModel:
    """Drop the loaded model and its pool; refused while requests are live."""


@dataclass(frozen=True, slots=True)
class FetchJob:
    """Download a model of the catalogue and convert it."""

    catalog_id: str


@dataclass(frozen=True, slots=True)
class ConvertJob:
    """Convert a file into the library. `bits` None chooses per tensor; `group_size` None means 32."""

    source: str
    name: str | None = None
    bits: int | None = None
    group_size: int | None = None


@dataclass(frozen=True, slots=True)
class StartJob:
    """Start a job on its own thread. Starting a job whose work is partly done resumes it."""

    job_id: str
    job: FetchJob | ConvertJob


@dataclass(frozen=True, slots=True)
class CancelJob:
    """Stop a job at its next safe point; finished parts stay on disk for a later start."""

    job_id: str


@dataclass(frozen=True, slots=True)
class WatchBlocks:
    """Turn block snapshots on or off. At most one snapshot is made per step and per `interval_ms`."""

    is_on: bool
    interval_ms: int = 100


Command = Submit | Cancel | BringToFront | PinPrefix | LoadModel | UnloadModel | StartJob | CancelJob | WatchBlocks


@dataclass(frozen=True, slots=True)
class EngineStarted:
    """The engine thread is ready for commands. `backend` is the one that really runs."""

    backend: str
    num_threads: int


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

    `logprobs` has one entry per token id if the request asked for them, else none.
    `reasoning` is new text of the thinking part, which stands before the answer and is none of it.
    """

    request_id: str
    text: str
    token_ids: tuple[int, ...]
    logprobs: tuple[TokenLogprobs, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class RequestFinished:
    """The one end of a request that was accepted. Its blocks are already released.

    `ttft_s` counts from arrival to the first token, None if there was none; `tokens_per_s` is the rate of
    the tokens after the first, None with fewer than two.
    """

    request_id: str
    reason: FinishReason
    num_prompt_tokens: int
    num_cached_tokens: int
    num_completion_tokens: int
    ttft_s: float | None
    tokens_per_s: float | None


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
    """How much is kept for an owner now; nothing after it was let go, or if nothing of it is cached."""

    owner: str
    num_blocks: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job's stage is. `download` and `verify` count bytes, `convert` counts layers."""

    job_id: str
    stage: JobStage
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class JobFinished:
    """The one end of a job: `model_id` on success, else the error's `code` (`cancelled` too) and `message`."""

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
    """A model is ready. `weight_bytes` is what the weights take in memory, `max_context` is in tokens."""

    model_id: str
    name: str
    backend: str
    max_context: int
    weight_bytes: int
    num_blocks: int
    block_size: int
    kv_bytes_per_token: int


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
    | RequestQueued
    | RequestPreempted
    | RequestResumed
    | PrefixPinned
    | PrefillProgress
    | TextDelta
    | RequestFinished
    | RequestFailed
    | JobProgress
    | JobFinished
    | ModelLoadProgress
    | ModelLoaded
    | ModelLoadFailed
    | ModelUnloaded
    | EngineStats
    | EngineDied
)


@dataclass(frozen=True, slots=True)
class BlockSnapshot:
    """The block pool at one step, as bytes in physical order; travels in a latest-wins slot beside the events.

    Per block b: `ref_counts[b]` live sequences hold it (255 means 255 or more); `is_cached[b]` is 1 if the prefix
    cache holds it; `owners[b]` indexes `owner_names` with its last owner, 255 if it has none; `written[b]` is 1 if
    this step wrote it. A block is free if neither referenced nor cached. `shared_owners` lists, for each block held
    by more than one owner, (block, owner indexes). At most 255 owners are named; blocks of further ones
    have the index 255 too.
    """

    model_id: str
    step: int
    block_size: int
    block_bytes: int
    ref_counts: bytes
    is_cached: bytes
    owners: bytes
    written: bytes
    owner_names: tuple[str, ...]
    shared_owners: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def num_blocks(self) -> int:
        return len(self.ref_counts)
