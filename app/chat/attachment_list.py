"""Owns the texts that go with the next message: a card each, above the composer.

Does not know where they come from nor how tokens are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.chat.attachment_card import AttachmentCard
from app.state.message import Attachment

_GAP_PX = 4


class AttachmentList(QWidget):
    """Hidden while it is empty."""

    changed = Signal()
    """Another text, or one fewer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: list[AttachmentCard] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(_GAP_PX)
        self.hide()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(card.attachment for card in self.cards)

    def show_attachments(self, attachments: Sequence[Attachment]) -> None:
        """These take the place of those that were shown."""
        for card in self.cards:
            self._drop(card)
        self.cards = []
        for attachment in attachments:
            self._append(attachment)
        self._on_changed()

    def add(self, attachment: Attachment) -> None:
        self._append(attachment)
        self._on_changed()

    def show_sizes(self, counts: dict[str, int]) -> None:
        """Tokens, by the attachments' ids."""
        for card in self.cards:
            if card.attachment.id in counts:
                card.attachment = replace(card.attachment, num_tokens=counts[card.attachment.id])
                card.show_size(card.attachment.num_tokens)

    def _append(self, attachment: Attachment) -> None:
        card = AttachmentCard(attachment, can_remove=True, parent=self)
        card.remove_requested.connect(lambda: self._remove(card))
        self._column.addWidget(card, 0, Qt.AlignmentFlag.AlignLeft)
        self.cards.append(card)

    def _remove(self, card: AttachmentCard) -> None:
        self.cards.remove(card)
        self._drop(card)
        self._on_changed()

    def _drop(self, card: AttachmentCard) -> None:
        self._column.removeWidget(card)
        card.hide()
        card.deleteLater()

    def _on_changed(self) -> None:
        self.setVisible(bool(self.cards))
        self.changed.emit()
