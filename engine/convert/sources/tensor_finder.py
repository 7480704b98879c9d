"""A checkpoint's tensors by the names of the weights they make: one plain tensor, or several of a quantised one.

Remembers which tensors were asked for, so that one which nobody knows can be told. Knows nothing of layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from engine.convert.matrix import SourceMatrix
from engine.convert.sources.awq import AwqMatrix
from engine.convert.sources.bitsandbytes import STATE_PREFIX, RowScaledMatrix, TableMatrix
from engine.convert.sources.compressed_tensors import CompressedMatrix
from engine.convert.sources.gptq import GptqMatrix
from engine.convert.sources.plain_matrix import FLOAT8_KINDS, PLAIN_KINDS, PlainMatrix, ScaledFloat8Matrix
from engine.convert.sources.quantization_config import Quantization
from engine.convert.sources.safetensors_file import StoredTensor
from engine.errors import SourceError

_FLOAT8_SCALES = ("weight_scale_inv", "weight_scale")
# What inference engines keep beside the weights: scales of activations and caches, frequencies, masks.
_UNUSED = (
    ".input_scale", ".output_scale", ".k_scale", ".v_scale", ".q_scale", ".activation_scale", ".input_global_scale",
    ".input_zero_point", ".output_zero_point", ".rotary_emb.inv_freq", ".attn.bias", ".masked_bias", ".attention.bias",
    ".weight_format",
)  # fmt: skip
# Parts of multimodal models that take no part in text, and the extra layers of multi-token prediction.
_UNUSED_PARTS = (
    "vision_tower",
    "visual",
    "vision_model",
    "multi_modal_projector",
    "audio_tower",
    "mtp",
    "embed_vision",
)


class TensorFinder:
    """All reading raises `SourceError`."""

    def __init__(self, folder: Path, tensors: Mapping[str, StoredTensor], quantization: Quantization) -> None:
        self._folder = folder
        self._tensors = tensors
        self._quantization = quantization
        self._used: set[str] = set()
        # The tensors of each module by the rest of their names; a quant state's name holds dots of its own.
        self._modules: dict[str, dict[str, StoredTensor]] = {}
        for name, tensor in tensors.items():
            module, _, part = name.rpartition(".")
            if ".weight." in name:
                module, _, part = name.partition(".weight.")
                part = f"weight.{part}"
            self._modules.setdefault(module, {})[part] = tensor

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def has_weight(self, name: str) -> bool:
        """Whether there is a matrix of the name, plain or quantised."""
        parts = self._modules.get(name.removesuffix(".weight"), {})
        return any(part in parts for part in ("weight", "qweight", "weight_packed"))

    def vector(self, name: str) -> Tensor:
        """A small plain tensor, float32, flattened."""
        tensor = self._tensors.get(name)
        if tensor is None:
            raise self._missing(name)
        if tensor.kind not in PLAIN_KINDS:
            raise SourceError(f"{name} is {tensor.kind}, must be plain numbers: get the model again")
        self._used.add(name)
        values = tensor.read().float().flatten()
        if not bool(torch.isfinite(values).all()):
            raise SourceError(f"{tensor.path}: {name} holds numbers that are not finite: get the model again")
        return values

    def matrix(self, name: str) -> SourceMatrix:
        """The matrix that is called `name`, which ends in .weight; quantised ones by the tensors beside that name."""
        module = name.removesuffix(".weight")
        parts = self._modules.get(module, {})
        self._used |= {tensor.name for part, tensor in parts.items() if part != "bias"}
        if "qweight" in parts:
            return self._packed(name, parts)
        if "weight_packed" in parts:
            return self._compressed(name, parts)
        weight = parts.get("weight")
        if weight is None:
            raise self._missing(name)
        if weight.kind in PLAIN_KINDS:
            return PlainMatrix(weight)
        if weight.kind in FLOAT8_KINDS:
            scale = next((parts[part] for part in _FLOAT8_SCALES if part in parts), None)
            if scale is None:
                raise self._missing(f"{module}.{_FLOAT8_SCALES[0]}")
            return ScaledFloat8Matrix(weight, scale, self._quantization.float8_block)
        if weight.kind == "U8" and any(part.startswith(STATE_PREFIX) for part in parts):
            self._require(module, parts, ("weight.absmax", "weight.quant_map"))
            return TableMatrix(name, parts)
        if weight.kind == "I8" and (largest := parts.get("SCB", parts.get("weight.SCB"))) is not None:
            return RowScaledMatrix(name, weight, largest)
        if weight.kind == "I8" and "weight_scale" in parts:
            return CompressedMatrix(name, parts, 8)
        raise SourceError(
            f"{name} is {weight.kind}, and nothing beside it says what its numbers stand for: choose another model"
        )

    def require_all_used(self) -> None:
        """Raises `SourceError` naming a tensor that was never asked for, and that changes what the model computes."""
        for name in sorted(set(self._tensors) - self._used):
            if name.endswith(_UNUSED) or any(part in _UNUSED_PARTS for part in name.split(".")):
                continue
            tensor = self._tensors[name]
            # AutoGPTQ writes a bias for every matrix, of zeros where the model has none.
            if name.endswith(".bias") and tensor.kind in PLAIN_KINDS and not bool(tensor.read().any()):
                continue
            raise SourceError(
                f"{self._folder} has {name}, which this family of models does not use: choose another model"
            )

    def ignore(self, name: str) -> None:
        """Count a weight as used that repeats another, such as the head of a tied model."""
        parts = self._modules.get(name.removesuffix(".weight"), {})
        self._used |= {tensor.name for tensor in parts.values()}

    def _packed(self, name: str, parts: Mapping[str, StoredTensor]) -> SourceMatrix:
        quantization = self._quantization
        module = name.removesuffix(".weight")
        if quantization.is_awq:
            self._require(module, parts, ("scales",))
            return AwqMatrix(name, parts, quantization.awq_group_size)
        if quantization.gptq is None:
            raise SourceError(
                f"{self._folder} has {name} packed, but config.json says nothing of how: get config.json again, and "
                "quantize_config.json if the model has one"
            )
        self._require(module, parts, ("scales", "qzeros"))
        return GptqMatrix(name, parts, quantization.gptq)

    def _compressed(self, name: str, parts: Mapping[str, StoredTensor]) -> SourceMatrix:
        bits = self._quantization.bits
        if bits is None:
            raise SourceError(f"{self._folder} has {name} packed, but config.json tells no bits: get config.json again")
        self._require(name.removesuffix(".weight"), parts, ("weight_scale",))
        return CompressedMatrix(name, parts, bits)

    def _require(self, module: str, parts: Mapping[str, StoredTensor], wanted: tuple[str, ...]) -> None:
        for part in wanted:
            if part not in parts:
                raise self._missing(f"{module}.{part}")

    def _missing(self, name: str) -> SourceError:
        return SourceError(f"{self._folder} lacks the tensor {name}: get all files of the model")
