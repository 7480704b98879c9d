"""From a checkpoint on disk to a decoder in memory, one layer at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.models.decoder import Decoder
from engine.store.checkpoint import Checkpoint
from engine.weights import HeadWeights, LayerWeights
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
    layers: list[LayerWeights[Any]] = []
    for index in range(spec.num_layers):
        layers.append(_prepare_layer(checkpoint.read_layer(index), backend))
        if on_progress is not None:
            on_progress(index + 1, spec.num_layers)
    plain = checkpoint.read_head()
    matrix = None if plain.matrix is None else backend.prepare(plain.matrix)
    head = HeadWeights(plain.norm.to(backend.device), matrix)
    return Decoder(spec, backend, table, layers, head), _resident_bytes(backend, table, layers, head)


def _resident_bytes(backend: Backend, table: Any, layers: list[LayerWeights[Any]], head: HeadWeights[Any]) -> int:
    matrices = [table, *(matrix for layer in layers for matrix in (layer.qkv, layer.output, layer.gate_up, layer.down))]
    if head.matrix is not None:
        matrices.append(head.matrix)
    return sum(backend.resident_bytes(matrix) for matrix in matrices)


def _prepare_layer(layer: LayerWeights[PackedWeight], backend: Backend) -> LayerWeights[Any]:
    return replace(
        layer,
        attention_norm=layer.attention_norm.to(backend.device),
        qkv=backend.prepare(layer.qkv),
        qkv_bias=None if layer.qkv_bias is None else layer.qkv_bias.to(backend.device),
        output=backend.prepare(layer.output),
        feed_forward_norm=layer.feed_forward_norm.to(backend.device),
        gate_up=backend.prepare(layer.gate_up),
        down=backend.prepare(layer.down),
    )
