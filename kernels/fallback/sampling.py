"""Sampling on the CPU: the tokens of `reference.sample_row`, from a short list of the most probable ones.

Rows with typical-p, which no short list can tell, are left to the reference. Knows nothing of seeds or requests.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from kernels import reference
from kernels.logits import draw_edited, finite_logits
from kernels.sampling_tensors import SamplingTensors

SHORT_LISTS = (512, 8192)
"""How many of the most probable tokens are looked at before the whole vocabulary is sorted."""


def sample_row(logits: Tensor, temperature: float, top_k: int, top_p: float, min_p: float, uniform: float) -> int:
    """One token of finite logits [V], float32."""
    if temperature == 0:
        return int(logits.argmax())
    vocabulary = logits.shape[0]
    mass = None if 0 < top_k < vocabulary else softmax_mass(logits, temperature)
    for length in (*SHORT_LISTS, vocabulary) if mass is not None else (top_k,):
        values, token_ids = most_probable(logits, min(length, vocabulary))
        if mass is None:
            values, token_ids = values[:top_k], token_ids[:top_k]
        weights = torch.exp((values - values[0]) / temperature)
        probabilities = weights / (weights.sum() if mass is None else mass)
        is_whole = mass is None or len(values) == vocabulary
        index = draw(probabilities, top_p, min_p, uniform, is_whole)
        if index is not None:
            return int(token_ids[index])
    raise AssertionError(f"no token drawn of {vocabulary} at {uniform}")


def softmax_mass(logits: Tensor, temperature: float) -> Tensor:
    """The softmax's denominator over the whole vocabulary, float64."""
    values = logits.double()
    return values.sub_(values.max()).div_(temperature).exp_().sum()


def most_probable(logits: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """The `length` largest logits (float64) and their ids, with all ties of the last; equal ones by id."""
    if length == logits.shape[0]:
        return logits.double().sort(descending=True, stable=True)
    threshold = logits.topk(length).values[-1]
    token_ids = (logits >= threshold).nonzero().flatten()
    values, order = logits[token_ids].double().sort(descending=True, stable=True)
    return values, token_ids[order]


def draw(probabilities: Tensor, top_p: float, min_p: float, uniform: float, is_whole: bool) -> int | None:
    """The place drawn among descending probabilities; None if the list is too short to tell (`is_whole` is false)."""
    cumulative = probabilities.cumsum(0)
    num = num_kept(probabilities, top_p, min_p, cumulative)
    if not is_whole and num == len(probabilities):
        # no filter ends inside the list: only without filters is the kept mass known, it is 1
        index = int(torch.searchsorted(cumulative, uniform, right=True))
        return index if top_p >= 1 and min_p <= 0 and index < num else None
    total = cumulative[num - 1]
    return min(int(torch.searchsorted(cumulative[:num], uniform * total, right=True)), num - 1)


def num_kept(probabilities: Tensor, top_p: float, min_p: float, cumulative: Tensor | None = None) -> int:
    """How many of the descending probabilities top-p and min-p keep; `cumulative` if the caller has it already."""
    num = len(probabilities)
    if top_p < 1:
        cumulative = probabilities.cumsum(0) if cumulative is None else cumulative
        num = 1 + int(torch.searchsorted(cumulative[:-1], top_p))
    if min_p > 0:
        num = min(num, max(1, int((probabilities >= min_p * probabilities[0]).sum())))
    return num


def sample(logits: Tensor, params: SamplingTensors) -> Tensor:
    """Token ids int64 [B].

    A batch of greedy rows alone takes one argmax; a NaN, which argmax would return, sends it through the rows.
    """
    temperatures, top_ks, top_ps, min_ps, uniforms = (
        column.tolist() for column in (params.temperature, params.top_k, params.top_p, params.min_p, params.uniform)
    )
    if params.edits is None and not any(temperatures):
        largest, token_ids = logits.max(dim=1)
        if not bool(largest.isnan().any()):
            return token_ids
    rows = zip(finite_logits(logits), temperatures, top_ks, top_ps, min_ps, uniforms, strict=True)
    if params.edits is None and params.typical_p is None:
        return torch.tensor([sample_row(*row) for row in rows], dtype=torch.int64)
    typical_ps = [1.0] * len(logits) if params.typical_p is None else params.typical_p.tolist()
    edits = params.edits or (None,) * len(logits)
    tokens = [
        draw_edited(row[0], row_edits, partial(_draw, typical_p, *row[1:]))
        for row, typical_p, row_edits in zip(rows, typical_ps, edits, strict=True)
    ]
    return torch.tensor(tokens, dtype=torch.int64)


def _draw(
    typical_p: float, temperature: float, top_k: int, top_p: float, min_p: float, uniform: float, logits: Tensor
) -> int:
    if typical_p < 1:
        return reference.sample_row(logits, temperature, top_k, top_p, min_p, uniform, typical_p)
    return sample_row(logits, temperature, top_k, top_p, min_p, uniform)
