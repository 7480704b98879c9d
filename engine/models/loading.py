"""From a checkpoint on disk to a decoder in memory, one layer at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from engine.config import Weights
from engine.models.decoder import Decoder
from engine.models.prepared import Prepare, choose_prepare
from engine.store.checkpoint import Checkpoint
from engine.weights import ExpertWeights, HeadWeights, LatentWeights, LayerWeights
from kernels.ops import Backend
from kernels.packed_weight import PackedWeight

_ORDER = 1
"""Of the matrices in a file that keeps them prepared: another number if `_read` visits them in another order."""


def load_decoder(
    checkpoint: Checkpoint,
    backend: Backend,
    on_progress: Callable[[int, int], None] | None = None,
    weights: Weights = "mapped",
) -> tuple[Decoder, int]:
    """The decoder, and the bytes of memory its matrices take. `on_progress(layers done, layers)`.

    `weights`: see `EngineConfig`; a backend without a layout for files has its own way.
    Raises `CheckpointError` for a damaged checkpoint.
    """
    progress = _Progress(checkpoint.manifest.spec.num_layers, on_progress)

    def read(prepare: Prepare) -> tuple[Any, HeadWeights[Any], list[LayerWeights[Any]]]:
        return _read(checkpoint, backend, prepare, progress)

    prepare = choose_prepare(checkpoint, backend, _ORDER, read) if weights == "mapped" else backend.prepare
    table, head, layers = read(prepare)
    decoder = Decoder(checkpoint.manifest.spec, backend, table, layers, head)
    return decoder, _resident_bytes(backend, table, layers, head)


class _Progress:
    """Tells each layer once, though making a file of prepared matrices visits it before it is loaded."""

    def __init__(self, num_layers: int, tell: Callable[[int, int], None] | None) -> None:
        self._num_layers = num_layers
        self._tell = tell
        self._num_done = 0

    def on_layer(self, num_done: int) -> None:
        if self._tell is not None and num_done > self._num_done:
            self._num_done = num_done
            self._tell(num_done, self._num_layers)


def _read(
    checkpoint: Checkpoint, backend: Backend, prepare: Prepare, progress: _Progress
) -> tuple[Any, HeadWeights[Any], list[LayerWeights[Any]]]:
    """Embedding, head and layers, in this order: what is large goes first, as memory may hold it twice for a while."""
    table = prepare(checkpoint.read_embedding())
    plain = checkpoint.read_head()
    head = HeadWeights(**{each.name: _prepared(getattr(plain, each.name), backend, prepare) for each in fields(plain)})
    # Not kept while the layers are read, as it may be the largest of all.
    del plain
    layers: list[LayerWeights[Any]] = []
    for index in range(checkpoint.manifest.spec.num_layers):
        layers.append(_prepare_layer(checkpoint.read_layer(index), backend, prepare))
        progress.on_layer(index + 1)
    return table, head, layers


def _resident_bytes(backend: Backend, table: Any, layers: list[LayerWeights[Any]], head: HeadWeights[Any]) -> int:
    matrices = [table, *(matrix for layer in layers for matrix in layer.matrices())]
    if head.matrix is not None:
        matrices.append(head.matrix)
    return sum(backend.resident_bytes(matrix) for matrix in matrices)


def _prepare_layer(layer: LayerWeights[PackedWeight], backend: Backend, prepare: Prepare) -> LayerWeights[Any]:
    return LayerWeights(**{each.name: _prepared(getattr(layer, each.name), backend, prepare) for each in fields(layer)})


def _prepared(value: Any, backend: Backend, prepare: Prepare) -> Any:
    """Whatever a layer has, matrix by matrix, on the backend's device."""
    match value:
        case PackedWeight():
            return prepare(value)
        case np.ndarray():
            # A view of a mapped file would keep all pages of the file that were read.
            return np.array(value)
        case tuple():
            return tuple(_prepared(each, backend, prepare) for each in value)
        case ExpertWeights() | LatentWeights():
            parts = {each.name: _prepared(getattr(value, each.name), backend, prepare) for each in fields(value)}
            return replace(value, **parts)
    assert value is None, value
    return None
