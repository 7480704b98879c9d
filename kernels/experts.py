"""A mixture of experts out of a backend's other operations: route, group the rows by expert, multiply, add up.

A row's result never depends on which rows share the call: it is routed by itself, or in tiles of one fixed shape, and
its experts are added in the order of their numbers. Knows nothing of how a backend multiplies.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import Tensor

from kernels import checks
from kernels.ops import Backend, Experts, Norm

TILE_ROWS = 16
"""Rows that are routed at once; torch picks its blocking by shape, so a fixed shape keeps rows independent."""


Multiply = Callable[[Tensor, Tensor], Tensor]
"""x float32 [M, K] by a matrix float32 [N, K], to [M, N]; a row does not depend on which rows share the call."""


def multiply_in_tiles(x: Tensor, matrix: Tensor) -> Tensor:
    padded = F.pad(x, (0, 0, 0, -len(x) % TILE_ROWS))
    return torch.cat([F.linear(tile, matrix) for tile in torch.split(padded, TILE_ROWS)])[: len(x)]


def route(normed: Tensor, experts: Experts, multiply: Multiply = multiply_in_tiles) -> tuple[Tensor, Tensor]:
    """normed float32 [M, K]: the active experts' weights, float32 [M, A], and their numbers, int64 [M, A]."""
    probabilities = torch.softmax(multiply(normed, experts.router), dim=-1)
    if experts.num_groups > 1:
        probabilities = _of_best_groups(probabilities, experts)
    weights, chosen = probabilities.topk(experts.num_active, dim=-1)
    if experts.normalizes_weights:
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights if experts.weight_scale == 1.0 else weights * experts.weight_scale, chosen


def _of_best_groups(probabilities: Tensor, experts: Experts) -> Tensor:
    """Those of the other groups 0 (group-limited routing, DeepSeek-V2): float32 [M, E]."""
    groups = probabilities.view(len(probabilities), experts.num_groups, -1)
    best = groups.amax(dim=-1).topk(experts.num_active_groups, dim=-1).indices
    is_open = torch.zeros(groups.shape[:-1], dtype=torch.bool).scatter_(-1, best, True)
    return groups.where(is_open.unsqueeze(-1), 0.0).flatten(-2)


def norm_experts(
    backend: Backend,
    x: Tensor,
    norm: Norm | None,
    experts: Experts,
    post_norm: Norm | None,
    multiply: Multiply = multiply_in_tiles,
) -> Tensor:
    """The operation of `Backend.norm_experts` on tensors of the CPU; `multiply` is for the router."""
    checks.check_experts(x, norm, experts, post_norm)
    normed = x if norm is None else normalise(x, norm)
    weights, chosen = route(normed, experts, multiply)
    mixed = torch.zeros_like(x)
    for number in sorted(set(chosen.flatten().tolist())):
        rows, places = (chosen == number).nonzero(as_tuple=True)
        y = _feed_forward(backend, normed[rows], experts.gate_up[number], experts.down[number], experts.activation)
        mixed[rows] += y * weights[rows, places].unsqueeze(1)
    if experts.shared_gate_up is not None:
        y = _feed_forward(backend, normed, experts.shared_gate_up, experts.shared_down, experts.activation)
        gate = experts.shared_gate
        mixed += y if gate is None else y * torch.sigmoid((normed * gate).sum(dim=-1, keepdim=True))
    return x + (mixed if post_norm is None else normalise(mixed, post_norm))


def normalise(x: Tensor, norm: Norm) -> Tensor:
    """`Norm` over the last dimension, in float32 (Zhang and Sennrich 2019; with a bias Ba et al. 2016)."""
    x = x.float()
    if norm.bias is not None:
        x = x - x.mean(dim=-1, keepdim=True)
    normed = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + norm.eps) * norm.weight
    return normed if norm.bias is None else normed + norm.bias


def _feed_forward(backend: Backend, x: Tensor, gate_up: object, down: object, activation: str) -> Tensor:
    gated = backend.norm_gate_up(x, None, gate_up, activation)
    return backend.linear_add(gated, down, torch.zeros_like(x))
