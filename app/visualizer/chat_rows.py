"""Owns the rows of the chats table: what the engine says of each owner's requests, with the blocks of the pool.

Plain Python: knows neither Qt nor words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.visualizer.block_model import OwnerCounts
from engine.messages import ChatReport, ChatState

_ORDER: tuple[ChatState, ...] = ("decode", "prefill", "swapped", "waiting", "ended")
"""Of several requests of a chat, the one that is furthest tells its state."""


@dataclass(frozen=True, slots=True)
class ChatRow:
    """Tokens are those of the chat's running requests together, or of its newest ended one; blocks are of the pool."""

    owner: str
    state: ChatState
    num_tokens: int
    num_prompt_tokens: int
    num_saved_tokens: int
    num_own: int
    num_shared: int
    num_cached: int
    num_ram_blocks: int
    tokens_per_s: float | None


def chat_rows(reports: Iterable[ChatReport], blocks: dict[str, OwnerCounts]) -> list[ChatRow]:
    """A row for each owner that the engine remembers or that has blocks, those that run first."""
    by_owner: dict[str, list[ChatReport]] = {owner: [] for owner in blocks}
    for report in reports:
        by_owner.setdefault(report.owner, []).append(report)
    rows = [_row(owner, own, blocks.get(owner) or OwnerCounts()) for owner, own in by_owner.items()]
    return sorted(rows, key=lambda row: _ORDER.index(row.state))


def _row(owner: str, reports: list[ChatReport], blocks: OwnerCounts) -> ChatRow:
    rates = [report.tokens_per_s for report in reports if report.tokens_per_s is not None]
    return ChatRow(
        owner,
        min((report.state for report in reports), key=_ORDER.index, default="ended"),
        sum(report.num_tokens for report in reports),
        sum(report.num_prompt_tokens for report in reports),
        sum(report.num_saved_tokens for report in reports),
        blocks.num_own,
        blocks.num_shared,
        blocks.num_cached,
        sum(report.num_ram_blocks for report in reports),
        sum(rates) if rates else None,
    )
