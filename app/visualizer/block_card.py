"""Owns the card that tells of one block: the one pointed at, or one that a person keeps open.

Does not know where blocks lie; it is given words, and asks for what is in a block.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.visualizer.block_text import describe_contents
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from engine.messages import BlockFacts

_HOVER_MS = 80
"""A mouse that passes over asks nothing."""
_REFRESH_MS = 1000
_NUM_LINES = 4
_NO_LIMIT_PX = (1 << 24) - 1
"""Qt's own number for no limit; PySide does not export it."""


class BlockCard(QWidget):
    """Of one height while the mouse goes over the grid, so that nothing jumps; as high as its words once kept open."""

    contents_wanted = Signal(int)
    """What is in this block should be asked; `show_facts` takes the answer."""

    def __init__(self, describe: Callable[[int], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._describe = describe
        self._pointed: int | None = None
        self._kept: int | None = None
        self._facts: BlockFacts | None = None
        self._ask_timer = QTimer(self, singleShot=True, interval=_HOVER_MS)
        self._ask_timer.timeout.connect(self._ask)
        self._refresh_timer = QTimer(self, interval=_REFRESH_MS)
        self._refresh_timer.timeout.connect(self._ask)
        self.label = TextLabel("", "muted")
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.label.setAccessibleName(translate("app", "Block"))
        self.close_button = QToolButton()
        self.close_button.setProperty("kind", "small")
        self.close_button.setToolTip(translate("app", "Close (Esc)"))
        self.close_button.setAccessibleName(translate("app", "Close this block"))
        show_icon(self.close_button, "close", "muted")
        self.close_button.clicked.connect(self.close_block)
        self.close_button.hide()
        buttons = QVBoxLayout()
        buttons.addWidget(self.close_button)
        buttons.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 1)
        row.addLayout(buttons)
        self._fix_height()
        self.show_words()

    @property
    def shown(self) -> int | None:
        """The block that is told of: the one kept open, else the one pointed at."""
        return self._pointed if self._kept is None else self._kept

    @property
    def is_kept_open(self) -> bool:
        return self._kept is not None

    def point_at(self, block: int | None) -> None:
        """The mouse or the cursor is on this block; a kept one stays."""
        self._pointed = block
        if self._kept is None:
            self._begin()
            self._ask_timer.start()

    def keep_open(self, block: int) -> None:
        """Tell of this block until it is closed, or another takes its place."""
        self._kept = block
        self.setMaximumHeight(_NO_LIMIT_PX)
        self._begin()
        self._ask()
        self._refresh_timer.start()
        self.close_button.show()

    def close_block(self) -> None:
        """Go back to telling of the block pointed at."""
        self._kept = None
        self._refresh_timer.stop()
        self.close_button.hide()
        self._fix_height()
        self.point_at(self._pointed)

    def clear(self) -> None:
        """There are no blocks."""
        self._pointed = None
        self.close_block()

    def show_facts(self, facts: BlockFacts) -> None:
        """What the engine says is in a block; ignored for any other than the one shown."""
        if facts.block == self.shown:
            self._facts = facts
            self.show_words()

    def show_words(self) -> None:
        """Describe the block anew: who owns it may have changed."""
        block = self.shown
        if block is None:
            self._say(translate("app", "Point at a block, or go through them with the arrow keys."))
            return
        lines = [self._describe(block), "" if self._facts is None else describe_contents(self._facts)]
        self._say("\n".join(line for line in lines if line))

    def _say(self, words: str) -> None:
        self.label.setText(words)
        # Its name takes the place of its text for a screen reader.
        self.label.setAccessibleDescription(words)

    def _begin(self) -> None:
        if self._facts is not None and self._facts.block != self.shown:
            self._facts = None
        self.show_words()

    def _ask(self) -> None:
        if self.shown is not None and self.isVisible():
            self.contents_wanted.emit(self.shown)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fix_height()

    def _fix_height(self) -> None:
        # Some scripts stand taller than the letters of the font.
        height = round((_NUM_LINES + 0.5) * self.fontMetrics().lineSpacing())
        self.setMinimumHeight(height)
        self.setMaximumHeight(height if self._kept is None else _NO_LIMIT_PX)
