"""Owns the place where an error stands: what happened and what to do, more on demand, and a way to copy it all.

Does not know what failed; the way to try again is a button of whoever shows the note.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from app.engine_words.recognition import in_window_words
from app.i18n import translate
from app.theme import icon_size_px, theme_signals
from app.widgets.icons import confirm_by_icon, icon, show_icon
from app.widgets.screen_change import redraw_on_other_screen
from app.widgets.text_label import TextLabel

_LEAST_CHARACTERS = 50
"""In a line of the error beside the buttons."""


class ErrorNote(QFrame):
    """Hidden while there is no error."""

    copied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = QLabel()
        self._label = TextLabel("", "error")
        self._details = TextLabel("", "muted")
        self._details.hide()
        self.details_button = QToolButton()
        self.details_button.setCheckable(True)
        self.details_button.setText(translate("app", "What happened"))
        self.details_button.toggled.connect(self._details.setVisible)
        self.copy_button = QToolButton()
        self.copy_button.setText(translate("app", "Copy"))
        show_icon(self.copy_button, "copy")
        self.copy_button.setAccessibleName(translate("app", "Copy the error"))
        self.copy_button.setToolTip(translate("app", "Copy the error"))
        self.copy_button.clicked.connect(self._copy)
        self._build()
        theme_signals().theme_changed.connect(self._show_mark)
        redraw_on_other_screen(self, self._show_mark)
        self.clear()

    def show_error(self, message: str, details: str = "") -> None:
        """`details` are for whoever is asked for help. A sentence of the engine's is told in the window's language."""
        self._label.setText(in_window_words(message))
        self._details.setText(details)
        self.details_button.setVisible(bool(details))
        self.details_button.setChecked(False)
        self._place_buttons()
        self._show_mark()
        self.show()

    def clear(self) -> None:
        self._label.setText("")
        self._details.setText("")
        self.hide()

    def text(self) -> str:
        """The error without its details, empty if there is none."""
        return self._label.text()

    def _build(self) -> None:
        text = QHBoxLayout()
        text.setSpacing(6)
        text.addWidget(self._mark)
        text.addWidget(self._label, 1)
        buttons = self._buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self.details_button)
        buttons.addWidget(self.copy_button)
        buttons.addStretch(1)
        both = self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        both.setSpacing(6)
        both.addLayout(text, 1)
        both.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(both)
        column.addWidget(self._details)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._place_buttons()

    def _place_buttons(self) -> None:
        """Beside the error, or below it where that would leave it but a narrow column."""
        text_px = self.width() - self._buttons.sizeHint().width()
        is_narrow = text_px < _LEAST_CHARACTERS * self.fontMetrics().averageCharWidth()
        self._both.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)
        # Above the buttons it would take the height that is over, and those around would give it all of theirs.
        self._both.setStretch(0, 0 if is_narrow else 1)

    def _show_mark(self) -> None:
        self._mark.setPixmap(icon("warning", "error").pixmap(icon_size_px()))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(part for part in (self.text(), self._details.text()) if part))
        confirm_by_icon(self.copy_button)
        self.copied.emit()
