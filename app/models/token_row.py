"""Owns the row of the settings page for the access token of the hub: a field for a new one, and the way to forget it.

Does not know where the token is kept, nor whether there is one; it asks by signals.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.models.token_field import TokenField
from app.widgets.flow import Flow
from app.widgets.text_label import TextLabel

_SPACING_PX = 4


class TokenRow(QWidget):
    """Nothing is asked of the keyring before a button is pressed: it may want a password."""

    token_given = Signal(str)
    forget_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = TokenField()
        self.field.token_given.connect(self.token_given)
        self.forget_button = QPushButton(translate("app", "Forget a token kept earlier"))
        self.forget_button.clicked.connect(self._forget)
        self.note_label = TextLabel(self.note, "muted")
        buttons = Flow()
        buttons.add(self.forget_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_SPACING_PX)
        for part in (self.field, buttons, self.note_label):
            column.addWidget(part)
        # A row that is given too much height has it below.
        column.addStretch(1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Meanwhile one may have been kept elsewhere.
        self.forget_button.setEnabled(True)

    @property
    def words(self) -> str:
        return translate("app", "Access token")

    @property
    def note(self) -> str:
        return translate("app", "For repositories that ask for an account. It is kept in this system's keyring.")

    def has(self, text: str) -> bool:
        """Whether the row's words contain `text`, whatever its case."""
        return text.casefold() in f"{self.words}\n{self.note}\n{self.forget_button.text()}".casefold()

    def show_kept(self, account: str) -> None:
        """The name of whom the hub knows by it."""
        self.forget_button.setEnabled(True)
        self.field.show_kept()
        self.note_label.setText(translate("app", "Kept: the hub knows you as {account}.").format(account=account))

    def show_forgotten(self, was_there: bool) -> None:
        """There is none in the keyring now: nothing to forget before another one is kept."""
        words = (
            translate("app", "Forgotten. A token that other programs or HF_TOKEN have left is still used.")
            if was_there
            else translate("app", "There was none to forget in the keyring.")
        )
        self.note_label.setText(words)

    def show_error(self, message: str) -> None:
        self.forget_button.setEnabled(True)
        self.field.show_error(message)

    def _forget(self) -> None:
        self.field.error.clear()
        self.forget_button.setEnabled(False)
        self.forget_requested.emit()
