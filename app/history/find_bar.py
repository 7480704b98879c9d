"""Owns the field above a chat in which a person types what to find in it.

Does not know the chat; it is told the count and emits what is asked for.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from app.i18n import translate
from app.widgets.icons import show_icon

_MARGIN_PX = 8
_MAX_FIELD_WIDTH_PX = 360


class FindBar(QFrame):
    """Enter and F3 go on, with Shift back; Esc closes."""

    text_changed = Signal(str)
    step_requested = Signal(int)
    """1 to the next place, -1 to the one before."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "panel")
        self.field = QLineEdit()
        self.field.setPlaceholderText(translate("app", "Find in this chat"))
        self.field.setAccessibleName(translate("app", "Find in this chat"))
        self.field.setMaximumWidth(_MAX_FIELD_WIDTH_PX)
        self.field.textChanged.connect(self.text_changed)
        self.count_label = QLabel()
        self.count_label.setProperty("kind", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * _MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX, _MARGIN_PX // 2)
        row.addWidget(self.field, 1)
        row.addWidget(self.count_label)
        self.previous_button = self._button(translate("app", "Previous place (Shift+F3)"), "chevron-up")
        self.previous_button.clicked.connect(lambda: self.step_requested.emit(-1))
        self.next_button = self._button(translate("app", "Next place (F3)"), "chevron-down")
        self.next_button.clicked.connect(lambda: self.step_requested.emit(1))
        self.close_button = self._button(translate("app", "Close (Esc)"), "close")
        self.close_button.clicked.connect(self.closed)
        row.addWidget(self.previous_button)
        row.addWidget(self.next_button)
        row.addStretch(1)
        row.addWidget(self.close_button)

    def _button(self, words: str, icon_name: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(words)
        button.setAccessibleName(words)
        show_icon(button, icon_name)
        return button

    def show_count(self, place: int, count: int, attachment_name: str | None = None) -> None:
        """The place that is shown, from 1 on, of how many, and an attachment that has the text too."""
        if not self.field.text():
            words = ""
        elif count and attachment_name is not None:
            words = translate("app", "{place} of {count}, and in the attached {name}")
        elif count:
            words = translate("app", "{place} of {count}")
        elif attachment_name is not None:
            words = translate("app", "In the attached {name}")
        else:
            words = translate("app", "Not found")
        self.count_label.setText(words.format(place=place, count=count, name=attachment_name))
        for button in (self.previous_button, self.next_button):
            button.setEnabled(count > 0)

    def show_elsewhere(self) -> None:
        """The text stands in a version of the chat that cannot be shown now."""
        self.count_label.setText(translate("app", "In another version of this chat"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Escape:
                self.closed.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_F3:
                self.step_requested.emit(-1 if is_back else 1)
            case _:
                super().keyPressEvent(event)
