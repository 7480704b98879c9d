"""The calibrated method: layer after layer, on what the layers before it, quantised, make of the sample texts.

Knows nothing of where layers are read from and of where they are written.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from engine.convert.calibration.correction import Wanted
from engine.convert.calibration.pending import PendingGroup
from engine.convert.matrix import SourceMatrix
from engine.convert.options import QuantizeOptions
from engine.convert.packing import IsCancelled, Packed, choose_target, pack, planned_format
from engine.convert.source import layer_matrices
from engine.convert.streamed import PackedRows, SourceRows, StreamedMatrix, gather, row_pieces
from engine.convert.text_stream import TextStream
from engine.environment import return_free_memory
from engine.spec import ModelSpec
from engine.weights import HeadWeights, LayerWeights, map_matrices
from kernels.formats import PackedWeight, dequantize

_CALIBRATED_BITS = 4
"""Above, the nearest code is as good."""
_EMBEDDED_AT_ONCE = 1024
"""Tokens whose rows are unpacked together."""


class Calibration:
    """One conversion. `start`, then `quantize` or `pass_over` for each layer in order, then `quantize_head`.

    Every matrix of a layer gets its codes when the text reaches it, in the order in which the layer computes: the
    output of attention is calibrated on what quantised queries, keys and values give. The text is taken through the
    source too, a layer ahead: what its matrices make of it is what the quantised ones aim at.
    """

    def __init__(
        self, spec: ModelSpec, windows: Sequence[Sequence[int]], options: QuantizeOptions, is_cancelled: IsCancelled
    ) -> None:
        self._options = options
        self._is_cancelled = is_cancelled
        # Rounding of the inputs to `down` is far below that of its weights, and halves what is held of a long text.
        self._stream = TextStream(spec, windows, torch.bfloat16, is_cancelled)
        self._source_stream = self._stream.beside()

    def start(self, table: PackedWeight, source_table: SourceMatrix) -> None:
        pieces = torch.split(self._stream.token_ids, _EMBEDDED_AT_ONCE)
        self._stream.start(torch.cat([dequantize(table, piece) for piece in pieces]))
        self._source_stream.start(gather(source_table, self._source_stream.token_ids))

    @torch.inference_mode()
    def quantize(self, layer: LayerWeights[SourceMatrix], index: int) -> dict[str, Packed]:
        """The packed matrices by the names of `layer_matrices`. Raises `SourceError`, `JobCancelledError`."""
        packed: dict[str, Packed] = {}
        groups: dict[str, PendingGroup] = {}
        for kind, matrix in layer_matrices(layer).items():
            options = self._options.of_matrix(kind)
            if is_calibrated(matrix, options):
                groups[kind] = PendingGroup(planned_format(matrix, options), self._is_cancelled)
            else:
                packed[kind] = pack(matrix, options, self._is_cancelled)
        # An expert is reached by other rows in the source.
        wanted = {kind: Wanted() for kind in groups if not kind.startswith("experts_")}

        def watched(kind: str, matrix: SourceMatrix) -> StreamedMatrix:
            return WatchedRows(matrix, wanted[kind]) if kind in wanted else SourceRows(matrix)

        def streamed(kind: str, matrix: SourceMatrix) -> StreamedMatrix:
            # What is packed already is as good as its source: its codes are kept, or have eight bits.
            return groups[kind].add(matrix, wanted.get(kind)) if kind in groups else SourceRows(matrix)

        self._advance_source(map_matrices(layer, watched), index)
        for each in wanted.values():
            # The layer's last sums are the stream itself: once is enough.
            if each.sums is not None and torch.equal(each.sums, self._source_stream.hidden):
                each.sums = self._source_stream.hidden
        self._stream.advance(map_matrices(layer, streamed), index)
        return packed | {kind: group.take() for kind, group in groups.items()}

    @torch.inference_mode()
    def pass_over(self, packed: LayerWeights[PackedWeight], source: LayerWeights[SourceMatrix], index: int) -> None:
        """A layer that an earlier run has finished."""
        self._advance_source(map_matrices(source, lambda _, matrix: SourceRows(matrix)), index)
        self._stream.advance(streamed_layer(packed), index)

    def _advance_source(self, layer: LayerWeights[StreamedMatrix], index: int) -> None:
        stream = self._source_stream
        stream.hidden = stream.hidden.float()
        stream.advance(layer, index)
        # It waits while a layer is quantised; bfloat16 is far nearer to it than the quantised stream.
        stream.hidden = stream.hidden.bfloat16()

    @torch.inference_mode()
    def quantize_head(self, head: HeadWeights[SourceMatrix], matrix: SourceMatrix) -> Packed:
        """`matrix`: the head's. Raises as `quantize` does."""
        options = self._options.of_matrix("head")
        if not is_calibrated(matrix, options):
            return pack(matrix, options, self._is_cancelled)
        group = PendingGroup(planned_format(matrix, options), self._is_cancelled)
        self._source_stream.hidden = self._source_stream.hidden.float()
        wanted = Wanted(inputs=self._source_stream.normed(head).bfloat16())
        group.add(matrix, wanted).see(self._stream.normed(head))
        return group.take()


class WatchedRows(SourceRows):
    """Notes what the source's matrix does: the inputs, or the sums where the products go into the residual stream."""

    def __init__(self, source: SourceMatrix, wanted: Wanted) -> None:
        super().__init__(source)
        self._wanted = wanted
        self._residual: torch.Tensor | None = None

    def see(self, x: torch.Tensor, residual: torch.Tensor | None = None) -> None:
        return_free_memory()
        self._residual = residual
        if residual is None:
            self._wanted.inputs = x.bfloat16()

    def see_products(self, y: torch.Tensor) -> None:
        if self._residual is not None:
            self._wanted.sums = torch.empty(y.shape, dtype=torch.bfloat16)
            for low, high in row_pieces(len(y)):
                self._wanted.sums[low:high] = self._residual[low:high] + y[low:high]
            self._residual = None


def is_calibrated(matrix: SourceMatrix, options: QuantizeOptions) -> bool:
    """Whether codes are chosen by calibration; not where the source's own are taken over."""
    targets = [choose_target(part, options) for part in matrix.parts]
    is_wide = max(target.bits for target in targets) > _CALIBRATED_BITS
    return options.method == "calibrated" and not is_wide and not all(target.is_kept for target in targets)


def streamed_layer(layer: LayerWeights[PackedWeight]) -> LayerWeights[StreamedMatrix]:
    """A packed layer as a `TextStream` takes it."""
    return map_matrices(layer, lambda _, matrix: PackedRows(matrix))
