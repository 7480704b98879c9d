"""Owns the field of the search in all chats, and its keys.

Does not know what is found.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.i18n import translate
from app.widgets.icon_field import IconField


class SearchField(IconField):
    """Enter opens what was found first, Down goes into the list, Esc clears the field and leaves it."""

    entered = Signal()
    went_down = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("search", parent)
        self.setPlaceholderText(translate("app", "Search"))
        self.setAccessibleName(translate("app", "Search chats"))
        self.setToolTip(translate("app", 'Chats with all these words; words in "quotation marks" as they stand'))

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
