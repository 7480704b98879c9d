"""A decoder's weights, layer by layer, generic in how a matrix is held: plain, or as a backend prepared it.

Knows nothing of files and of the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from kernels.arrays import Array

Matrix = TypeVar("Matrix")
Other = TypeVar("Other")

LAYER_VECTORS = (
    "attention_norm",
    "attention_norm_bias",
    "qkv_bias",
    "output_bias",
    "feed_forward_norm",
    "feed_forward_norm_bias",
    "up_bias",
    "down_bias",
    "query_norm",
    "key_norm",
    "attention_post_norm",
    "feed_forward_post_norm",
)
"""The names of `LayerWeights` that are float32 arrays."""


@dataclass(frozen=True, slots=True)
class ExpertWeights(Generic[Matrix]):
    """The mixture of experts of one layer, expert by expert.

    router: float32 [experts, hidden]; gate_up: [2 * inner, hidden] each, gate first; down: [hidden, inner] each. The
    shared expert, if there is one, has the same forms and `shared_gate`, float32 [hidden].
    """

    router: Array
    gate_up: tuple[Matrix, ...]
    down: tuple[Matrix, ...]
    shared_gate_up: Matrix | None = None
    shared_down: Matrix | None = None
    shared_gate: Array | None = None

    def matrices(self) -> Iterator[Matrix]:
        yield from (*self.gate_up, *self.down)
        yield from (matrix for matrix in (self.shared_gate_up, self.shared_down) if matrix is not None)


@dataclass(frozen=True, slots=True)
class LatentWeights(Generic[Matrix]):
    """What latent attention has besides: the heads' matrices one below the other; sizes as in `LatentSpec`.

    query_to_latent: [heads * kv_lora_rank, qk_nope_head_dim], of each head the transpose of what makes its key out of
    the latent. latent_to_value: [heads * v_head_dim, kv_lora_rank]. query_up: [heads * query_head_dim, q_lora_rank],
    None where the query has no latent; of a head the elements that rotate come last, in the half-rotating layout.
    """

    query_to_latent: Matrix
    latent_to_value: Matrix
    query_up: Matrix | None = None

    def matrices(self) -> Iterator[Matrix]:
        yield from (self.query_to_latent, self.latent_to_value)
        if self.query_up is not None:
            yield self.query_up


@dataclass(frozen=True, slots=True)
class LayerWeights(Generic[Matrix]):
    """One decoder layer. Matrices are [out, in]; q, k, v and gate, up are stacked by rows in that order.

    Norms float32 [hidden], with Gemma's 1 already added, and their biases; `qkv_bias` float32 [qkv_size] or None, other
    biases as long as their results. Without a gate, `gate_up` is up alone. The norms of q and k
    are float32 [head_dim], or [query_size] and [kv_size] where they cover the projection. The rows of q and k, their
    biases and norms are in the half-rotating RoPE layout, unrotated elements at the end of each half
    (`engine.models.names.head_order`). With a latent, qkv is what makes the query, or its latent, and below it the
    cache's row; the norms are those of the query's latent and of the row's. None: the model has none of it.
    """

    attention_norm: Array | None
    qkv: Matrix
    qkv_bias: Array | None
    output: Matrix
    feed_forward_norm: Array | None
    gate_up: Matrix | None
    down: Matrix | None
    query_norm: Array | None = None
    key_norm: Array | None = None
    attention_post_norm: Array | None = None
    feed_forward_post_norm: Array | None = None
    experts: ExpertWeights[Matrix] | None = None
    """In place of gate_up and down."""
    latent: LatentWeights[Matrix] | None = None
    attention_norm_bias: Array | None = None
    feed_forward_norm_bias: Array | None = None
    output_bias: Array | None = None
    up_bias: Array | None = None
    down_bias: Array | None = None

    def vectors(self) -> dict[str, Array | None]:
        """All that are no matrices, and not the experts', by their names."""
        return {name: getattr(self, name) for name in LAYER_VECTORS}

    def matrices(self) -> Iterator[Matrix]:
        yield from (matrix for matrix in (self.qkv, self.output, self.gate_up, self.down) if matrix is not None)
        for part in (self.experts, self.latent):
            if part is not None:
                yield from part.matrices()


@dataclass(frozen=True, slots=True)
class HeadWeights(Generic[Matrix]):
    """The last norm, float32 [hidden], and the output matrix [vocab, hidden]; None where it is the embedding table."""

    norm: Array
    matrix: Matrix | None
    norm_bias: Array | None = None


def map_matrices(layer: LayerWeights[Matrix], convert: Callable[[str, Matrix], Other]) -> LayerWeights[Other]:
    """The layer with each matrix as `convert(kind, matrix)` gives it; kinds are named as the checkpoint names them."""

    def optional(kind: str, matrix: Matrix | None) -> Other | None:
        return None if matrix is None else convert(kind, matrix)

    experts, latent = layer.experts, layer.latent
    return LayerWeights(
        qkv=convert("qkv", layer.qkv),
        output=convert("output", layer.output),
        gate_up=optional("gate_up", layer.gate_up),
        down=optional("down", layer.down),
        **layer.vectors(),
        experts=None
        if experts is None
        else ExpertWeights(
            router=experts.router,
            gate_up=tuple(convert("experts_gate_up", matrix) for matrix in experts.gate_up),
            down=tuple(convert("experts_down", matrix) for matrix in experts.down),
            shared_gate_up=optional("shared_gate_up", experts.shared_gate_up),
            shared_down=optional("shared_down", experts.shared_down),
            shared_gate=experts.shared_gate,
        ),
        latent=None
        if latent is None
        else LatentWeights(
            query_to_latent=convert("query_to_latent", latent.query_to_latent),
            latent_to_value=convert("latent_to_value", latent.latent_to_value),
            query_up=optional("query_up", latent.query_up),
        ),
    )
