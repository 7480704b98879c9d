"""Owns the words for one block.

Knows neither colours nor widgets.
"""

from __future__ import annotations

from collections.abc import Callable

from app.visualizer.block_model import BlockKind, BlockTable

_MAX_REF_COUNT = 255
_MAX_TITLES = 3
_LONGEST_TITLE = 24


def describe_block(table: BlockTable, block_id: int, title_of: Callable[[str], str]) -> str:
    """`block 0x1A3 · Trip plan, Regex help · refs 2 · cached`; an unreferenced block names its last owner."""
    kind = table.kind(block_id)
    parts = [f"block 0x{block_id:X}"]
    if kind is BlockKind.FREE:
        return f"{parts[0]} · free"
    titles = _titles([title_of(owner) for owner in table.owners(block_id)])
    if titles:
        parts.append(f"last {titles}" if kind is BlockKind.CACHED else titles)
    num_refs = table.snapshot.ref_counts[block_id]
    # The count is one byte and stays at its end.
    parts.append(f"refs {num_refs} or more" if num_refs == _MAX_REF_COUNT else f"refs {num_refs}")
    if table.snapshot.is_cached[block_id]:
        parts.append("cached")
    return " · ".join(parts)


def _titles(titles: list[str]) -> str:
    """The first titles, each at most so long that the words fit two lines of the view."""
    shown = [title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…" for title in titles]
    if len(titles) > _MAX_TITLES:
        shown[_MAX_TITLES - 1 :] = [f"{len(titles) - _MAX_TITLES + 1} more"]
    return ", ".join(shown)
