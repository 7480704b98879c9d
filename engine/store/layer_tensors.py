"""A layer's weights as named arrays, and back: the experts' matrices lie one below the other in one array.

Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from engine.spec import ModelSpec
from engine.weights import LAYER_VECTORS, ExpertWeights, LatentWeights, LayerWeights
from kernels.arrays import Array
from kernels.packed_weight import PackedWeight


def split_layer(layer: LayerWeights[PackedWeight]) -> tuple[dict[str, PackedWeight], dict[str, Array]]:
    """The matrices and the vectors that a layer has, by their names in the file (`layer_matrices`, `layer_vectors`).

    Raises `FormatError` if the experts are packed in groups of different sizes.
    """
    parts = {each.name: getattr(layer, each.name) for each in fields(layer) if each.name not in ("experts", "latent")}
    if layer.latent is not None:
        parts |= {each.name: getattr(layer.latent, each.name) for each in fields(layer.latent)}
    experts = layer.experts
    if experts is not None:
        # Written in torch, which reading needs not.
        from kernels.formats import concatenate_rows

        parts |= {each.name: getattr(experts, each.name) for each in fields(experts)}
        # Of the layer's own names, those that experts stand in for.
        parts["experts_gate_up"], parts["experts_down"] = (
            concatenate_rows(list(each)) for each in (experts.gate_up, experts.down)
        )
        del parts["gate_up"], parts["down"]
    matrices = {name: part for name, part in parts.items() if isinstance(part, PackedWeight)}
    return matrices, {name: part for name, part in parts.items() if hasattr(part, "dtype")}


def assemble_layer(
    spec: ModelSpec, index: int, matrices: Mapping[str, PackedWeight], vectors: Mapping[str, Array]
) -> LayerWeights[PackedWeight]:
    """Inverse of `split_layer`; experts are views of the rows they share an array with."""
    experts = spec.layer_experts(index)
    routed = None
    if experts is not None:
        routed = ExpertWeights(
            router=vectors["router"],
            gate_up=_cut(matrices["experts_gate_up"], experts.num_experts),
            down=_cut(matrices["experts_down"], experts.num_experts),
            shared_gate_up=matrices.get("shared_gate_up"),
            shared_down=matrices.get("shared_down"),
            shared_gate=vectors.get("shared_gate"),
        )
    return LayerWeights(
        qkv=matrices["qkv"],
        output=matrices["output"],
        gate_up=matrices.get("gate_up"),
        down=matrices.get("down"),
        **{name: vectors.get(name) for name in LAYER_VECTORS},
        experts=routed,
        latent=None
        if spec.latent is None
        else LatentWeights(
            query_to_latent=matrices["query_to_latent"],
            latent_to_value=matrices["latent_to_value"],
            query_up=matrices.get("query_up"),
        ),
    )


def _cut(weight: PackedWeight, num_parts: int) -> tuple[PackedWeight, ...]:
    size = weight.num_rows // num_parts
    ranges = (slice(first, first + size) for first in range(0, weight.num_rows, size))
    return tuple(
        PackedWeight(
            weight.codes[rows],
            weight.scale[rows],
            None if weight.minimum is None else weight.minimum[rows],
            weight.bits,
            weight.group_size,
        )
        for rows in ranges
    )
