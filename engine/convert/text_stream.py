"""The residual stream of a text, taken through a model one layer at a time.

Knows nothing of where the layers come from and of what is learnt from the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from engine.convert.streamed import StreamedBackend, normalised
from engine.models.decoder import describe_layer, head_norm, make_pool, rope_table, stream_scale
from engine.spec import ModelSpec
from engine.weights import HeadWeights, LayerWeights
from kernels.layers import OperationStack
from kernels.ops import AttentionBatch, ForwardInput
from kernels.tensors import tensor_of, tensors_of


class TextStream:
    """`windows` are token ids of texts that know nothing of each other; `hidden` is float32 [tokens, hidden].

    `gated_dtype` and `is_cancelled` are those of `StreamedBackend`.
    """

    def __init__(
        self,
        spec: ModelSpec,
        windows: Sequence[Sequence[int]],
        gated_dtype: torch.dtype = torch.float32,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> None:
        lengths = [len(window) for window in windows]
        assert lengths, "no text"
        assert 0 < min(lengths) <= max(lengths) <= spec.max_context, (lengths, spec.max_context)
        self.token_ids = torch.tensor([token for window in windows for token in window])
        self.hidden = torch.empty(0)
        self._spec = spec
        self._backend = StreamedBackend(gated_dtype, is_cancelled)
        ropes = {spec.layer_rope(index) for index in range(spec.num_layers)} - {None}
        self._tables = {
            rope: tensor_of(rope_table(rope, spec.rope_head_dim, max(lengths))) for rope in ropes if rope is not None
        }
        # Each window has one block: a contiguous cache.
        self._pool = make_pool(replace(spec, num_layers=1), len(windows), max(lengths), self._backend)
        self._rows = _rows(self.token_ids, lengths)

    def beside(self) -> TextStream:
        """Another stream of the same text. The two share their cache, which holds nothing from layer to layer."""
        return copy(self)

    def start(self, embedded: Tensor) -> None:
        """Before the first layer; `embedded`: the tokens' rows of the embedding, float32 [tokens, hidden]."""
        self.hidden = embedded * stream_scale(self._spec)

    def advance(self, layer: LayerWeights[Any], index: int) -> None:
        """Through the layer, whose matrices are `StreamedMatrix`es."""
        described = describe_layer(layer, self._spec, index, self._tables)
        self._backend.adds_in_place = not described.is_parallel
        stack = OperationStack(self._backend, self.hidden, (tensors_of(described),))
        self.hidden = stack.hidden(self._rows, self._pool.keys, self._pool.values)

    def normed(self, head: HeadWeights[Any]) -> Tensor:
        """What the head multiplies, float32 [tokens, hidden], after the last layer."""
        return normalised(self.hidden, tensors_of(head_norm(self._spec, head)))


def _rows(token_ids: Tensor, lengths: list[int]) -> ForwardInput:
    block_size, starts = max(lengths), [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    positions = torch.cat([torch.arange(length) for length in lengths])
    # Block 0 is null.
    slots = torch.cat([torch.arange(length) + (index + 1) * block_size for index, length in enumerate(lengths)])
    tables = tuple(torch.tensor([index + 1]) for index in range(len(lengths)))
    attention = AttentionBatch(tuple(starts), tuple(lengths), tables)
    return ForwardInput(token_ids, positions, slots, attention, len(token_ids))
