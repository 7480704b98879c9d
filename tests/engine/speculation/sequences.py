"""Sequences as proposers see them."""

from __future__ import annotations

from engine.messages import SamplingParams
from engine.sequence import Sequence


def make_sequence(token_ids: list[int], request_id: str = "a", seed: int = 0, **params: object) -> Sequence:
    """All of `token_ids` are its prompt."""
    settings = SamplingParams(**params)  # type: ignore[arg-type]
    return Sequence(request_id, "", b"", list(token_ids), len(token_ids), 1000, settings, seed, 0.0)
