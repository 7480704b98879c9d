"""Owns what stands in a chat without messages: a line of words, and questions to begin with.

Does not know the composer; a question that is pressed is emitted.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.widgets.text_label import TextLabel

_GAP_PX = 8


class EmptyChat(QWidget):
    """The questions are gone while something is written: it would be lost by them."""

    question_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = TextLabel("", "muted")
        self._words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._questions = QWidget()
        self._column = QVBoxLayout(self._questions)
        self._column.setContentsMargins(0, _GAP_PX, 0, 0)
        self._column.setSpacing(_GAP_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._words)
        column.addWidget(self._questions)

    def setText(self, words: str) -> None:  # noqa: N802 - as a label has it
        self._words.setText(words)

    def show_questions(self, is_shown: bool) -> None:
        self._questions.setVisible(is_shown)

    def buttons(self) -> list[QPushButton]:
        return self._questions.findChildren(QPushButton)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Only now: of hundreds of tabs few are ever seen empty.
        if not self._column.count():
            for question in questions():
                button = QPushButton(question)
                button.setToolTip(translate("app", "Put this into the message"))
                # In a narrow pane it is cut instead of making the whole chat wider.
                button.setMinimumWidth(1)
                button.clicked.connect(partial(self.question_chosen.emit, question))
                self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)


def questions() -> list[str]:
    """Short ones, of kinds that small models answer too."""
    return [
        translate("app", "Explain how a rainbow forms"),
        translate("app", "Tell a story of a lighthouse"),
        translate("app", "Reverse a text in Python"),
        translate("app", "Three ideas for a rainy day"),
    ]
