"""All tensors of one forward, built once from the scheduled chunks and shared by every layer."""

from __future__ import annotations

from collections.abc import Sequence as Chunks
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.scheduler import ScheduledChunk
from kernels.ops import AttentionBatch, ForwardInput


@dataclass(frozen=True, slots=True)
class Batch:
    """`chunks` in row order, narrow ones first. `logit_rows`: int64 [S], the last rows of the chunks in `sampled`."""

    chunks: tuple[ScheduledChunk, ...]
    sampled: tuple[ScheduledChunk, ...]
    """The chunks that get a new token, in the order of `logit_rows`."""
    forward: ForwardInput
    logit_rows: Tensor


def build_batch(chunks: Chunks[ScheduledChunk], block_size: int, device: torch.device) -> Batch:
    """Rows are sorted so that those of long prompts come last (see batch invariance in kernels.ops)."""
    ordered = sorted(chunks, key=_is_wide)
    token_ids: list[int] = []
    positions: list[Tensor] = []
    slots: list[Tensor] = []
    tables: list[Tensor] = []
    starts, contexts, logit_rows = [0], [], []
    for chunk in ordered:
        sequence, start = chunk.sequence, chunk.sequence.num_computed_tokens
        end = start + chunk.num_tokens
        token_ids += sequence.token_ids[start:end]
        table = torch.tensor(sequence.block_ids, dtype=torch.int64)
        position = torch.arange(start, end)
        positions.append(position)
        slots.append(table[position // block_size] * block_size + position % block_size)
        tables.append(table.to(device))
        starts.append(len(token_ids))
        contexts.append(end)
        if chunk.closes_gap:
            logit_rows.append(len(token_ids) - 1)
    num_narrow_rows = sum(chunk.num_tokens for chunk in ordered if not _is_wide(chunk))
    forward = ForwardInput(
        torch.tensor(token_ids, device=device),
        torch.cat(positions).to(device),
        torch.cat(slots).to(device),
        AttentionBatch(tuple(starts), tuple(contexts), tuple(tables)),
        num_narrow_rows,
    )
    sampled = tuple(chunk for chunk in ordered if chunk.closes_gap)
    return Batch(tuple(ordered), sampled, forward, torch.tensor(logit_rows, dtype=torch.int64, device=device))


def _is_wide(chunk: ScheduledChunk) -> bool:
    sequence = chunk.sequence
    return sequence.has_wide_prefill and sequence.num_computed_tokens < sequence.num_prompt_tokens
