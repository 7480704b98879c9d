"""Owns the line above the composer with the message that waits, for the answer that is being written or for a model.

Does not know when that is there: whoever does sends the message.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.state.drafts import Draft
from app.widgets.elided_label import ElidedLabel
from app.widgets.text_label import TextLabel

_MARGIN_PX = 8


class QueuedMessage(QFrame):
    """One message at most. Hidden while there is none."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.draft = Draft()
        self._label = ElidedLabel()
        self.back_button = QPushButton(translate("app", "Take back"))
        self.back_button.setToolTip(translate("app", "Back into the field, to change it or not to send it"))
        self._reason = TextLabel(kind="muted")
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._reason)
        words.addWidget(self._label)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX // 2, _MARGIN_PX // 2)
        row.addLayout(words, 1)
        row.addWidget(self.back_button)
        self.hide()

    def text(self) -> str:
        """What of the message is shown, as far as there is room."""
        return self._label.text()

    def put(self, draft: Draft, waits_for_model: bool = False) -> None:
        """Shows a message that waits for a model, or for the answer that is being written."""
        assert self.draft.is_empty, "a message waits already"
        self._reason.setText(
            translate("app", "Will be sent when the model is loaded:")
            if waits_for_model
            else translate("app", "Will be sent when this answer is finished:")
        )
        self._show(draft)

    def take(self) -> Draft:
        """Empty if none waits."""
        draft = self.draft
        if not draft.is_empty:
            self._show(Draft())
        return draft

    def _show(self, draft: Draft) -> None:
        self.draft = draft
        words = " ".join(draft.text.split()) or ", ".join(one.name for one in draft.attachments)
        self._label.setText(words)
        self.back_button.setAccessibleName(f"{translate('app', 'Take back')}: {words}")
        self.setVisible(not draft.is_empty)
        self.changed.emit()
