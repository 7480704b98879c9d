"""What the runner found for one sequence in one step. Standard library only; knows nothing of how it was drawn."""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages import TokenLogprobs


@dataclass(frozen=True, slots=True)
class SampledToken:
    """A sequence's next token; `logprobs` None if it did not ask for them."""

    token_id: int
    logprobs: TokenLogprobs | None = None
