"""What is done to one row of logits before a token is drawn from it, and what is told of it afterwards.

Knows neither temperatures nor random numbers: the draw is the backend's.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from kernels.sampling_tensors import LogitEdits


def finite_logits(logits: Tensor) -> Tensor:
    """float32: infinities become the largest and smallest float32, NaN the smallest, so that every row has a result."""
    smallest, largest = torch.finfo(torch.float32).min, torch.finfo(torch.float32).max
    return logits.float().nan_to_num(nan=smallest, posinf=largest, neginf=smallest)


def edit_logits(logits: Tensor, edits: LogitEdits) -> tuple[Tensor, Tensor | None]:
    """Finite logits [V] to those that may be drawn from: values float32 [N] and their token ids int64 [N], ascending.

    Ids None means all of them. What is masked is not there at all, so no rounding can draw it. N is never 0, see
    `LogitEdits`.
    """
    values = logits.clone()
    if edits.bias_ids is not None and edits.biases is not None:
        values[edits.bias_ids] += edits.biases
    if edits.seen_ids is not None and edits.seen_counts is not None:
        seen, penalty = values[edits.seen_ids], edits.repetition_penalty
        seen = torch.where(seen < 0, seen * penalty, seen / penalty)
        seen -= edits.frequency_penalty * edits.seen_counts + edits.presence_penalty
        values[edits.seen_ids] = seen
    values = finite_logits(values)
    is_possible = _possible(values, edits)
    if is_possible is None:
        return values, None
    token_ids = is_possible.nonzero().flatten()
    if not len(token_ids):
        token_ids = values.argmax().view(1)
    return values[token_ids], token_ids


def _possible(values: Tensor, edits: LogitEdits) -> Tensor | None:
    """bool [V]; None if nothing is masked."""
    if edits.allowed_ids is None and edits.banned_ids is None and edits.end_ids is None:
        return None
    is_possible = torch.full(values.shape, edits.allowed_ids is None, dtype=torch.bool, device=values.device)
    if edits.allowed_ids is not None:
        is_possible[edits.allowed_ids] = True
    if edits.banned_ids is not None:
        is_possible[edits.banned_ids] = False
    if edits.end_ids is not None:
        goes_on = is_possible.clone()
        goes_on[edits.end_ids] = False
        if bool(goes_on.any()):
            return goes_on
    return is_possible


def draw_edited(logits: Tensor, edits: LogitEdits | None, draw: Callable[[Tensor], int]) -> int:
    """The token id that `draw` finds among the logits that the edits leave; it is given values and returns a place."""
    if edits is None:
        return draw(logits)
    values, token_ids = edit_logits(logits, edits)
    place = draw(values)
    return place if token_ids is None else int(token_ids[place])


def row_logprobs(logits: Tensor, token_id: int, num_top: int) -> tuple[float, list[int], list[float]]:
    """Of raw logits [V]: the chosen token's log-probability, and the most probable tokens with theirs, best first.

    Natural logarithms, computed in float64; equal ones by token id. All are finite.
    """
    values = torch.log_softmax(finite_logits(logits).double(), dim=0)
    if not num_top:
        return float(values[token_id]), [], []
    # topk alone would choose among the ties at its end by chance
    threshold = values.topk(min(num_top, len(values))).values[-1]
    candidates = (values >= threshold).nonzero().flatten()
    best, order = values[candidates].sort(descending=True, stable=True)
    return float(values[token_id]), candidates[order][:num_top].tolist(), best[:num_top].tolist()
