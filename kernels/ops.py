"""The table of operations that every backend offers.

One signature per fused operation; `reference.py` is the specification of each. Knows nothing of sequences or files.

Batch invariance: a row's result must not depend on which other rows share the call. A backend that has one kernel
for few rows and another for many therefore never chooses by the number of rows in the call. The caller sorts the rows,
and says with `num_narrow_rows` how many of the first belong to sequences with little to compute; only the rows after
them may take the kernel for many. None means all rows are narrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from kernels.arrays import Array
from kernels.packed_weight import PackedWeight
from kernels.sampling_tensors import SamplingTensors


@dataclass(frozen=True, slots=True)
class Norm:
    """RMSNorm: `y = x / sqrt(mean(x**2) + eps) * weight`, in float32. `weight`: float32 [K].

    With a bias, float32 [K], it is a LayerNorm: `y = c / sqrt(mean(c**2) + eps) * weight + bias`, c = x - mean(x).
    Gemma's flavour, which multiplies by 1 + w, is stored with the 1 already added.
    """

    weight: Array
    eps: float
    bias: Array | None = None


@dataclass(frozen=True, slots=True)
class WeightFacts:
    """What really runs for one weight, for reports; told apart from the checkpoint's bits."""

    weight_format: str
    activation: str
    accumulator: str
    kernel: str


@dataclass(frozen=True, slots=True)
class AttentionBatch:
    """Which rows attend to which cached tokens; built once per step and shared by all layers.

    Sequence s owns the rows query_starts[s] .. query_starts[s + 1], at the absolute positions that end at
    context_lengths[s] - 1. `block_tables[s]` (int64, on the pool's device) names its blocks in order, at least
    ceil(context_lengths[s] / block_size) of them. With a window, entries before the first block that a row of the
    sequence sees may be 0, the null block: its content is arbitrary and must not reach the result.
    """

    query_starts: tuple[int, ...]
    context_lengths: tuple[int, ...]
    block_tables: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts. Matrices are as the backend prepared them, one per expert: [2F, K], gate first, and [K, F].

    `router`: float32 [E, K]. A row takes the `num_active` experts of the largest `softmax(router x)`, weighted by it;
    with `normalizes_weights` these weights are divided by their sum, and `weight_scale` multiplies them. The experts
    are `num_groups` runs of one length; a row takes only those of the `num_active_groups` with the largest maxima. The
    shared expert, if there is one, adds its result to every row, times `sigmoid(shared_gate x)` if there is a gate;
    `shared_gate`: float32 [K].
    """

    router: Array
    gate_up: tuple[Any, ...]
    down: tuple[Any, ...]
    num_active: int
    normalizes_weights: bool
    activation: str
    shared_gate_up: Any = None
    shared_down: Any = None
    shared_gate: Array | None = None
    weight_scale: float = 1.0
    num_groups: int = 1
    num_active_groups: int = 1


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Attention whose cache holds one row [R + P] for all H heads; see `kernels.latent`. Matrices are prepared.

    `query_up`: [H * (Q + P), L] out of the query's latent, None if there is none. `query_to_latent`: [H * R, Q], which
    makes a head's query one for the latent. `latent_to_value`: [H * V, R], a head's value of what it has attended to.
    """

    num_heads: int
    rotated_size: int
    """P."""
    query_up: Any
    query_to_latent: Any
    latent_to_value: Any


@dataclass(frozen=True, slots=True)
class DecoderLayer:
    """One layer. Matrices are as the backend prepared them; None: the model has none of it. See `Backend` for shapes.

    x = x + attention_post_norm(output(attention(rope(qkv(attention_norm(x)))))), then
    x = x + feed_forward_post_norm(down(activation(gate) * up)) with (gate, up) = gate_up(feed_forward_norm(x)), or
    x = x + feed_forward_post_norm(experts(feed_forward_norm(x))).

    Not gated, it is down(activation(gate_up(feed_forward_norm(x)))). In a parallel layer the feed forward sees the x
    that attention saw, and both results are added to it.
    """

    attention_norm: Norm | None
    qkv: Any
    qkv_bias: Array | None
    query_norm: Norm | None
    key_norm: Norm | None
    rope_table: Array | None
    scale: float
    window: int | None
    softcap: float | None
    output: Any
    attention_post_norm: Norm | None
    feed_forward_norm: Norm | None
    gate_up: Any
    activation: str
    down: Any
    feed_forward_post_norm: Norm | None
    experts: Experts | None = None
    """In place of gate_up and down."""
    latent: LatentAttention | None = None
    """How qkv [L + R + P, hidden] goes on; the norms are those of the query's latent and of the cached one."""
    output_bias: Array | None = None
    up_bias: Array | None = None
    """Of a feed forward that is not gated."""
    down_bias: Array | None = None
    is_gated: bool = True
    is_parallel: bool = False


@dataclass(frozen=True, slots=True)
class ForwardInput:
    """One forward: M rows of any number of sequences. token_ids, positions, slots: int64 [M]; see `Backend`.

    `positions` are rows of the layers' rope tables and nothing else: what a row sees is told by `attention`.
    `wanted_rows`, ascending, are those whose result is read, None: all. The others' keys and values are written too,
    but what the last layer makes of them may be left out.
    """

    token_ids: Array
    positions: Array
    slots: Array
    attention: AttentionBatch
    num_narrow_rows: int
    wanted_rows: tuple[int, ...] | None = None


class LayerStack(ABC):
    """The embedding and all layers of a decoder, ready to run; `Backend.stack_layers` makes it."""

    @abstractmethod
    def hidden(self, rows: ForwardInput, key_pool: Array, value_pool: Array) -> Array:
        """The residual stream after the last layer, [M, hidden]; undefined in rows that are not wanted.

        Writes the rows' keys and values into the pools [layers, blocks, kv_heads, block_size, head_dim]. Latent
        attention has rows in the first pool alone.
        """


class PreparedLayout(ABC):
    """How the bytes of a backend's prepared weights lie, for whoever keeps them in a file and maps that."""

    name: str
    """Another one for every change of the bytes."""

    @abstractmethod
    def size_bytes(self, weight: PackedWeight) -> int:
        """Of the weight once it is prepared. Only its form counts, here and in `adopt`: no number of it is read."""

    @abstractmethod
    def data(self, prepared: Any) -> memoryview:
        """The bytes of a prepared weight, which are all of it but its form."""

    @abstractmethod
    def adopt(self, weight: PackedWeight, data: memoryview) -> Any:
        """What `prepare(weight)` gave, on the same bytes in another place: aligned to 64, read-only or not."""


class Backend(ABC):
    """The operations of a decoder layer on one device. Weights pass through `prepare` once, when they are loaded.

    A backend takes and gives the arrays of one library: see `kernels.arrays`, and `kernels.faces` for the other one.
    Activations between operations ("the residual stream") are float32 [rows, hidden]. All shape errors raise
    `KernelShapeError` with both values.
    """

    name: str
    kv_dtype: Any
    """Of the pools, in the library's own terms; `kv_name` is what the numbers are, such as bfloat16.

    In one of int8 the rows of `kernels.kv_rows` stand wherever head_dim numbers stand in others.
    """
    kv_name: str
    wide_rows: int | None
    """From how many rows of one sequence on the kernel for many rows pays; None if there is just one kernel."""
    layout: PreparedLayout | None = None
    """None: prepared weights are not for files."""
    handicap: str = ""
    """Why it computes slower than this kind of backend can, and what helps; empty if it does not."""

    def computing(self) -> AbstractContextManager[object]:
        """Around whatever calls operations."""
        return nullcontext()

    @abstractmethod
    def new_pool(self, *shape: int) -> Array:
        """Of `kv_dtype`; not zeroed, since the system gives memory where it is first written."""

    @abstractmethod
    def prepare(self, weight: PackedWeight) -> Any:
        """Repack a weight from the plain layout into the one that this backend's kernels read."""

    @abstractmethod
    def describe(self, weight: PackedWeight) -> WeightFacts:
        """What really runs where rows are multiplied by this weight; it need not be prepared for that."""

    @abstractmethod
    def resident_bytes(self, weight: Any) -> int:
        """Bytes of memory that a prepared weight takes to run; pages of a file that holds it plain aside."""

    @abstractmethod
    def embed(self, table: Any, token_ids: Array, scale: float = 1.0) -> Array:
        """Rows of a table [V, K] gathered by token_ids (int64 [M]) and scaled: [M, K]."""

    @abstractmethod
    def norm_linear(
        self,
        x: Array,
        norm: Norm | None,
        weight: Any,
        bias: Array | None = None,
        num_narrow_rows: int | None = None,
        activation: str | None = None,
    ) -> Array:
        """`act(linear(norm(x), weight) + bias)`: x [M, K], weight [N, K], bias float32 [N], result [M, N].

        `activation` is `silu`, `gelu_tanh` or `gelu`. Without one, or without a norm, there is none.
        """

    @abstractmethod
    def grouped_linear(self, x: Array, weight: Any, num_groups: int, num_narrow_rows: int | None = None) -> Array:
        """Each part of a row by its own part of the weight: x [M, G * K], weight [G * N, K], result [M, G * N]."""

    @abstractmethod
    def rope_append(
        self,
        qkv: Array,
        positions: Array,
        rope_table: Array | None,
        key_pool: Array,
        value_pool: Array,
        slots: Array,
        query_norm: Norm | None = None,
        key_norm: Norm | None = None,
    ) -> Array:
        """Optional norms, rotary embedding, K/V written into the pool; returns q [M, heads, head_dim].

        A norm of head_dim weights covers each head by itself; one as long as all heads of q, or of k, covers them
        together. They are no LayerNorms. Without a table nothing is rotated.

        qkv [M, (heads + 2 * kv_heads) * head_dim]; positions int64 [M]; rope_table float32
        [max_context, 2, head_dim / 2] (cosines, sines); pools [blocks, kv_heads, block_size, head_dim] of one layer;
        slots int64 [M] = block * block_size + offset. Halves rotate together:
        `(a, b) -> (a cos - b sin, b cos + a sin)` for a = head[: d/2], b = head[d/2 :].
        Where the pools are int8, k is turned (see `kernels.kv_rows.turn`) before it is rounded, and q with it.
        """

    @abstractmethod
    def latent_append(
        self,
        q: Array,
        latent: Array,
        positions: Array,
        rope_table: Array | None,
        pool: Array,
        slots: Array,
        norm: Norm,
    ) -> Array:
        """Rotary embedding of latent attention; the latents go into the pool, q [M, H, R + P] is returned.

        Of latent [M, R + P] the first R elements are normed; of both, the last P are rotated as in `rope_append`:
        rope_table float32 [max_context, 2, P / 2]. pool [blocks, 1, block_size, R + P]; where it is int8, latent and
        q are turned.
        """

    @abstractmethod
    def paged_attention(
        self,
        q: Array,
        key_pool: Array,
        value_pool: Array,
        batch: AttentionBatch,
        scale: float,
        window: int | None = None,
        softcap: float | None = None,
    ) -> Array:
        """Causal attention of a ragged batch over the paged pool; returns [M, heads * head_dim].

        A row at position p sees the positions j with `p - window < j <= p`. Scores are `q.k * scale`, then
        `softcap * tanh(score / softcap)` if given. Query head h reads kv head h // (heads / kv_heads). The
        pools may be one and the same.
        """

    @abstractmethod
    def linear_add(
        self,
        x: Array,
        weight: Any,
        residual: Array,
        post_norm: Norm | None = None,
        num_narrow_rows: int | None = None,
        bias: Array | None = None,
    ) -> Array:
        """`residual + post_norm(linear(x, weight) + bias)`: x [M, K], bias float32 [N], residual [M, N]; a new array.

        The norm is no LayerNorm.
        """

    @abstractmethod
    def norm_gate_up(
        self, x: Array, norm: Norm | None, weight: Any, activation: str, num_narrow_rows: int | None = None
    ) -> Array:
        """`act(g) * u` with (g, u) the halves of `linear(norm(x), weight)`; weight [2F, K], gate first; [M, F].

        `activation` is `silu`, `gelu_tanh` or `gelu`. Without a norm x is taken as it is.
        """

    @abstractmethod
    def norm_experts(self, x: Array, norm: Norm | None, experts: Experts, post_norm: Norm | None = None) -> Array:
        """`x + post_norm(mix(rms_norm(x)))`, see `Experts`: x float32 [M, K]; a new array [M, K].

        The rows of each expert are multiplied together. All rows are narrow, since which expert a row takes says
        nothing of its prompt.
        """

    @abstractmethod
    def sample(self, logits: Array, params: SamplingTensors) -> Array:
        """One token id per row: logits [B, V] to int64 [B]."""

    @abstractmethod
    def logprobs(self, logits: Array, token_id: int, num_top: int) -> tuple[float, list[int], list[float]]:
        """Of one row of raw logits [V]: the token's log-probability, the `num_top` most probable ids, and theirs.

        Before every edit, temperature and filter; natural logarithms, all finite; best first, equal ones by id.
        """

    @abstractmethod
    def copy_blocks(self, source_pool: Array, target_pool: Array, source: list[int], target: list[int]) -> None:
        """Copy whole blocks over all layers, from a pool [layers, blocks, kv_heads, block_size, head_dim] to another.

        Both may be the same, and all sources are read before the first target is written. Swapping out has the pool of
        the device as source and that of the host as target; swapping in, the other way round.
        """

    @abstractmethod
    def stack_layers(self, table: Any, layers: tuple[DecoderLayer, ...], embedding_scale: float = 1.0) -> LayerStack:
        """The prepared layers on the prepared embedding table as one object, whose rows are its operations' rows."""
