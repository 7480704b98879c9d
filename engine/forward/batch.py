"""All tensors of one forward, built once from the scheduled chunks and shared by every layer."""

from __future__ import annotations

from collections.abc import Sequence as Chunks
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.forward.sampler import Draw
from engine.models.decoder import ForwardInput
from engine.scheduler import ScheduledChunk
from kernels.ops import AttentionBatch


@dataclass(frozen=True, slots=True)
class Batch:
    """`chunks` in row order, narrow ones first; chunk c owns the rows `forward.attention.query_starts[c]` on.

    `draws` are the places where a token is drawn, chunk by chunk: after the last pending token, after each drafted
    one, then for each fork. `draw_rows`: int64 [draws], the rows whose logits decide them.
    """

    chunks: tuple[ScheduledChunk, ...]
    forward: ForwardInput
    draws: tuple[Draw, ...]
    draw_rows: Tensor


def build_batch(chunks: Chunks[ScheduledChunk], block_size: int, device: torch.device) -> Batch:
    """Rows are sorted so that those of long prompts come last (see batch invariance in kernels.ops)."""
    ordered = sorted(chunks, key=_is_wide)
    token_ids: list[int] = []
    positions: list[Tensor] = []
    slots: list[Tensor] = []
    tables: list[Tensor] = []
    starts, contexts = [0], []
    draws: list[Draw] = []
    draw_rows: list[int] = []
    for chunk in ordered:
        sequence, start = chunk.sequence, chunk.sequence.num_computed_tokens
        end = start + chunk.num_rows
        token_ids += sequence.token_ids[start : start + chunk.num_tokens]
        token_ids += chunk.draft.token_ids
        table = torch.tensor(sequence.block_ids, dtype=torch.int64)
        position = torch.arange(start, end)
        positions.append(position)
        slots.append(table[position // block_size] * block_size + position % block_size)
        tables.append(table.to(device))
        starts.append(len(token_ids))
        contexts.append(end)
        if chunk.closes_gap:
            own = [Draw(sequence, chunk.draft.token_ids[:count]) for count in range(len(chunk.draft.token_ids) + 1)]
            draws += own + [Draw(fork) for fork in chunk.forks]
            draw_rows += range(len(token_ids) - len(own), len(token_ids))
            draw_rows += [len(token_ids) - 1] * len(chunk.forks)
    num_narrow_rows = sum(chunk.num_rows for chunk in ordered if not _is_wide(chunk))
    forward = ForwardInput(
        torch.tensor(token_ids, device=device),
        torch.cat(positions).to(device),
        torch.cat(slots).to(device),
        AttentionBatch(tuple(starts), tuple(contexts), tuple(tables)),
        num_narrow_rows,
    )
    rows = torch.tensor(draw_rows, dtype=torch.int64, device=device)
    return Batch(tuple(ordered), forward, tuple(draws), rows)


def _is_wide(chunk: ScheduledChunk) -> bool:
    sequence = chunk.sequence
    return sequence.has_wide_prefill and sequence.num_computed_tokens < sequence.num_prompt_tokens
