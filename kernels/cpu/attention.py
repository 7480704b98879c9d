"""Rotary embedding and paged attention on native threads: the Python face of src/rope_append.h and src/attention.h.

The plan of a batch is made once and serves all layers of its shape. Checks nothing: callers do (kernels/checks.py).
Knows nothing of weights.
"""

from __future__ import annotations

import ctypes
import weakref

from kernels.arrays import Array, address, dtype_name, empty
from kernels.cpu.pool import Pool
from kernels.cpu.structs import Attention, AttentionShape, LatentAppend, RaggedBatch, RopeAppend
from kernels.kv_rows import head_dim_of
from kernels.ops import AttentionBatch, Norm
from kernels.packed_weight import KernelShapeError

MAX_HEAD_DIM = 1024
"""MAX_HEAD_DIM of src/rope_append.c."""

FORMATS = {"float32": 0, "float16": 1, "int8": 2}
"""`di_kv_format` of src/kv_row.h."""


class BatchFacts:
    """A batch in the form of `di_ragged_batch`; `struct` points into arrays that this object holds."""

    def __init__(self, batch: AttentionBatch) -> None:
        starts, contexts, tables = join_lone_rows(batch)
        num_sequences = len(contexts)
        self._batch = batch
        self._starts = (ctypes.c_int64 * (num_sequences + 1))(*starts)
        self._contexts = (ctypes.c_int64 * num_sequences)(*contexts)
        self._tables = (ctypes.c_void_p * num_sequences)(*[address(table) for table in tables])
        self.struct = RaggedBatch(
            num_sequences,
            ctypes.addressof(self._starts),
            ctypes.addressof(self._contexts),
            ctypes.addressof(self._tables),
        )


def join_lone_rows(batch: AttentionBatch) -> tuple[list[int], list[int], list[Array]]:
    """Starts, contexts and tables, with sequences of one table and of positions that go on taken as one.

    Guesses come as a sequence each, but here a row has the same bits in any company: so they share one pass over the
    keys.
    """
    starts, contexts = [0], list[int]()
    tables: list[Array] = []
    for first, end, context, table in zip(
        batch.query_starts[:-1], batch.query_starts[1:], batch.context_lengths, batch.block_tables, strict=True
    ):
        if tables and table is tables[-1] and context - (end - first) == contexts[-1]:
            starts[-1], contexts[-1] = end, context
        else:
            starts.append(end)
            contexts.append(context)
            tables.append(table)
    return starts, contexts, tables


class Plan:
    """`di_attention_plan` with the lifetime of a Python object."""

    def __init__(self, pool: Pool, shape: AttentionShape, facts: BatchFacts) -> None:
        library = pool.library
        self.handle: int | None = library.di_attention_plan_create()
        if self.handle is not None:
            weakref.finalize(self, library.di_attention_plan_destroy, self.handle)
        if self.handle is None or not library.di_attention_plan_for(
            pool.handle, self.handle, ctypes.addressof(shape), ctypes.addressof(facts.struct)
        ):
            raise MemoryError("no memory to plan a batch's attention")


class Plans:
    """The plans of the batch that is under way; a new batch replaces them. For one thread."""

    def __init__(self) -> None:
        self._batch: AttentionBatch | None = None
        self._facts: BatchFacts | None = None
        self._plans: dict[bytes, Plan] = {}

    def find(self, pool: Pool, batch: AttentionBatch, shape: AttentionShape) -> Plan:
        if batch is not self._batch or self._facts is None:
            self._batch, self._facts, self._plans = batch, BatchFacts(batch), {}
        key = bytes(shape)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = Plan(pool, shape, self._facts)
        return plan


def attend(
    q: Array, key_pool: Array, value_pool: Array, plan: Plan, pool: Pool, scale: float, softcap: float | None
) -> Array:
    """q float32 [M, heads, d] to float32 [M, heads * d], with the pools that the plan was made for."""
    out = empty(q.shape[0], q.shape[1] * q.shape[2])
    call = Attention(
        plan.handle,
        address(q),
        address(key_pool),
        address(value_pool),
        address(out),
        scale,
        0.0 if softcap is None else softcap,
    )
    pool.library.di_attention_run(pool.handle, ctypes.addressof(call))
    return out


def append(
    qkv: Array,
    positions: Array,
    rope_table: Array | None,
    key_pool: Array,
    value_pool: Array,
    slots: Array,
    norms: tuple[Norm | None, Norm | None],
    pool: Pool,
) -> Array:
    """qkv float32 [M, (heads + 2 * kv_heads) * d]: K and V into the pools, and q float32 [M, heads, d]."""
    _, kv_heads, block_size, _ = key_pool.shape
    head_dim = head_dim_of(key_pool)
    if head_dim > MAX_HEAD_DIM:
        raise KernelShapeError(f"heads of {head_dim} elements, at most {MAX_HEAD_DIM} are supported")
    num_heads = qkv.shape[1] // head_dim - 2 * kv_heads
    q = empty(qkv.shape[0], num_heads, head_dim)
    query_norm, key_norm = norms
    rope = None if rope_table is None else address(rope_table)
    call = RopeAppend(
        num_rows=qkv.shape[0],
        num_heads=num_heads,
        num_kv_heads=kv_heads,
        head_dim=head_dim,
        block_size=block_size,
        format=FORMATS[dtype_name(key_pool)],
        query_eps=0.0 if query_norm is None else query_norm.eps,
        key_eps=0.0 if key_norm is None else key_norm.eps,
        qkv=address(qkv),
        positions=address(positions),
        slots=address(slots),
        query_norm_dim=0 if query_norm is None else len(query_norm.weight),
        key_norm_dim=0 if key_norm is None else len(key_norm.weight),
        rope_table=rope,
        query_norm=None if query_norm is None else address(query_norm.weight),
        key_norm=None if key_norm is None else address(key_norm.weight),
        q=address(q),
        keys=address(key_pool),
        values=address(value_pool),
    )
    pool.library.di_rope_append_run(pool.handle, ctypes.addressof(call))
    return q


def append_latent(
    q: Array,
    latent: Array,
    positions: Array,
    rope_table: Array | None,
    latent_pool: Array,
    slots: Array,
    norm: Norm,
    pool: Pool,
) -> Array:
    """q float32 [M, heads, d] and latent float32 [M, d]: latents into their pool, and q as they are rotated."""
    row_size = latent.shape[1]
    assert row_size <= MAX_HEAD_DIM, (row_size, MAX_HEAD_DIM)
    rotated = empty(*q.shape)
    call = LatentAppend(
        num_rows=len(q),
        num_heads=q.shape[1],
        row_size=row_size,
        rotated_size=row_size - len(norm.weight),
        block_size=latent_pool.shape[2],
        format=FORMATS[dtype_name(latent_pool)],
        eps=norm.eps,
        q=address(q),
        latent=address(latent),
        positions=address(positions),
        slots=address(slots),
        rope_table=None if rope_table is None else address(rope_table),
        norm=address(norm.weight),
        rotated=address(rotated),
        pool=address(latent_pool),
    )
    pool.library.di_latent_append_run(pool.handle, ctypes.addressof(call))
    return rotated
