"""Wrong shapes, dtypes and strides are refused with both values; blocks are copied."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernels.fallback.backend import TorchBackend
from kernels.formats import KernelShapeError
from kernels.ops import AttentionBatch, Backend, Norm
from kernels.reference import ReferenceBackend
from kernels.sampling_tensors import SamplingTensors
from tests.kernels.cases import random_layer_norm, random_norm, random_weight
from tests.kernels.native import native_backend


@pytest.fixture(params=[ReferenceBackend, TorchBackend, native_backend])
def each(request: pytest.FixtureRequest) -> Backend:
    return request.param()


def test_wrong_linear_calls_are_refused_with_both_values(each: Backend) -> None:
    weight, norm, x = each.prepare(random_weight(48, 64)), random_norm(64), torch.randn(3, 64)
    calls: list[tuple[str, Callable[[], object]]] = [
        (r"x is \(3, 32\).*must be \(3, 64\)", lambda: each.norm_linear(torch.randn(3, 32), norm, weight)),
        (r"strides \(1, 3\)", lambda: each.norm_linear(torch.randn(64, 3).t(), norm, weight)),
        (r"x is float64, must be float32", lambda: each.norm_linear(x.double(), norm, weight)),
        (r"norm.weight is \(32,\).*must be \(64,\)", lambda: each.norm_linear(x, random_norm(32), weight)),
        (r"bias is \(64,\).*must be \(48,\)", lambda: each.norm_linear(x, norm, weight, torch.zeros(64))),
        (r"num_narrow_rows is 4, x has 3", lambda: each.norm_linear(x, norm, weight, None, 4)),
        (r"residual is \(3, 64\).*must be \(3, 48\)", lambda: each.linear_add(x, weight, x)),
        (r"floating", lambda: each.linear_add(x.int(), weight, torch.zeros(3, 48))),
        (
            r"post_norm.weight is \(64,\).*must be \(48,\)",
            lambda: each.linear_add(x, weight, torch.zeros(3, 48), norm),
        ),
        (
            r"norm.bias is \(32,\).*must be \(64,\)",
            lambda: each.norm_linear(x, Norm(norm.weight, 1e-5, torch.zeros(32)), weight),
        ),
        (
            r"post_norm.weight has a bias of 48 numbers",
            lambda: each.linear_add(x, weight, torch.zeros(3, 48), random_layer_norm(48)),
        ),
        (r"token_ids is int32, must be int64", lambda: each.embed(weight, torch.zeros(2).int())),
        (r"has 33 rows", lambda: each.norm_gate_up(x, norm, each.prepare(random_weight(33, 64)), "silu")),
    ]
    for message, call in calls:
        with pytest.raises(KernelShapeError, match=message):
            call()
    with pytest.raises(ValueError, match="'relu'"):
        each.norm_gate_up(x, norm, weight, "relu")
    with pytest.raises(ValueError, match="'relu'"):
        each.norm_linear(x, norm, weight, activation="relu")


def test_wrong_rope_calls_are_refused_with_both_values(each: Backend) -> None:
    pool = torch.zeros(4, 2, 16, 8, dtype=each.kv_dtype)
    good = {
        "qkv": torch.zeros(3, 8 * 8),
        "positions": torch.arange(3),
        "rope_table": torch.zeros(10, 2, 4),
        "key_pool": pool,
        "value_pool": pool.clone(),
        "slots": torch.arange(3),
    }
    for message, wrong in (
        (r"qkv is \(3, 60\)", {"qkv": torch.zeros(3, 60)}),
        (r"heads a multiple of 2", {"qkv": torch.zeros(3, 7 * 8)}),
        (r"positions is \(2,\).*must be \(3,\)", {"positions": torch.arange(2)}),
        (r"slots is int32, must be int64", {"slots": torch.arange(3).int()}),
        (r"rope_table is \(10, 2, 8\).*must be \(10, 2, 4\)", {"rope_table": torch.zeros(10, 2, 8)}),
        (r"key_pool is float64", {"key_pool": pool.double()}),
        (r"key_pool is \(2, 16, 8\)", {"key_pool": pool[0]}),
        (r"value_pool is \(3, 2, 16, 8\).*must be \(4, 2, 16, 8\)", {"value_pool": pool[:3]}),
        (r"head norm is \(4,\).*must be \(8,\)", {"key_norm": Norm(torch.ones(4), 1e-5)}),
    ):
        with pytest.raises(KernelShapeError, match=message):
            each.rope_append(**{**good, **wrong})


def test_a_batch_that_contradicts_itself_is_refused(each: Backend) -> None:
    pool, table = torch.zeros(4, 2, 16, 8, dtype=each.kv_dtype), torch.arange(2)
    q = torch.zeros(3, 4, 8).to(each.kv_dtype)
    for message, batch in (
        (r"q is \(3, 4, 8\).*must be \(4, 4, 8\)", AttentionBatch((0, 4), (20,), (table,))),
        (r"block table 0.*\(2,\).*3 blocks for 33 tokens", AttentionBatch((0, 3), (33,), (table,))),
        (r"int32", AttentionBatch((0, 3), (20,), (table.int(),))),
        (r"3 rows and a context of 2 tokens", AttentionBatch((0, 3), (2,), (table,))),
        (r"sequence 1 has 0 rows", AttentionBatch((0, 3, 3), (20, 20), (table, table))),
        (r"2 query starts from 0, 2 context lengths", AttentionBatch((0, 3), (20, 20), (table,))),
    ):
        with pytest.raises(KernelShapeError, match=message):
            each.paged_attention(q, pool, pool, batch, 1.0)
    good = AttentionBatch((0, 3), (20,), (table,))
    with pytest.raises(KernelShapeError, match="window is 0"):
        each.paged_attention(q, pool, pool, good, 1.0, window=0)
    with pytest.raises(KernelShapeError, match=r"q is \(3, 3, 8\)"):
        each.paged_attention(q[:, :3].contiguous(), pool, pool, good, 1.0)


def test_wrong_sampling_tensors_are_refused(each: Backend) -> None:
    columns = [torch.ones(2), torch.zeros(2, dtype=torch.int64), torch.ones(2), torch.zeros(2)]
    good = SamplingTensors(*columns, uniform=torch.zeros(2, dtype=torch.float64))
    with pytest.raises(KernelShapeError, match=r"logits are float32 \(5,\)"):
        each.sample(torch.zeros(5), good)
    with pytest.raises(KernelShapeError, match=r"temperature is \(2,\).*must be \(3,\)"):
        each.sample(torch.zeros(3, 5), good)
    with pytest.raises(KernelShapeError, match=r"uniform is float32, must be float64"):
        each.sample(torch.zeros(2, 5), SamplingTensors(*columns, uniform=torch.zeros(2)))


def test_blocks_are_copied_over_all_layers_as_they_were(each: Backend) -> None:
    pool = torch.randn(3, 6, 2, 4, 8)
    before = pool.clone()
    each.copy_blocks(pool, pool, [1, 4, 1], [4, 0, 5])
    for block, origin in enumerate([4, 1, 2, 3, 1, 1]):
        assert torch.equal(pool[:, block], before[:, origin])
    each.copy_blocks(pool, pool, [], [])


def test_blocks_go_to_another_pool_and_come_back(each: Backend) -> None:
    pool, host = torch.randn(3, 6, 2, 4, 8), torch.full((3, 2, 2, 4, 8), float("nan"))
    before = pool.clone()
    each.copy_blocks(pool, host, [5, 2], [1, 0])
    pool.fill_(float("nan"))
    each.copy_blocks(host, pool, [0, 1], [3, 4])
    assert torch.equal(pool[:, 3], before[:, 2])
    assert torch.equal(pool[:, 4], before[:, 5])


def test_pools_of_other_blocks_are_refused(each: Backend) -> None:
    pool = torch.zeros(3, 6, 2, 4, 8)
    for other in (torch.zeros(3, 6, 2, 4, 4), torch.zeros(2, 6, 2, 4, 8), pool.half()):
        with pytest.raises(KernelShapeError, match="blocks differ"):
            each.copy_blocks(pool, other, [0], [1])


def test_copies_outside_the_pool_are_refused_and_write_nothing(each: Backend) -> None:
    pool = torch.randn(1, 3, 1, 2, 2)
    before = pool.clone()
    for source, target, message in (
        ([0], [3], "block 3 is outside a pool of 3"),
        ([-1], [0], "block -1"),
        ([0, 1], [2], "one target for each source"),
        ([0, 1], [2, 2], "none twice"),
    ):
        with pytest.raises(KernelShapeError, match=message):
            each.copy_blocks(pool, pool, source, target)
    with pytest.raises(KernelShapeError, match=r"pool is \(3, 1, 2, 2\)"):
        each.copy_blocks(pool[0], pool[0], [0], [1])
    assert torch.equal(pool, before)
