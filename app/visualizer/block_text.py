"""Owns the words for one block.

Knows neither colours nor widgets.
"""

from __future__ import annotations

from collections.abc import Callable

from app.i18n import translate
from app.visualizer.block_model import BlockKind, BlockTable
from app.widgets.units import duration
from engine.messages import BlockFacts

_MAX_REF_COUNT = 255
_MAX_TITLES = 3
_LONGEST_TITLE = 24
_JUST_NOW_S = 1.0


def describe_block(table: BlockTable, block_id: int, title_of: Callable[[str], str]) -> str:
    """`block 419 · Trip plan, Regex help · refs 2 · cached`; an unreferenced block names its last owner."""
    kind = table.kind(block_id)
    parts = [translate("app", "block {number}").format(number=f"{block_id:,}")]
    if kind is BlockKind.FREE:
        return " · ".join([*parts, translate("app", "free")])
    titles = _titles([title_of(owner) for owner in table.owners(block_id)])
    if titles:
        parts.append(translate("app", "last {titles}").format(titles=titles) if kind is BlockKind.CACHED else titles)
    num_refs = table.snapshot.ref_counts[block_id]
    # The count is one byte and stays at its end.
    words = translate("app", "refs {count} or more") if num_refs == _MAX_REF_COUNT else translate("app", "refs {count}")
    parts.append(words.format(count=num_refs))
    if table.snapshot.is_cached[block_id]:
        parts.append(translate("app", "cached"))
    if table.snapshot.is_pinned[block_id]:
        parts.append(translate("app", "pinned"))
    return " · ".join(parts)


def describe_contents(facts: BlockFacts) -> str:
    """`tokens 192–207 · written 3 s ago · “the ferry leaves twice a”`; empty for a block that holds none."""
    if facts.start is None or not facts.num_tokens:
        return ""
    parts = [
        translate("app", "tokens {first}–{last}").format(first=facts.start, last=facts.start + facts.num_tokens - 1)
    ]
    if facts.written_ago_s is not None:
        is_now = facts.written_ago_s < _JUST_NOW_S
        ago = translate("app", "written just now") if is_now else translate("app", "written {time} ago")
        parts.append(ago.format(time=duration(facts.written_ago_s)))
    # A line break would push the rest out of the card.
    parts.append(f"“{' '.join(facts.text.split())}”")
    return " · ".join(parts)


def describe_runs(table: BlockTable, title_of: Callable[[str], str]) -> list[str]:
    """A line for each run of blocks that are alike: `16–31 (16): Trip plan · refs 1 · cached`."""
    lines: list[str] = []
    start, num_blocks = 0, len(table)
    while start < num_blocks:
        words = _words_after_number(table, start, title_of)
        end = start + 1
        while end < num_blocks and _words_after_number(table, end, title_of) == words:
            end += 1
        numbers = f"{start:,}" if end == start + 1 else f"{start:,}–{end - 1:,} ({end - start:,})"
        lines.append(f"{numbers}: {words}")
        start = end
    return lines


def _words_after_number(table: BlockTable, block_id: int, title_of: Callable[[str], str]) -> str:
    return describe_block(table, block_id, title_of).partition(" · ")[2]


def _titles(titles: list[str]) -> str:
    """The first titles, each at most so long that the words fit two lines of the view."""
    shown = [title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…" for title in titles]
    if len(titles) > _MAX_TITLES:
        shown[_MAX_TITLES - 1 :] = [translate("app", "{count} more").format(count=len(titles) - _MAX_TITLES + 1)]
    return ", ".join(shown)
