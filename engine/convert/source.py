"""What every source of a model offers to the pipeline, whatever its files are. Knows nothing of packing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from engine.convert.matrix import SourceMatrix, StackedRows
from engine.convert.sources.tokenizer_files import TokenizerFiles
from engine.spec import ModelSpec
from engine.store import layout
from engine.weights import ExpertWeights, HeadWeights, LatentWeights, LayerWeights
from kernels.formats import PackedWeight


class Source(AbstractContextManager["Source"], Protocol):
    """An open model. Matrices are read when they are packed, vectors at once. Every method may raise `SourceError`.

    `paths` are the files that the model is read from, the same in every run: their digests identify the source.
    """

    spec: ModelSpec
    tokenizer: TokenizerFiles
    license: str | None

    @property
    def paths(self) -> list[Path]: ...

    def embedding(self) -> SourceMatrix: ...

    def layer(self, index: int) -> LayerWeights[SourceMatrix]: ...

    def head(self) -> HeadWeights[SourceMatrix]: ...


def layer_matrices(layer: LayerWeights[SourceMatrix]) -> dict[str, SourceMatrix]:
    """The matrices of a layer by the names that the manifest lists them under; experts lie one below the other."""
    named = {name: getattr(layer, name) for name in ("qkv", "output", "gate_up", "down")}
    if (latent := layer.latent) is not None:
        named |= {name: getattr(latent, name) for name in (layout.QUERY_UP, *layout.LATENT_MATRICES)}
    if (experts := layer.experts) is not None:
        named |= {"experts_gate_up": StackedRows(experts.gate_up), "experts_down": StackedRows(experts.down)}
        named |= {"shared_gate_up": experts.shared_gate_up, "shared_down": experts.shared_down}
    return {name: matrix for name, matrix in named.items() if matrix is not None}


def with_packed(layer: LayerWeights[SourceMatrix], packed: Mapping[str, PackedWeight]) -> LayerWeights[PackedWeight]:
    """The layer with its matrices packed, by the names of `layer_matrices`: all experts as one, as files hold them."""
    experts: ExpertWeights[PackedWeight] | None = None
    if (routed := layer.experts) is not None:
        experts = ExpertWeights(
            router=routed.router,
            gate_up=(packed["experts_gate_up"],),
            down=(packed["experts_down"],),
            shared_gate_up=packed.get("shared_gate_up"),
            shared_down=packed.get("shared_down"),
            shared_gate=routed.shared_gate,
        )
    return LayerWeights(
        qkv=packed["qkv"],
        output=packed["output"],
        gate_up=packed.get("gate_up"),
        down=packed.get("down"),
        **layer.vectors(),
        experts=experts,
        latent=None
        if layer.latent is None
        else LatentWeights(packed["query_to_latent"], packed["latent_to_value"], packed.get("query_up")),
    )


def matrices(source: Source) -> Iterator[tuple[str, SourceMatrix]]:
    """All matrices under the names that the manifest lists them by."""
    yield layout.EMBEDDING, source.embedding()
    for index in range(source.spec.num_layers):
        for name, matrix in layer_matrices(source.layer(index)).items():
            yield layout.layer_tensor(index, name), matrix
    if (head := source.head().matrix) is not None:
        yield layout.HEAD, head
