"""Native attention: a row has the same bits alone, in company and by any thread, and odd values stay where they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from kernels.cpu.backend import CpuBackend
from kernels.cpu.library import shared
from kernels.ops import AttentionBatch
from kernels.reference import ReferenceBackend
from tests.kernels.cases import assert_rows_close, attention_case, random_norm
from tests.kernels.native import runnable_variants

# shorter and longer than a chunk of 128 keys, with few rows and more than a tile
RAGGED = [(1, 1), (1, 128), (1, 129), (1, 700), (3, 520), (9, 300), (70, 260)]


@pytest.fixture(params=runnable_variants())
def variant(request: pytest.FixtureRequest) -> Iterator[str]:
    library = shared()
    best = library.di_variant()
    assert library.di_choose_variant(request.param.encode())
    yield request.param
    library.di_choose_variant(best)


@pytest.mark.parametrize("kv_dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize(("heads", "kv_heads"), [(9, 3), (14, 2), (5, 1), (60, 1)])
@pytest.mark.parametrize(("window", "softcap"), [(None, None), (150, 4.0)])
@pytest.mark.parametrize("head_dim", [8, 20, 64])
def test_a_row_has_the_same_bits_alone_and_by_any_number_of_threads(
    variant: str,
    kv_dtype: torch.dtype,
    heads: int,
    kv_heads: int,
    window: int | None,
    softcap: float | None,
    head_dim: int,
) -> None:
    case = attention_case(RAGGED, heads, kv_heads, head_dim, 16, window)
    pools = case.key_pool.to(kv_dtype), case.value_pool.to(kv_dtype)
    options = (0.3, window, softcap)
    together = CpuBackend(1, kv_dtype).paged_attention(case.q, *pools, case.batch, *options)
    reference = ReferenceBackend().paged_attention(
        case.q, case.key_pool.float(), case.value_pool.float(), case.batch, *options
    )
    assert_rows_close(together, reference, tolerance=1e-4)
    for num_threads in (2, 3):
        backend = CpuBackend(num_threads, kv_dtype)
        assert torch.equal(backend.paged_attention(case.q, *pools, case.batch, *options), together)
        for sequence, context in enumerate(case.batch.context_lengths):
            first, last = case.batch.query_starts[sequence : sequence + 2]
            for row in {first, (first + last) // 2, last - 1}:
                alone = AttentionBatch((0, 1), (context - last + row + 1,), (case.batch.block_tables[sequence],))
                result = backend.paged_attention(case.q[row : row + 1], *pools, alone, *options)
                assert torch.equal(result[0], together[row])


def test_a_key_that_is_not_finite_harms_no_row_before_it() -> None:
    case = attention_case([(40, 200)], block_size=200)
    pools = case.key_pool.half(), case.value_pool.half()
    backend = CpuBackend(2)
    clean = backend.paged_attention(case.q, *pools, case.batch, 0.1)
    block = int(case.batch.block_tables[0][0])
    for pool in pools:
        pool[block, :, 180] = float("nan")
    spoiled = backend.paged_attention(case.q, *pools, case.batch, 0.1)
    assert torch.equal(spoiled[:20], clean[:20])
    assert bool(spoiled[20:].isnan().all())


@pytest.mark.parametrize("magnitude", [1e-6, 1e3, 6e4])
def test_large_and_small_scores(magnitude: float) -> None:
    case = attention_case([(1, 300), (5, 150)])
    keys, values = case.key_pool.half() * min(magnitude, 100), case.value_pool.half()
    q = case.q.float() * magnitude
    expected = ReferenceBackend().paged_attention(q, keys.float(), values.float(), case.batch, 0.125)
    assert_rows_close(CpuBackend(2).paged_attention(q, keys, values, case.batch, 0.125), expected, tolerance=0.01)


def test_keys_beyond_half_floats_are_kept_at_their_largest() -> None:
    qkv = torch.full((1, 3 * 16), 1e30)
    rope_table = torch.stack([torch.ones(1, 8), torch.zeros(1, 8)], dim=1)
    pools = torch.zeros(2, 1, 1, 4, 16, dtype=torch.float16)
    place = torch.zeros(1, dtype=torch.int64)
    CpuBackend(1).rope_append(qkv, place, rope_table, *pools, place)
    assert torch.equal(pools[:, 0, 0, 0], torch.full((2, 16), 65504.0, dtype=torch.float16))


@pytest.mark.parametrize("head_dim", [4, 12, 64])
def test_head_norms_and_rotation_to_float32(variant: str, head_dim: int) -> None:
    qkv, positions, slots = torch.randn(19, 8 * head_dim), torch.randint(0, 50, (19,)), torch.randperm(24)[:19]
    rope_table, norms = torch.randn(50, 2, head_dim // 2), (random_norm(head_dim), random_norm(head_dim))
    results = []
    for backend in (CpuBackend(2, torch.float32), ReferenceBackend()):
        pools = torch.zeros(2, 6, 2, 4, head_dim)
        results.append([backend.rope_append(qkv, positions, rope_table, *pools, slots, *norms), pools])
    for actual, expected in zip(*results, strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)
