"""Owns the question for an access token, where a repository wants one or the hub refuses the one it got.

Does not know where the token is kept.
"""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.i18n import QT_TRANSLATE_NOOP, translate
from app.models.token_field import TokenField
from app.widgets.text_label import TextLabel

_AFTER_FAILURE = {
    "token": QT_TRANSLATE_NOOP("app", "A new access token takes the place of the one that is kept in the keyring."),
    "gated": QT_TRANSLATE_NOOP(
        "app",
        "Once you have accepted its terms, the hub knows you by an access token of your account; it is kept in this "
        "system's keyring.",
    ),
    "repository": QT_TRANSLATE_NOOP(
        "app",
        "If it is private, the hub shows it to an access token of an account that may see it; it is kept in this "
        "system's keyring.",
    ),
}
"""{the code of a failure that another token may mend: what to say of it}"""


def mends(code: str | None) -> bool:
    """Whether another access token may mend a failure with this code."""
    return code in _AFTER_FAILURE


class TokenForm(QWidget):
    """Says what is wanted, opens the page where it is done, and takes the token."""

    token_given = Signal(str)
    again_requested = Signal()
    """Something has changed meanwhile, such as accepted terms: ask the hub once more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page_url = ""
        self.note = TextLabel()
        self.page_button = QPushButton(translate("app", "Open its page"))
        self.page_button.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self._page_url)))
        self.again_button = QPushButton()
        self.again_button.clicked.connect(self.again_requested)
        self.field = TokenField()
        self.field.token_given.connect(self.token_given)
        buttons = QHBoxLayout()
        buttons.addWidget(self.page_button)
        buttons.addWidget(self.again_button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.note)
        column.addLayout(buttons)
        column.addWidget(self.field)
        self.hide()

    def ask_terms(self, page_url: str) -> None:
        """The hub tells of a repository whose terms are to be accepted at `page_url`."""
        self._page_url = page_url
        self.page_button.show()
        self.again_button.setText(translate("app", "I have accepted them"))
        self.note.setText(
            translate(
                "app",
                "Its makers want their terms accepted first: do so at {page}. The hub then knows you by an access "
                "token of your account; it is kept in this system's keyring.",
            ).format(page=page_url)
        )

    def ask_after(self, code: str) -> None:
        """The hub refused, with a code that a token `mends`; what it said stands above."""
        self.page_button.hide()
        self.again_button.setText(translate("app", "Ask again"))
        self.note.setText(translate("app", _AFTER_FAILURE[code]))
