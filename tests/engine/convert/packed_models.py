"""A source in memory, packed or as it is, for tests that look at what arrives."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from engine.convert.matrix import SourceMatrix
from engine.convert.options import QuantizeOptions
from engine.convert.packing import Packed, pack
from engine.convert.source import Source, matrices
from engine.models.decoder import Decoder
from engine.weights import ExpertWeights, LatentWeights, LayerWeights
from kernels.faces import ArrayFace
from kernels.reference import ReferenceBackend, ReferenceWeight
from tests.engine.models.weights_in_arrays import in_arrays


@dataclass(frozen=True, slots=True)
class PackedModel:
    """`matrices` by the names that the manifest lists them under; `layers` as the source gives them."""

    matrices: dict[str, Packed]
    layers: list[LayerWeights]


def pack_model(source: Source, options: QuantizeOptions | None = None) -> PackedModel:
    options = options or QuantizeOptions()
    packed = {name: pack(matrix, options) for name, matrix in matrices(source)}
    return PackedModel(packed, [source.layer(index) for index in range(source.spec.num_layers)])


def read_decoder(source: Source) -> Decoder:
    """The model as its file has it, nothing rounded."""

    def plain(value: Any) -> Any:
        if isinstance(value, SourceMatrix):
            return ReferenceWeight(value.read_values(0, value.num_rows))
        if isinstance(value, tuple):
            return tuple(plain(each) for each in value)
        if isinstance(value, ExpertWeights | LatentWeights):
            return replace(value, **{each.name: plain(getattr(value, each.name)) for each in fields(value)})
        return value

    layers = []
    for index in range(source.spec.num_layers):
        layer = source.layer(index)
        layers.append(replace(layer, **{each.name: plain(getattr(layer, each.name)) for each in fields(layer)}))
    head = source.head()
    return Decoder(
        source.spec,
        ArrayFace(ReferenceBackend()),
        plain(source.embedding()),
        *in_arrays((layers, replace(head, matrix=plain(head.matrix)))),
    )
