"""On the CPU backend a row's result is the same to the bit whatever other rows share the call."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from kernels.formats import BITS
from kernels.ops import AttentionBatch, Backend
from tests.kernels.cases import attention_case, pool_of, random_layer_norm, random_norm, random_weight

HIDDEN, OUTPUT = 192, 1072
OPERATIONS = [(name, bits) for name in ("norm_linear", "linear_add", "norm_gate_up") for bits in BITS]
OPERATIONS.append(("layer_norm", 4))


@pytest.fixture(autouse=True, params=[1, 2])
def several_threads(request: pytest.FixtureRequest, one_thread: None) -> None:
    """How torch splits an operation over threads must not show either."""
    torch.set_num_threads(request.param)


class Operations:
    """The linear operations over weights of one format, as functions of the rows alone."""

    def __init__(self, backend: Backend, bits: int) -> None:
        self._backend = backend
        self._norm, self._post_norm = random_norm(HIDDEN), random_norm(OUTPUT)
        self._layer_norm = random_layer_norm(HIDDEN)
        self._weight = backend.prepare(random_weight(OUTPUT, HIDDEN, bits))
        self._bias = torch.randn(OUTPUT)

    def run(self, name: str, x: Tensor, num_narrow_rows: int | None) -> Tensor:
        if name == "norm_linear":
            return self._backend.norm_linear(x, self._norm, self._weight, self._bias, num_narrow_rows)
        if name == "layer_norm":
            return self._backend.norm_linear(x, self._layer_norm, self._weight, self._bias, num_narrow_rows, "gelu")
        if name == "norm_gate_up":
            return self._backend.norm_gate_up(x, self._norm, self._weight, "silu", num_narrow_rows)
        residual = x.repeat(1, OUTPUT // HIDDEN + 1)[:, :OUTPUT].contiguous()
        return self._backend.linear_add(x, self._weight, residual, self._post_norm, num_narrow_rows)


@pytest.mark.parametrize(("name", "bits"), OPERATIONS)
def test_a_narrow_row_alone_or_among_others(backend: Backend, name: str, bits: int) -> None:
    operations, x = Operations(backend, bits), torch.randn(140, HIDDEN)
    alone = torch.cat([operations.run(name, x[row : row + 1], None) for row in range(len(x))])
    for rows in (2, 3, 8, 17, 64, 129, 140):
        assert torch.equal(operations.run(name, x[:rows], None), alone[:rows])
        assert torch.equal(operations.run(name, x[-rows:].contiguous(), None), alone[-rows:])
    for num_narrow_rows in (1, 9, 33):
        assert torch.equal(operations.run(name, x, num_narrow_rows)[:num_narrow_rows], alone[:num_narrow_rows])


@pytest.mark.parametrize(("name", "bits"), OPERATIONS)
def test_a_wide_row_wherever_it_stands(backend: Backend, name: str, bits: int) -> None:
    operations, x = Operations(backend, bits), torch.randn(200, HIDDEN)
    together = operations.run(name, x, 0)
    for first, last in ((0, 1), (0, 64), (3, 140), (71, 200)):
        assert torch.equal(operations.run(name, x[first:last].contiguous(), 0), together[first:last])
    assert torch.equal(operations.run(name, x, 7)[7:], together[7:])


@pytest.mark.parametrize("head_dim", [64, 96])
@pytest.mark.parametrize(("window", "softcap"), [(None, None), (30, None), (None, 5.0)])
def test_a_sequence_attends_alone_as_in_a_batch(
    backend: Backend, head_dim: int, window: int | None, softcap: float | None
) -> None:
    case = attention_case([(1, 1), (1, 100), (37, 37), (1, 530), (150, 201), (1, 47)], head_dim=head_dim)
    pools = case.pools(backend.kv_dtype)
    together = backend.paged_attention(case.q, *pools, case.batch, 0.1, window, softcap)
    for sequence in range(len(case.batch.context_lengths)):
        first, last = case.batch.query_starts[sequence : sequence + 2]
        q, batch = case.only(sequence)
        assert torch.equal(backend.paged_attention(q, *pools, batch, 0.1, window, softcap), together[first:last])


@pytest.mark.parametrize(("window", "softcap"), [(None, None), (30, None), (None, 5.0)])
def test_rows_of_one_table_attend_as_sequences_alone(
    backend: Backend, window: int | None, softcap: float | None
) -> None:
    """Guessed tokens come so: one row each, with contexts that grow by one."""
    case = attention_case([(7, 146), (1, 90)])
    pools = case.pools(backend.kv_dtype)
    contexts = (*range(140, 147), 90)
    tables = (*[case.batch.block_tables[0]] * 7, case.batch.block_tables[1])
    together = backend.paged_attention(
        case.q, *pools, AttentionBatch(tuple(range(9)), contexts, tables), 0.1, window, softcap
    )
    for row, (context, table) in enumerate(zip(contexts, tables, strict=True)):
        # Another tensor, and no longer than needed.
        alone = AttentionBatch((0, 1), (context,), (table[: -(-context // 16)].clone(),))
        q = case.q[row : row + 1]
        assert torch.equal(backend.paged_attention(q, *pools, alone, 0.1, window, softcap)[0], together[row])


def test_rope_append_alone_or_among_others(backend: Backend) -> None:
    qkv, positions, slots = torch.randn(33, 5 * 64), torch.randint(0, 50, (33,)), torch.randperm(48)[:33]
    rope_table, norm = torch.randn(50, 2, 32), random_norm(64)
    pools = pool_of(torch.zeros(2, 3, 1, 16, 64), backend.kv_dtype)
    together = backend.rope_append(qkv, positions, rope_table, *pools, slots, norm, norm)
    kept = pools.clone()
    pools.copy_(pool_of(torch.full((2, 3, 1, 16, 64), float("nan")), backend.kv_dtype))
    rows = [slice(row, row + 1) for row in range(33)]
    alone = [backend.rope_append(qkv[r], positions[r], rope_table, *pools, slots[r], norm, norm) for r in rows]
    assert torch.equal(torch.cat(alone), together)
    where = slots // 16, slots % 16
    assert torch.equal(pools[:, where[0], 0, where[1]], kept[:, where[0], 0, where[1]])
