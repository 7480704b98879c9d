"""Native attention: a row has the same bits alone, in company and by any thread, and odd values stay where they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from kernels.cpu.attention import join_lone_rows
from kernels.cpu.library import shared
from kernels.kv_codes import decode, encode, turn
from kernels.ops import AttentionBatch
from kernels.reference import ReferenceBackend
from tests.kernels.cases import assert_rows_close, attention_case, pool_of, random_norm
from tests.kernels.native import native_backend, runnable_variants

# shorter and longer than a chunk of 128 keys, with few rows and more than a tile
RAGGED = [(1, 1), (1, 128), (1, 129), (1, 700), (3, 520), (9, 300), (70, 260)]


@pytest.fixture(params=runnable_variants())
def variant(request: pytest.FixtureRequest) -> Iterator[str]:
    library = shared()
    best = library.di_variant()
    assert library.di_choose_variant(request.param.encode())
    yield request.param
    library.di_choose_variant(best)


@pytest.mark.parametrize("kv_dtype", [torch.float16, torch.int8, torch.float32])
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
    pools = case.pools(kv_dtype)
    options = (0.3, window, softcap)
    together = native_backend(1, kv_dtype).paged_attention(case.q, *pools, case.batch, *options)
    exact = pools if kv_dtype == torch.int8 else case.pools(torch.float32)
    reference = ReferenceBackend(exact[0].dtype).paged_attention(case.q, *exact, case.batch, *options)
    # Of pools below float32 this variant rounds weights and values to bfloat16, each by up to 2**-9 of itself.
    is_rounded = variant == "avx512bf16" and kv_dtype != torch.float32
    assert_rows_close(together, reference, tolerance=1e-2 if is_rounded else 1e-4)
    for num_threads in (2, 3):
        backend = native_backend(num_threads, kv_dtype)
        assert torch.equal(backend.paged_attention(case.q, *pools, case.batch, *options), together)
        for sequence, context in enumerate(case.batch.context_lengths):
            first, last = case.batch.query_starts[sequence : sequence + 2]
            for row in {first, (first + last) // 2, last - 1}:
                alone = AttentionBatch((0, 1), (context - last + row + 1,), (case.batch.block_tables[sequence],))
                result = backend.paged_attention(case.q[row : row + 1], *pools, alone, *options)
                assert torch.equal(result[0], together[row])


def test_rows_that_go_on_in_one_table_share_a_pass_over_its_keys() -> None:
    one, other = torch.arange(10), torch.arange(10)
    batch = AttentionBatch((0, 3, 4, 5, 6, 7), (20, 21, 22, 22, 24), (one, one, one, other, other))
    starts, contexts, tables = join_lone_rows(batch)
    assert (starts, contexts) == ([0, 5, 6, 7], [22, 22, 24])
    assert [table is one for table in tables] == [True, False, False]


@pytest.mark.parametrize("kv_dtype", [torch.float16, torch.int8])
def test_a_key_that_is_not_finite_harms_no_row_before_it(kv_dtype: torch.dtype) -> None:
    case = attention_case([(40, 200)], block_size=200)
    pools = case.pools(kv_dtype)
    backend = native_backend(2, kv_dtype)
    clean = backend.paged_attention(case.q, *pools, case.batch, 0.1)
    block = int(case.batch.block_tables[0][0])
    for pool in pools:
        pool[block, :, 180] = pool_of(torch.full((64,), float("nan")), kv_dtype)
    spoiled = backend.paged_attention(case.q, *pools, case.batch, 0.1)
    assert torch.equal(spoiled[:20], clean[:20])
    assert bool(spoiled[20:].isnan().all())


@pytest.mark.parametrize("magnitude", [1e-6, 1e3, 6e4])
def test_large_and_small_scores(magnitude: float) -> None:
    case = attention_case([(1, 300), (5, 150)])
    keys, values = case.key_pool.half() * min(magnitude, 100), case.value_pool.half()
    q = case.q.float() * magnitude
    expected = ReferenceBackend().paged_attention(q, keys.float(), values.float(), case.batch, 0.125)
    assert_rows_close(native_backend(2).paged_attention(q, keys, values, case.batch, 0.125), expected, tolerance=0.01)


def test_keys_beyond_half_floats_are_kept_at_their_largest() -> None:
    qkv = torch.full((1, 3 * 16), 1e30)
    rope_table = torch.stack([torch.ones(1, 8), torch.zeros(1, 8)], dim=1)
    pools = torch.zeros(2, 1, 1, 4, 16, dtype=torch.float16)
    place = torch.zeros(1, dtype=torch.int64)
    native_backend(1).rope_append(qkv, place, rope_table, *pools, place)
    assert torch.equal(pools[:, 0, 0, 0], torch.full((2, 16), 65504.0, dtype=torch.float16))


@pytest.mark.parametrize("head_dim", [4, 12, 64])
def test_head_norms_and_rotation_to_float32(variant: str, head_dim: int) -> None:
    qkv, positions, slots = torch.randn(19, 8 * head_dim), torch.randint(0, 50, (19,)), torch.randperm(24)[:19]
    rope_table, norms = torch.randn(50, 2, head_dim // 2), (random_norm(head_dim), random_norm(head_dim))
    results = []
    for backend in (native_backend(2, torch.float32), ReferenceBackend()):
        pools = torch.zeros(2, 6, 2, 4, head_dim)
        results.append([backend.rope_append(qkv, positions, rope_table, *pools, slots, *norms), pools])
    for actual, expected in zip(*results, strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("head_dim", [4, 6, 20, 64, 80, 96])
@pytest.mark.parametrize("magnitude", [0.0, 1e-30, 1.0, 1e30, float("inf"), float("nan")])
def test_rows_of_codes_are_those_of_the_reference(variant: str, head_dim: int, magnitude: float) -> None:
    qkv, positions, slots = torch.randn(19, 8 * head_dim), torch.randint(0, 50, (19,)), torch.randperm(24)[:19]
    # Of one row, an element of a key and one of a value.
    qkv[7, [5 * head_dim, -1]] = magnitude
    qkv[8] *= magnitude if magnitude < 1 else 1
    rope_table = torch.rand(50, 2, head_dim // 2)
    results = []
    for backend in (native_backend(2, torch.int8), ReferenceBackend(torch.int8)):
        pools = torch.zeros(2, 6, 2, 4, head_dim + 4, dtype=torch.int8)
        q = backend.rope_append(qkv, positions, rope_table, *pools, slots)
        results.append((q, decode(pools)))
    for actual, expected in zip(*results, strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-2, atol=1e-5, equal_nan=True)


def test_turning_leaves_the_product_of_queries_and_keys() -> None:
    for head_dim in (1, 6, 64, 80):
        q, k = torch.randn(2, 5, head_dim, dtype=torch.float64)
        torch.testing.assert_close((turn(q) * turn(k)).sum(1), (q * k).sum(1))


def test_turning_keeps_one_large_element_from_setting_the_scale_of_all() -> None:
    keys = torch.randn(50, 64)
    keys[:, 3] += 100
    errors = [(decode(encode(rows)) - rows).square().mean().sqrt() for rows in (keys, turn(keys))]
    assert errors[1] < errors[0] / 4
