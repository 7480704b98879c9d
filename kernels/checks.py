"""The checks of shape, dtype and stride that open every operation of every backend on the CPU.

Knows nothing of the arithmetic; each raises `KernelShapeError` with what came and what was due.
"""

from __future__ import annotations

from kernels.arrays import Array, count, dtype_name, is_contiguous, name_of, strides
from kernels.kv_rows import head_dim_of
from kernels.ops import AttentionBatch, Experts, Norm
from kernels.packed_weight import KernelShapeError
from kernels.sampling_tensors import LogitEdits, SamplingTensors

ACTIVATIONS = ("silu", "gelu_tanh", "gelu")


def check_array(name: str, array: Array, shape: tuple[int, ...], kind: str | None = None) -> None:
    """Raises unless the array has this shape, is contiguous and its dtype has this name (None: any floating dtype)."""
    dtype = dtype_name(array)
    if dtype == kind and array.shape == shape and is_contiguous(array):
        return
    if array.shape != shape or not is_contiguous(array):
        state = "contiguous" if is_contiguous(array) else f"strides {strides(array)}"
        raise KernelShapeError(f"{name} is {tuple(array.shape)}, {state}; must be {shape}, contiguous")
    if dtype != kind and (kind is not None or not is_floating(array)):
        raise KernelShapeError(f"{name} is {dtype}, must be {kind or 'a floating dtype'}")


def is_floating(array: Array) -> bool:
    return "float" in dtype_name(array)


def check_embed(token_ids: Array) -> None:
    check_array("token_ids", token_ids, (count(token_ids),), "int64")


def check_linear(
    x: Array,
    rows: int,
    columns: int,
    num_narrow_rows: int | None,
    norm: Norm | None = None,
    bias: Array | None = None,
    activation: str | None = None,
) -> None:
    """x [M, columns], float32 if it is to be normed, into a weight [rows, columns]; the bias covers a result's row."""
    check_array("x", x, (x.shape[0], columns), None if norm is None else "float32")
    if num_narrow_rows is not None and not 0 <= num_narrow_rows <= x.shape[0]:
        raise KernelShapeError(f"num_narrow_rows is {num_narrow_rows}, x has {x.shape[0]} rows")
    if norm is not None:
        check_array("norm.weight", norm.weight, (columns,), "float32")
        if norm.bias is not None:
            check_array("norm.bias", norm.bias, (columns,), "float32")
    if bias is not None:
        check_array("bias", bias, (rows,), "float32")
    if activation is not None:
        check_activation(activation)


def check_residual(x: Array, rows: int, residual: Array, post_norm: Norm | None) -> None:
    check_array("residual", residual, (x.shape[0], rows))
    if post_norm is not None:
        _check_rms_norm("post_norm.weight", post_norm, rows)


def check_gate_up(rows: int, activation: str) -> None:
    if rows % 2:
        raise KernelShapeError(f"a gate and up weight has {rows} rows, must be even")
    check_activation(activation)


def check_activation(activation: str) -> None:
    if activation not in ACTIVATIONS:
        raise ValueError(f"unknown activation {activation!r}: use {', '.join(ACTIVATIONS)}")


def _check_rms_norm(name: str, norm: Norm, size: int) -> None:
    check_array(name, norm.weight, (size,), "float32")
    if norm.bias is not None:
        raise KernelShapeError(f"{name} has a bias of {len(norm.bias)} numbers, must have none")


def check_experts(x: Array, norm: Norm | None, experts: Experts, post_norm: Norm | None) -> None:
    """x [M, K] against router, norms and numbers; the experts' matrices are checked where they are multiplied."""
    num_columns = x.shape[1]
    check_array("x", x, (x.shape[0], num_columns), "float32")
    check_array("router", experts.router, (len(experts.gate_up), num_columns), "float32")
    for name, each in (("norm.weight", norm), ("post_norm.weight", post_norm)):
        if each is not None:
            _check_rms_norm(name, each, num_columns)
    if len(experts.gate_up) != len(experts.down) or not 1 <= experts.num_active <= len(experts.gate_up):
        raise KernelShapeError(
            f"{len(experts.gate_up)} gates, {len(experts.down)} downs, {experts.num_active} active: must be as many"
        )
    group_size, rest = divmod(len(experts.gate_up), experts.num_groups)
    if rest or not experts.num_active <= experts.num_active_groups * group_size <= len(experts.gate_up):
        raise KernelShapeError(
            f"{experts.num_active} active experts of {len(experts.gate_up)} in {experts.num_active_groups} of "
            f"{experts.num_groups} groups: groups must be of one size, and hold as many"
        )
    if experts.shared_gate is not None:
        check_array("shared_gate", experts.shared_gate, (num_columns,), "float32")


def check_grouped(x: Array, rows: int, columns: int, num_groups: int, num_narrow_rows: int | None) -> None:
    if num_groups < 1 or rows % num_groups:
        raise KernelShapeError(f"a weight of {rows} rows for {num_groups} groups: they must divide the rows")
    check_linear(x, rows, num_groups * columns, num_narrow_rows)


def check_latent(
    q: Array, latent: Array, positions: Array, rope_table: Array | None, pool: Array, slots: Array, norm: Norm
) -> None:
    """A call of `latent_append`; the pool's dtype is the backend's to check."""
    num_rows, width = latent.shape[0], head_dim_of(pool)
    if q.ndim != 3 or pool.ndim != 4 or pool.shape[1] != 1:
        raise KernelShapeError(
            f"q is {tuple(q.shape)}, pool {tuple(pool.shape)}, must be [rows, heads, {width}] and [blocks, 1, "
            "block_size, width]"
        )
    check_array("q", q, (num_rows, q.shape[1], width))
    check_array("latent", latent, (num_rows, width))
    check_array("positions", positions, (num_rows,), "int64")
    check_array("slots", slots, (num_rows,), "int64")
    rotated_size = width - count(norm.weight)
    if rotated_size < 2 or rotated_size % 2:
        raise KernelShapeError(f"a norm of {count(norm.weight)} leaves {rotated_size} of {width} elements to rotate")
    check_array("norm.weight", norm.weight, (width - rotated_size,), "float32")
    if rope_table is not None:
        check_array("rope_table", rope_table, (rope_table.shape[0], 2, rotated_size // 2), "float32")
    check_places(positions, rope_table, slots, pool)


def check_pools(key_pool: Array, value_pool: Array, kv_dtype: object) -> None:
    if key_pool.ndim != 4:
        raise KernelShapeError(f"key_pool is {tuple(key_pool.shape)}, must be [blocks, kv_heads, block_size, head_dim]")
    shape = tuple(key_pool.shape)
    check_array("key_pool", key_pool, shape, name_of(kv_dtype))
    check_array("value_pool", value_pool, shape, name_of(kv_dtype))


def check_rope(
    qkv: Array,
    positions: Array,
    rope_table: Array | None,
    key_pool: Array,
    slots: Array,
    norms: tuple[Norm | None, Norm | None],
) -> int:
    """The number of query heads that qkv holds."""
    kv_heads, head_dim = key_pool.shape[1], head_dim_of(key_pool)
    num_rows, width = qkv.shape if qkv.ndim == 2 else (qkv.shape[0], 0)
    heads, rest = divmod(width - 2 * kv_heads * head_dim, head_dim)
    if rest or heads <= 0 or heads % kv_heads:
        raise KernelShapeError(
            f"qkv is {tuple(qkv.shape)}, must be [rows, (heads + 2 * {kv_heads}) * {head_dim}] "
            f"with heads a multiple of {kv_heads}"
        )
    check_array("qkv", qkv, (num_rows, width))
    check_array("positions", positions, (num_rows,), "int64")
    check_array("slots", slots, (num_rows,), "int64")
    if rope_table is not None:
        check_array("rope_table", rope_table, (rope_table.shape[0], 2, head_dim // 2), "float32")
    for norm, num_heads in zip(norms, (heads, kv_heads), strict=True):
        if norm is not None:
            covers_all = count(norm.weight) == num_heads * head_dim
            _check_rms_norm("head norm", norm, num_heads * head_dim if covers_all else head_dim)
    return heads


def check_places(positions: Array, rope_table: Array | None, slots: Array, key_pool: Array) -> None:
    """For kernels that do not look where they write: every position in the table, every slot in the pool."""
    places_of = [("slots", slots, key_pool.shape[0] * key_pool.shape[2])]
    if rope_table is not None:
        places_of.append(("positions", positions, rope_table.shape[0]))
    for name, places, end in places_of:
        if count(places) and not 0 <= int(places.min()) <= int(places.max()) < end:
            raise KernelShapeError(f"{name} are {int(places.min())} to {int(places.max())}, must be below {end}")


def check_tables(batch: AttentionBatch, block_size: int, num_blocks: int) -> None:
    """For kernels that do not look where they read: every block that a sequence needs lies in the pool."""
    for index, (context, table) in enumerate(zip(batch.context_lengths, batch.block_tables, strict=True)):
        needed = table[: -(-context // block_size)]
        if not 0 <= int(needed.min()) <= int(needed.max()) < num_blocks:
            raise KernelShapeError(f"block table {index} is {needed.tolist()}, the pool has {num_blocks} blocks")


def check_attention(q: Array, key_pool: Array, batch: AttentionBatch, window: int | None) -> None:
    """Cheap enough to run in every layer: q against the pool and the batch's last row."""
    kv_heads, head_dim = key_pool.shape[1], head_dim_of(key_pool)
    if q.ndim != 3 or q.shape[1] % kv_heads:
        raise KernelShapeError(f"q is {tuple(q.shape)}, must be [rows, heads, {head_dim}], {kv_heads} dividing heads")
    check_array("q", q, (batch.query_starts[-1], q.shape[1], head_dim))
    if window is not None and window <= 0:
        raise KernelShapeError(f"window is {window} positions, must be at least 1")


def check_batch(batch: AttentionBatch, block_size: int) -> None:
    """Each sequence's rows, context and block table against one another."""
    starts, contexts, tables = batch.query_starts, batch.context_lengths, batch.block_tables
    if len(starts) != len(contexts) + 1 or len(tables) != len(contexts) or starts[0] != 0:
        raise KernelShapeError(
            f"{len(starts)} query starts from {starts[0]}, {len(contexts)} context lengths, {len(tables)} block tables"
        )
    for index, (context, table) in enumerate(zip(contexts, tables, strict=True)):
        num_rows = starts[index + 1] - starts[index]
        if not 1 <= num_rows <= context:
            raise KernelShapeError(f"sequence {index} has {num_rows} rows and a context of {context} tokens")
        if table.ndim != 1 or dtype_name(table) != "int64" or table.shape[0] * block_size < context:
            raise KernelShapeError(
                f"block table {index} is {dtype_name(table)} {tuple(table.shape)}, must be int64 "
                f"with {-(-context // block_size)} blocks for {context} tokens"
            )


def check_sampling(logits: Array, params: SamplingTensors) -> None:
    if logits.ndim != 2 or not logits.shape[1] or not is_floating(logits):
        raise KernelShapeError(
            f"logits are {dtype_name(logits)} {tuple(logits.shape)}, must be floating [rows, vocabulary]"
        )
    rows = (logits.shape[0],)
    for name, tensor, kind in (
        ("temperature", params.temperature, "float32"),
        ("top_k", params.top_k, "int64"),
        ("top_p", params.top_p, "float32"),
        ("min_p", params.min_p, "float32"),
        ("uniform", params.uniform, "float64"),
    ):
        check_array(name, tensor, rows, kind)
    if params.typical_p is not None:
        check_array("typical_p", params.typical_p, rows, "float32")
    if params.edits is not None:
        if len(params.edits) != rows[0]:
            raise KernelShapeError(f"{len(params.edits)} edits for {rows[0]} rows of logits")
        for edits in params.edits:
            if edits is not None:
                check_edits(edits, logits.shape[1])


def check_edits(edits: LogitEdits, vocab_size: int) -> None:
    for name, token_ids in (
        ("bias_ids", edits.bias_ids),
        ("seen_ids", edits.seen_ids),
        ("allowed_ids", edits.allowed_ids),
        ("banned_ids", edits.banned_ids),
        ("end_ids", edits.end_ids),
    ):
        if token_ids is None:
            continue
        check_array(name, token_ids, (count(token_ids),), "int64")
        if count(token_ids) and not 0 <= int(token_ids.min()) <= int(token_ids.max()) < vocab_size:
            raise KernelShapeError(
                f"{name} are {int(token_ids.min())} to {int(token_ids.max())}, the vocabulary has {vocab_size} tokens"
            )
    for name, token_ids, numbers in (
        ("biases", edits.bias_ids, edits.biases),
        ("seen_counts", edits.seen_ids, edits.seen_counts),
    ):
        if (token_ids is None) != (numbers is None):
            raise KernelShapeError(f"{name} and their ids belong together: one of them is missing")
        if token_ids is not None and numbers is not None:
            check_array(name, numbers, tuple(token_ids.shape), "float32")


def check_logprobs(logits: Array, token_id: int, num_top: int) -> None:
    if logits.ndim != 1 or not is_floating(logits):
        raise KernelShapeError(f"logits are {dtype_name(logits)} {tuple(logits.shape)}, must be floating [vocabulary]")
    if not 0 <= token_id < logits.shape[0] or num_top < 0:
        raise KernelShapeError(f"token {token_id} and {num_top} best of {logits.shape[0]} tokens")


def check_copy(source_pool: Array, target_pool: Array, source: list[int], target: list[int]) -> None:
    """Pools of one kind of block; block lists of one length, inside their pools; no block is written twice."""
    for pool in (source_pool, target_pool):
        if pool.ndim != 5:
            raise KernelShapeError(
                f"pool is {tuple(pool.shape)}, must be [layers, blocks, kv_heads, block_size, head_dim]"
            )
        check_array("pool", pool, tuple(pool.shape), dtype_name(pool))
    kinds = [(dtype_name(pool), pool.shape[0], *pool.shape[2:]) for pool in (source_pool, target_pool)]
    if kinds[0] != kinds[1]:
        raise KernelShapeError(f"blocks differ: {kinds[0]} in the source pool, {kinds[1]} in the target pool")
    if len(source) != len(target) or len(set(target)) != len(target):
        raise KernelShapeError(f"cannot copy the blocks {source} onto {target}: one target for each source, none twice")
    for pool, blocks in ((source_pool, source), (target_pool, target)):
        for block in blocks:
            if not 0 <= block < pool.shape[1]:
                raise KernelShapeError(f"block {block} is outside a pool of {pool.shape[1]} blocks")
