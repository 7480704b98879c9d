"""All arrays of one forward, built once from the scheduled chunks and shared by every layer."""

from __future__ import annotations

from collections.abc import Sequence as Chunks
from dataclasses import dataclass

import numpy as np

from engine.forward.sampler import Draw
from engine.forward.spans import Span, forward_input
from engine.scheduler import ScheduledChunk
from kernels.arrays import Array
from kernels.ops import ForwardInput


@dataclass(frozen=True, slots=True)
class Batch:
    """`chunks` in row order, narrow ones first; chunk c owns the rows from `first_rows[c]` on.

    `draws` are the places where a token is drawn, chunk by chunk: after the last pending token, after each drafted
    one, then for each fork. `draw_rows`: int64 [draws], the rows whose logits decide them.
    """

    chunks: tuple[ScheduledChunk, ...]
    first_rows: tuple[int, ...]
    forward: ForwardInput
    draws: tuple[Draw, ...]
    draw_rows: Array
    draws_every_row: bool
    """`draw_rows` is every row once, in order: plain decoding."""


def build_batch(chunks: Chunks[ScheduledChunk], block_size: int) -> Batch:
    """Rows are sorted so that those of long prompts come last (see batch invariance in kernels.ops)."""
    ordered = sorted(chunks, key=_is_wide)
    first_rows: list[int] = []
    draws: list[Draw] = []
    draw_rows: list[int] = []
    num_rows = 0
    for chunk in ordered:
        first_rows.append(num_rows)
        num_rows += chunk.num_rows
        if chunk.closes_gap:
            own = own_draws(chunk)
            draws += own + [Draw(fork) for fork in chunk.forks]
            draw_rows += range(num_rows - len(own), num_rows)
            draw_rows += [num_rows - 1] * len(chunk.forks)
    num_narrow_rows = sum(chunk.num_rows for chunk in ordered if not _is_wide(chunk))
    # Prompt logprobs are made of every row.
    is_every_row_read = any(chunk.sequence.needs_prompt_logprobs for chunk in ordered)
    read_rows = tuple(sorted(set(draw_rows)))
    wanted_rows = None if is_every_row_read or len(read_rows) == num_rows else read_rows
    spans = [_span(chunk) for chunk in ordered]
    forward = forward_input(spans, block_size, num_narrow_rows, wanted_rows)
    rows = np.array(draw_rows, np.int64)
    draws_every_row = draw_rows == list(range(num_rows))
    return Batch(tuple(ordered), tuple(first_rows), forward, tuple(draws), rows, draws_every_row)


def own_draws(chunk: ScheduledChunk) -> list[Draw]:
    """The places where the chunk's own sequence goes on: after its last token, and after each drafted one."""
    drafted_ids = chunk.draft.token_ids
    return [Draw(chunk.sequence, drafted_ids[:count]) for count in range(len(drafted_ids) + 1)]


def _span(chunk: ScheduledChunk) -> Span:
    sequence, drafted_ids = chunk.sequence, chunk.draft.token_ids
    assert not (drafted_ids and _is_wide(chunk)), f"{sequence.request_id}: a draft after a part of a long prompt"
    start = sequence.num_computed_tokens
    certain_ids = sequence.token_ids[start : start + chunk.num_tokens]
    return Span([*certain_ids, *drafted_ids], start, sequence.block_ids, len(drafted_ids), sequence.rope_offset)


def _is_wide(chunk: ScheduledChunk) -> bool:
    sequence = chunk.sequence
    return sequence.has_wide_prefill and sequence.num_computed_tokens < sequence.num_prompt_tokens
