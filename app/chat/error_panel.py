"""Owns how a failed answer looks: the error with its details, and what can be done about it.

Does not do any of it: who shows the panel listens to its buttons.
"""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QLocale
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from app.engine_words.recognition import says_too_long
from app.i18n import translate
from app.state.message import Message
from app.widgets.error_note import ErrorNote
from app.widgets.flow import Flow

_PADDING_PX = 12
_NO_MODEL_CODE = "no_model"


class ErrorPanel(QFrame):
    """An error with its cause, the button that tries again, and the way to the models where one is missing.

    A message that did not fit can be removed: else it would be sent along with all that are still to come.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "failure")
        self.note = ErrorNote()
        self.models_button = QPushButton(translate("app", "Models"))
        self.remove_button = QPushButton(translate("app", "Remove this message"))
        self.retry_button = QPushButton(translate("app", "Retry"))
        self._is_too_long = self._is_allowed = False
        # Below, and in rows: beside the error they would be wider than a narrow chat.
        self._buttons = Flow()
        for button in (self.retry_button, self.models_button, self.remove_button):
            self._buttons.add(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(_PADDING_PX, _PADDING_PX, _PADDING_PX, _PADDING_PX)
        column.addWidget(self.note)
        column.addWidget(self._buttons)

    def show_error_of(self, answer: Message) -> None:
        """Hidden for an answer that has not failed."""
        if answer.error is None:
            self.note.clear()
        else:
            self.note.show_error(answer.error, _details_text(answer))
        self.models_button.setVisible(answer.error_code == _NO_MODEL_CODE)
        self._is_too_long = says_too_long(answer.error or "")
        self.allow_changes(self._is_allowed)
        self.setVisible(answer.error is not None)

    def allow_changes(self, is_allowed: bool) -> None:
        self._is_allowed = is_allowed
        self.retry_button.setVisible(is_allowed)
        self.remove_button.setVisible(is_allowed and self._is_too_long)
        buttons = (self.retry_button, self.models_button, self.remove_button)
        self._buttons.setHidden(all(button.isHidden() for button in buttons))
        self._buttons.refresh()


def _details_text(answer: Message) -> str:
    """A line each for what is asked by whoever is to help."""
    asked_at = QDateTime.fromSecsSinceEpoch(int(answer.created_at_s))
    time = QLocale().toString(asked_at, QLocale.FormatType.ShortFormat)
    lines = [translate("app", "Asked: {time}").format(time=time)]
    if answer.model_name:
        lines.append(translate("app", "Model: {model}").format(model=answer.model_name))
    if answer.error_code:
        lines.append(translate("app", "Error code: {code}").format(code=answer.error_code))
    return "\n".join(lines)
