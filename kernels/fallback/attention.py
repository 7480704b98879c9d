"""Paged attention on the CPU: the plan of a batch, made once and used in every layer, and its execution.

Query heads that share a kv head are laid out as further query rows, so that keys and values are never repeated.
Knows nothing of rotary embedding or of who writes the pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import Tensor

from kernels import checks
from kernels.kv_codes import decode
from kernels.ops import AttentionBatch

TILE_ROWS = 128


@dataclass(frozen=True, slots=True)
class PoolShape:
    """What of the pool and of the layer decides a plan."""

    kv_heads: int
    heads_per_kv_head: int
    block_size: int
    window: int | None


@dataclass(frozen=True, slots=True)
class Tile:
    """Query rows [first_row, last_row) of one sequence against its gathered keys [first_key, last_key).

    `mask`: bfloat16 [rows * heads_per_kv_head, keys], 0 or minus infinity; None where all keys are visible.
    """

    first_row: int
    last_row: int
    first_key: int
    last_key: int
    mask: Tensor | None


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What one block table is read for; sequences that follow each other and share a table share its gathered keys.

    `gather`: int64 [kv_heads * blocks], where the blocks lie in a pool seen as [blocks * kv_heads, …].
    """

    gather: Tensor
    tiles: tuple[Tile, ...]


class AttentionPlans:
    """The plans of the batch that is under way; a new batch replaces them. For one thread."""

    def __init__(self) -> None:
        self._batch: AttentionBatch | None = None
        self._plans: dict[PoolShape, list[TablePlan]] = {}

    def find(self, batch: AttentionBatch, shape: PoolShape) -> list[TablePlan]:
        """Raises `KernelShapeError` if the batch contradicts itself."""
        if batch is not self._batch:
            self._batch, self._plans = batch, {}
        plan = self._plans.get(shape)
        if plan is None:
            checks.check_batch(batch, shape.block_size)
            plan = self._plans[shape] = plan_batch(batch, shape)
        return plan


def plan_batch(batch: AttentionBatch, shape: PoolShape) -> list[TablePlan]:
    """Guessed tokens come as sequences of one row each that share a table: gathering is most of their cost."""
    tables = batch.block_tables
    plans: list[TablePlan] = []
    first = 0
    for sequence, table in enumerate(tables):
        if sequence + 1 == len(tables) or tables[sequence + 1] is not table:
            plans.append(_plan_table(batch, range(first, sequence + 1), shape))
            first = sequence + 1
    return plans


def _plan_table(batch: AttentionBatch, sequences: range, shape: PoolShape) -> TablePlan:
    """All of the sequences' rows, and no block before the first that any of them can see."""
    starts, contexts = batch.query_starts, batch.context_lengths
    first_positions = [contexts[s] - (starts[s + 1] - starts[s]) for s in sequences]
    first_block = _first_visible(min(first_positions), shape.window) // shape.block_size
    last_context = max(contexts[s] for s in sequences)
    blocks = batch.block_tables[sequences[0]][first_block : -(-last_context // shape.block_size)]
    gather = (blocks * shape.kv_heads + torch.arange(shape.kv_heads).unsqueeze(1)).flatten()
    offset = first_block * shape.block_size
    return TablePlan(gather, tuple(tile for s in sequences for tile in _tiles(batch, s, shape, offset)))


def _tiles(batch: AttentionBatch, sequence: int, shape: PoolShape, offset: int) -> Iterator[Tile]:
    """A sequence's rows, at most `TILE_ROWS` at a time; keys count from the position `offset` on."""
    first_row, last_row = batch.query_starts[sequence], batch.query_starts[sequence + 1]
    first_position = batch.context_lengths[sequence] - (last_row - first_row)
    for row in range(first_row, last_row, TILE_ROWS):
        end = min(row + TILE_ROWS, last_row)
        position = first_position + row - first_row
        first_key, last_key = _first_visible(position, shape.window), position + end - row
        mask = None if end - row == 1 else _mask(position, end - row, first_key, shape)
        yield Tile(row, end, first_key - offset, last_key - offset, mask)


def _first_visible(position: int, window: int | None) -> int:
    return 0 if window is None else max(0, position - window + 1)


def _mask(position: int, num_rows: int, first_key: int, shape: PoolShape) -> Tensor:
    """Rows at `position` on against the keys from first_key to the last row's own."""
    rows = torch.arange(position, position + num_rows).unsqueeze(1)
    keys = torch.arange(first_key, position + num_rows)
    is_hidden = keys > rows
    if shape.window is not None:
        is_hidden |= keys <= rows - shape.window
    mask = torch.zeros(is_hidden.shape, dtype=torch.bfloat16).masked_fill_(is_hidden, float("-inf"))
    return mask.repeat_interleave(shape.heads_per_kv_head, dim=0)


def attend(
    q: Tensor, key_pool: Tensor, value_pool: Tensor, plan: list[TablePlan], scale: float, softcap: float | None
) -> Tensor:
    """q bfloat16 [M, heads, d], pools bfloat16 or int8 [blocks, kv_heads, block_size, …] to bfloat16 [M, heads * d]."""
    num_rows, heads, head_dim = q.shape
    kv_heads = key_pool.shape[1]
    result = torch.empty(num_rows, kv_heads, heads // kv_heads, head_dim, dtype=q.dtype)
    queries = q.view(result.shape)
    for table in plan:
        keys, values = _gather(key_pool, table), _gather(value_pool, table)
        for tile in table.tiles:
            rows = queries[tile.first_row : tile.last_row]
            # [rows, kv_heads, heads_per_kv_head, d] to [1, kv_heads, rows * heads_per_kv_head, d]
            folded = rows.transpose(0, 1).reshape(1, kv_heads, -1, head_dim)
            k, v = keys[:, :, tile.first_key : tile.last_key], values[:, :, tile.first_key : tile.last_key]
            if softcap is None:
                y = F.scaled_dot_product_attention(folded, k, v, attn_mask=tile.mask, scale=scale)
            else:
                y = _softcapped(folded, k, v, tile.mask, scale, softcap)
            unfolded = y.view(kv_heads, -1, heads // kv_heads, head_dim).transpose(0, 1)
            result[tile.first_row : tile.last_row] = unfolded
    return result.view(num_rows, heads * head_dim)


def _gather(pool: Tensor, table: TablePlan) -> Tensor:
    """A table's keys or values, one block after another: bfloat16 [1, kv_heads, tokens, d]."""
    rows = pool.view(-1, pool.stride(1)).index_select(0, table.gather).view(1, pool.shape[1], -1, pool.shape[3])
    return decode(rows).bfloat16() if pool.dtype == torch.int8 else rows


def _softcapped(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float, softcap: float) -> Tensor:
    """float32 throughout; torch's fused attention has no softcap."""
    scores = torch.matmul(q.float(), k.float().transpose(2, 3)).mul_(scale / softcap).tanh_().mul_(softcap)
    if mask is not None:
        scores += mask
    return torch.matmul(torch.softmax(scores, dim=-1), v.float())
