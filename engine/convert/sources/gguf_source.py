"""A GGUF file as a source of layers: chooses each tensor's format, packs it and brings q and k into our order.

Knows nothing of where the layers go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

import numpy as np
import torch
from gguf.quants import dequantize
from torch import Tensor

from engine.convert.options import QuantizeOptions
from engine.convert.sources.gguf_container import GgufFile
from engine.convert.sources.gguf_metadata import Metadata
from engine.convert.sources.gguf_quantize import Target, check_tensor, choose_target, pack_rows
from engine.convert.sources.gguf_spec import (
    EMBEDDING,
    HEAD,
    HEAD_NORM,
    ROPE_FACTORS,
    check_tensors,
    expected_shapes,
    find_adapter,
    read_head_dim,
    read_spec,
)
from engine.convert.sources.gguf_tokenizer import TokenizerFiles, read_tokenizer
from engine.errors import SourceError
from engine.store import layout
from engine.store.files import check_cancelled
from engine.store.manifest import TensorFormat
from engine.weights import HeadWeights, LayerWeights
from kernels.formats import FormatError, PackedWeight, concatenate_rows

# Weights per step of packing: bounds the float32 copies to some 16 MiB.
CHUNK_WEIGHTS = 1 << 22


class GgufSource:
    """An open model file; a context manager. Everything but the weights themselves is read and checked on opening.

    Raises `SourceError`, and `JobCancelledError` between chunks of weights once `is_cancelled()`.
    """

    def __init__(self, path: Path, options: QuantizeOptions, is_cancelled: Callable[[], bool] | None = None) -> None:
        self._options = options
        self._is_cancelled = is_cancelled
        self._file = GgufFile(path)
        try:
            metadata = Metadata(path, self._file.metadata)
            self._adapter = find_adapter(metadata)
            rope_factors = self._rope_factors(metadata, read_head_dim(metadata, self._adapter))
            self.spec = read_spec(metadata, self._adapter, self._file.tensors, rope_factors)
            check_tensors(metadata, self.spec, self._file.tensors)
            self.tokenizer: TokenizerFiles = read_tokenizer(metadata)
            self.license = metadata.optional_text("general.license")
            self._targets = self._choose_targets()
        except BaseException:
            self._file.__exit__(None, None, None)
            raise

    def __enter__(self) -> GgufSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, error, trace)

    def formats(self) -> Mapping[str, TensorFormat]:
        """The format of every matrix that the checkpoint will have."""
        formats = {layout.EMBEDDING: self._format(EMBEDDING)}
        for index in range(self.spec.num_layers):
            parts = {"qkv": ("attn_q", "attn_k", "attn_v"), "output": ("attn_output",)}
            parts |= {"gate_up": ("ffn_gate", "ffn_up"), "down": ("ffn_down",)}
            for matrix, names in parts.items():
                stacked = self._format(*(f"blk.{index}.{name}.weight" for name in names))
                formats[layout.layer_tensor(index, matrix)] = stacked
        if not self.spec.is_tied:
            formats[layout.HEAD] = self._format(HEAD)
        return formats

    def read_embedding(self) -> PackedWeight:
        return self._matrix(EMBEDDING)

    def read_layer(self, index: int) -> LayerWeights[PackedWeight]:
        block = f"blk.{index}."
        query, key = (self._in_our_order(self._matrix(f"{block}attn_{which}.weight"), which) for which in ("q", "k"))
        return LayerWeights(
            attention_norm=self._vector(f"{block}attn_norm.weight"),
            qkv=self._stack(f"{block}attn_qkv", [query, key, self._matrix(f"{block}attn_v.weight")]),
            qkv_bias=self._bias(block) if self.spec.has_qkv_bias else None,
            output=self._matrix(f"{block}attn_output.weight"),
            feed_forward_norm=self._vector(f"{block}ffn_norm.weight"),
            gate_up=self._stack(
                f"{block}ffn_gate_up", [self._matrix(f"{block}ffn_gate.weight"), self._matrix(f"{block}ffn_up.weight")]
            ),
            down=self._matrix(f"{block}ffn_down.weight"),
        )

    def read_head(self) -> HeadWeights[PackedWeight]:
        return HeadWeights(self._vector(HEAD_NORM), None if self.spec.is_tied else self._matrix(HEAD))

    def _choose_targets(self) -> dict[str, Target]:
        targets = {}
        for name, shape in expected_shapes(self.spec).items():
            kind = self._file.tensors[name].kind
            is_matrix = len(shape) == 2
            check_tensor(name, kind, shape[-1] if is_matrix else 0, self._options.group_size)
            if is_matrix:
                targets[name] = choose_target(kind, self._options)
        return targets

    def _format(self, *names: str) -> TensorFormat:
        targets = [self._targets[name] for name in names]
        kinds = dict.fromkeys(self._file.tensors[name].kind.name for name in names)
        return TensorFormat(
            bits=max(target.bits for target in targets),
            group_size=self._options.group_size,
            has_minimum=any(target.has_minimum for target in targets),
            source="+".join(kinds),
            is_exact=all(target.is_exact for target in targets),
        )

    def _rope_factors(self, metadata: Metadata, head_dim: int) -> list[float] | None:
        tensor = self._file.tensors.get(ROPE_FACTORS)
        if tensor is None:
            return None
        half = head_dim // 2
        check_tensor(ROPE_FACTORS, tensor.kind, 0, self._options.group_size)
        if tensor.shape != (half,) or not bool(((factors := self._vector(ROPE_FACTORS)) > 0).all()):
            raise SourceError(
                f"{metadata.path}: {ROPE_FACTORS} must hold {half} numbers above zero: get the file again"
            )
        return [float(factor) for factor in factors]

    def _matrix(self, name: str) -> PackedWeight:
        tensor, target = self._file.tensors[name], self._targets[name]
        step = max(1, CHUNK_WEIGHTS // tensor.num_columns)
        chunks = []
        try:
            for start in range(0, tensor.num_rows, step):
                check_cancelled(self._is_cancelled)
                rows = self._file.read_rows(tensor, start, min(start + step, tensor.num_rows))
                chunk = pack_rows(rows, tensor.kind, target, self._options.group_size)
                if not _is_finite(chunk):
                    raise FormatError("its scales are not finite")
                chunks.append(chunk)
            return _join(chunks)
        except FormatError as error:
            raise self._damaged(name, error) from error

    def _stack(self, name: str, weights: list[PackedWeight]) -> PackedWeight:
        try:
            return concatenate_rows(weights)
        except FormatError as error:
            raise self._damaged(name, error) from error

    def _vector(self, name: str) -> Tensor:
        tensor = self._file.tensors[name]
        with np.errstate(all="ignore"):
            values = dequantize(self._file.read_rows(tensor, 0, tensor.num_rows), tensor.kind)
        vector = torch.from_numpy(np.array(values, np.float32).reshape(-1))
        if not bool(torch.isfinite(vector).all()):
            raise self._damaged(name, "it holds numbers that are not finite")
        return vector

    def _bias(self, block: str) -> Tensor:
        parts = []
        for which in ("q", "k", "v"):
            bias = self._vector(f"{block}attn_{which}.bias")
            parts.append(bias if which == "v" else bias[self._row_order(which)])
        return torch.cat(parts)

    def _in_our_order(self, weight: PackedWeight, which: str) -> PackedWeight:
        order = self._row_order(which)
        minimum = None if weight.minimum is None else weight.minimum[order]
        return PackedWeight(weight.codes[order], weight.scale[order], minimum, weight.bits, weight.group_size)

    def _row_order(self, which: str) -> Tensor:
        """For each of our rows of q or k the file's row, int64. Permuted files interleave a head's two halves."""
        num_heads = self.spec.num_heads if which == "q" else self.spec.num_kv_heads
        rows = torch.arange(num_heads * self.spec.head_dim)
        if not self._adapter.has_permuted_qk:
            return rows
        return rows.view(num_heads, self.spec.head_dim // 2, 2).transpose(1, 2).flatten()

    def _damaged(self, name: str, reason: object) -> SourceError:
        return SourceError(f"{self._file.path}: {name}: {reason}: get the file again")


def _join(chunks: list[PackedWeight]) -> PackedWeight:
    """Consecutive rows of one matrix, all in one format."""
    first = chunks[0]
    if len(chunks) == 1:
        return first
    minima = [chunk.minimum for chunk in chunks if chunk.minimum is not None]
    return PackedWeight(
        torch.cat([chunk.codes for chunk in chunks]),
        torch.cat([chunk.scale for chunk in chunks]),
        torch.cat(minima) if minima else None,
        first.bits,
        first.group_size,
    )


def _is_finite(weight: PackedWeight) -> bool:
    minimum = weight.minimum
    return bool(torch.isfinite(weight.scale).all() and (minimum is None or torch.isfinite(minimum).all()))
