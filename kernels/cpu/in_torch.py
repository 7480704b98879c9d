"""What is put together from native operations in torch: mixtures of experts and latent attention.

Importing it loads torch, which no other model needs: so it is imported where such a model is loaded.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kernels import experts, latent
from kernels.arrays import Array
from kernels.cpu.dense import dense
from kernels.cpu.pool import Pool
from kernels.faces import ConvertingStack, TensorFace
from kernels.layers import OperationStack
from kernels.ops import Backend, DecoderLayer, Experts, ForwardInput, LayerStack, Norm
from kernels.tensors import array_of, tensor_of, tensors_of


class _Tensors(TensorFace):
    """Native operations on tensors, and experts made of them, routed on the pool's threads."""

    def __init__(self, inner: Backend, pool: Pool) -> None:
        super().__init__(inner)
        self._pool = pool

    def norm_experts(self, x: Tensor, norm: Norm | None, experts_: Experts, post_norm: Norm | None = None) -> Tensor:
        return experts.norm_experts(self, x, norm, experts_, post_norm, self._multiply)

    def _multiply(self, rows: Tensor, matrix: Tensor) -> Tensor:
        return tensor_of(dense(array_of(rows), array_of(matrix), self._pool))


class _InferenceStack(ConvertingStack):
    @torch.inference_mode()
    def hidden(self, rows: ForwardInput, key_pool: Array, value_pool: Array) -> Array:
        return super().hidden(rows, key_pool, value_pool)


@torch.inference_mode()
def norm_experts(
    backend: Backend, x: Array, norm: Norm | None, of: Experts, post_norm: Norm | None, pool: Pool
) -> Array:
    """The operation of `Backend.norm_experts`."""
    return array_of(_Tensors(backend, pool).norm_experts(*tensors_of((x, norm, of, post_norm))))


def append_latent(*call: Array) -> Array:
    """The operation of `Backend.latent_append`, for longer rows than the native one takes."""
    return array_of(latent.append(*tensors_of(call)))


def stack_layers(
    backend: Backend, table: object, layers: tuple[DecoderLayer, ...], embedding_scale: float, pool: Pool
) -> LayerStack:
    stack = OperationStack(_Tensors(backend, pool), table, tensors_of(layers), embedding_scale)
    return _InferenceStack(stack, tensors_of, array_of)
