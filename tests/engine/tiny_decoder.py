"""A decoder of random weights over the tokens of `ByteTokenizer`, and an engine that runs it for real."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal

import torch

from engine.cache.kv_cache import KVCache
from engine.forward.runner import Runner
from engine.models.decoder import Decoder
from engine.rope_spec import RopeSpec
from engine.spec import ModelSpec
from engine.store.layout import matrix_shapes
from engine.weights import HeadWeights, LatentWeights, LayerWeights
from kernels.arrays import Array
from kernels.backends import load_backend
from kernels.formats import quantize
from kernels.ops import Backend
from kernels.tensors import array_of
from tests.engine.fakes import END, FakeEngine

SPEC = ModelSpec(
    family="llama",
    num_layers=2,
    hidden_size=64,
    num_heads=4,
    num_kv_heads=2,
    head_dim=16,
    intermediate_size=96,
    vocab_size=END + 1,
    max_context=1024,
    rms_norm_eps=1e-5,
    rope=RopeSpec(10000.0),
    has_qkv_bias=True,
    is_tied=True,
)


def random_decoder(spec: ModelSpec, backend: Backend, seed: int = 1, noise: float = 0.0) -> Decoder:
    """With noise, relative to the weights, it is another model that resembles the one of the same seed without."""
    generator, noise_generator = torch.Generator().manual_seed(seed), torch.Generator().manual_seed(seed + 1)

    def matrix(rows: int, columns: int) -> object:
        weight = torch.randn(rows, columns, generator=generator) * columns**-0.5
        weight += torch.randn(rows, columns, generator=noise_generator) * noise * columns**-0.5
        return backend.prepare(quantize(weight, 8, 32, has_minimum=False))

    def vector(size: int) -> Array:
        return array_of(torch.rand(size, generator=generator) + 0.5)

    def latent() -> LatentWeights[object] | None:
        if spec.latent is None:
            return None
        shapes = matrix_shapes(spec)
        has_query_up = spec.latent.q_lora_rank is not None
        up = matrix(*shapes["query_up"]) if has_query_up else None
        return LatentWeights(matrix(*shapes["query_to_latent"]), matrix(*shapes["latent_to_value"]), up)

    layers = [
        LayerWeights(
            attention_norm=vector(spec.hidden_size),
            qkv=matrix(spec.qkv_size, spec.hidden_size),
            qkv_bias=vector(spec.qkv_size) if spec.has_qkv_bias else None,
            output=matrix(spec.hidden_size, spec.attended_size),
            feed_forward_norm=vector(spec.hidden_size),
            gate_up=matrix(2 * spec.intermediate_size, spec.hidden_size),
            down=matrix(spec.hidden_size, spec.intermediate_size),
            query_norm=None if spec.latent is None else vector(spec.norm_sizes[0]),
            key_norm=None if spec.latent is None else vector(spec.norm_sizes[1]),
            latent=latent(),
        )
        for _ in range(spec.num_layers)
    ]
    table = matrix(spec.vocab_size, spec.hidden_size)
    return Decoder(spec, backend, table, layers, HeadWeights(vector(spec.hidden_size), None))


@cache
def tiny_decoder(
    backend_name: str, window: int | None = None, kv_dtype: Literal["int8"] | None = None, spec: ModelSpec = SPEC
) -> tuple[Decoder, Backend]:
    backend = load_backend(backend_name, kv_dtype=kv_dtype)
    return random_decoder(replace(spec, sliding_window=window), backend), backend


class DecoderEngine(FakeEngine):
    """A `FakeEngine` whose tokens come from the real runner on the tiny decoder."""

    def __init__(
        self,
        backend_name: str = "reference",
        kv_dtype: Literal["int8"] | None = None,
        spec: ModelSpec = SPEC,
        **options: object,
    ) -> None:
        def make_runner(kv_cache: KVCache, _: object) -> Runner:
            decoder, backend = tiny_decoder(backend_name, kv_cache.window.size, kv_dtype, spec)
            pools = (kv_cache.pool.num_blocks, kv_cache.block_size, kv_cache.host_pool.num_blocks)
            return Runner(decoder, backend, *pools)

        super().__init__(make_runner=make_runner, **options)  # type: ignore[arg-type]
