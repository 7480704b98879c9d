"""Owns the question for an access token, where a repository wants one.

Does not know where the token is kept; it hands it on and forgets it.
"""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.widgets.error_note import ErrorNote
from app.widgets.text_label import TextLabel


class TokenForm(QWidget):
    """Says what is wanted, opens the page where it is done, and takes the token."""

    token_given = Signal(str)
    again_requested = Signal()
    """The terms have been accepted meanwhile: ask the hub once more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page_url = ""
        self._note = TextLabel()
        self.error = ErrorNote()
        self.page_button = QPushButton(translate("app", "Open its page"))
        self.page_button.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self._page_url)))
        self.again_button = QPushButton(translate("app", "I have accepted them"))
        self.again_button.clicked.connect(self.again_requested)
        self.field = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(translate("app", "Access token, hf_…"))
        self.field.setAccessibleName(translate("app", "Access token of your account on the hub"))
        self.save_button = QPushButton(translate("app", "Keep token"))
        self.save_button.clicked.connect(self._give)
        self.field.returnPressed.connect(self._give)
        self._build()
        self.hide()

    def ask(self, page_url: str) -> None:
        self._page_url = page_url
        self._note.setText(
            translate(
                "app",
                "Its makers want their terms accepted first: do so at {page}. The hub then knows you by an access "
                "token of your account; it is kept in this system's keyring.",
            ).format(page=page_url)
        )
        self.show()

    def show_waiting(self) -> None:
        self.error.clear()
        self._set_enabled(False)

    def show_kept(self) -> None:
        self.field.clear()
        self._set_enabled(True)

    def show_error(self, message: str) -> None:
        self._set_enabled(True)
        self.error.show_error(message)

    def _set_enabled(self, is_enabled: bool) -> None:
        for control in (self.field, self.save_button, self.again_button):
            control.setEnabled(is_enabled)

    def _give(self) -> None:
        token = self.field.text().strip()
        if token:
            self.show_waiting()
            self.token_given.emit(token)

    def _build(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.page_button)
        first.addWidget(self.again_button)
        first.addStretch(1)
        second.addWidget(self.field, 1)
        second.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._note)
        column.addLayout(first)
        column.addLayout(second)
        column.addWidget(self.error)
