"""The time of each of a backend's operations on the shapes of one model, and what bytes and arithmetic it stands for.

Knows nothing of sequences, and judges nothing: the report sets the figures against the machine's limits.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation

from engine.models.decoder import PagedPool, kv_bytes_per_token, make_pool, rope_table
from engine.spec import ModelSpec
from engine.store.checkpoint import Checkpoint
from kernels.arrays import Array
from kernels.formats import PackedWeight, dequantize
from kernels.ops import AttentionBatch, Backend, Norm
from kernels.sampling_tensors import SamplingTensors

_LARGE = (11008, 4096)
"""Rows and columns of a matrix of a 7B model, which does not fit the cache where a small model's may."""
_NUM_LARGE = 3
_PROMPT_ROWS = 64
"""From how many rows on a product is held beside torch's float32 one, as a prompt's."""
_BLOCK_SIZE = 16


@dataclass(frozen=True, slots=True)
class KernelLimits:
    """How much to measure: rows of the products (the last as one long prompt), context of the attention in tokens."""

    rows: tuple[int, ...] = (1, 8, 512)
    num_context_tokens: int = 1024
    seconds_per_case: float = 0.15
    has_large: bool = True


@dataclass(frozen=True, slots=True)
class KernelTime:
    """Median of one call. `num_bytes` must be moved and `num_ops` computed however it is done; None is not counted."""

    case: str
    seconds: float
    num_bytes: int
    num_ops: int | None = None
    float32_seconds: float | None = None
    """torch's own float32 product of the same shape."""


class _Bench:
    """Knows the backend, and measures."""

    def __init__(self, backend: Backend, spec: ModelSpec, limits: KernelLimits) -> None:
        self.backend = backend
        self.spec = spec
        self.limits = limits
        self.random = np.random.default_rng(0)

    def seconds(self, call: Callable[[int], object]) -> float:
        """`call` gets a number that counts up, so that it can take another weight each time, as a model does."""
        call(0)
        times_s: list[float] = []
        end_s = time.perf_counter() + self.limits.seconds_per_case
        for number in itertools.count(1):
            start_s = time.perf_counter()
            call(number)
            now_s = time.perf_counter()
            times_s.append(now_s - start_s)
            if now_s >= end_s and number >= 3:
                break
        return statistics.median(times_s)

    def rows(self, num_rows: int, num_columns: int) -> Array:
        return self.random.standard_normal((num_rows, num_columns), np.float32)

    def num_narrow(self, num_rows: int) -> int:
        """All, unless they are enough to be a long prompt."""
        wide = self.backend.wide_rows
        return 0 if wide is not None and num_rows >= wide else num_rows


def measure_kernels(checkpoint: Checkpoint, backend: Backend, limits: dict[str, Any]) -> list[dict[str, Any]]:
    """`limits`: fields of `KernelLimits`. One record per case, as plain values."""
    bench = _Bench(backend, checkpoint.manifest.spec, KernelLimits(**limits))
    times = itertools.chain(
        _products(bench, checkpoint), _tables(bench, checkpoint), _attention(bench), _sampling(bench)
    )
    with backend.computing():
        return [asdict(kernel_time) for kernel_time in times]


def _products(bench: _Bench, checkpoint: Checkpoint) -> Iterator[KernelTime]:
    layers = [checkpoint.read_layer(index) for index in range(bench.spec.num_layers)]
    yield from _linears(bench, "norm_linear", "qkv", [layer.qkv for layer in layers])
    yield from _linears(bench, "linear_add", "output", [layer.output for layer in layers])
    first_half = ("norm_gate_up", "gate and up") if bench.spec.is_gated else ("norm_linear", "up")
    yield from _linears(bench, *first_half, _present([layer.gate_up for layer in layers]))
    yield from _linears(bench, "linear_add", "down", _present([layer.down for layer in layers]))
    head = checkpoint.read_embedding() if bench.spec.is_tied else checkpoint.read_head().matrix
    assert head is not None, bench.spec
    # A head never sees more rows than there are sequences.
    yield from _linears(bench, "norm_linear", "head", [head], bench.limits.rows[:-1])
    if bench.limits.has_large:
        yield from _linears(bench, "linear_add", "large", [_random_weight(bench, *_LARGE) for _ in range(_NUM_LARGE)])


def _present(matrices: list[PackedWeight | None]) -> list[PackedWeight]:
    """Layers of experts have no feed forward of their own."""
    return [matrix for matrix in matrices if matrix is not None]


def _random_weight(bench: _Bench, num_rows: int, num_columns: int) -> PackedWeight:
    """Symmetric 4-bit codes in groups of 32."""
    codes = bench.random.integers(0, 256, (num_rows, num_columns // 2), np.uint8)
    return PackedWeight(codes, np.full((num_rows, num_columns // 32), 0.01, np.float16), None, 4, 32)


def _linears(
    bench: _Bench, operation: str, name: str, weights: list[PackedWeight], rows: tuple[int, ...] | None = None
) -> Iterator[KernelTime]:
    """One product on all its layers in turn, so that no weight is still in the cache from the call before."""
    if not weights:
        return
    first = weights[0]
    prepared = [bench.backend.prepare(weight) for weight in weights]
    for num_rows in bench.limits.rows if rows is None else rows:
        call = _linear_call(bench, operation, prepared, (first.num_rows, first.num_columns), num_rows)
        yield KernelTime(
            f"{operation} {name} W{first.bits} {first.num_rows}x{first.num_columns}, {_counted(num_rows, 'row')}",
            bench.seconds(call),
            first.size_bytes + 4 * num_rows * (first.num_rows + first.num_columns),
            2 * num_rows * first.num_rows * first.num_columns,
            _float32_seconds(bench, first, num_rows) if num_rows >= _PROMPT_ROWS else None,
        )


def _linear_call(
    bench: _Bench, operation: str, weights: list[Any], shape: tuple[int, int], num_rows: int
) -> Callable[[int], object]:
    backend, narrow = bench.backend, bench.num_narrow(num_rows)
    x, norm = bench.rows(num_rows, shape[1]), Norm(np.ones(shape[1], np.float32), 1e-5)
    if operation == "norm_linear":
        return lambda i: backend.norm_linear(x, norm, weights[i % len(weights)], None, narrow)
    if operation == "norm_gate_up":
        activation = bench.spec.activation
        return lambda i: backend.norm_gate_up(x, norm, weights[i % len(weights)], activation, narrow)
    residual = bench.rows(num_rows, shape[0])
    return lambda i: backend.linear_add(x, weights[i % len(weights)], residual, None, narrow)


def _float32_seconds(bench: _Bench, weight: PackedWeight, num_rows: int) -> float:
    matrix, x = dequantize(weight), torch.randn(num_rows, weight.num_columns)
    return bench.seconds(lambda i: F.linear(x, matrix))


def _tables(bench: _Bench, checkpoint: Checkpoint) -> Iterator[KernelTime]:
    """What gathers rows and moves blocks."""
    backend, spec = bench.backend, bench.spec
    plain = checkpoint.read_embedding()
    table = backend.prepare(plain)
    for num_rows in bench.limits.rows:
        num_bytes = num_rows * (plain.size_bytes // plain.num_rows + 4 * spec.hidden_size)
        seconds = bench.seconds(partial(_embed, backend, table, bench.random.integers(0, spec.vocab_size, num_rows)))
        yield KernelTime(f"embed, {_counted(num_rows, 'row')}", seconds, num_bytes)
    pool = make_pool(spec, 2 * _BLOCK_SIZE, _BLOCK_SIZE, backend)
    sources = list(range(1, _BLOCK_SIZE + 1))
    targets = [source + _BLOCK_SIZE for source in sources]
    seconds = bench.seconds(lambda i: backend.copy_blocks(pool.keys, pool.keys, sources, targets))
    num_bytes = 2 * len(sources) * pool.keys[:, 0].nbytes
    yield KernelTime(f"copy_blocks, keys of {len(sources)} blocks", seconds, num_bytes)


def _embed(backend: Backend, table: Any, token_ids: Array, number: int) -> Array:
    return backend.embed(table, token_ids)


def _attention(bench: _Bench) -> Iterator[KernelTime]:
    """Rotation and attention, over the pools of all layers in turn: decoding alone and by eight, and a long prompt."""
    context, num_prompt = bench.limits.num_context_tokens, min(bench.limits.rows[-1], bench.limits.num_context_tokens)
    for num_sequences, num_rows in ((1, 1), (8, 1), (1, num_prompt)):
        blocks_each = -(-context // _BLOCK_SIZE)
        pool = make_pool(bench.spec, num_sequences * blocks_each, _BLOCK_SIZE, bench.backend)
        tables = (bench.random.permutation(num_sequences * blocks_each) + 1).reshape(num_sequences, blocks_each)
        starts = tuple(range(0, num_sequences * num_rows + 1, num_rows))
        batch = AttentionBatch(starts, (context,) * num_sequences, tuple(tables))
        what = f"{_counted(num_sequences, 'sequence')} of {context}, {_counted(num_rows, 'row')} each"
        yield from _attention_times(bench, pool, batch, num_rows, what)


def _attention_times(
    bench: _Bench, pool: PagedPool, batch: AttentionBatch, num_rows: int, what: str
) -> Iterator[KernelTime]:
    backend, spec = bench.backend, bench.spec
    context, num_sequences = batch.context_lengths[0], len(batch.context_lengths)
    positions = np.tile(np.arange(context - num_rows, context), num_sequences)
    blocks = np.repeat(np.stack(batch.block_tables), num_rows, axis=0)[
        np.arange(len(positions)), positions // _BLOCK_SIZE
    ]
    slots = blocks * _BLOCK_SIZE + positions % _BLOCK_SIZE
    kv_token_bytes = kv_bytes_per_token(spec, backend) // spec.num_layers
    rotate = _rotation(bench, pool, positions, slots)
    q = rotate(0)

    def attend(i: int) -> Array:
        layer = i % spec.num_layers
        keys, window = pool.keys[layer], spec.layer_window(layer)
        values = keys if spec.latent is not None else pool.values[layer]
        return backend.paged_attention(q, keys, values, batch, spec.score_scale, window)

    num_bytes = len(positions) * (4 * spec.qkv_size + kv_token_bytes + 4 * spec.query_size)
    yield KernelTime(f"rope_append, {what}", bench.seconds(rotate), num_bytes)
    num_pairs, num_keys = (num_sequences * number for number in seen(spec, context - num_rows, context))
    num_bytes = num_keys * kv_token_bytes + 8 * len(positions) * spec.query_size
    yield KernelTime(f"paged_attention, {what}", bench.seconds(attend), num_bytes, 4 * num_pairs * spec.query_size)


def seen(spec: ModelSpec, start: int, stop: int) -> tuple[int, int]:
    """Of the rows at these positions: pairs of a row and a key that it sees, and keys that some row sees.

    A row sees itself and all before it, as far as the layer's window reaches; both are means of all layers.
    """
    num_pairs = num_keys = 0
    for layer in range(spec.num_layers):
        window = spec.layer_window(layer) or stop
        num_pairs += sum(min(position + 1, window) for position in range(start, stop))
        num_keys += stop - max(0, start + 1 - window)
    return num_pairs // spec.num_layers, num_keys // spec.num_layers


def _rotation(bench: _Bench, pool: PagedPool, positions: Array, slots: Array) -> Callable[[int], Array]:
    """What writes the rows into the pool of one layer after the other, and gives their queries."""
    backend, spec = bench.backend, bench.spec
    rope = rope_table(spec.rope, spec.rope_head_dim, int(positions.max()) + 1)
    if (latent := spec.latent) is None:
        qkv = bench.rows(len(positions), spec.qkv_size)
        return lambda i: backend.rope_append(
            qkv, positions, rope, pool.keys[i % spec.num_layers], pool.values[i % spec.num_layers], slots
        )
    q = bench.rows(len(positions), spec.query_size).reshape(len(positions), spec.num_heads, -1)
    rows, norm = (
        bench.rows(len(positions), latent.row_size),
        Norm(np.ones(latent.kv_lora_rank, np.float32), latent.norm_eps),
    )
    return lambda i: backend.latent_append(q, rows, positions, rope, pool.keys[i % spec.num_layers], slots, norm)


def _sampling(bench: _Bench) -> Iterator[KernelTime]:
    for num_rows in bench.limits.rows[:-1]:
        yield _sampling_time(bench, "greedy", num_rows, temperature=0.0, top_p=1.0)
        yield _sampling_time(bench, "top-p", num_rows, temperature=0.7, top_p=0.95)


def _sampling_time(bench: _Bench, name: str, num_rows: int, temperature: float, top_p: float) -> KernelTime:
    logits = bench.rows(num_rows, bench.spec.vocab_size)
    params = SamplingTensors(
        temperature=np.full(num_rows, temperature, np.float32),
        top_k=np.zeros(num_rows, np.int64),
        top_p=np.full(num_rows, top_p, np.float32),
        min_p=np.zeros(num_rows, np.float32),
        uniform=bench.random.random(num_rows),
    )
    seconds = bench.seconds(lambda i: bench.backend.sample(logits, params))
    return KernelTime(f"sample, {name}, {_counted(num_rows, 'row')}", seconds, logits.nbytes)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
