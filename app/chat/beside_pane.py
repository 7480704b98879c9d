"""Owns the place right of the row of tabs where a second chat can be seen at the same time.

Does not know the row; it is given a tab and gives it back.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

from app.chat.chat_words import title_words
from app.chat.tab import ChatTab
from app.i18n import translate
from app.widgets.elided_label import ElidedLabel
from app.widgets.icons import show_icon

_MARGIN_PX = 12


class Placeholder(QWidget):
    """Keeps the place in the row of a tab that is shown beside."""

    def __init__(self, tab: ChatTab) -> None:
        super().__init__()
        self.tab = tab


class BesidePane(QFrame):
    """A chat under its title, with a button that ends the split. Hidden while there is none."""

    closed = Signal()
    changed = Signal()
    """Another chat is shown, or none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tab: ChatTab | None = None
        self.setProperty("kind", "panel")
        self._title = ElidedLabel(kind="heading", mode=None)
        close = QToolButton()
        words = translate("app", "End the split: back into its tab")
        close.setToolTip(words)
        close.setAccessibleName(words)
        show_icon(close, "close", "muted")
        close.clicked.connect(self.closed)
        header = QHBoxLayout()
        header.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 4, _MARGIN_PX // 4, _MARGIN_PX // 4)
        header.addWidget(self._title, 1)
        header.addWidget(close)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(header)
        self.hide()

    def beside(self, other: QWidget) -> QSplitter:
        """This pane right of the other widget, with a handle between them."""
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(other)
        splitter.addWidget(self)
        return splitter

    def show_tab(self, tab: ChatTab) -> None:
        assert self.tab is None, "a chat is shown already"
        self.tab = tab
        self._column.addWidget(tab, 1)
        tab.changed.connect(self._show_title)
        self._show_title()
        # A page of the row that is not the current one is hidden.
        tab.show()
        self.show()
        splitter = self.parentWidget()
        if isinstance(splitter, QSplitter):
            splitter.setSizes([splitter.width() // 2] * 2)
        self.changed.emit()

    def take_tab(self) -> ChatTab:
        tab = self.tab
        assert tab is not None, "no chat is shown"
        tab.changed.disconnect(self._show_title)
        self._column.removeWidget(tab)
        tab.hide()
        tab.setParent(None)
        self.tab = None
        self.hide()
        self.changed.emit()
        return tab

    def _show_title(self) -> None:
        if self.tab is not None:
            self._title.setText(title_words(self.tab.session.title))
