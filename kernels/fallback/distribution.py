"""The distribution that `sample` draws from, written out over the vocabulary, and draws from any such distribution.

What verifying a guess needs: the probability of a given token, not just a token. Knows nothing of guesses.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kernels import checks
from kernels.fallback import sampling
from kernels.logits import edit_logits, finite_logits
from kernels.reference import kept_tokens
from kernels.sampling_tensors import SamplingTensors


def distributions(logits: Tensor, params: SamplingTensors) -> Tensor:
    """After all edits and filters: logits [B, V] to float64 [B, V], each row summing to 1; a greedy row has one 1.

    `params.uniform` plays no part. Raises `KernelShapeError`.
    """
    checks.check_sampling(logits, params)
    typical_p = torch.ones_like(params.top_p) if params.typical_p is None else params.typical_p
    columns = (params.temperature, params.top_k, params.top_p, params.min_p, typical_p)
    edits = params.edits or (None,) * len(logits)
    result = torch.zeros(logits.shape, dtype=torch.float64, device=logits.device)
    rows = zip(finite_logits(logits), edits, *(column.tolist() for column in columns), strict=True)
    for index, (values, row_edits, *numbers) in enumerate(rows):
        token_ids = None
        if row_edits is not None:
            values, token_ids = edit_logits(values, row_edits)
        probabilities, places = _kept(values, *numbers)
        result[index, places if token_ids is None else token_ids[places]] = probabilities / probabilities.sum()
    return result


def _kept(
    logits: Tensor, temperature: float, top_k: int, top_p: float, min_p: float, typical_p: float
) -> tuple[Tensor, Tensor]:
    """As `kept_tokens`, for any temperature, and without sorting a vocabulary where a part of it tells."""
    if temperature == 0:
        return torch.ones(1, dtype=torch.float64), logits.argmax().view(1)
    if typical_p >= 1 and not top_k and (top_p < 1 or min_p > 0):
        mass = sampling.softmax_mass(logits, temperature)
        for length in sampling.SHORT_LISTS:
            if length >= len(logits):
                break
            values, token_ids = sampling.most_probable(logits, length)
            probabilities = torch.exp((values - values[0]) / temperature) / mass
            num_kept = sampling.num_kept(probabilities, top_p, min_p)
            if num_kept < len(probabilities):
                return probabilities[:num_kept], token_ids[:num_kept]
    if typical_p >= 1 and not top_k and top_p >= 1 and min_p <= 0:
        return torch.softmax(logits.double() / temperature, dim=0), torch.arange(len(logits), device=logits.device)
    if 0 < top_k < len(logits):
        values, token_ids = sampling.most_probable(logits, top_k)
        probabilities, places = kept_tokens(values, temperature, top_k, top_p, min_p, typical_p)
        return probabilities, token_ids[places]
    return kept_tokens(logits, temperature, top_k, top_p, min_p, typical_p)


def draw_token(probabilities: Tensor, uniform: float) -> int:
    """The token id at which the cumulative mass, by id, passes `uniform` of the whole: float64 [V], not all 0."""
    cumulative = probabilities.cumsum(0)
    place = int(torch.searchsorted(cumulative, uniform * cumulative[-1], right=True))
    # Rounding may put the product on the whole itself.
    return place if place < len(probabilities) else int(probabilities.nonzero()[-1])
