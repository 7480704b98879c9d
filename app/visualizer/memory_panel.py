"""Owns the memory view: the loaded model's memory in sections that fold, and all of it as text.

Knows the engine only by its messages; shows what they hold and nothing beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.bridge.rounds import Rounds
from app.i18n import translate
from app.visualizer.block_card import BlockCard
from app.visualizer.block_grid import BlockGrid
from app.visualizer.block_model import BlockTable, PoolCounts
from app.visualizer.block_text import describe_runs
from app.visualizer.chat_rows import chat_rows
from app.visualizer.chats_table import ChatsTable
from app.visualizer.fit_planner import FitPlanner
from app.visualizer.machine_memory import MachineMemory
from app.visualizer.memory_numbers import MemoryNumbers, MemorySums
from app.visualizer.owner_table import OwnerTable
from app.visualizer.owners import Owners
from app.visualizer.prefix_tree_view import PrefixTreeView
from app.visualizer.ram_strip import RamStrip
from app.visualizer.section import Section
from app.visualizer.step_legend import StepLegend
from app.visualizer.step_log import StepLog
from app.visualizer.step_text import describe_span, table
from app.visualizer.step_timeline import StepTimeline
from app.widgets.steady_bar import scroll_only_down
from app.widgets.text_label import TextLabel
from engine.messages import (
    AskBlock,
    BlockFacts,
    BlockSnapshot,
    EngineStats,
    ModelLoaded,
    PrefixDropped,
    PrefixPinned,
    PrefixTree,
    StepsTaken,
)
from engine.planner import MemoryUse, memory_use

TEXT_INTERVAL_MS = 200
"""Cells follow every snapshot; numbers change no faster than they can be read."""
_MARGIN_PX = 12
_MIN_GRID_PX, _MAX_GRID_PX = 320, 480
_GRID_PART = 0.5
"""Of the view's height is what the grid may take, within these limits."""


class MemoryPanel(QWidget):
    """Give it every `ModelLoaded`, `EngineStats`, `BlockSnapshot` and memory event; ask for them while watched."""

    watch_changed = Signal(bool)
    """The view became visible or hidden, or needs more or less: turn block snapshots on or off."""
    command_wanted = Signal(object)
    """A command for the engine: AskBlock | PinNode | DropNode."""
    folded_changed = Signal(str)
    """The keys of the sections that are folded now, parted by blanks."""
    colors_changed = Signal(str)
    """The colours of the owners that have a tab, for `remember_colors` of a later start."""

    def __init__(self, read_memory: Callable[[], MemoryUse] = memory_use, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owners = Owners()
        self._model: ModelLoaded | None = None
        self._stats: EngineStats | None = None
        self._snapshot: BlockSnapshot | None = None
        self._open_owners: frozenset[str] = frozenset()
        self._steps = StepLog()
        self.numbers = MemoryNumbers()
        self.machine = MachineMemory(read_memory)
        self.grid = BlockGrid(self._owners)
        self.ram_strip = RamStrip(self._owners)
        self.card = BlockCard(self.grid.description)
        self.table = OwnerTable(self._owners)
        self.tree = PrefixTreeView(self._owners)
        self.timeline = StepTimeline(self._steps)
        self.timeline_words = TextLabel("", "muted")
        self.chats = ChatsTable(self._owners)
        self.planner = FitPlanner()
        self._explanation = TextLabel("", "muted")
        self._content_width_px = 0
        self._counts: PoolCounts | None = None
        """Of the snapshot that the texts speak of."""
        parts = (self._count, self._show_chats, self._show_legend, self._show_steps, self._show_sums)
        self._texts = Rounds(TEXT_INTERVAL_MS, parts, self)
        self.sections = self._make_sections()
        self._build()
        self._connect()

    def _make_sections(self) -> dict[str, Section]:
        sections = (
            Section("bar", translate("app", "Where memory goes"), self._bar_text),
            Section("blocks", translate("app", "Blocks"), self._blocks_text),
            Section("chats", translate("app", "Chats in the engine"), self.chats.text),
            Section("tree", translate("app", "Cached texts"), self.tree.text),
            Section("steps", translate("app", "Steps"), self._steps_text),
            Section("fit", translate("app", "How many chats fit"), self.planner.text),
        )
        return {section.key: section for section in sections}

    def _build(self) -> None:
        self.setProperty("kind", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        nothing = self._nothing = TextLabel("", "muted")
        self.show_loading("")
        nothing.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        contents: dict[str, list[tuple[QWidget, int]]] = {
            "bar": [(self.numbers, 0), (self.machine, 0)],
            "blocks": [(self._explanation, 0), (self.grid, 1), (self.ram_strip, 0), (self.card, 0), (self.table, 0)],
            "chats": [(self.chats, 0)],
            "tree": [(self.tree, 0)],
            "steps": [(self.timeline, 0), (self.timeline_words, 0), (StepLegend(), 0)],
            "fit": [(self.planner, 0)],
        }
        content = self._content = QWidget()
        content.setProperty("kind", "panel")
        column = QVBoxLayout(content)
        column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        column.setSpacing(10)
        for key, section in self.sections.items():
            for widget, stretch in contents[key]:
                section.column.addWidget(widget, stretch)
            column.addWidget(section)
        self.copy_button = QPushButton(translate("app", "Copy as text"))
        self.copy_button.setToolTip(translate("app", "Copy all that the memory view shows, also what is folded"))
        column.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        scroll = self._scroll = QScrollArea()
        # Its bar is always there: else the width would follow the height, and the grid's height its width, to and fro.
        scroll_only_down(scroll)
        scroll.setWidget(content)
        content.installEventFilter(self)
        empty = QWidget()
        empty_column = QVBoxLayout(empty)
        empty_column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        empty_column.addWidget(nothing)
        self._pages = QStackedWidget()
        self._pages.addWidget(empty)
        self._pages.addWidget(scroll)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)

    def _connect(self) -> None:
        self.grid.pointed.connect(self.card.point_at)
        self.grid.opened.connect(self.card.keep_open)
        self.card.contents_wanted.connect(lambda block: self.command_wanted.emit(AskBlock(block)))
        self.tree.command_wanted.connect(self.command_wanted)
        self.grid.cursor_moved.connect(lambda cell: self._follow(self.grid, cell))
        for part in (self.table, self.chats, self.tree):
            part.heights.row_chosen.connect(self._follow)
        self.table.filter_changed.connect(self.grid.set_filter)
        self.timeline.described.connect(self._on_step_described)
        self.copy_button.clicked.connect(self.copy)
        for section in self.sections.values():
            section.folded_changed.connect(self._on_folded)

    def _follow(self, part: QWidget, place: QRect) -> None:
        """Scrolls to where the keys have gone to in a part, none of which scrolls by itself."""
        inside = QRect(part.mapTo(self._content, place.topLeft()), place.size())
        middle = inside.center()
        self._scroll.ensureVisible(middle.x(), middle.y(), 0, inside.height() // 2 + _MARGIN_PX)

    def fold(self, keys: str) -> None:
        """Fold the sections with these keys, parted by blanks, and open all others."""
        for key, section in self.sections.items():
            section.fold(key in keys.split())

    @property
    def wants_tree(self) -> bool:
        """Whether the prefix tree is in sight."""
        return not self.sections["tree"].is_folded

    def show_model(self, model: ModelLoaded | None) -> None:
        """The model that is loaded now, or None. What was known of another one's pool is dropped."""
        self._model = model
        self._stats = None
        self._snapshot = None
        self.grid.clear()
        self.card.clear()
        self.ram_strip.show_swapped(())
        self.tree.clear()
        self.chats.show_rows(())
        self._steps.clear()
        self.timeline.refresh()
        self.planner.show_model(model)
        self.table.show_counts(PoolCounts(0, 0, 0, 0, {}))
        self._pages.setCurrentIndex(0 if model is None else 1)
        self._texts.run_now()

    def show_loading(self, name: str) -> None:
        """The name of the model that is on its way, or empty."""
        loading = translate("app", "Loading {model} …").format(model=name)
        none = translate("app", "No model is loaded. Load one to see where its memory goes.")
        self._nothing.setText(loading if name else none)

    def show_stats(self, stats: EngineStats) -> None:
        self._stats = stats
        self._ask_for_texts()

    def show_snapshot(self, snapshot: BlockSnapshot) -> None:
        """Repaint the changed cells now, the numbers a little later; not if it is of another model than is loaded."""
        if self._model is None or snapshot.model_id != self._model.model_id:
            return
        self._snapshot = snapshot
        self.grid.show_snapshot(snapshot)
        self._ask_for_texts()

    def show_event(self, event: BlockFacts | PrefixDropped | PrefixPinned | PrefixTree | StepsTaken) -> None:
        """Anything else that the engine says of its memory."""
        match event:
            case BlockFacts():
                self.card.show_facts(event)
            case PrefixPinned() | PrefixDropped():
                self.tree.show_answer(event)
            case PrefixTree(model_id):
                if self._model is not None and model_id == self._model.model_id:
                    self.tree.show_tree(event)
            case StepsTaken():
                self._steps.add(event)
                self.timeline.refresh()
                self._ask_for_texts()

    def set_owner_titles(self, titles: dict[str, str]) -> None:
        """Owner id -> chat title."""
        self._owners.set_titles(titles)
        self._ask_for_texts()

    def set_open_owners(self, owners: Iterable[str]) -> None:
        """The owners that have a tab: they keep their colours whether or not they have blocks."""
        self._open_owners = frozenset(owners)
        self._forget_owners()
        self.colors_changed.emit(self._owners.colors_text(self._open_owners))
        self._ask_for_texts()

    def owner_color_index(self, owner: str) -> int:
        """The index for `Theme.owner_color` of this owner, the same for as long as it has a tab or blocks."""
        return self._owners.color_index(owner)

    def remember_colors(self, text: str) -> None:
        """What `colors_changed` has told in an earlier start."""
        self._owners.remember(text)

    def text(self) -> str:
        """All sections as text."""
        self._texts.run_now()
        return "\n\n".join(section.text() for section in self.sections.values())

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask_for_texts()
        self.watch_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.watch_changed.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.card.is_kept_open:
            self.card.close_block()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.grid.limit_height(max(_MIN_GRID_PX, min(round(_GRID_PART * self.height()), _MAX_GRID_PX)))

    def sizeHint(self) -> QSize:
        # Wide enough for rows of 32 cells.
        return QSize(400, 720)

    def minimumSizeHint(self) -> QSize:
        # What does not fit the height is scrolled to; nothing may be cut off at the side.
        least = super().minimumSizeHint()
        content = self._content.minimumSizeHint().width() + self._scroll.verticalScrollBar().sizeHint().width()
        return QSize(max(least.width(), content), least.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            # What is scrolled tells nobody but the scroll area what it needs.
            width = self._content.minimumSizeHint().width()
            if width != self._content_width_px:
                self._content_width_px = width
                self.updateGeometry()
        return False

    def show_planner(self) -> None:
        """Brings the question how many chats fit into view, as far as a model is loaded."""
        section = self.sections["fit"]
        section.fold(False)
        self._on_folded()
        # Once what was folded has its place.
        QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(section, 0, _MARGIN_PX))
        self.planner.context_slider.setFocus()

    def _on_folded(self) -> None:
        self.folded_changed.emit(" ".join(key for key, section in self.sections.items() if section.is_folded))
        self.watch_changed.emit(self.isVisible())

    def _on_step_described(self, words: str) -> None:
        self.timeline_words.setText(words or describe_span(self._steps))

    def _ask_for_texts(self) -> None:
        if self.isVisible():
            self._texts.request()

    def _count(self) -> None:
        self._counts = None if self._snapshot is None else BlockTable(self._snapshot).counts()
        self._forget_owners()

    def _forget_owners(self) -> None:
        """Those that have neither a tab nor anything in the engine."""
        chats = () if self._snapshot is None else self._snapshot.chats
        shown = {chat.owner for chat in chats}.union(() if self._counts is None else self._counts.by_owner)
        self._owners.forget_all_but(self._open_owners | shown)

    def _show_sums(self) -> None:
        if self._model is not None:
            words = translate("app", "Each square is a block of {size} tokens of a chat's memory.")
            self._explanation.setText(words.format(size=self._model.block_size))
            self.numbers.show_sums(self._sums(self._model, self._counts))

    def _show_steps(self) -> None:
        if self._model is not None and not self.timeline.hasFocus():
            self.timeline_words.setText(describe_span(self._steps))

    def _show_legend(self) -> None:
        if self._snapshot is not None and self._counts is not None:
            self.table.show_counts(self._counts)
            self.ram_strip.show_swapped(self._snapshot.swapped)

    def _show_chats(self) -> None:
        if self._snapshot is not None and self._counts is not None:
            self.chats.show_rows(chat_rows(self._snapshot.chats, self._counts.by_owner))
            self.card.show_words()

    def _sums(self, model: ModelLoaded, counts: PoolCounts | None) -> MemorySums:
        pinned = 0
        if counts is not None:
            pinned = counts.num_pinned
            used, cached, free = counts.num_used, counts.num_cached - pinned, counts.num_free
        elif self._stats is not None:
            stats = self._stats
            used, cached, free = stats.num_referenced_blocks, stats.num_cached_blocks, stats.num_free_blocks
        else:
            used, cached, free = 0, 0, model.num_blocks
        block_bytes = model.block_size * model.kv_bytes_per_token
        return MemorySums(model.weight_bytes, model.workspace_bytes, block_bytes, used, pinned, cached, free)

    def _bar_text(self) -> str:
        parts = [*self.numbers.texts(), self.machine.words(), self.machine.alarm_words()]
        return "\n".join(part for part in parts if part)

    def _blocks_text(self) -> str:
        if self._snapshot is None:
            return ""
        runs = describe_runs(BlockTable(self._snapshot), self._owners.title)
        return "\n".join(part for part in (self.table.text(), self.ram_strip.text(), *runs) if part)

    def _steps_text(self) -> str:
        return f"{describe_span(self._steps)}\n{table(self._steps)}"
