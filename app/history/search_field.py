"""Owns the field of the search in all chats, and its keys.

Does not know what is found.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.i18n import translate
from app.widgets.fields import add_clear_button
from app.widgets.icons import show_icon


class SearchField(QLineEdit):
    """Enter opens what was found first, Down goes into the list, Esc clears the field and leaves it."""

    entered = Signal()
    went_down = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(translate("app", "Search"))
        self.setAccessibleName(translate("app", "Search chats"))
        self.setToolTip(translate("app", 'Chats with all these words; words in "quotation marks" as they stand'))
        add_clear_button(self)
        search_icon = QAction(translate("app", "Search"), self)
        show_icon(search_icon, "search", "muted")
        self.addAction(search_icon, QLineEdit.ActionPosition.LeadingPosition)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.entered.emit()
            case Qt.Key.Key_Down:
                self.went_down.emit()
            case Qt.Key.Key_Escape:
                self.clear()
                self.left.emit()
            case _:
                super().keyPressEvent(event)
