"""Owns the line below an answer that repeats itself: that it does, the way to stop it, and the way to ask otherwise.

Does not know how that is found out, nor what the buttons do.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.i18n import translate
from app.widgets.text_label import TextLabel


class RepetitionNote(QWidget):
    """Hidden while there is nothing to say."""

    stop_requested = Signal()
    again_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = TextLabel(translate("app", "It repeats itself."), "muted")
        self.label.setWordWrap(False)
        self.stop_button = QPushButton(translate("app", "Stop"))
        self.stop_button.setToolTip(translate("app", "Stop this answer (Esc)"))
        self.stop_button.clicked.connect(self.stop_requested)
        self.again_button = QPushButton(translate("app", "Ask again with less repetition"))
        self.again_button.setToolTip(
            translate("app", "Answers anew, and sets “Repetition penalty” in the options of this chat")
        )
        self.again_button.clicked.connect(self.again_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 1)
        row.addWidget(self.again_button)
        row.addWidget(self.stop_button)
        self.hide()

    def show_state(self, is_repeating: bool, can_stop: bool, can_ask: bool) -> None:
        """Nothing unless it repeats itself; whether the answer still comes, and whether asking otherwise may help."""
        self.stop_button.setVisible(can_stop)
        self.again_button.setVisible(can_ask)
        self.setVisible(is_repeating and (can_stop or can_ask))
