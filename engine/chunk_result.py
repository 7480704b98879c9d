"""What the runner found for one chunk. Standard library only; knows nothing of how it was drawn."""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages import TokenLogprobs


@dataclass(frozen=True, slots=True)
class SampledToken:
    """A sequence's next token; `logprobs` None if it did not ask for them."""

    token_id: int
    logprobs: TokenLogprobs | None = None


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """`tokens` follow the sequence's last one: none if the chunk leaves a gap, else the drafted ones that were
    accepted and one more. `fork_tokens` has the first token of each of the chunk's forks.

    `prompt_logprobs`: of the prompt's tokens after each of the chunk's rows, if the request asked for them.
    """

    tokens: tuple[SampledToken, ...] = ()
    fork_tokens: tuple[SampledToken, ...] = ()
    prompt_logprobs: tuple[TokenLogprobs, ...] = ()
