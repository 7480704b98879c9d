"""rope_append and paged_attention: every backend against the reference, over pools that hold NaN where unwritten."""

from __future__ import annotations

import pytest
import torch

from kernels.ops import AttentionBatch, Backend
from kernels.reference import ReferenceBackend
from tests.kernels.cases import AttentionCase, assert_rows_close, attention_case, numbers_of, pool_of, random_norm

# one decode row, one in a full block, a chunk in the middle, a fresh prompt, a prompt longer than a tile
RAGGED = [(1, 1), (1, 33), (1, 48), (5, 40), (20, 20), (129, 150)]


def run(backend: Backend, case: AttentionCase, **options: float | None) -> torch.Tensor:
    return backend.paged_attention(
        case.q, *case.pools(backend.kv_dtype), case.batch, case.q.shape[2] ** -0.5, **options
    )


def like(backend: Backend, reference: Backend) -> Backend:
    """The reference, which rounds keys and values to eight bits where the backend does."""
    return ReferenceBackend(torch.int8) if backend.kv_dtype == torch.int8 else reference


@pytest.mark.parametrize("head_dim", [64, 80, 96, 128, 256])
def test_a_ragged_batch_of_every_head_size(backend: Backend, reference: Backend, head_dim: int) -> None:
    case = attention_case(RAGGED, head_dim=head_dim)
    assert_rows_close(run(backend, case), run(like(backend, reference), case))


@pytest.mark.parametrize(("heads", "kv_heads"), [(9, 3), (4, 4), (7, 1)])
@pytest.mark.parametrize("window", [None, 1, 7, 16, 40])
@pytest.mark.parametrize("softcap", [None, 2.0])
def test_windows_and_softcaps(
    backend: Backend, reference: Backend, heads: int, kv_heads: int, window: int | None, softcap: float | None
) -> None:
    case = attention_case(RAGGED, heads, kv_heads, window=window)
    actual = run(backend, case, window=window, softcap=softcap)
    assert_rows_close(actual, run(like(backend, reference), case, window=window, softcap=softcap))


def test_layers_with_and_without_a_window_share_a_batch(backend: Backend, reference: Backend) -> None:
    case = attention_case([(3, 60), (1, 50)])
    for window in (None, 20, None, 20):
        assert_rows_close(run(backend, case, window=window), run(like(backend, reference), case, window=window))


@pytest.mark.parametrize("block_size", [1, 5, 32])
def test_any_block_size(backend: Backend, reference: Backend, block_size: int) -> None:
    case = attention_case([(1, 19), (6, 6), (4, 37)], block_size=block_size)
    assert_rows_close(run(backend, case), run(like(backend, reference), case))


@pytest.mark.parametrize(("window", "softcap"), [(None, None), (4, None), (None, 1.5), (3, 1.5)])
def test_the_reference_follows_the_formula_row_by_row(
    reference: Backend, window: int | None, softcap: float | None
) -> None:
    case = attention_case([(1, 9), (4, 7)], heads=4, kv_heads=2, head_dim=8, block_size=4, window=window)
    actual = run(reference, case, window=window, softcap=softcap).view(5, 4, 8)
    for sequence, (context, table) in enumerate(zip(case.batch.context_lengths, case.batch.block_tables, strict=True)):
        first, last = case.batch.query_starts[sequence : sequence + 2]
        for row in range(first, last):
            p = context - last + row
            places = [(int(table[j // 4]), j % 4) for j in range(p + 1) if window is None or p - window < j]
            for head in range(4):
                keys, values = (
                    torch.stack([pool[block, head // 2, offset] for block, offset in places]).double()
                    for pool in (case.key_pool, case.value_pool)
                )
                scores = keys @ case.q[row, head].double() * 8**-0.5
                scores = scores if softcap is None else softcap * torch.tanh(scores / softcap)
                torch.testing.assert_close(actual[row, head].double(), torch.softmax(scores, 0) @ values)


@pytest.mark.parametrize("rows", [1, 17, 129])
@pytest.mark.parametrize("head_dim", [64, 80, 96, 128, 256])
@pytest.mark.parametrize(("has_query_norm", "has_key_norm"), [(False, False), (True, True), (True, False)])
@pytest.mark.parametrize("covers_all", [False, True], ids=["head", "projection"])
def test_rope_append(
    backend: Backend,
    reference: Backend,
    rows: int,
    head_dim: int,
    has_query_norm: bool,
    has_key_norm: bool,
    covers_all: bool,
) -> None:
    heads, kv_heads, block_size, num_blocks = 9, 3, 16, 12
    qkv = torch.randn(rows, (heads + 2 * kv_heads) * head_dim)
    positions = torch.randint(0, 300, (rows,))
    angles = torch.rand(300, head_dim // 2) * 6.28
    # Some of the cases do not rotate.
    rotates = not (covers_all and rows == 17)
    rope_table = torch.stack([angles.cos(), angles.sin()], dim=1) if rotates else None
    slots = torch.randperm(num_blocks * block_size)[:rows]
    norms = (
        random_norm(head_dim * heads if covers_all else head_dim) if has_query_norm else None,
        random_norm(head_dim * kv_heads if covers_all else head_dim) if has_key_norm else None,
    )
    results = []
    for each in (backend, like(backend, reference)):
        empty = torch.full((num_blocks, kv_heads, block_size, head_dim), float("nan"))
        pools = [pool_of(empty, each.kv_dtype) for _ in "kv"]
        q = each.rope_append(qkv, positions, rope_table, *pools, slots, *norms)
        written = [numbers_of(pool).transpose(1, 2).flatten(0, 1) for pool in pools]
        is_written = torch.zeros(num_blocks * block_size, dtype=torch.bool)
        is_written[slots] = True
        assert all(bool(pool[~is_written].isnan().all()) for pool in written)
        results.append([q, *(pool[slots] for pool in written)])
    for actual, expected in zip(*results, strict=True):
        # A number that falls between two codes may take either.
        tolerance = 0.06 if backend.kv_dtype == torch.int8 else 0.025
        assert_rows_close(actual.flatten(1), expected.flatten(1), tolerance)


def test_the_reference_rotates_like_complex_numbers(reference: Backend) -> None:
    qkv, positions, slots = torch.randn(3, 4 * 8), torch.tensor([0, 5, 2]), torch.tensor([7, 0, 3])
    angles = torch.outer(torch.arange(6.0), torch.tensor([1.0, 0.5, 0.1, 0.01]))
    pools = torch.zeros(2, 2, 1, 4, 8)
    q = reference.rope_append(qkv, positions, torch.stack([angles.cos(), angles.sin()], dim=1), *pools, slots)
    heads = qkv.view(3, 4, 2, 4)
    turned = torch.complex(heads[:, :, 0], heads[:, :, 1]) * torch.exp(1j * angles[positions]).unsqueeze(1)
    expected = torch.cat([turned.real, turned.imag], dim=2)
    torch.testing.assert_close(q, expected[:, :2])
    torch.testing.assert_close(pools[0].flatten(0, 2)[slots], expected[:, 2])
    torch.testing.assert_close(pools[1].flatten(0, 2)[slots], qkv.view(3, 4, 8)[:, 3])


def test_a_new_batch_is_not_answered_with_the_plan_of_the_last(backend: Backend, reference: Backend) -> None:
    case = attention_case([(1, 20), (1, 20)])
    swapped = AttentionBatch((0, 1, 2), (20, 20), case.batch.block_tables[::-1])
    for batch in (case.batch, swapped, case.batch):
        each = AttentionCase(case.q, case.key_pool, case.value_pool, batch)
        assert_rows_close(run(backend, each), run(like(backend, reference), each))


def test_the_reference_norms_a_projection_as_one(reference: Backend) -> None:
    qkv, slots, norm = torch.randn(3, 5 * 8), torch.arange(3), random_norm(3 * 8)
    pools = torch.zeros(2, 1, 1, 4, 8)
    q = reference.rope_append(qkv, slots, None, *pools, slots, norm)
    rows = qkv[:, :24].double()
    wanted = rows / (rows.square().mean(dim=1, keepdim=True) + norm.eps).sqrt() * norm.weight
    torch.testing.assert_close(q.flatten(1).double(), wanted, atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(pools[0, 0, 0, :3], qkv[:, 24:32])
