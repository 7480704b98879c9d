"""A decoder's weights made with torch, as the engine holds them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from torch import Tensor

from engine.weights import ExpertWeights, HeadWeights, LatentWeights, LayerWeights
from kernels.tensors import array_of


def in_arrays(weights: Any) -> Any:
    """Vectors become numpy's; prepared matrices stay what they are."""
    if isinstance(weights, Tensor):
        return array_of(weights)
    if isinstance(weights, list | tuple):
        return type(weights)(in_arrays(each) for each in weights)
    if isinstance(weights, LayerWeights | HeadWeights | ExpertWeights | LatentWeights):
        return replace(weights, **{each.name: in_arrays(getattr(weights, each.name)) for each in fields(weights)})
    return weights
