"""Owns what each block of a snapshot is, which cells two snapshots differ in, and the sums over a pool.

Plain Python: knows neither Qt nor colours nor the titles of chats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from engine.messages import BlockSnapshot

NO_OWNER = 255
_CHUNK_BLOCKS = 64


class BlockKind(Enum):
    """What a block is to the pool; the value is the word for it."""

    FREE = "free"
    HELD = "held"
    SHARED = "shared"
    CACHED = "cached"
    SWAPPED = "swapped"
    """Not in the pool: it lies in other memory until its request goes on."""
    PINNED = "pinned"
    """A mark besides any of the others, and no kind of a cell."""


@dataclass(frozen=True, slots=True)
class BlockCell:
    """What one cell shows. `owners` are ids: all of a shared block, else the last one, or none."""

    kind: BlockKind
    owners: tuple[str, ...] = ()
    is_written: bool = False
    is_pinned: bool = False


_FREE_CELL = BlockCell(BlockKind.FREE)


@dataclass(slots=True)
class OwnerCounts:
    """Blocks of one owner: its own, those it shares, and cached ones that it was the last to hold."""

    num_own: int = 0
    num_shared: int = 0
    num_cached: int = 0


@dataclass(frozen=True, slots=True)
class PoolCounts:
    """Sums over a snapshot; `num_used + num_cached + num_free` is the pool, `num_shared` is a part of the used.

    `num_pinned` of the cached ones are kept by a pin, `num_pinned_blocks` in all; `num_swapped` are not in the pool.
    """

    num_used: int
    num_shared: int
    num_cached: int
    num_free: int
    by_owner: dict[str, OwnerCounts]
    num_pinned: int = 0
    num_pinned_blocks: int = 0
    num_swapped: int = 0


class BlockTable:
    """A snapshot that answers for single blocks."""

    def __init__(self, snapshot: BlockSnapshot) -> None:
        self.snapshot = snapshot
        names = snapshot.owner_names
        # Sorted, so that the order of the stripes does not follow the order of the indexes, which may change.
        self.shared = {
            block: tuple(sorted(names[index] for index in indexes if index != NO_OWNER))
            for block, indexes in snapshot.shared_owners
        }

    def __len__(self) -> int:
        return self.snapshot.num_blocks

    def owners(self, block_id: int) -> tuple[str, ...]:
        """Every owner of a shared block, else the last owner, or none."""
        if self.kind(block_id) is BlockKind.SHARED:
            return self.shared[block_id]
        index = self.snapshot.owners[block_id]
        return () if index == NO_OWNER else (self.snapshot.owner_names[index],)

    def kind(self, block_id: int) -> BlockKind:
        if self.snapshot.ref_counts[block_id]:
            return BlockKind.SHARED if len(self.shared.get(block_id, ())) > 1 else BlockKind.HELD
        return BlockKind.CACHED if self.snapshot.is_cached[block_id] else BlockKind.FREE

    def state(self, block_id: int) -> tuple[object, ...]:
        """Blocks of the same state have the same cell, as far as they were not written in this step."""
        pool = self.snapshot
        is_held, shared = pool.ref_counts[block_id] > 0, self.shared.get(block_id, ())
        owners = shared if is_held and len(shared) > 1 else pool.owners[block_id]
        return is_held, pool.is_cached[block_id], pool.is_pinned[block_id], owners

    def cell(self, block_id: int) -> BlockCell:
        kind = self.kind(block_id)
        if kind is BlockKind.FREE:
            return _FREE_CELL
        snapshot = self.snapshot
        is_written, is_pinned = bool(snapshot.written[block_id]), bool(snapshot.is_pinned[block_id])
        return BlockCell(kind, self.owners(block_id), is_written, is_pinned)

    def counts(self) -> PoolCounts:
        """Sums over all blocks, in one pass."""
        snapshot = self.snapshot
        pool: Counter[BlockKind] = Counter()
        by_owner = {name: OwnerCounts() for name in snapshot.owner_names}
        states = zip(map(bool, snapshot.ref_counts), snapshot.is_cached, snapshot.owners, strict=True)
        # Few distinct states stand for many blocks; the shared ones are corrected below.
        for (is_held, is_cached, index), number in Counter(states).items():
            kind = BlockKind.HELD if is_held else BlockKind.CACHED if is_cached else BlockKind.FREE
            pool[kind] += number
            if index == NO_OWNER or kind is BlockKind.FREE:
                continue
            counts = by_owner[snapshot.owner_names[index]]
            if kind is BlockKind.HELD:
                counts.num_own += number
            else:
                counts.num_cached += number
        shared = {block: owners for block, owners in self.shared.items() if self.kind(block) is BlockKind.SHARED}
        for block_id, owners in shared.items():
            last = snapshot.owners[block_id]
            if last != NO_OWNER:
                by_owner[snapshot.owner_names[last]].num_own -= 1
            for owner in owners:
                by_owner[owner].num_shared += 1
        present = {name: c for name, c in by_owner.items() if c.num_own or c.num_shared or c.num_cached}
        return PoolCounts(
            pool[BlockKind.HELD],
            len(shared),
            pool[BlockKind.CACHED],
            pool[BlockKind.FREE],
            present,
            sum(1 for refs, pinned in zip(snapshot.ref_counts, snapshot.is_pinned, strict=True) if pinned and not refs),
            snapshot.is_pinned.count(1),
            sum(num_blocks for _, num_blocks in snapshot.swapped),
        )


def changed_blocks(before: BlockTable | None, after: BlockTable) -> Iterable[int]:
    """The blocks whose cells differ, in order; all of them when the pools have nothing in common."""
    if before is None or len(before) != len(after):
        return range(len(after))
    return [b for b in _suspects(before, after) if before.cell(b) != after.cell(b)]


def _suspects(before: BlockTable, after: BlockTable) -> Iterable[int]:
    """Blocks that may differ, in order. Chunks of equal bytes are passed over whole: most of a pool rests in a step."""
    old, new = before.snapshot, after.snapshot
    owners = _comparable_owners(old, new)
    if owners is None:
        return range(len(after))
    pairs = (
        owners,
        (old.ref_counts, new.ref_counts),
        (old.is_cached, new.is_cached),
        (old.is_pinned, new.is_pinned),
        (old.written, new.written),
    )
    found = {block for block, _ in before.shared.items() ^ after.shared.items()}
    for one, other in pairs:
        for start in range(0, len(after), _CHUNK_BLOCKS):
            part = slice(start, start + _CHUNK_BLOCKS)
            if one[part] != other[part]:
                found.update(b for b, (x, y) in enumerate(zip(one[part], other[part], strict=True), start) if x != y)
    return sorted(found)


def _comparable_owners(old: BlockSnapshot, new: BlockSnapshot) -> tuple[bytes, bytes] | None:
    """The owner bytes of both with one numbering, as each snapshot has its own; None if it would not fit a byte."""
    if old.owner_names == new.owner_names:
        return old.owners, new.owners
    numbers = {name: number for number, name in enumerate(dict.fromkeys(old.owner_names + new.owner_names))}
    if len(numbers) > NO_OWNER:
        return None

    def renumbered(snapshot: BlockSnapshot) -> bytes:
        table = bytearray(range(256))
        for index, name in enumerate(snapshot.owner_names):
            table[index] = numbers[name]
        return snapshot.owners.translate(bytes(table))

    return renumbered(old), renumbered(new)
