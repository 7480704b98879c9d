"""Latent attention's operations: the formula on every backend, no row that sees its neighbours, and what is refused."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from kernels import latent
from kernels.formats import KernelShapeError, PackedWeight, dequantize
from kernels.kv_codes import turn
from kernels.ops import AttentionBatch, Backend, DecoderLayer, ForwardInput, LatentAttention, Norm
from kernels.reference import ReferenceBackend
from tests.kernels.cases import assert_rows_close, numbers_of, pool_of, random_norm, random_weight

HEADS, RANK, STILL, ROTATED, VALUE, HIDDEN = 5, 36, 32, 12, 19, 64
WIDTH = RANK + ROTATED
NUM_POSITIONS, BLOCK_SIZE = 50, 16


@pytest.mark.parametrize(("groups", "rows", "columns"), [(3, 16, 64), (5, 19, 32), (2, 4, 96), (1, 7, 32)])
@pytest.mark.parametrize("num_rows", [0, 1, 33])
def test_each_part_of_a_row_takes_its_own_part_of_the_weight(
    backend: Backend, groups: int, rows: int, columns: int, num_rows: int
) -> None:
    weight, x = random_weight(groups * rows, columns, 8), torch.randn(num_rows, groups * columns)
    parts = zip(x.chunk(groups, dim=1), dequantize(weight).chunk(groups), strict=True)
    wanted = torch.cat([part @ matrix.T for part, matrix in parts], dim=1)
    for each in (backend, ReferenceBackend()):
        y = each.grouped_linear(x, each.prepare(weight), groups)
        assert y.dtype == torch.float32
        if num_rows:
            assert_rows_close(y, wanted, 0.06)


def test_a_row_by_groups_does_not_depend_on_its_neighbours(backend: Backend) -> None:
    weight, x = backend.prepare(random_weight(3 * 24, 64, 8)), torch.randn(150, 3 * 64)
    together = backend.grouped_linear(x, weight, 3)
    for row in (0, 7, 128, 149):
        assert torch.equal(backend.grouped_linear(x[row : row + 1], weight, 3)[0], together[row])
    assert torch.equal(backend.grouped_linear(x[20:90].contiguous(), weight, 3), together[20:90])


class Rows:
    """One call of `latent_append`."""

    def __init__(self, num_rows: int, kv_dtype: torch.dtype) -> None:
        self.q, self.latent = torch.randn(num_rows, HEADS, WIDTH), torch.randn(num_rows, WIDTH)
        self.positions = torch.randint(0, NUM_POSITIONS, (num_rows,))
        self.slots = torch.randperm(3 * BLOCK_SIZE)[:num_rows]
        self.table, self.norm = torch.randn(NUM_POSITIONS, 2, ROTATED // 2), random_norm(RANK)
        self.pool = pool_of(torch.zeros(3, 1, BLOCK_SIZE, WIDTH), kv_dtype)

    def append(self, backend: Backend, rows: slice = slice(None)) -> Tensor:
        return backend.latent_append(
            self.q[rows],
            self.latent[rows],
            self.positions[rows],
            self.table,
            self.pool,
            self.slots[rows],
            self.norm,
        )

    @property
    def written(self) -> Tensor:
        return self.pool[self.slots // BLOCK_SIZE, 0, self.slots % BLOCK_SIZE]


def test_latents_are_normed_and_their_ends_rotated_with_the_queries(backend: Backend) -> None:
    rows = Rows(9, backend.kv_dtype)
    q = rows.append(backend)
    pairs = rows.table[rows.positions].double()
    turns = torch.complex(pairs[:, 0], pairs[:, 1])

    def rotated(x: Tensor) -> Tensor:
        a, b = x.double().chunk(2, dim=-1)
        result = torch.complex(a, b) * (turns if x.dim() == 2 else turns.unsqueeze(1))
        return torch.cat([result.real, result.imag], dim=-1).float()

    c = rows.latent[:, :RANK].double()
    c = c / (c.square().mean(dim=1, keepdim=True) + rows.norm.eps).sqrt() * rows.norm.weight.double()
    wanted = torch.cat([c.float(), rotated(rows.latent[:, RANK:])], dim=1)
    wanted_q = torch.cat([rows.q[..., :RANK], rotated(rows.q[..., RANK:])], dim=-1)
    if backend.kv_dtype == torch.int8:
        wanted, wanted_q = turn(wanted), turn(wanted_q)
    assert_rows_close(numbers_of(rows.written), wanted, 0.02)
    torch.testing.assert_close(q, wanted_q, atol=1e-5, rtol=1e-5)


def test_a_latent_does_not_depend_on_its_neighbours(backend: Backend) -> None:
    rows = Rows(33, backend.kv_dtype)
    together = rows.append(backend)
    kept = rows.written.clone()
    rows.pool.zero_()
    alone = torch.cat([rows.append(backend, slice(row, row + 1)) for row in range(33)])
    assert torch.equal(alone, together)
    assert torch.equal(rows.written, kept)


class Layer:
    """A layer's attention in the form in which the publisher describes it: keys and values of every head."""

    def __init__(self) -> None:
        self.qkv = random_weight(HEADS * (STILL + ROTATED) + 64 + ROTATED, HIDDEN, 8)
        # Of each head [R, Q] and [V, R], whose columns groups of 32 must divide.
        self.to_latent, self.to_value = random_weight(HEADS * 64, STILL, 8), random_weight(HEADS * VALUE, 64, 8)
        self.norm = Norm(1 + 0.3 * torch.randn(64), 1e-6)

    def described(self, backend: Backend) -> DecoderLayer:
        def prepared(weight: PackedWeight) -> object:
            return backend.prepare(weight)

        heads = LatentAttention(HEADS, ROTATED, None, prepared(self.to_latent), prepared(self.to_value))
        return DecoderLayer(
            attention_norm=None,
            qkv=prepared(self.qkv),
            qkv_bias=None,
            query_norm=None,
            key_norm=self.norm,
            rope_table=None,
            scale=0.2,
            window=None,
            softcap=None,
            output=None,
            attention_post_norm=None,
            feed_forward_norm=None,
            gate_up=None,
            activation="silu",
            down=None,
            feed_forward_post_norm=None,
            latent=heads,
        )

    def attended(self, x: Tensor) -> Tensor:
        """Of one text without rotation, float64 [M, H * V]."""
        query, row = (x.double() @ dequantize(self.qkv).double().T).split([HEADS * (STILL + ROTATED), 64 + ROTATED], 1)
        query = query.view(len(x), HEADS, -1)
        c, r = row[:, :64], row[:, 64:]
        c = c / (c.square().mean(dim=1, keepdim=True) + 1e-6).sqrt() * self.norm.weight.double()
        keys = torch.einsum("mr,hrq->mhq", c, dequantize(self.to_latent).double().view(HEADS, 64, STILL))
        keys = torch.cat([keys, r.unsqueeze(1).expand(-1, HEADS, -1)], dim=2)
        values = torch.einsum("mr,hvr->mhv", c, dequantize(self.to_value).double().view(HEADS, VALUE, 64))
        scores = torch.einsum("mhq,jhq->hmj", query, keys) * 0.2
        scores = scores.masked_fill(torch.ones(len(x), len(x)).triu(1).bool(), float("-inf"))
        return torch.einsum("hmj,jhv->mhv", torch.softmax(scores, dim=-1), values).flatten(1)


def run(backend: Backend, layer: Layer, x: Tensor, chunk: int) -> Tensor:
    described, num_rows = layer.described(backend), len(x)
    pool = pool_of(torch.full((4, 1, BLOCK_SIZE, 64 + ROTATED), float("nan")), backend.kv_dtype)
    table, results = torch.tensor([2, 3, 1]), []
    for start in range(0, num_rows, chunk):
        positions = torch.arange(start, min(start + chunk, num_rows))
        slots = table[positions // BLOCK_SIZE] * BLOCK_SIZE + positions % BLOCK_SIZE
        batch = AttentionBatch((0, len(positions)), (int(positions[-1]) + 1,), (table,))
        rows = ForwardInput(positions, positions, slots, batch, len(positions))
        results.append(latent.attend(backend, described, x[positions], rows, pool))
    return torch.cat(results)


def test_absorbed_attention_is_that_of_written_out_keys_and_values(backend: Backend) -> None:
    layer, x = Layer(), torch.randn(40, HIDDEN)
    wanted = layer.attended(x).float()
    reference = run(ReferenceBackend(), layer, x, 40)
    torch.testing.assert_close(reference, wanted, atol=1e-4, rtol=1e-4)
    actual = run(backend, layer, x, 40)
    assert (actual.float() - wanted).norm() < 0.04 * wanted.norm()
    # torch's own attention computes a prompt's rows together in another order.
    for chunk in (1, 7) if backend.wide_rows is None else ():
        assert torch.equal(run(backend, layer, x, chunk), actual)


def test_wrong_calls_are_refused_with_both_values(backend: Backend) -> None:
    with pytest.raises(KernelShapeError, match="20 rows for 3 groups"):
        backend.grouped_linear(torch.zeros(2, 96), backend.prepare(random_weight(20, 32, 8)), 3)
    with pytest.raises(KernelShapeError, match=r"x is \(2, 64\).*\(2, 96\)"):
        backend.grouped_linear(torch.zeros(2, 64), backend.prepare(random_weight(24, 32, 8)), 3)
    rows = Rows(4, backend.kv_dtype)
    rows.slots[1] = 3 * BLOCK_SIZE
    with pytest.raises(KernelShapeError, match=r"slots are .* to 48, must be below 48"):
        rows.append(backend)
    rows = Rows(4, backend.kv_dtype)
    rows.norm = random_norm(WIDTH)
    with pytest.raises(KernelShapeError, match="a norm of 48 leaves 0 of 48 elements to rotate"):
        rows.append(backend)
    rows = Rows(4, backend.kv_dtype)
    rows.q = torch.zeros(4, HEADS, WIDTH - 1)
    with pytest.raises(KernelShapeError, match=r"q is \(4, 5, 47\).*\(4, 5, 48\)"):
        rows.append(backend)
