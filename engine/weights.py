"""A decoder's weights, layer by layer, generic in how a matrix is held: plain, or as a backend prepared it.

Knows nothing of files and of the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from torch import Tensor

Matrix = TypeVar("Matrix")


@dataclass(frozen=True, slots=True)
class LayerWeights(Generic[Matrix]):
    """One decoder layer. Matrices are [out, in]; q, k, v and gate, up are stacked by rows in that order.

    Norms float32 [hidden]; `qkv_bias` float32 [qkv_size] or None. q and k rows are in the half-rotating RoPE layout.
    """

    attention_norm: Tensor
    qkv: Matrix
    qkv_bias: Tensor | None
    output: Matrix
    feed_forward_norm: Tensor
    gate_up: Matrix
    down: Matrix


@dataclass(frozen=True, slots=True)
class HeadWeights(Generic[Matrix]):
    """The last norm, float32 [hidden], and the output matrix [vocab, hidden]; None where it is the embedding table."""

    norm: Tensor
    matrix: Matrix | None
