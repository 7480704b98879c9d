"""Owns the line above the content that says what went wrong, or has come about, and what can be done.

Does not know what happened; it is given words and an action.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from app.engine_words.recognition import in_window_words
from app.i18n import translate
from app.theme import icon_size_px
from app.widgets.icons import confirm_by_icon, icon, show_icon
from app.widgets.text_label import TextLabel

_MARGIN_PX = 8


class Banner(QFrame):
    """Shows one message; the next one replaces it, or is added to it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "failure")
        self._action: Callable[[], None] | None = None
        self._messages: list[str] = []
        """Below each other, in the window's words."""
        self._acts_on = ""
        """The message that the action is about."""
        self._mark = QLabel()
        self.label = TextLabel()
        self.action_button = QPushButton()
        self.action_button.clicked.connect(self._act)
        self.copy_button = QToolButton()
        self.copy_button.setToolTip(translate("app", "Copy this message"))
        self.copy_button.setAccessibleName(translate("app", "Copy this message"))
        show_icon(self.copy_button, "copy")
        self.copy_button.clicked.connect(self._copy)
        close = QToolButton()
        close.setToolTip(translate("app", "Hide this message"))
        close.setAccessibleName(translate("app", "Hide this message"))
        show_icon(close, "close")
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * _MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        row.addWidget(self._mark)
        row.addWidget(self.label, 1)
        row.addWidget(self.action_button)
        row.addWidget(self.copy_button)
        row.addWidget(close)
        self.hide()

    def show_message(self, text: str, action_words: str = "", action: Callable[[], None] | None = None) -> None:
        """Of something that went wrong."""
        self._show(text, action_words, action, "failure", icon("warning", "warning"))

    def show_note(self, text: str, action_words: str, action: Callable[[], None]) -> None:
        """Of something that went well."""
        self._show(text, action_words, action, "card", icon("check", "ok"))

    def _show(self, text: str, action_words: str, action: Callable[[], None] | None, kind: str, mark: QIcon) -> None:
        if kind != self.property("kind"):
            self.setProperty("kind", kind)
            self.style().unpolish(self)
            self.style().polish(self)
        self._mark.setPixmap(mark.pixmap(icon_size_px()))
        self._acts_on = in_window_words(text)
        self._write([self._acts_on])
        self._action = action
        self.action_button.setText(action_words)
        self.action_button.setVisible(action is not None)
        self.show()

    def add_message(self, text: str) -> None:
        """Puts a message below the one that is shown, whose action stays."""
        if self.isHidden():
            self.show_message(text)
        else:
            self._write([*self._messages, in_window_words(text)])

    def take_back(self, text: str) -> None:
        """What this message says is no longer so; others stay."""
        words = in_window_words(text)
        rest = [message for message in self._messages if message != words]
        if len(rest) < len(self._messages):
            self._write(rest)
            self.setVisible(bool(rest) and not self.isHidden())
            if words == self._acts_on:
                # Nothing is to be done any more.
                self._action = None
                self.action_button.hide()

    def tell_anew(self, text: str, now: str) -> None:
        """What this message says is said otherwise, where it stands."""
        words, new = in_window_words(text), in_window_words(now)
        self._write([new if message == words else message for message in self._messages])
        if words == self._acts_on:
            self._acts_on = new

    def _write(self, messages: list[str]) -> None:
        self._messages = messages
        self.label.setText("\n".join(messages))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.label.text())
        confirm_by_icon(self.copy_button)

    def _act(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()
