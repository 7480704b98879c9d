"""All layers of a decoder as one native call: the Python face of src/decoder.h.

The structs are built once and hold addresses; a step fills in its rows. Knows nothing of sequences or the head.
"""

from __future__ import annotations

import ctypes
import weakref
from bisect import bisect_right
from itertools import pairwise

from kernels import checks
from kernels.arrays import Array, address, empty
from kernels.cpu import structs
from kernels.cpu.attention import FORMATS, BatchFacts
from kernels.cpu.linear import ACTIVATIONS
from kernels.cpu.pool import Pool
from kernels.cpu.weights import NativeWeight
from kernels.kv_rows import row_width
from kernels.ops import AttentionBatch, DecoderLayer, ForwardInput, LayerStack, Norm
from kernels.packed_weight import KernelShapeError

_OK, _NO_MEMORY = 0, 1
_OUTSIDE = {2: "a token id", 3: "a position", 4: "a slot", 5: "a block id"}


class NativeStack(LayerStack):
    """The layers as one run of the pool's threads. For one thread at a time."""

    def __init__(
        self,
        pool: Pool,
        kv_dtype: str,
        table: NativeWeight,
        layers: tuple[DecoderLayer, ...],
        embedding_scale: float = 1.0,
    ) -> None:
        first = layers[0]
        ropes = [layer.rope_table for layer in layers if layer.rope_table is not None]
        head_dim = 2 * ropes[0].shape[2]
        num_heads = first.output.shape[1] // head_dim
        num_kv_heads = (first.qkv.shape[0] // head_dim - num_heads) // 2
        self._held = (table, layers)  # the structs have only their addresses
        self._wanted: tuple[object, BatchFacts] | None = None  # what the call has addresses of
        self._pool = pool
        self._kv_dtype = kv_dtype
        self._hidden_size = table.shape[1]
        self._pool_shape = (len(layers), num_kv_heads, row_width(kv_dtype, head_dim))
        self._num_rope_positions = min(rope.shape[0] for rope in ropes)
        self._call = structs.DecoderCall(format=FORMATS[kv_dtype])
        shape = structs.DecoderShape(
            num_layers=len(layers),
            hidden_size=self._hidden_size,
            num_heads=num_heads,
            num_kv_heads=num_kv_heads,
            head_dim=head_dim,
            feed_forward_size=first.down.shape[1],
            max_positions=self._num_rope_positions,
            embedding_scale=embedding_scale,
        )
        self._layer_structs = (structs.Layer * len(layers))(*[_layer_struct(layer) for layer in layers])
        self._decoder = pool.library.di_decoder_create(
            ctypes.addressof(shape), ctypes.addressof(table.struct), self._layer_structs
        )
        if self._decoder is None:
            raise MemoryError(f"no memory for the descriptions of {len(layers)} layers")
        weakref.finalize(self, pool.library.di_decoder_destroy, self._decoder)

    def hidden(self, rows: ForwardInput, key_pool: Array, value_pool: Array) -> Array:
        self._check(rows, key_pool, value_pool)
        num_rows = rows.token_ids.shape[0]
        facts = BatchFacts(rows.attention)
        hidden = empty(num_rows, self._hidden_size)
        call = self._call
        call.num_rows = num_rows
        call.token_ids = address(rows.token_ids)
        call.positions = address(rows.positions)
        call.slots = address(rows.slots)
        call.batch = facts.struct
        call.keys = address(key_pool)
        call.values = address(value_pool)
        _, call.num_blocks, _, call.block_size, _ = key_pool.shape
        call.hidden = address(hidden)
        self._want(rows)
        error = self.compute()
        if error == _NO_MEMORY:
            raise MemoryError(f"no memory for the activations of {num_rows} rows")
        if error != _OK:
            raise KernelShapeError(
                f"{_OUTSIDE[error]} of the batch is outside the model's tables: {self._num_rope_positions} positions, "
                f"{key_pool.shape[1]} blocks of {key_pool.shape[3]} slots"
            )
        return hidden

    def _want(self, rows: ForwardInput) -> None:
        call, wanted = self._call, rows.wanted_rows
        call.wanted, self._wanted = None, None
        if wanted is None:
            return
        alone = BatchFacts(_rows_alone(rows.attention, wanted))
        # One element more, as an empty array has no address of its own.
        indices = (ctypes.c_int64 * (len(wanted) + 1))(*wanted)
        call.wanted, call.num_wanted, call.wanted_batch = ctypes.addressof(indices), len(wanted), alone.struct
        self._wanted = (indices, alone)

    def compute(self) -> int:
        """Run the call that `hidden` prepared; 0, or what is wrong with it."""
        pool = self._pool
        error: int = pool.library.di_decoder_run(self._decoder, pool.handle, pool.scratch, ctypes.addressof(self._call))
        return error

    def _check(self, rows: ForwardInput, key_pool: Array, value_pool: Array) -> None:
        num_layers, kv_heads, width = self._pool_shape
        if key_pool.ndim != 5:
            raise KernelShapeError(f"key_pool is {tuple(key_pool.shape)}, must have the layers in front of the blocks")
        shape = (num_layers, key_pool.shape[1], kv_heads, key_pool.shape[3], width)
        checks.check_array("key_pool", key_pool, shape, self._kv_dtype)
        checks.check_array("value_pool", value_pool, shape, self._kv_dtype)
        num_rows = (rows.attention.query_starts[-1],)
        checks.check_array("token_ids", rows.token_ids, num_rows, "int64")
        checks.check_array("positions", rows.positions, num_rows, "int64")
        checks.check_array("slots", rows.slots, num_rows, "int64")
        checks.check_batch(rows.attention, key_pool.shape[3])


def _rows_alone(batch: AttentionBatch, rows: tuple[int, ...]) -> AttentionBatch:
    """Some rows of a batch, ascending, each as a sequence of its own."""
    assert all(a < b for a, b in pairwise((-1, *rows, batch.query_starts[-1]))), (rows, batch.query_starts)
    contexts, tables = list[int](), list[Array]()
    for row in rows:
        sequence = bisect_right(batch.query_starts, row) - 1
        contexts.append(batch.context_lengths[sequence] - (batch.query_starts[sequence + 1] - 1 - row))
        tables.append(batch.block_tables[sequence])
    return AttentionBatch(tuple(range(len(rows) + 1)), tuple(contexts), tuple(tables))


def _layer_struct(layer: DecoderLayer) -> structs.Layer:
    norms = (layer.attention_norm, layer.query_norm, layer.key_norm, layer.attention_post_norm)
    epsilons = {
        norm.eps for norm in (*norms, layer.feed_forward_norm, layer.feed_forward_post_norm) if norm is not None
    }
    assert len(epsilons) == 1, epsilons
    (eps,) = epsilons
    return structs.Layer(
        qkv=ctypes.addressof(layer.qkv.struct),
        output=ctypes.addressof(layer.output.struct),
        gate_up=ctypes.addressof(layer.gate_up.struct),
        down=ctypes.addressof(layer.down.struct),
        attention_norm=_norm(layer.attention_norm),
        feed_forward_norm=_norm(layer.feed_forward_norm),
        attention_post_norm=_norm(layer.attention_post_norm),
        feed_forward_post_norm=_norm(layer.feed_forward_post_norm),
        attention_norm_bias=_norm_bias(layer.attention_norm),
        feed_forward_norm_bias=_norm_bias(layer.feed_forward_norm),
        qkv_bias=_address(layer.qkv_bias),
        output_bias=_address(layer.output_bias),
        down_bias=_address(layer.down_bias),
        up_bias=_address(layer.up_bias),
        query_norm=_norm(layer.query_norm),
        key_norm=_norm(layer.key_norm),
        rope_table=_address(layer.rope_table),
        norm_eps=eps,
        scale=layer.scale,
        softcap=0.0 if layer.softcap is None else layer.softcap,
        window=0 if layer.window is None else layer.window,
        activation=ACTIVATIONS[layer.activation],
        query_norm_dim=0 if layer.query_norm is None else len(layer.query_norm.weight),
        key_norm_dim=0 if layer.key_norm is None else len(layer.key_norm.weight),
        is_gated=layer.is_gated,
        is_parallel=layer.is_parallel,
    )


def _norm(norm: Norm | None) -> int | None:
    return None if norm is None else address(norm.weight)


def _norm_bias(norm: Norm | None) -> int | None:
    return None if norm is None else _address(norm.bias)


def _address(vector: Array | None) -> int | None:
    return None if vector is None else address(vector)
