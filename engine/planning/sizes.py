"""Bytes of a model's parts, from its numbers alone. Standard library only; knows nothing of what memory there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.quality import Preset, fitting_group
from engine.spec import ModelSpec
from engine.store.layout import EMBEDDING, EXPERT_MATRICES, matrix_names, matrix_shapes, num_vector_elements

_BLOCK_ROWS = 8
"""The native kernels hold so many rows side by side."""
_PROCESS_BYTES = 28 << 20
"""The engine without a model, measured on Linux: what the interpreter holds, pages mapped from files aside."""
_TORCH_BYTES = 124 << 20
"""What torch adds where a model needs it."""
_TOKENIZER_BYTES_PER_TOKEN = 280
"""Of a vocabulary, merges and hash tables included; measured with 49,152 and 151,936 tokens."""


@dataclass(frozen=True, slots=True)
class MatrixGroup:
    """`count` matrices of one kind and shape, of which each token reads the share `read_share`."""

    kind: str
    num_rows: int
    num_columns: int
    count: int
    read_share: float

    @property
    def num_weights(self) -> int:
        return self.num_rows * self.num_columns * self.count


def matrix_groups(spec: ModelSpec) -> Iterator[MatrixGroup]:
    """All matrices of the model, the experts of a layer as one; the head only where it is not the embedding."""
    shapes = matrix_shapes(spec)
    for kind, count in Counter(name.rpartition(".")[2] for name in matrix_names(spec)).items():
        yield MatrixGroup(kind, *shapes[kind], count, _read_share(spec, kind))


def _read_share(spec: ModelSpec, kind: str) -> float:
    if kind == EMBEDDING:
        # One row is read for each token; where it is the head too, all are.
        return 1.0 if spec.is_tied else 0.0
    if spec.experts is not None and kind in EXPERT_MATRICES:
        return spec.experts.num_active / spec.experts.num_experts
    return 1.0


def row_lengths(spec: ModelSpec) -> set[int]:
    return {group.num_columns for group in matrix_groups(spec)}


def num_weights(spec: ModelSpec) -> int:
    return sum(group.num_weights for group in matrix_groups(spec))


def packed_bytes(num_rows: int, num_columns: int, bits: int, group_size: int, has_minimum: bool) -> int:
    """Codes, scales and minima as the native kernels hold them; on disk the rows are not filled up to eight."""
    rows = -(-num_rows // _BLOCK_ROWS) * _BLOCK_ROWS
    return rows * (num_columns * bits // 8 + num_columns // group_size * (4 if has_minimum else 2))


@dataclass(frozen=True, slots=True)
class WeightBytes:
    """`resident_bytes` are held in memory, `read_bytes` of them are read for each generated token.

    `looked_up_bytes` are those of an embedding that is not the head as well.
    """

    resident_bytes: int
    read_bytes: int
    looked_up_bytes: int


def weight_bytes(spec: ModelSpec, preset: Preset) -> WeightBytes:
    """What a conversion with the preset comes to, unless the source's own codes are smaller and taken over."""
    group_size = fitting_group(preset.group_size, row_lengths(spec))
    resident = read = looked_up = 0
    for group in matrix_groups(spec):
        bits = preset.bits_of(group.kind)
        # Eight bits go without a minimum.
        size = packed_bytes(group.num_rows, group.num_columns, bits, group_size, has_minimum=bits != 8)
        resident += size * group.count
        read += round(size * group.count * group.read_share)
        if group.read_share == 0:
            looked_up += size * group.count
    return WeightBytes(resident, read, looked_up)


def vector_bytes(spec: ModelSpec) -> int:
    """Norms, biases and routers, float32."""
    return 4 * num_vector_elements(spec)


def rope_bytes(spec: ModelSpec) -> int:
    """Cosines and sines of every position, float32, once for each way of rotating."""
    ropes = {spec.layer_rope(index) for index in range(spec.num_layers)} - {None}
    num_positions = spec.max_context + (spec.rope.short_context or 0)
    return len(ropes) * 4 * num_positions * spec.rope_head_dim


def process_bytes(spec: ModelSpec) -> int:
    # Mixtures of experts and latent attention are put together in torch (kernels/cpu/in_torch.py).
    needs_torch = spec.experts is not None or spec.latent is not None
    return _PROCESS_BYTES + needs_torch * _TORCH_BYTES + _TOKENIZER_BYTES_PER_TOKEN * spec.vocab_size
