"""A tiny random checkpoint, written without any source. Knows nothing of the tests that use it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from engine.rope_spec import RopeSpec
from engine.spec import ModelSpec
from engine.store import layout
from engine.store.manifest import Generation, Manifest, SourceRecord, TensorFormat, digests
from engine.store.partial import PartialCheckpoint
from engine.weights import HeadWeights, LayerWeights
from kernels.formats import PackedWeight, quantize

SPEC = ModelSpec(
    family="qwen2",
    num_layers=3,
    hidden_size=64,
    num_heads=4,
    num_kv_heads=2,
    head_dim=16,
    intermediate_size=96,
    vocab_size=40,
    max_context=128,
    rms_norm_eps=1e-6,
    rope=RopeSpec(10000.0, tuple(1.0 + index for index in range(8))),
    has_qkv_bias=True,
    is_tied=False,
)
GENERATION = Generation((2, 5), 1, False)
IDENTITY = {"source": "a", "bits": 4}


def matrix(name: str) -> PackedWeight:
    """Random, but the same for the same kind of matrix."""
    rows, columns = layout.matrix_shapes(SPEC)[name]
    generator = torch.Generator().manual_seed(len(name))
    return quantize(torch.randn(rows, columns, generator=generator), 4, 32, has_minimum=True)


def layer(index: int) -> LayerWeights[PackedWeight]:
    return LayerWeights(
        attention_norm=torch.full((SPEC.hidden_size,), 1.0 + index),
        qkv=matrix("qkv"),
        qkv_bias=torch.arange(SPEC.qkv_size).float(),
        output=matrix("output"),
        feed_forward_norm=torch.full((SPEC.hidden_size,), 2.0 + index),
        gate_up=matrix("gate_up"),
        down=matrix("down"),
    )


def write_all(partial: PartialCheckpoint, before_layer: Callable[[int], None] = lambda index: None) -> None:
    """Whatever is missing; `before_layer` may raise to interrupt."""
    partial.write_text(layout.TOKENIZER_FILE, "{}")
    partial.write_text(layout.GENERATION_FILE, GENERATION.to_text())
    partial.write_embedding(matrix("embedding"))
    for index in range(SPEC.num_layers):
        if not partial.has(layout.layer_file(index)):
            before_layer(index)
            partial.write_layer(index, layer(index))
    partial.write_head(HeadWeights(torch.ones(SPEC.hidden_size), matrix("head")))


def manifest(partial: PartialCheckpoint) -> Manifest:
    weights, tokenizer = digests(partial.files)
    return Manifest(
        model_id=partial.target.name,
        name="Tiny",
        spec=SPEC,
        quantization={name: TensorFormat(4, 32, True, "F32", False) for name in layout.matrix_names(SPEC)},
        source=SourceRecord("tiny.gguf", "ab" * 32, 4, 32),
        license=None,
        generation=GENERATION,
        files=partial.files,
        weights_digest=weights,
        tokenizer_digest=tokenizer,
    )


def make_checkpoint(target: Path) -> Path:
    partial = PartialCheckpoint(target, IDENTITY)
    partial.begin()
    write_all(partial)
    partial.finish(manifest(partial))
    return target
