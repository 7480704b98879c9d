"""Owns the field for an access token of the hub: a line that shows no letters, and the button that keeps it.

Does not know where the token is kept; it hands it on and forgets it.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.widgets.error_note import ErrorNote


class TokenField(QWidget):
    """After a token was given it waits until it is told that it was kept, or why not."""

    token_given = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.error = ErrorNote()
        self.line = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.line.setPlaceholderText(translate("app", "Access token, hf_…"))
        self.line.setAccessibleName(translate("app", "Access token of your account on the hub"))
        self.save_button = QPushButton(translate("app", "Save token"))
        self.save_button.clicked.connect(self._give)
        self.line.returnPressed.connect(self._give)
        row = QHBoxLayout()
        row.addWidget(self.line, 1)
        row.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.error)

    def show_kept(self) -> None:
        self.line.clear()
        self._set_enabled(True)

    def show_error(self, message: str) -> None:
        self._set_enabled(True)
        self.error.show_error(message)

    def _give(self) -> None:
        token = self.line.text().strip()
        if token:
            self.error.clear()
            self._set_enabled(False)
            self.token_given.emit(token)

    def _set_enabled(self, is_enabled: bool) -> None:
        for control in (self.line, self.save_button):
            control.setEnabled(is_enabled)
