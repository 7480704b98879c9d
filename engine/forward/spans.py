"""The rows of one forward as the decoder wants them, from runs of tokens and the blocks that hold them.

Knows nothing of what the tokens are: a prompt's, an answer's, or guesses.
"""

from __future__ import annotations

from collections.abc import Sequence as Spans
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from kernels.arrays import Array
from kernels.ops import AttentionBatch, ForwardInput


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens at the positions from `start` on; `block_ids` name the blocks of their sequence from position 0 on.

    Each of the last `num_lone_rows` attends as a sequence of one row would, so that its result has the very bits of a
    decode; kernels may round the sums of several rows otherwise. `rope_offset`: where the sequence's rows begin in the
    tables of the rotary embedding.
    """

    token_ids: Spans[int]
    start: int
    block_ids: Spans[int]
    num_lone_rows: int = 0
    rope_offset: int = 0


def forward_input(
    spans: Spans[Span],
    block_size: int,
    num_narrow_rows: int | None = None,
    wanted_rows: tuple[int, ...] | None = None,
) -> ForwardInput:
    """Rows in the order of the spans. `num_narrow_rows` and `wanted_rows` None: all."""
    # Plain numbers until the end: an array for each span and column costs more than the arithmetic of a small model.
    token_ids: list[int] = []
    positions: list[int] = []
    slots: list[int] = []
    tables: list[Array] = []
    starts, contexts = [0], []
    block_tables = _tables(spans)
    for span, table in zip(spans, block_tables, strict=True):
        first_row, end = len(token_ids), span.start + len(span.token_ids)
        token_ids += span.token_ids
        positions += range(span.rope_offset + span.start, span.rope_offset + end)
        slots += _slots(span.block_ids, span.start, end, block_size)
        ends = range(end - span.num_lone_rows, end + 1)
        for context in ends if ends[0] > span.start else ends[1:]:
            starts.append(first_row + context - span.start)
            contexts.append(context)
            tables.append(table)
    ids, places, targets = np.array([token_ids, positions, slots], np.int64)
    return ForwardInput(
        ids,
        places,
        targets,
        AttentionBatch(tuple(starts), tuple(contexts), tuple(tables)),
        len(token_ids) if num_narrow_rows is None else num_narrow_rows,
        wanted_rows,
    )


def _tables(spans: Spans[Span]) -> list[Array]:
    """The block table of each span, int64: views of one array."""
    block_ids: list[int] = []
    for span in spans:
        block_ids += span.block_ids
    ends = accumulate(len(span.block_ids) for span in spans)
    ids = np.array(block_ids, np.int64)
    return [ids[end - len(span.block_ids) : end] for span, end in zip(spans, ends, strict=True)]


def _slots(block_ids: Spans[int], start: int, end: int, block_size: int) -> list[int]:
    """Where the tokens at the positions from `start` to `end` lie in the pool."""
    slots: list[int] = []
    for index in range(start // block_size, -(-end // block_size)):
        first = block_ids[index] * block_size
        begin, stop = max(start - index * block_size, 0), min(end - index * block_size, block_size)
        slots += range(first + begin, first + stop)
    return slots
