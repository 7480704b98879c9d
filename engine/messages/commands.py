"""What clients ask of the engine. Knows nothing of how it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.messages.counting import CountTokens
from engine.messages.hub import InspectRepository, ReadHeader, SearchHub, StopReading
from engine.messages.library import LibraryCommand, Quality
from engine.messages.memory import MemoryCommand

WhenFull = Literal["stop", "drop_oldest"]


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
    or the pool could never hold it (or cut, see `Submit.cuts_answer`), None takes what they leave, up to
    `EngineConfig.default_max_tokens`.

    An answer ends with the model's own end tokens, unless `ignore_eos`, with `stop_token_ids`, and before the strings
    of `stop`. The token that ends it is counted and reported, but its text is not shown. Before `min_tokens` no end
    token is generated, unless it is all that may be, and stop strings are let through.
    `logprobs` asks for `TokenLogprobs` with so many of the most probable tokens; 0 for the generated token's alone.
    `prompt_logprobs` asks for the same of the prompt's tokens, all but the first; what the prefix cache holds of the
    prompt is then computed again. `n` answers are generated from one prompt, whose blocks they share; the answer of
    index i draws as a request of its own with the seed `seed + i` would.
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
    prompt_logprobs: int | None = None
    n: int = 1


@dataclass(frozen=True, slots=True)
class Submit:
    """Ask for one completion: either all `messages` of a chat, or a raw `prompt`, text or token ids, without template.

    `owner` names whose the blocks are in the memory view (a chat's id). Requests of different
    `security_domain`s never share cached blocks. `priority` 0 is the most urgent: the tab in front has 0 (see
    `BringToFront`), tabs behind it 1, other programs 2. After `timeout_s` an unfinished request fails.

    `when_full` is what becomes of a chat that leaves its answer no room in the context: `stop` refuses it;
    `drop_oldest` leaves out its oldest turns, but neither system messages nor the newest turn, and tells so by
    `ContextTrimmed`. An answer that comes to the end of the context finishes with reason `length` either way.
    """

    request_id: str
    params: SamplingParams
    messages: tuple[ChatMessage, ...] = ()
    prompt: str | tuple[int, ...] | None = None
    owner: str = ""
    security_domain: str = "app"
    priority: int = 1
    timeout_s: float | None = None
    use_prefix_cache: bool = True
    use_speculation: bool = True
    """Whether the next tokens may be guessed and verified; the answer is the same, only sooner if guesses are right."""
    when_full: WhenFull = "stop"
    continues_answer: bool = False
    """Whether the last message is an assistant's that is not complete: the answer is what follows its text."""
    cuts_answer: bool = False
    """Whether a `max_tokens` that does not fit is cut to what fits, where it would be refused."""


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
class SavePrefix:
    """Write to `path` what is cached of an owner's newest request. `PrefixSaved` or `PrefixRefused` answers.

    Of a request that still runs, what is computed by now. Whatever is at `path` is replaced, once the new file is
    whole. An engine that is closed meanwhile writes nothing, so wait for the answer first.
    """

    owner: str
    path: str


@dataclass(frozen=True, slots=True)
class RestorePrefix:
    """Put what `SavePrefix` wrote back into the cache, so that a request which begins with it need not compute it.

    `PrefixRestored` or `PrefixRefused` answers. It is then what the owner's newest request was, for `PinPrefix`; unless
    it is pinned, it gives way like all that is cached and not in use. Files of another security domain are refused.
    """

    owner: str
    path: str
    security_domain: str = "app"


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
    """Download a model of the catalogue and convert it. `quality` None keeps the file's own codes as far as can be."""

    catalog_id: str
    quality: Quality | None = None


@dataclass(frozen=True, slots=True)
class ConvertJob:
    """Convert a file into the library. `bits` None chooses per tensor; `group_size` None means 32.

    A `quality` stands for both of them, and for the method.
    """

    source: str
    name: str | None = None
    bits: int | None = None
    group_size: int | None = None
    quality: Quality | None = None


@dataclass(frozen=True, slots=True)
class HubJob:
    """Download files of a repository of the hub and convert them. No `files` takes the usual choice of the repository.

    `revision` is a branch, a tag or a commit, None the main branch. The model's name follows from the file's.
    `endpoint` is the address of a mirror; None is `hub_address`'s.
    """

    repo_id: str
    revision: str | None = None
    files: tuple[str, ...] = ()
    quality: Quality = "balanced"
    name: str | None = None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class MoveJob:
    """Move a model into another folder, on another drive too; from then on models are looked for there as well.

    Across drives it is copied, compared and only then removed here, so cut off at any moment it is whole in one place.
    """

    model_id: str
    folder: str


@dataclass(frozen=True, slots=True)
class VerifyJob:
    """Read every file of a model and compare it with the manifest. It ends with an error that names what differs."""

    model_id: str


Job = FetchJob | ConvertJob | HubJob | MoveJob | VerifyJob


@dataclass(frozen=True, slots=True)
class StartJob:
    """Start a job on its own thread. Starting a job whose work is partly done resumes it."""

    job_id: str
    job: Job


@dataclass(frozen=True, slots=True)
class CancelJob:
    """Stop a job at its next safe point; finished parts stay on disk for a later start."""

    job_id: str


Command = (
    Submit
    | Cancel
    | BringToFront
    | PinPrefix
    | SavePrefix
    | RestorePrefix
    | LoadModel
    | UnloadModel
    | StartJob
    | CancelJob
    | CountTokens
    | SearchHub
    | InspectRepository
    | ReadHeader
    | StopReading
    | LibraryCommand
    | MemoryCommand
)
