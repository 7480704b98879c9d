"""The distribution that a token is drawn from, and the draw: the specification of sampling, row by row.

In float64 on numpy's arrays, for all backends. Verifying a guess needs the distribution written out over the
vocabulary: the probability of a given token, not just a token. Knows nothing of guesses.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import checks, short_lists
from kernels.arrays import Array, host
from kernels.logits import (
    Floats,
    Ids,
    best_first,
    draw_edited,
    edit_logits,
    finite_logits,
    log_softmax,
    softmax,
)
from kernels.sampling_tensors import SamplingTensors

Row = tuple[float, int, float, float, float, float]
"""temperature, top_k, top_p, min_p, uniform, typical_p"""


def kept_tokens(
    logits: Array, temperature: float, top_k: int, top_p: float, min_p: float, typical_p: float = 1.0
) -> tuple[Floats, Ids]:
    """What the filters leave of finite logits [V]: probabilities (float64, not renormalised) and ids, best first.

    The temperature is above 0. At least one token is always kept.
    """
    values = host(logits).astype(np.float64)
    token_ids = best_first(values)[: top_k or None]
    values = values[token_ids]
    probabilities = softmax((values - values[0]) / temperature)
    is_kept = np.ones(len(probabilities), bool)
    if top_p < 1:
        # a token stays while the more probable ones do not yet reach top_p
        is_kept[1:] &= probabilities.cumsum()[:-1] < top_p
    is_kept[1:] &= probabilities[1:] >= min_p * probabilities[0]
    if typical_p < 1:
        values, probabilities, token_ids = values[is_kept], probabilities[is_kept], token_ids[is_kept]
        is_kept = typical_tokens((values - values[0]) / temperature, typical_p)
    return probabilities[is_kept], token_ids[is_kept]


def typical_tokens(logits: Floats, typical_p: float) -> NDArray[np.bool_]:
    """Which of these logits (float64 [N]) typical-p keeps: bool [N]."""
    surprise = -log_softmax(logits)
    probabilities = np.exp(-surprise)
    distance = np.abs(surprise - (surprise * probabilities).sum())
    order = np.argsort(distance, kind="stable")
    num_needed = int((probabilities[order].cumsum() < typical_p).sum())
    is_kept: NDArray[np.bool_] = distance <= distance[order[min(num_needed, len(order) - 1)]]
    return is_kept


def sample_row(
    logits: Array,
    temperature: float,
    top_k: int,
    top_p: float,
    min_p: float,
    uniform: float,
    typical_p: float = 1.0,
) -> int:
    """One token of finite logits [V], as `SamplingTensors` says."""
    if temperature == 0:
        return int(host(logits).argmax())
    probabilities, token_ids = kept_tokens(logits, temperature, top_k, top_p, min_p, typical_p)
    cumulative = probabilities.cumsum()
    index = int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
    return int(token_ids[min(index, len(cumulative) - 1)])


def rows_of(params: SamplingTensors) -> list[Row]:
    """The parameters row by row."""
    columns = [params.temperature, params.top_k, params.top_p, params.min_p, params.uniform]
    typical_ps = [1.0] * len(params.top_p) if params.typical_p is None else params.typical_p.tolist()
    return list(zip(*(column.tolist() for column in columns), typical_ps, strict=True))


def sample(logits: Array, params: SamplingTensors, is_quick: bool = True) -> Ids:
    """Token ids int64 [B]; `is_quick`: the same tokens, mostly without sorting the vocabulary."""
    values, rows = finite_logits(logits), rows_of(params)
    if params.edits is None and not any(row[0] for row in rows):
        return values.argmax(axis=1)
    edits = params.edits or (None,) * len(rows)
    draw = _draw_quickly if is_quick else _draw
    tokens = [
        draw_edited(row_logits, row_edits, partial(draw, row))
        for row_logits, row_edits, row in zip(values, edits, rows, strict=True)
    ]
    return np.array(tokens, np.int64)


def _draw(row: Row, logits: Floats) -> int:
    return sample_row(logits, *row)


def _draw_quickly(row: Row, logits: Floats) -> int:
    # No short list can tell which tokens are typical.
    return short_lists.sample_row(logits, *row[:5]) if row[5] >= 1 else sample_row(logits, *row)


def distributions(logits: Array, params: SamplingTensors) -> Floats:
    """After all edits and filters: logits [B, V] to float64 [B, V], each row summing to 1; a greedy row has one 1.

    `params.uniform` plays no part. Raises `KernelShapeError`.
    """
    checks.check_sampling(logits, params)
    edits = params.edits or (None,) * len(logits)
    result = np.zeros(tuple(logits.shape))
    rows = zip(finite_logits(logits), edits, rows_of(params), strict=True)
    for index, (values, row_edits, (temperature, top_k, top_p, min_p, _, typical_p)) in enumerate(rows):
        token_ids: Any = None
        if row_edits is not None:
            values, token_ids = edit_logits(values, row_edits)
        probabilities, places = _kept(values, temperature, top_k, top_p, min_p, typical_p)
        result[index, places if token_ids is None else token_ids[places]] = probabilities / probabilities.sum()
    return result


def _kept(
    logits: Floats, temperature: float, top_k: int, top_p: float, min_p: float, typical_p: float
) -> tuple[Floats, Ids]:
    """As `kept_tokens`, for any temperature, and without sorting a vocabulary where a part of it tells."""
    if temperature == 0:
        return np.ones(1), logits.argmax().reshape(1)
    if typical_p >= 1 and not top_k and (top_p < 1 or min_p > 0):
        kept = short_lists.kept(logits, temperature, top_p, min_p)
        if kept is not None:
            return kept
    if typical_p >= 1 and not top_k and top_p >= 1 and min_p <= 0:
        return softmax(logits.astype(np.float64) / temperature), np.arange(len(logits))
    if 0 < top_k < len(logits):
        values, token_ids = short_lists.most_probable(logits, top_k)
        probabilities, places = kept_tokens(values, temperature, top_k, top_p, min_p, typical_p)
        return probabilities, token_ids[places]
    return kept_tokens(logits, temperature, top_k, top_p, min_p, typical_p)


def draw_token(probabilities: Floats, uniform: float) -> int:
    """The token id at which the cumulative mass, by id, passes `uniform` of the whole: float64 [V], not all 0."""
    cumulative = probabilities.cumsum()
    place = int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
    # Rounding may put the product on the whole itself.
    return place if place < len(probabilities) else int(np.flatnonzero(probabilities)[-1])
