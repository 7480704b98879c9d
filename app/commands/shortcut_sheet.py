"""Owns the sheet of keys: those of the window's actions, and those that belong to a place in it.

Does not know what the actions do.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.i18n import QT_TRANSLATE_NOOP, translate

_PLACES = (
    (("Enter",), QT_TRANSLATE_NOOP("app", "Send the message")),
    (("Shift+Enter",), QT_TRANSLATE_NOOP("app", "Break the line")),
    (("/",), QT_TRANSLATE_NOOP("app", "At the beginning of a message: choose a prompt")),
    (("Esc",), QT_TRANSLATE_NOOP("app", "Stop the answer; leave a page")),
    (("F3", "Shift+F3"), QT_TRANSLATE_NOOP("app", "Next or previous place of what is found in the chat")),
    (("F2",), QT_TRANSLATE_NOOP("app", "Rename the chat chosen in the list")),
    (("Del",), QT_TRANSLATE_NOOP("app", "Delete the chat chosen in the list")),
    (("Left", "Right", "Up", "Down"), QT_TRANSLATE_NOOP("app", "From block to block, in the grid of the memory")),
)
"""(keys, what they do) of the keys that only hold where the focus is"""
_WIDTH_CHARACTERS, _MAX_ROWS = 76, 16


class ShortcutSheet(QDialog):
    """Opened anew each time: the actions' words and keys as they are now."""

    def __init__(self, actions: Iterable[QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(translate("app", "Keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.table = QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setAccessibleName(self.windowTitle())
        self.table.setHeaderLabels([translate("app", "What it does"), translate("app", "Keys")])
        for action in actions:
            if action.shortcuts():
                self._add(action.text(), action.shortcuts())
        for keys, words in _PLACES:
            self._add(translate("app", words), [QKeySequence(key) for key in keys])
        self.table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.table.header().setStretchLastSection(False)
        self.table.setCurrentIndex(self.table.model().index(0, 0))
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.table)
        column.addWidget(close)
        # Whole rows: half a one would look cut off.
        num_rows = min(_MAX_ROWS, self.table.topLevelItemCount())
        height = self.table.header().sizeHint().height() + num_rows * self.table.sizeHintForRow(0)
        self.table.setFixedHeight(height + 2 * self.table.frameWidth())
        self.resize(_WIDTH_CHARACTERS * self.fontMetrics().averageCharWidth(), self.sizeHint().height())

    def _add(self, words: str, keys: list[QKeySequence]) -> None:
        shown = ", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in keys)
        self.table.addTopLevelItem(QTreeWidgetItem([words, shown]))
