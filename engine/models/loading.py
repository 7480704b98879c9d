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
    """The decoder, and the bytes its weights take in the checkpoint's formats. `on_progress(layers done, layers)`.

    Raises `CheckpointError` for a damaged checkpoint.
    """
    spec = checkpoint.manifest.spec
    table = checkpoint.read_embedding()
    size_bytes = table.size_bytes
    prepared_table = backend.prepare(table)
    layers: list[LayerWeights[Any]] = []
    for index in range(spec.num_layers):
        layer = checkpoint.read_layer(index)
        size_bytes += sum(m.size_bytes for m in (layer.qkv, layer.output, layer.gate_up, layer.down))
        layers.append(_prepare_layer(layer, backend))
        if on_progress is not None:
            on_progress(index + 1, spec.num_layers)
    head = checkpoint.read_head()
    if head.matrix is not None:
        size_bytes += head.matrix.size_bytes
    matrix = None if head.matrix is None else backend.prepare(head.matrix)
    return Decoder(spec, backend, prepared_table, layers, HeadWeights(head.norm.to(backend.device), matrix)), size_bytes


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
