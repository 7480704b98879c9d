"""What the memory view shows is what the engine counts, at every step of a scene.

Two chats with a common prompt, a third that takes their room away, one that is pinned, one that is deleted while it
runs. The engine is stepped by hand; what the widgets show is compared with pool, prefix cache and scheduler themselves.
"""

from __future__ import annotations

import re

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.i18n import install_language
from app.visualizer.block_model import BlockKind
from app.visualizer.memory_panel import MemoryPanel
from engine.cache.block_pool import NULL_BLOCK
from engine.cache.prefix_cache import block_digest
from engine.messages import ModelLoaded, PrefixDropped, PrefixPinned, StepsTaken
from engine.planner import MemoryUse
from engine.scheduler import Preemption
from engine.sequence import SequenceState
from tests.engine.fakes import FakeEngine

NUM_BLOCKS = 40
BLOCK_BYTES = 64
BLOCK_SIZE = 4
WEIGHT_BYTES, WORKSPACE_BYTES = 1000, 500
MODEL = ModelLoaded(
    "m", "Tiny", "cpu", 1000, WEIGHT_BYTES, NUM_BLOCKS, BLOCK_SIZE, BLOCK_BYTES // BLOCK_SIZE, WORKSPACE_BYTES
)
COMMON = "You help people who travel by sea. "
TITLES = {"trip": "Trip plan", "regex": "Regex help", "letter": "Letter", "warm": "Kept"}
STATES = {
    SequenceState.WAITING: "waiting",
    SequenceState.SWAPPED: "swapped",
    SequenceState.PREFILL: "reading",
    SequenceState.DECODE: "writing",
}


class Scene:
    """The engine, the view, and the comparison after each step."""

    def __init__(self, panel: MemoryPanel, preemption: Preemption) -> None:
        self.engine = FakeEngine(NUM_BLOCKS, BLOCK_SIZE, preemption=preemption)
        self.panel = panel
        self.num_compared = 0
        self.kinds: set[BlockKind] = set()
        self.states: set[str] = set()
        self.engine.core.view.watch(True)
        panel.set_owner_titles(TITLES)
        panel.show_model(MODEL)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.engine.step()
            self.compare()

    def finish(self) -> None:
        while self.engine.core.num_live:
            self.step()

    def compare(self) -> None:
        """Show what the engine tells now, and hold it against what the engine has."""
        core = self.engine.core
        core.tell_steps()
        for event in core.drain_events():
            if isinstance(event, StepsTaken | PrefixPinned | PrefixDropped):
                self.panel.show_event(event)
        self.panel.show_snapshot(core.snapshot("m"))
        self.panel.show_event(core.view.tree("m"))
        self.panel.text()
        self._compare_grid()
        self._compare_words(self.panel.sections["blocks"].text())
        self._compare_sums()
        self._compare_legend()
        self._compare_chats()
        self._compare_tree()
        self.num_compared += 1

    def holders(self) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for sequence in self.engine.scheduler.running:
            for block_id in sequence.block_ids:
                if block_id != NULL_BLOCK:
                    found.setdefault(block_id, set()).add(sequence.owner)
        return found

    def pinned(self) -> set[int]:
        return {block for blocks in self.engine.cache.prefix_cache.pins().values() for block in blocks}

    def _compare_grid(self) -> None:
        table = self.panel.grid._table
        assert table is not None
        holders, pinned = self.holders(), self.pinned()
        cached, free = self.engine.cache.prefix_cache.cached_blocks(), self.engine.cache.pool.free_blocks()
        for block_id in range(1, NUM_BLOCKS + 1):
            cell, owners = table.cell(block_id - 1), holders.get(block_id, set())
            self.kinds.add(cell.kind)
            if len(owners) > 1:
                expected = BlockKind.SHARED
            elif owners:
                expected = BlockKind.HELD
            elif block_id in cached:
                expected, owners = BlockKind.CACHED, {self.engine.cache.last_owners[block_id]}
            else:
                expected = BlockKind.FREE
                assert block_id in free
            assert (cell.kind, set(cell.owners)) == (expected, owners)
            assert cell.is_pinned == (block_id in pinned)

    def _compare_words(self, told: str) -> None:
        """What hover, arrow keys and the copy as text say of each block."""
        holders, pinned = self.holders(), self.pinned()
        cached, title = self.engine.cache.prefix_cache.cached_blocks(), self.panel._owners.title
        for block_id in range(1, NUM_BLOCKS + 1):
            owners, is_cached = holders.get(block_id, set()), block_id in cached
            number, *parts = self.panel.grid.description(block_id - 1).split(" · ")
            assert number == f"block {block_id - 1:,}"
            if owners:
                assert sorted(parts[0].split(", ")) == sorted(title(owner) for owner in owners)
                assert parts[1] == f"refs {len(owners)}"
            elif is_cached:
                assert parts[:2] == [f"last {title(self.engine.cache.last_owners[block_id])}", "refs 0"]
            else:
                assert parts == ["free"]
            assert ("cached" in parts, "pinned" in parts) == (is_cached, block_id in pinned)
            assert " · ".join(parts) in told

    def _compare_sums(self) -> None:
        stats, holders = self.engine.core.stats(), self.holders()
        shown = dict(re.findall(r"KV (\w+) .*? ([\d,]+) blocks?", "\n".join(self.panel.numbers.texts())))
        num_pinned = len(self.pinned() - holders.keys())
        expected = {
            "used": len(holders),
            "pinned": num_pinned,
            "cached": stats.num_cached_blocks,
            "free": stats.num_free_blocks,
        }
        assert {key: int(number.replace(",", "")) for key, number in shown.items()} == expected
        assert len(holders) + num_pinned == stats.num_referenced_blocks
        assert len(self.pinned()) == self._pinned_in_legend()
        blocks = [("bar_used", "used"), ("bar_pinned", "pinned"), ("bar_cached", "cached"), ("bar_free", "free")]
        fixed = [("bar_weights", WEIGHT_BYTES), ("bar_workspace", WORKSPACE_BYTES)]
        drawn = [*fixed, *((role, expected[key] * BLOCK_BYTES) for role, key in blocks)]
        assert list(self.panel.numbers._bar._parts) == drawn
        host_pool = self.engine.cache.host_pool
        num_swapped = host_pool.num_blocks - host_pool.num_free
        found = re.search(r"of (\d+) block", self.panel.ram_strip.text())
        assert (0 if found is None else int(found[1])) == num_swapped
        swapped = {one.owner: str(len(one.host_block_ids)) for one in self.engine.scheduler if one.host_block_ids}
        told = re.findall(r"(?:: |, )([^:,]+) (\d+)(?=,| of)", self.panel.ram_strip.text())
        assert dict(told) == {self.panel._owners.title(owner): number for owner, number in swapped.items()}

    def _pinned_in_legend(self) -> int:
        found = re.search(r"pinned, (\d+) block", self.panel.table.text())
        assert found is not None, self.panel.table.text()
        return int(found[1])

    def _compare_legend(self) -> None:
        """Below the grid a row for each chat, and for what they share and have left."""
        cache, holders = self.engine.cache, self.holders()
        expected: dict[str, list[int]] = {}
        for owners in holders.values():
            for owner in owners:
                expected.setdefault(owner, [0, 0, 0])[0 if len(owners) == 1 else 1] += 1
        rest = cache.prefix_cache.cached_blocks().keys() - holders.keys()
        for block_id in rest:
            expected.setdefault(cache.last_owners[block_id], [0, 0, 0])[2] += 1
        rows = {line.split("\t")[0]: line.split("\t")[1:] for line in self.panel.table.text().splitlines()[1:]}
        title = self.panel._owners.title
        for owner, numbers in expected.items():
            assert [int(number) for number in rows.pop(title(owner))] == numbers, owner
        num_shared = sum(len(owners) > 1 for owners in holders.values())
        assert rows.pop("shared by chats")[1] == str(num_shared)
        assert rows.pop("cached, all chats")[2] == str(len(rest))
        # Nobody else has a row.
        assert [name.split(",")[0] for name in rows] == ["pinned", "free"]

    def _compare_chats(self) -> None:
        holders = self.holders()
        rows = {line.split("\t")[0]: line.split("\t") for line in self.panel.chats.text().splitlines()[1:]}
        for sequence in self.engine.scheduler:
            title, state, _, tokens, saved, own, shared = rows[self.panel._owners.title(sequence.owner)]
            mine = [block_id for block_id, owners in holders.items() if sequence.owner in owners]
            num_shared = sum(len(holders[block_id]) > 1 for block_id in mine)
            assert state == STATES[sequence.state]
            assert int(tokens) == len(sequence.token_ids)
            assert int(saved) == sequence.num_cached_tokens
            assert (int(own), int(shared)) == (len(mine) - num_shared, num_shared), title
            self.states.add(state)
        live = {self.panel._owners.title(sequence.owner) for sequence in self.engine.scheduler}
        assert {row[1] for title, row in rows.items() if title not in live} <= {"at rest"}

    def _compare_tree(self) -> None:
        cache, holders = self.engine.cache.prefix_cache, self.holders()
        cached, nodes = cache.cached_blocks(), self.panel.tree.nodes
        assert sorted(block + 1 for node in nodes for block in node.blocks) == sorted(cached)
        for node in nodes:
            parent = cached[node.blocks[0] + 1].parent if node.parent is None else nodes[node.parent].digest
            token_ids: list[int] = []
            for block in node.blocks:
                entry = cached[block + 1]
                parent = block_digest(parent, entry.token_ids)
                assert parent == entry.digest
                assert set(node.sharers) == holders.get(block + 1, set())
                assert set(node.pins) == {name for name, blocks in cache.pins().items() if block + 1 in blocks}
                token_ids += entry.token_ids
            assert parent == node.digest
            assert self.engine.tokenizer.decode(token_ids).startswith(node.text)
            assert node.num_tokens == len(token_ids)
        items = self.panel.tree.text().splitlines()[1:]
        assert [int(line.split("\t")[1]) for line in items] == [node.num_tokens for node in nodes]


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> MemoryPanel:
    install_language(qapp, "en")
    widget = MemoryPanel(lambda: MemoryUse(8 << 30, 4 << 30, 1 << 30, 0))
    qtbot.addWidget(widget)
    widget.resize(400, 900)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


@pytest.mark.parametrize("preemption", ["swap", "recompute"])
def test_view_shows_what_the_engine_counts(panel: MemoryPanel, preemption: Preemption) -> None:
    scene = Scene(panel, preemption)
    core = scene.engine.core
    scene.compare()
    scene.engine.submit("warm", COMMON + "Keep this.", max_tokens=2)
    scene.finish()
    core.pin_prefix("warm", True)
    scene.compare()
    scene.engine.submit("trip", COMMON + "Plan a trip.", max_tokens=40)
    scene.engine.submit("regex", COMMON + "Find a time.", max_tokens=40)
    scene.step(4)
    scene.engine.submit("letter", "Dear aunt, how are you? " * 2, max_tokens=60, priority=0)
    while not core.metrics.preemptions[preemption]:
        scene.step()
    scene.step(3)
    # A deleted chat is stopped, and its title is known no longer.
    core.cancel("regex")
    panel.set_owner_titles({owner: title for owner, title in TITLES.items() if owner != "regex"})
    scene.compare()
    scene.finish()
    core.pin_prefix("warm", False)
    scene.compare()
    for node in list(panel.tree.nodes):
        core.drop_node(node.first_digest)
        scene.compare()
    assert scene.engine.cache.pool.num_free == NUM_BLOCKS
    assert scene.num_compared > 40
    assert scene.kinds >= {BlockKind.FREE, BlockKind.HELD, BlockKind.SHARED, BlockKind.CACHED}
    assert scene.states >= {"writing", "swapped" if preemption == "swap" else "waiting"}
