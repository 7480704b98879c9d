"""Perplexity of a text under a model, window by window, through the decoder that serves requests."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.models.decoder import Decoder, make_pool
from kernels.logits import log_softmax
from kernels.ops import AttentionBatch, Backend, ForwardInput


@dataclass(frozen=True, slots=True)
class Perplexity:
    """exp of the mean negative log-likelihood (natural log) of `num_scored_tokens`.

    `is_narrow`: the rows took the kernel of decoded tokens, not that of long prompts.
    """

    perplexity: float
    num_scored_tokens: int
    num_windows: int
    window: int
    is_narrow: bool


def score(decoder: Decoder, backend: Backend, token_ids: list[int], window: int, is_narrow: bool = False) -> Perplexity:
    """Cut the text into windows of `window` tokens and score the second half of each, given the first.

    The rows of a window are computed as those of a prompt of its length, or with `is_narrow` as decoded tokens are.
    A last window that is shorter is left out, unless it is the only one. Needs two tokens at least.
    """
    num_tokens = min(window, len(token_ids))
    is_narrow = is_narrow or backend.wide_rows is None or num_tokens < backend.wide_rows
    starts = list(range(0, len(token_ids) - window + 1, window)) or [0]
    total, num_scored = 0.0, 0
    for start in starts:
        losses = _losses(decoder, backend, token_ids[start : start + window], is_narrow)
        total += sum(losses)
        num_scored += len(losses)
    return Perplexity(math.exp(total / num_scored), num_scored, len(starts), window, is_narrow)


def _losses(decoder: Decoder, backend: Backend, token_ids: list[int], is_narrow: bool) -> list[float]:
    """Negative log-likelihood of the tokens from the middle on, n - max(n // 2, 1) of them."""
    num_tokens = len(token_ids)
    # One block holds the whole window: a contiguous cache.
    pool = make_pool(decoder.spec, 1, num_tokens, backend)
    positions = np.arange(num_tokens)
    table = np.ones(1, np.int64)
    forward = ForwardInput(
        token_ids=np.array(token_ids, np.int64),
        positions=positions,
        slots=positions + num_tokens,
        attention=AttentionBatch((0, num_tokens), (num_tokens,), (table,)),
        num_narrow_rows=num_tokens if is_narrow else 0,
    )
    first = max(num_tokens // 2, 1)
    with backend.computing():
        logits = decoder.logits(decoder.hidden(forward, pool)[first - 1 : -1])
    rows = zip(logits, token_ids[first:], strict=True)
    return [-float(log_softmax(row.astype(np.float64))[token_id]) for row, token_id in rows]
