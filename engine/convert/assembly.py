"""From named tensors to the layers of a model: parts stacked, rows of q and k in our order, shapes checked.

Knows nothing of files: a `TensorReader` finds tensors by their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from engine.convert.latent import cut_up, order_down, order_query_up
from engine.convert.matrix import ReorderedRows, RowRange, SourceMatrix, StackedRows
from engine.errors import SourceError
from engine.latent_spec import LatentSpec
from engine.models.names import ExpertNames, LatentNames, LayerNames, TensorNames, head_order
from engine.spec import ExpertSpec, ModelSpec
from engine.weights import ExpertWeights, HeadWeights, LatentWeights, LayerWeights
from kernels.arrays import Array


class TensorReader(Protocol):
    """Both raise `SourceError` for a tensor that is missing, or of a type that cannot be read."""

    def matrix(self, name: str) -> SourceMatrix:
        """A matrix; a tensor of three dimensions as the rows of all its matrices."""

    def vector(self, name: str) -> Array:
        """A small tensor: float32, flattened, finite; of an outline numpy's zeros."""


class Assembly:
    """The model `spec` out of tensors that are called `names`.

    `is_interleaved`: q and k come with the halves of each head interleaved. `norm_offset` is added to every norm.
    """

    def __init__(
        self,
        spec: ModelSpec,
        names: TensorNames,
        tensors: TensorReader,
        *,
        is_interleaved: bool = False,
        norm_offset: float = 0.0,
    ) -> None:
        self._spec = spec
        self._names = names
        self._tensors = tensors
        self._norm_offset = norm_offset
        order = np.array(head_order(spec, is_interleaved), np.int64)
        self._head_order = None if np.array_equal(order, np.arange(spec.head_dim)) else order

    def embedding(self) -> SourceMatrix:
        return self._matrix(self._names.embedding, self._spec.vocab_size, self._spec.hidden_size)

    def head(self) -> HeadWeights[SourceMatrix]:
        name, spec = self._names.head, self._spec
        matrix = None if name is None else self._matrix(name, spec.vocab_size, spec.hidden_size)
        bias = self._optional_vector(self._names.head_norm_bias, spec.hidden_size)
        return HeadWeights(self._norm(self._names.head_norm, spec.hidden_size), matrix, bias)

    def layer(self, index: int) -> LayerWeights[SourceMatrix]:
        names, spec, hidden = self._names.layers[index], self._spec, self._spec.hidden_size
        experts, (gate_up, down, up_bias) = spec.layer_experts(index), self._feed_forward(names)
        norm_sizes = spec.norm_sizes
        return LayerWeights(
            attention_norm=self._optional_norm(names.attention_norm, hidden),
            qkv=self._qkv(names) if spec.latent is None else self._latent_down(names, spec.latent),
            qkv_bias=self._qkv_bias(names),
            output=self._matrix(names.output, hidden, spec.attended_size),
            feed_forward_norm=self._optional_norm(names.feed_forward_norm, hidden),
            gate_up=gate_up,
            down=down,
            query_norm=self._head_norm(names.query_norm, norm_sizes[0]),
            key_norm=self._head_norm(names.key_norm, norm_sizes[1]),
            attention_post_norm=self._optional_norm(names.attention_post_norm, hidden),
            feed_forward_post_norm=self._optional_norm(names.feed_forward_post_norm, hidden),
            experts=None if names.experts is None or experts is None else self._experts(names.experts, experts),
            latent=None if names.latent is None else self._latent(names.latent),
            attention_norm_bias=self._optional_vector(names.attention_norm_bias, hidden),
            feed_forward_norm_bias=self._optional_vector(names.feed_forward_norm_bias, hidden),
            output_bias=self._optional_vector(names.output_bias, hidden),
            up_bias=up_bias,
            down_bias=self._optional_vector(names.down_bias, hidden),
        )

    def _latent_down(self, names: LayerNames, latent: LatentSpec) -> SourceMatrix:
        query_size = self._spec.qkv_size - latent.row_size
        sizes = (query_size, latent.row_size)
        query, row = (
            self._matrix(name, rows, self._spec.hidden_size) for name, rows in zip(names.qkv, sizes, strict=True)
        )
        return order_down(self._spec, query, row)

    def _latent(self, names: LatentNames) -> LatentWeights[SourceMatrix]:
        spec, latent = self._spec, self._spec.latent
        assert latent is not None
        num_heads, rank, still = spec.num_heads, latent.kv_lora_rank, latent.qk_nope_head_dim
        if len(names.up) == 1:
            whole = self._matrix(names.up[0], num_heads * (still + latent.v_head_dim), rank)
            to_latent, to_value = cut_up(whole, num_heads, still)
        else:
            to_latent = self._matrix(names.up[0], num_heads * rank, still)
            to_value = self._matrix(names.up[1], num_heads * latent.v_head_dim, rank)
        query_up = None
        if names.query_up is not None and latent.q_lora_rank is not None:
            query_up = self._matrix(names.query_up, num_heads * latent.query_head_dim, latent.q_lora_rank)
        return LatentWeights(to_latent, to_value, None if query_up is None else order_query_up(spec, query_up))

    def _qkv(self, names: LayerNames) -> SourceMatrix:
        spec = self._spec
        sizes = (spec.query_size, spec.kv_size, spec.kv_size)
        if len(names.qkv) == 1:
            whole = self._stack(names.qkv, sizes, spec.hidden_size)
            order = self._qkv_rows(names)
            return whole if order is None else ReorderedRows(whole, order)
        parts = [self._matrix(name, rows, spec.hidden_size) for name, rows in zip(names.qkv, sizes, strict=True)]
        for place, num_heads in ((0, spec.num_heads), (1, spec.num_kv_heads)):
            if (order := self._rows(num_heads)) is not None:
                parts[place] = ReorderedRows(parts[place], order)
        return StackedRows(parts)

    def _qkv_rows(self, names: LayerNames) -> Array | None:
        """For each of our rows of q, k and v the row of the file's one tensor, int64; None if they are the same."""
        spec = self._spec
        order = self._rows(spec.num_heads + spec.num_kv_heads)
        if order is not None:
            order = np.concatenate([order, np.arange(len(order), spec.qkv_size)])
        if not names.is_qkv_by_head:
            return order
        by_head = np.arange(spec.qkv_size).reshape(spec.num_heads, 3, spec.head_dim).swapaxes(0, 1).ravel()
        return by_head if order is None else by_head[order]

    def _qkv_bias(self, names: LayerNames) -> Array | None:
        if not names.qkv_bias:
            return None
        spec, parts = self._spec, []
        if len(names.qkv_bias) == 1:
            whole, order = self._vector(names.qkv_bias[0], spec.qkv_size), self._qkv_rows(names)
            return whole if order is None else whole[order]
        for name, num_heads in zip(names.qkv_bias, (spec.num_heads, spec.num_kv_heads, None), strict=True):
            bias = self._vector(name, spec.kv_size if num_heads is None else num_heads * spec.head_dim)
            order = None if num_heads is None else self._rows(num_heads)
            parts.append(bias if order is None else bias[order])
        return _joined(parts)

    def _feed_forward(self, names: LayerNames) -> tuple[SourceMatrix | None, SourceMatrix | None, Array | None]:
        """Gate with up, down, and up's bias. Where another order of its columns lets down keep its codes, gate and up
        follow."""
        hidden, inner = self._spec.hidden_size, self._spec.intermediate_size
        if not names.gate_up or names.down is None:
            return None, None, None
        bias = self._optional_vector(names.up_bias, inner)
        sizes = (inner, inner) if len(names.gate_up) == 2 else (2 * inner if self._spec.is_gated else inner,)
        parts = [self._matrix(name, rows, hidden) for name, rows in zip(names.gate_up, sizes, strict=True)]
        down = self._matrix(names.down, hidden, inner)
        if (order := down.column_order) is not None:
            rows = np.concatenate([order, inner + order]) if sizes == (2 * inner,) else order
            parts = [ReorderedRows(part, rows) for part in parts]
            down = down.in_column_order()
            bias = None if bias is None else bias[order]
        return _stacked(parts), down, bias

    def _experts(self, names: ExpertNames, spec: ExpertSpec) -> ExpertWeights[SourceMatrix]:
        hidden, inner, count = self._spec.hidden_size, spec.intermediate_size, spec.num_experts
        if len(names.down) == count:
            gate_up = tuple(self._stack(each, (inner, inner), hidden) for each in names.gate_up)
            down = tuple(self._matrix(name, hidden, inner) for name in names.down)
        else:
            # One tensor holds all experts, one after the other.
            wholes = [self._tensors.matrix(name) for name in names.gate_up[0]]
            rows = 2 * inner // len(wholes)
            cut = [self._cut(whole, count, rows, hidden) for whole in wholes]
            gate_up = tuple(_stacked([parts[number] for parts in cut]) for number in range(count))
            down = tuple(self._cut(self._tensors.matrix(names.down[0]), count, hidden, inner))
        shared, has_shared = spec.shared_size or 0, spec.shared_size is not None
        return ExpertWeights(
            router=self._vector(names.router, count * hidden).reshape(count, hidden),
            gate_up=gate_up,
            down=down,
            shared_gate_up=self._stack(names.shared_gate_up, (shared, shared), hidden) if has_shared else None,
            shared_down=None if names.shared_down is None else self._matrix(names.shared_down, hidden, shared),
            shared_gate=None if names.shared_gate is None else self._vector(names.shared_gate, hidden),
        )

    def _cut(self, whole: SourceMatrix, count: int, num_rows: int, num_columns: int) -> list[SourceMatrix]:
        _require_shape(whole, count * num_rows, num_columns)
        return [RowRange(whole, number * num_rows, (number + 1) * num_rows) for number in range(count)]

    def _stack(self, names: Sequence[str], sizes: Sequence[int], num_columns: int) -> SourceMatrix:
        """The parts of these sizes, one below the other; a single name stands for all of them."""
        sizes = (sum(sizes),) if len(names) == 1 else sizes
        return _stacked([self._matrix(name, rows, num_columns) for name, rows in zip(names, sizes, strict=True)])

    def _matrix(self, name: str, num_rows: int, num_columns: int) -> SourceMatrix:
        matrix = self._tensors.matrix(name)
        _require_shape(matrix, num_rows, num_columns)
        return matrix

    def _vector(self, name: str, size: int) -> Array:
        vector = self._tensors.vector(name)
        if vector.shape != (size,):
            raise SourceError(f"{name} is {tuple(vector.shape)}, must be {(size,)}: get the model again")
        return vector

    def _optional_vector(self, name: str | None, size: int) -> Array | None:
        return None if name is None else self._vector(name, size)

    def _norm(self, name: str, size: int) -> Array:
        return self._vector(name, size) + self._norm_offset

    def _optional_norm(self, name: str | None, size: int) -> Array | None:
        return None if name is None else self._norm(name, size)

    def _head_norm(self, name: str | None, size: int) -> Array | None:
        """A norm of q or k, its elements in the order of the rows; that of a latent as it is."""
        if name is None:
            return None
        norm = self._norm(name, size)
        order = None if self._spec.latent is not None else self._rows(size // self._spec.head_dim)
        return norm if order is None else norm[order]

    def _rows(self, num_heads: int) -> Array | None:
        """For each of our rows of so many heads the file's row, int64; None if they are the same."""
        if self._head_order is None:
            return None
        first = np.arange(num_heads)[:, None] * self._spec.head_dim
        return (first + self._head_order).ravel()


def _joined(vectors: Sequence[Array]) -> Array:
    if isinstance(vectors[0], np.ndarray):
        return np.concatenate(vectors)
    import torch

    return torch.cat(tuple(vectors))


def _stacked(parts: Sequence[SourceMatrix]) -> SourceMatrix:
    return parts[0] if len(parts) == 1 else StackedRows(parts)


def _require_shape(matrix: SourceMatrix, num_rows: int, num_columns: int) -> None:
    if (matrix.num_rows, matrix.num_columns) != (num_rows, num_columns):
        raise SourceError(
            f"{matrix.name} is {(matrix.num_rows, matrix.num_columns)}, must be {(num_rows, num_columns)}: "
            "get the model again"
        )
