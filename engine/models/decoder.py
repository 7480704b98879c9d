"""The one decoder: embedding, layers, head, as calls of a backend's fused operations.

Knows nothing of sequences and blocks; the pool's tensors and the batch tell it where to read and write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from engine.spec import ModelSpec, RopeSpec
from engine.weights import HeadWeights, LayerWeights
from kernels.ops import Backend, DecoderLayer, ForwardInput, Norm


def rope_table(rope: RopeSpec, head_dim: int, max_positions: int) -> Tensor:
    """Cosines and sines, float32 [max_positions, 2, head_dim / 2].

    angle(p, i) = p * theta ** (-2 i / head_dim) / factor(i)  (Su et al. 2021, eq. 15)
    """
    frequencies = rope.theta ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    if rope.frequency_factors is not None:
        frequencies = frequencies / torch.tensor(rope.frequency_factors, dtype=torch.float64)
    angles = torch.arange(max_positions, dtype=torch.float64).unsqueeze(1) * frequencies
    return torch.stack([angles.cos(), angles.sin()], dim=1).float()


POOL_LAYOUT = "layers, blocks, kv_heads, block_size, head_dim"


@dataclass(frozen=True, slots=True)
class PagedPool:
    """Keys and values of all layers: two tensors, shaped as `POOL_LAYOUT` says; block 0 is null."""

    keys: Tensor
    values: Tensor

    @property
    def block_size(self) -> int:
        return self.keys.shape[3]


def make_pool(spec: ModelSpec, num_blocks: int, block_size: int, backend: Backend) -> PagedPool:
    """A pool of `num_blocks` usable blocks and the null block; what is in them before they are written is undefined."""
    shape = (spec.num_layers, num_blocks + 1, spec.num_kv_heads, block_size, spec.head_dim)
    # Not zeroed: the system gives a block's memory when it is first written, so an idle pool costs nothing.
    keys, values = (torch.empty(shape, dtype=backend.kv_dtype, device=backend.device) for _ in range(2))
    return PagedPool(keys, values)


def make_host_pool(pool: PagedPool, num_blocks: int) -> PagedPool:
    """Host memory for `num_blocks` blocks like those of `pool`; pinned where that pool lies on a GPU."""
    shape = (pool.keys.shape[0], num_blocks, *pool.keys.shape[2:])
    keys, values = (torch.empty(shape, dtype=pool.keys.dtype, pin_memory=pool.keys.is_cuda) for _ in range(2))
    return PagedPool(keys, values)


class Decoder:
    """Weights as `backend` prepared them. `table` is the embedding, and the head too where the model is tied."""

    def __init__(
        self, spec: ModelSpec, backend: Backend, table: Any, layers: list[LayerWeights[Any]], head: HeadWeights[Any]
    ) -> None:
        assert len(layers) == spec.num_layers, (len(layers), spec.num_layers)
        self.spec = spec
        self._backend = backend
        self._head_norm = Norm(head.norm, spec.rms_norm_eps)
        self._head = table if head.matrix is None else head.matrix
        rope = rope_table(spec.rope, spec.head_dim, spec.max_context).to(backend.device)
        self._stack = backend.stack_layers(table, tuple(_describe(layer, spec, rope) for layer in layers))

    def hidden(self, batch: ForwardInput, pool: PagedPool) -> Tensor:
        """The residual stream after the last layer, [M, hidden]; writes the rows' keys and values into the pool."""
        return self._stack.hidden(batch, pool.keys, pool.values)

    def logits(self, hidden: Tensor) -> Tensor:
        """[B, hidden] to [B, vocab]. All rows are narrow, so that a token's logits never depend on its neighbours."""
        return self._backend.norm_linear(hidden, self._head_norm, self._head)


def _describe(layer: LayerWeights[Any], spec: ModelSpec, rope: Tensor) -> DecoderLayer:
    return DecoderLayer(
        attention_norm=Norm(layer.attention_norm, spec.rms_norm_eps),
        qkv=layer.qkv,
        qkv_bias=layer.qkv_bias,
        query_norm=None,
        key_norm=None,
        rope_table=rope,
        scale=spec.head_dim**-0.5,
        window=spec.sliding_window,
        softcap=None,
        output=layer.output,
        attention_post_norm=None,
        feed_forward_norm=Norm(layer.feed_forward_norm, spec.rms_norm_eps),
        gate_up=layer.gate_up,
        activation=spec.activation,
        down=layer.down,
        feed_forward_post_norm=None,
    )
