"""A cache of latents: one row per token for all heads, and tokens that nothing of the cache's doings changes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal

import pytest

from engine.config import EngineConfig
from engine.latent_spec import LatentSpec
from engine.messages import RequestPreempted
from engine.models.decoder import kv_bytes_per_token, make_host_pool, make_pool
from engine.planner import plan
from kernels.backends import load_backend
from tests.engine.tiny_decoder import SPEC, DecoderEngine

LATENT = replace(
    SPEC,
    family="deepseek2",
    num_kv_heads=1,
    head_dim=44,
    has_qkv_bias=False,
    latent=LatentSpec(kv_lora_rank=32, qk_nope_head_dim=32, qk_rope_head_dim=12, v_head_dim=24, q_lora_rank=64),
)
ROW_SIZE = 44
PROMPTS = tuple(f"A common beginning that fills blocks, and the end of {i}: {'na ' * i}" for i in range(3))
KINDS = [None, "int8"]


class LatentEngine(DecoderEngine):
    def __init__(self, kv_dtype: Literal["int8"] | None, **options: object) -> None:
        super().__init__("cpu", kv_dtype, LATENT, **{"num_blocks": 200, "block_size": 4, **options})


def tokens(engine: LatentEngine, is_alone: bool = False, **params: object) -> list[list[int]]:
    for index, prompt in enumerate(PROMPTS):
        engine.submit(str(index), prompt, max_tokens=10, ignore_eos=True, **params)
        if is_alone:
            engine.run()
    engine.run()
    return [engine.token_ids(str(index)) for index in range(len(PROMPTS))]


@cache
def plain_tokens(kv_dtype: Literal["int8"] | None) -> list[list[int]]:
    return tokens(LatentEngine(kv_dtype), is_alone=True, use_prefix_cache=False)


@pytest.mark.parametrize("kv_dtype", KINDS)
@pytest.mark.parametrize(
    "options", [{"max_batched_tokens": 9}, {"block_size": 16, "num_blocks": 50}], ids=["chunks", "blocks of 16"]
)
def test_company_chunks_and_cache_change_no_token(kv_dtype: Literal["int8"] | None, options: dict[str, int]) -> None:
    assert tokens(LatentEngine(kv_dtype, **options)) == plain_tokens(kv_dtype)


@pytest.mark.parametrize("kv_dtype", KINDS)
@pytest.mark.parametrize("preemption", ["swap", "recompute"])
def test_preempted_sequences_keep_their_tokens(kv_dtype: Literal["int8"] | None, preemption: str) -> None:
    engine = LatentEngine(kv_dtype, num_blocks=24, preemption=preemption, max_batched_tokens=16)
    assert tokens(engine) == plain_tokens(kv_dtype)
    assert {event.how for event in engine.events if isinstance(event, RequestPreempted)} == {preemption}


@pytest.mark.parametrize("kv_dtype", KINDS)
def test_prefix_of_one_engine_serves_another(kv_dtype: Literal["int8"] | None) -> None:
    first, second = LatentEngine(kv_dtype), LatentEngine(kv_dtype)
    first.submit("r", PROMPTS[2], owner="chat", max_tokens=10, ignore_eos=True)
    first.run()
    saved = first.core.prefixes.save("chat")
    row_bytes = 2 * ROW_SIZE if kv_dtype is None else ROW_SIZE + 4
    assert [len(side) for side in saved.contents.sides] == [saved.contents.num_blocks * 4 * 2 * row_bytes]
    second.core.prefixes.install("chat", "file", saved)
    second.submit("r", PROMPTS[2], max_tokens=10, ignore_eos=True)
    second.run()
    assert second.token_ids("r") == first.token_ids("r") == plain_tokens(kv_dtype)[2]
    assert second.end("r").num_cached_tokens > 40


@pytest.mark.parametrize("backend_name", ["cpu", "reference"])
@pytest.mark.parametrize("kv_dtype", KINDS)
def test_a_token_takes_one_row_a_layer(kv_dtype: Literal["int8"] | None, backend_name: str) -> None:
    backend = load_backend(backend_name, kv_dtype=kv_dtype)
    row_bytes = ROW_SIZE * backend.kv_dtype.itemsize + (4 if kv_dtype == "int8" else 0)
    assert kv_bytes_per_token(LATENT, backend) == 2 * row_bytes
    pool = make_pool(LATENT, 9, 4, backend)
    host = make_host_pool(pool, 10)
    for each in (pool, host):
        assert each.keys.nbytes + each.values.nbytes == 10 * 4 * kv_bytes_per_token(LATENT, backend)


def test_a_plan_counts_latents() -> None:
    half, codes = (plan(LATENT, "balanced", 1 << 30, EngineConfig(kv_dtype=kind)).need for kind in ("auto", "int8"))
    assert half.kv_bytes_per_token == 2 * ROW_SIZE * 2
    assert codes.kv_bytes_per_token == 2 * (ROW_SIZE + 4)
