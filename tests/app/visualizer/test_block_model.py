"""Blocks and their differences, without Qt."""

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from app.visualizer.block_model import BlockCell, BlockKind, BlockTable, OwnerCounts, changed_blocks
from app.visualizer.block_text import describe_block
from engine.messages import BlockSnapshot

from .pools import NO_OWNER, snapshot

NAMES = ("a", "b", "c", "d")


@st.composite
def snapshots(draw: st.DrawFn, num_blocks: int) -> BlockSnapshot:
    names = tuple(draw(st.permutations(NAMES)))[: draw(st.integers(0, 4))]

    def some_bytes(values: st.SearchStrategy[int]) -> bytes:
        # Long equal runs as well as noise, as a pool has them.
        base = bytearray([draw(values)]) * num_blocks
        for block in draw(st.lists(st.integers(0, num_blocks - 1), max_size=12)):
            base[block] = draw(values)
        return bytes(base)

    index = st.sampled_from([*range(len(names)), NO_OWNER])
    blocks = draw(st.lists(st.integers(0, num_blocks - 1), unique=True, max_size=6)) if len(names) > 1 else []
    owners = st.lists(st.integers(0, len(names) - 1), min_size=2, unique=True)
    shared = tuple((block, tuple(draw(owners))) for block in sorted(blocks))
    bits = st.integers(0, 1)
    return BlockSnapshot(
        "m", 0, 16, 1024, some_bytes(st.integers(0, 3)), some_bytes(bits), some_bytes(bits), some_bytes(index),
        some_bytes(bits), names, shared,
    )  # fmt: skip


PAIRS = st.sampled_from([1, 7, 64, 65, 200]).flatmap(lambda n: st.tuples(snapshots(n), snapshots(n)))


@given(PAIRS)
def test_difference_is_exactly_the_cells_that_differ(pair: tuple[BlockSnapshot, BlockSnapshot]):
    before, after = map(BlockTable, pair)
    assert list(changed_blocks(before, after)) == [b for b in range(len(after)) if before.cell(b) != after.cell(b)]


@given(PAIRS)
def test_blocks_of_the_same_state_have_the_same_cell(pair: tuple[BlockSnapshot, BlockSnapshot]):
    table = BlockTable(pair[0])
    cells: dict[object, BlockCell] = {}
    for block in range(len(table)):
        cell = dataclasses.replace(table.cell(block), is_written=False)
        assert cells.setdefault(table.state(block), cell) == cell


@given(PAIRS)
def test_sums_cover_the_pool_once_and_agree_with_the_cells(pair: tuple[BlockSnapshot, BlockSnapshot]):
    table = BlockTable(pair[0])
    counts, kinds = table.counts(), [table.kind(block) for block in range(len(table))]
    assert counts.num_used + counts.num_cached + counts.num_free == len(table)
    assert counts.num_shared == kinds.count(BlockKind.SHARED)
    assert counts.num_free == kinds.count(BlockKind.FREE)
    by_hand: dict[str, OwnerCounts] = {}
    fields = {BlockKind.HELD: "num_own", BlockKind.SHARED: "num_shared", BlockKind.CACHED: "num_cached"}
    for block in range(len(table)):
        for owner in table.cell(block).owners:
            of_owner = by_hand.setdefault(owner, OwnerCounts())
            setattr(of_owner, fields[kinds[block]], getattr(of_owner, fields[kinds[block]]) + 1)
    assert counts.by_owner == by_hand


def test_another_numbering_of_the_same_owners_changes_no_cell():
    before = snapshot(names=("a", "b"), held={0: "a", 1: "b"}, shared={2: ("a", "b")})
    after = snapshot(names=("b", "a"), held={0: "a", 1: "b"}, shared={2: ("b", "a")})
    assert before.owners != after.owners
    assert list(changed_blocks(BlockTable(before), BlockTable(after))) == []


def test_more_owners_than_a_byte_can_number_are_still_compared():
    before = snapshot(names=[f"x{i}" for i in range(200)], held={3: "x7"})
    after = snapshot(names=[f"y{i}" for i in range(200)], held={3: "y7"})
    assert list(changed_blocks(BlockTable(before), BlockTable(after))) == [3]


def test_a_pool_of_another_size_is_new_as_a_whole():
    assert list(changed_blocks(BlockTable(snapshot(8)), BlockTable(snapshot(5)))) == [0, 1, 2, 3, 4]


def test_owner_of_a_freed_block_is_not_shown():
    free = dataclasses.replace(snapshot(2, held={0: "a"}, written=[0]), ref_counts=bytes(2))
    assert BlockTable(free).cell(0) == BlockCell(BlockKind.FREE)


def title(owner: str) -> str:
    return {"t": "Trip plan", "r": "Regex help"}[owner]


def test_words_for_a_shared_block_name_all_owners():
    table = BlockTable(snapshot(0x200, shared={0x1A3: ("r", "t")}))
    assert describe_block(table, 0x1A3, title) == "block 419 · Regex help, Trip plan · refs 2 · cached"


def test_words_for_a_block_of_one_chat():
    assert describe_block(BlockTable(snapshot(held={10: "t"})), 10, title) == "block 10 · Trip plan · refs 1"


def test_words_for_a_cached_block_name_its_last_owner():
    table = BlockTable(snapshot(cached={1: "t", 2: None}))
    assert describe_block(table, 1, title) == "block 1 · last Trip plan · refs 0 · cached"
    assert describe_block(table, 2, title) == "block 2 · refs 0 · cached"
    assert describe_block(table, 3, title) == "block 3 · free"


def test_reference_count_at_the_end_of_its_byte_is_not_called_exact():
    many = dataclasses.replace(snapshot(1, held={0: "t"}), ref_counts=b"\xff")
    assert describe_block(BlockTable(many), 0, title) == "block 0 · Trip plan · refs 255 or more"


def test_words_stay_short_with_many_owners_and_long_titles():
    table = BlockTable(snapshot(shared={0: [f"c{i}" for i in range(6)]}))
    words = describe_block(table, 0, lambda owner: f"{owner} with a title of a hundred characters")
    assert words == "block 0 · c0 with a title of a hu…, c1 with a title of a hu…, 4 more · refs 6 · cached"
