"""Owns the cards of models that are on this computer but cannot be loaded: what is wrong, and the next step.

Knows neither the library nor downloads; it asks by signals.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.widgets.card import Card
from app.widgets.error_note import ErrorNote
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from app.widgets.units import file_size
from engine.api import DamagedModel
from engine.catalog import entries


class DamagedCard(Card):
    """`catalog_id` None: where it can be got again is not known."""

    delete_requested = Signal(str)
    """The model id."""
    fetch_requested = Signal(str)
    """The catalogue id."""

    def __init__(self, model: DamagedModel, catalog_id: str | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.error = ErrorNote()
        self.error.show_error(model.problem)
        self.get_button = QPushButton(translate("app", "Get again"))
        self.get_button.setProperty("kind", "primary")
        self.get_button.setAccessibleName(translate("app", "Get {model} again").format(model=model.name))
        show_icon(self.get_button, "download", "on_accent")
        self.get_button.setVisible(catalog_id is not None)
        self.get_button.clicked.connect(lambda: self.fetch_requested.emit(catalog_id))
        self.remove_button = QPushButton(translate("app", "Remove"))
        self.remove_button.setAccessibleName(translate("app", "Remove {model}").format(model=model.name))
        show_icon(self.remove_button, "trash")
        self.remove_button.clicked.connect(lambda: self.delete_requested.emit(model.model_id))
        buttons = QHBoxLayout()
        buttons.addWidget(self.get_button)
        buttons.addStretch(1)
        buttons.addWidget(self.remove_button)
        words = translate("app", "This model cannot be loaded · {size} on disk").format(
            size=file_size(model.disk_bytes)
        )
        self.column.addWidget(TextLabel(model.name, "heading"))
        self.column.addWidget(TextLabel(words, "muted"))
        self.column.addWidget(self.error)
        self.column.addLayout(buttons)


class DamagedModels(QWidget):
    """Hidden while there are none."""

    delete_requested = Signal(str)
    """The model id."""
    fetch_requested = Signal(str)
    """The catalogue id."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: dict[str, DamagedCard] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self.hide()

    def set_models(self, models: Sequence[DamagedModel]) -> None:
        """Those that are damaged now; the cards of those that still are stay."""
        wanted = {model.model_id: model for model in models}
        for model_id in [id_ for id_, card in self.cards.items() if wanted.get(id_) != card.model]:
            card = self.cards.pop(model_id)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for place, model in enumerate(models):
            if model.model_id not in self.cards:
                self._column.insertWidget(place, self._make_card(model))
        self.setVisible(bool(models))

    def _make_card(self, model: DamagedModel) -> DamagedCard:
        known = {entry.model_id: entry.catalog_id for entry in entries()}
        card = self.cards[model.model_id] = DamagedCard(model, known.get(model.model_id) if model.is_remade else None)
        card.delete_requested.connect(self.delete_requested)
        card.fetch_requested.connect(self.fetch_requested)
        return card
