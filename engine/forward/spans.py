"""The rows of one forward as the decoder wants them, from runs of tokens and the blocks that hold them.

Knows nothing of what the tokens are: a prompt's, an answer's, or guesses.
"""

from __future__ import annotations

from collections.abc import Sequence as Spans
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.models.decoder import ForwardInput
from kernels.ops import AttentionBatch


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens at the positions from `start` on; `block_ids` name the blocks of their sequence from position 0 on.

    Each of the last `num_lone_rows` attends as a sequence of one row would, so that its result has the very bits of a
    decode; kernels may round the sums of several rows otherwise.
    """

    token_ids: Spans[int]
    start: int
    block_ids: Spans[int]
    num_lone_rows: int = 0


def forward_input(
    spans: Spans[Span], block_size: int, device: torch.device, num_narrow_rows: int | None = None
) -> ForwardInput:
    """Rows in the order of the spans. `num_narrow_rows` None: all."""
    token_ids: list[int] = []
    positions: list[Tensor] = []
    slots: list[Tensor] = []
    tables: list[Tensor] = []
    starts, contexts = [0], []
    for span in spans:
        first_row, end = len(token_ids), span.start + len(span.token_ids)
        token_ids += span.token_ids
        table = torch.tensor(span.block_ids, dtype=torch.int64)
        position = torch.arange(span.start, end)
        positions.append(position)
        slots.append(table[position // block_size] * block_size + position % block_size)
        table = table.to(device)
        ends = range(end - span.num_lone_rows, end + 1)
        for context in ends if ends[0] > span.start else ends[1:]:
            starts.append(first_row + context - span.start)
            contexts.append(context)
            tables.append(table)
    return ForwardInput(
        torch.tensor(token_ids, device=device),
        torch.cat(positions).to(device),
        torch.cat(slots).to(device),
        AttentionBatch(tuple(starts), tuple(contexts), tuple(tables)),
        len(token_ids) if num_narrow_rows is None else num_narrow_rows,
    )
