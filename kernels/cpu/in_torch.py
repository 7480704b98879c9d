"""What is put together from native operations in torch: mixtures of experts and latent attention.

Importing it loads torch, which no other model needs: so it is imported where such a model asks for it.
"""

from __future__ import annotations

from torch import Tensor

from kernels import experts, latent
from kernels.arrays import Array
from kernels.cpu.dense import dense
from kernels.cpu.pool import Pool
from kernels.faces import ConvertingStack, TensorFace
from kernels.layers import OperationStack
from kernels.ops import Backend, DecoderLayer, Experts, LayerStack, Norm
from kernels.tensors import array_of, tensor_of, tensors_of


def norm_experts(
    backend: Backend, x: Array, norm: Norm | None, of: Experts, post_norm: Norm | None, pool: Pool
) -> Array:
    """The operation of `Backend.norm_experts`, routed on the pool's threads."""

    def multiply(rows: Tensor, matrix: Tensor) -> Tensor:
        return tensor_of(dense(array_of(rows), array_of(matrix), pool))

    told = tensors_of((x, norm, of, post_norm))
    return array_of(experts.norm_experts(TensorFace(backend), *told, multiply))


def append_latent(*call: Array) -> Array:
    """The operation of `Backend.latent_append`, for longer rows than the native one takes."""
    return array_of(latent.append(*tensors_of(call)))


def stack_layers(
    backend: Backend, table: object, layers: tuple[DecoderLayer, ...], embedding_scale: float
) -> LayerStack:
    stack = OperationStack(TensorFace(backend), table, tensors_of(layers), embedding_scale)
    return ConvertingStack(stack, tensors_of, array_of)
