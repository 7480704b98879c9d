"""Clicks through the memory view of the real window with the real engine, and prints as JSON what it saw.

Run as a program of its own: `python -m tests.e2e.memory_view_driver HOME`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.main_window import MainWindow
from app.state import options
from app.visualizer.block_model import BlockTable, PoolCounts
from app.widgets.dock_title import DockTitle
from tests.e2e.window_user import WindowUser, use_window

SYSTEM_PROMPT = (
    "You answer in one short sentence, and you never use more than ten words for it, whatever you are asked."
)
QUESTIONS = ("What is a lighthouse?", "What is a harbour?")


class Clicker(WindowUser):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._panel = window.memory_panel

    async def _use(self) -> None:
        panel = self._panel
        await self._model()
        self._window.change_setting(options.TEMPERATURE, 0.0)
        self._window.change_setting(options.MAX_TOKENS, 24)
        await self._ask_questions()
        for key in ("tree", "steps", "fit"):
            await self._click(panel.sections[key].fold_button)
        self.report["folded"] = [key for key, section in panel.sections.items() if section.is_folded]
        await self._wait("the cached texts", lambda: bool(panel.tree.nodes))
        self.report["tree"] = panel.tree.text()
        await self._use_grid()
        await self._use_tree()
        await self._plan()
        await self._use_timeline()
        await self._copy()
        await self._hide_and_detach()

    async def _plan(self) -> None:
        planner = self._panel.planner
        await self._key(planner.chats_slider, Qt.Key.Key_End)
        words = [planner.text()]
        await self._key(planner.context_slider, Qt.Key.Key_Home)
        words.append(planner.text())
        await self._in_qt_loop(
            lambda: QTest.mouseClick(planner.eight_bits, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
        )
        self.report["planner"] = [*words, planner.text()]
        self.report["eight_bits"] = planner.eight_bits.isChecked()

    async def _use_timeline(self) -> None:
        timeline = self._panel.timeline
        self._show(timeline)
        await self._key(timeline, Qt.Key.Key_Left)
        before = timeline.accessibleDescription()
        place = QPoint(timeline.width() // 2, timeline.height() // 2)
        await self._in_qt_loop(lambda: QTest.mouseMove(timeline, place))
        await self._wait("what was there", lambda: timeline.accessibleDescription() != before)
        self.report["timeline"] = [before, self._panel.timeline_words.text()]

    async def _copy(self) -> None:
        """All of it, and each part as text and tables; a part that is folded away too."""
        panel, clipboard = self._panel, QGuiApplication.clipboard()
        await self._click(panel.copy_button)
        self.report["copied"] = clipboard.text()
        parts = self.report["parts"] = {}
        for key, section in panel.sections.items():
            self._show(section.copy_button)
            await self._click(section.copy_button)
            parts[key] = clipboard.text()
        section = panel.sections["bar"]
        self._show(section.fold_button)
        await self._click(section.fold_button)
        self.report["is_folded"] = [section.is_folded, panel.numbers.isVisible()]
        await self._key(section.fold_button, Qt.Key.Key_Space)
        self.report["is_folded"] += [section.is_folded, panel.numbers.isVisible()]

    async def _hide_and_detach(self) -> None:
        window, dock = self._window, self._window.memory_dock
        title = dock.titleBarWidget()
        assert isinstance(title, DockTitle), f"the dock's title is {title!r}"
        seen = []
        for action in (title.detach_button, title.detach_button, title.hide_button):
            await self._click(action)
            seen.append((dock.isFloating(), dock.isVisible()))
        await self._key(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
        self.report["dock"] = [*seen, (dock.isFloating(), dock.isVisible())]

    def _show(self, widget: QWidget) -> None:
        self._panel._scroll.ensureWidgetVisible(widget)

    async def _ask_questions(self) -> None:
        for question in QUESTIONS:
            tab = self._window.tabs.current_tab()
            if tab is None or tab.session.messages:
                self._window.new_chat()
                tab = self._window.tabs.current_tab()
            assert tab is not None, "no tab is open"
            tab.session.system_prompt = SYSTEM_PROMPT
            tab.submit(question)
            await self._wait("an answer", lambda tab=tab: not tab.session.is_busy)  # type: ignore[misc]

    async def _use_grid(self) -> None:
        panel = self._panel
        node = panel.tree.nodes[0]
        first, second = panel.grid.cell_rect(node.blocks[0]).center(), panel.card.label.text
        await self._in_qt_loop(lambda: QTest.mouseClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=first))
        await self._wait("what is in the block", lambda: "“" in second())
        self.report["clicked_block"] = second()
        await self._key(panel.grid, Qt.Key.Key_End)
        await self._key(panel.grid, Qt.Key.Key_Return)
        self.report["last_block"] = second()
        await self._key(panel.grid, Qt.Key.Key_Escape)
        self.report["kept_after_escape"] = panel.card.is_kept_open
        # The way to the last block may have scrolled the first ones out of sight, where no pointer reaches them.
        await self._key(panel.grid, Qt.Key.Key_Home)
        other = panel.grid.cell_rect(node.blocks[0] + 1).center()
        await self._in_qt_loop(lambda: QTest.mouseMove(panel.grid.viewport(), other))
        await self._wait("the block pointed at", lambda: second().startswith(f"block {node.blocks[0] + 1:,} "))
        await self._in_qt_loop(lambda: QTest.mouseClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=first))
        await self._click(panel.card.close_button)
        self.report["kept_after_close"] = panel.card.is_kept_open
        chosen: list[object] = []
        panel.table.filter_changed.connect(chosen.append)
        await self._wait("the chat in the legend", lambda: panel.table.row(node.last_owner) is not None)
        for _ in range(2):
            row = panel.table.row(node.last_owner)
            assert row is not None, "the legend lost the chat"
            await self._click_row(panel.table, row)
        self.report["filter"] = [chosen[0] == node.last_owner, chosen[1] is None]

    async def _drop_by_key(self) -> None:
        """What is dropped with the key is neither cached nor held any more, as the engine counts its blocks."""
        view = self._panel.tree
        top = view.tree.topLevelItem(0)
        assert top is not None, "nothing is cached"
        await self._click_row(view.tree, top.child(0))
        node = view._chosen()
        assert node is not None, "no text is chosen"
        before = self._counts()
        await self._key(view.tree, Qt.Key.Key_Delete)
        await self._wait("the answer", lambda: view.answer.text().startswith("Dropped"))
        await self._wait("its end", lambda: node.digest not in {one.digest for one in view.nodes})
        await self._wait("its blocks", lambda: self._counts() != before)
        after = self._counts()
        self.report["dropped_by_key"] = {
            "words": view.answer.text(),
            "of_text": len(node.blocks),
            "cached": before.num_cached - after.num_cached,
            "free": after.num_free - before.num_free,
        }

    def _counts(self) -> PoolCounts:
        snapshot = self._panel._snapshot
        assert snapshot is not None, "nothing is known of the pool"
        return BlockTable(snapshot).counts()

    async def _use_tree(self) -> None:
        view, answers = self._panel.tree, []
        top = view.tree.topLevelItem(0)
        assert top is not None, "nothing is cached"
        await self._click_row(view.tree, top)
        for key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            await self._key(view.tree, key)
            self.report.setdefault("opened", []).append(top.isExpanded())
        await self._drop_by_key()
        for button, begins in (
            (view.pin_button, "Pinned"),
            (view.unpin_button, "Unpinned"),
            (view.drop_button, "Drop"),
        ):
            item = view.tree.topLevelItem(0)
            assert item is not None, "nothing is cached"
            await self._click_row(view.tree, item)
            await self._wait(f"the button for {begins}", button.isEnabled)
            await self._click(button)
            await self._wait(begins, lambda begins=begins: view.answer.text().startswith(begins))  # type: ignore[misc]
            answers.append(view.answer.text())
            if begins == "Pinned":
                await self._wait("a locked block", lambda: "pinned" in self._panel.table.text())
        self.report["answers"] = answers


if __name__ == "__main__":
    sys.exit(use_window(Path(sys.argv[1]), Clicker))
