"""What is done to one row of logits before a token is drawn from it, and what is told of it afterwards.

On numpy's arrays, for all backends. Knows neither temperatures nor random numbers: see kernels/distribution.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.arrays import Array, host
from kernels.sampling_tensors import LogitEdits

Floats = NDArray[Any]
Ids = NDArray[np.int64]

_SMALLEST, _LARGEST = np.finfo(np.float32).min, np.finfo(np.float32).max


def finite_logits(logits: Array) -> Floats:
    """float32: infinities become the largest and smallest float32, NaN the smallest, so that every row has a result."""
    # Of a NaN and a number these two take the number.
    values = np.fmax(host(logits).astype(np.float32, copy=False), _SMALLEST)
    return np.fmin(values, _LARGEST, out=values)


def edit_logits(logits: Array, edits: LogitEdits) -> tuple[Floats, Ids | None]:
    """Finite logits [V] to those that may be drawn from: values float32 [N] and their token ids int64 [N], ascending.

    Ids None means all of them. What is masked is not there at all, so no rounding can draw it. N is never 0, see
    `LogitEdits`.
    """
    values = host(logits).copy()
    if edits.bias_ids is not None and edits.biases is not None:
        values[host(edits.bias_ids)] += host(edits.biases)
    if edits.seen_ids is not None and edits.seen_counts is not None:
        seen_ids, penalty = host(edits.seen_ids), np.float32(edits.repetition_penalty)
        with np.errstate(all="ignore"):
            seen = np.where(values[seen_ids] < 0, values[seen_ids] * penalty, values[seen_ids] / penalty)
            seen -= np.float32(edits.frequency_penalty) * host(edits.seen_counts) + np.float32(edits.presence_penalty)
        values[seen_ids] = seen
    values = finite_logits(values)
    is_possible = _possible(values, edits)
    if is_possible is None:
        return values, None
    token_ids = np.flatnonzero(is_possible)
    if not len(token_ids):
        token_ids = values.argmax().reshape(1)
    return values[token_ids], token_ids


def _possible(values: Floats, edits: LogitEdits) -> NDArray[np.bool_] | None:
    """bool [V]; None if nothing is masked."""
    if edits.allowed_ids is None and edits.banned_ids is None and edits.end_ids is None:
        return None
    is_possible = np.full(values.shape, edits.allowed_ids is None)
    if edits.allowed_ids is not None:
        is_possible[host(edits.allowed_ids)] = True
    if edits.banned_ids is not None:
        is_possible[host(edits.banned_ids)] = False
    if edits.end_ids is not None:
        goes_on = is_possible.copy()
        goes_on[host(edits.end_ids)] = False
        if goes_on.any():
            return goes_on
    return is_possible


def draw_edited(logits: Floats, edits: LogitEdits | None, draw: Callable[[Floats], int]) -> int:
    """The token id that `draw` finds among the logits that the edits leave; it is given values and returns a place."""
    if edits is None:
        return draw(logits)
    values, token_ids = edit_logits(logits, edits)
    place = draw(values)
    return place if token_ids is None else int(token_ids[place])


def row_logprobs(logits: Array, token_id: int, num_top: int) -> tuple[float, list[int], list[float]]:
    """Of raw logits [V]: the chosen token's log-probability, and the most probable tokens with theirs, best first.

    Natural logarithms, computed in float64; equal ones by token id. All are finite.
    """
    values = log_softmax(finite_logits(logits).astype(np.float64))
    if not num_top:
        return float(values[token_id]), [], []
    num_top = min(num_top, len(values))
    candidates = np.flatnonzero(values >= np.partition(values, -num_top)[-num_top])
    order = candidates[best_first(values[candidates])][:num_top]
    return float(values[token_id]), order.tolist(), values[order].tolist()


def best_first(values: Floats) -> Ids:
    """The places of the largest, equal ones by their place."""
    return np.argsort(-values, kind="stable")


def log_softmax(values: Floats) -> Floats:
    shifted = values - values.max()
    logarithms: Floats = shifted - np.log(np.exp(shifted).sum())
    return logarithms


def softmax(values: Floats) -> Floats:
    weights = np.exp(values - values.max())
    probabilities: Floats = weights / weights.sum()
    return probabilities
