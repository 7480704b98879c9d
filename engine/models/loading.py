"""From a checkpoint on disk to a decoder in memory, one layer at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from torch import Tensor

from engine.models.decoder import Decoder
from engine.store.checkpoint import Checkpoint
from engine.weights import ExpertWeights, HeadWeights, LayerWeights
from kernels.formats import PackedWeight
from kernels.ops import Backend


def load_decoder(
    checkpoint: Checkpoint, backend: Backend, on_progress: Callable[[int, int], None] | None = None
) -> tuple[Decoder, int]:
    """The decoder, and the bytes of memory its matrices hold. `on_progress(layers done, layers)`.

    Raises `CheckpointError` for a damaged checkpoint.
    """
    spec = checkpoint.manifest.spec
    table = backend.prepare(checkpoint.read_embedding())
    # What is large goes first: while it is repacked, memory holds it twice.
    head = _prepare_head(checkpoint.read_head(), backend)
    layers: list[LayerWeights[Any]] = []
    for index in range(spec.num_layers):
        layers.append(_prepare_layer(checkpoint.read_layer(index), backend))
        if on_progress is not None:
            on_progress(index + 1, spec.num_layers)
    return Decoder(spec, backend, table, layers, head), _resident_bytes(backend, table, layers, head)


def _resident_bytes(backend: Backend, table: Any, layers: list[LayerWeights[Any]], head: HeadWeights[Any]) -> int:
    matrices = [table, *(matrix for layer in layers for matrix in layer.matrices())]
    if head.matrix is not None:
        matrices.append(head.matrix)
    return sum(backend.resident_bytes(matrix) for matrix in matrices)


def _prepare_head(head: HeadWeights[PackedWeight], backend: Backend) -> HeadWeights[Any]:
    return HeadWeights(_copied(head.norm, backend), None if head.matrix is None else backend.prepare(head.matrix))


def _prepare_layer(layer: LayerWeights[PackedWeight], backend: Backend) -> LayerWeights[Any]:
    """Whatever the layer has, matrix by matrix, on the backend's device."""

    def prepare(value: Any) -> Any:
        match value:
            case PackedWeight():
                return backend.prepare(value)
            case Tensor():
                return _copied(value, backend)
            case tuple():
                return tuple(prepare(each) for each in value)
            case ExpertWeights():
                return replace(value, **{each.name: prepare(getattr(value, each.name)) for each in fields(value)})
        assert value is None, value
        return None

    return LayerWeights(**{each.name: prepare(getattr(layer, each.name)) for each in fields(layer)})


def _copied(vector: Tensor, backend: Backend) -> Tensor:
    """On the backend's device. A copy always: a view of a mapped file keeps all pages of the file that were read."""
    return vector.to(backend.device, copy=True)
