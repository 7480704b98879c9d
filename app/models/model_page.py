"""Owns the page of models: those in the library, those that can be had, and the way for a file to come in.

Knows neither the library's folder nor jobs; it asks by signals and shows what is reported back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.models.fetch_card import FetchCard
from app.models.import_card import ImportCard
from app.models.model_card import ModelCard
from app.widgets.page import ClosablePage
from app.widgets.text_label import TextLabel
from engine.messages import JobFinished, JobProgress, ModelLoaded, ModelLoadFailed, ModelLoadProgress

if TYPE_CHECKING:
    from engine.api import ModelEntry
    from engine.catalog import CatalogEntry


class ModelPage(ClosablePage):
    """`catalog` is looked up if not given."""

    load_requested = Signal(str)
    """The model id."""
    unload_requested = Signal()
    delete_requested = Signal(str)
    """The model id."""
    fetch_requested = Signal(str)
    """The catalogue id."""
    convert_requested = Signal(str)
    """The file's path."""
    pause_requested = Signal(str)
    """The job id."""

    def __init__(self, catalog: Sequence[CatalogEntry] | None = None, parent: QWidget | None = None) -> None:
        super().__init__("Models", parent)
        self._loaded_id: str | None = None
        self._cards: dict[str, ModelCard] = {}
        self._fetch_cards = {entry.model_id: FetchCard(entry) for entry in _catalog_entries(catalog)}
        self.import_card = ImportCard()
        self._nothing = TextLabel("No model yet. Get one below, or drop a file of your own.", "muted")
        self._offers = TextLabel("Models to get", "heading")
        self._installed_column = QVBoxLayout()
        self._installed_column.setSpacing(8)
        self._build()

    def set_models(self, models: Sequence[ModelEntry]) -> None:
        """The models in the library now; cards of models that are still the same keep their state."""
        wanted = {model.model_id: model for model in models}
        for model_id in [id_ for id_, card in self._cards.items() if wanted.get(id_) != card.entry]:
            card = self._cards.pop(model_id)
            self._installed_column.removeWidget(card)
            card.deleteLater()
        for place, model in enumerate(models):
            if model.model_id not in self._cards:
                card = self._cards[model.model_id] = ModelCard(model)
                card.load_requested.connect(self.load_requested)
                card.unload_requested.connect(self.unload_requested)
                card.delete_requested.connect(self.delete_requested)
                card.set_loaded(model.model_id == self._loaded_id)
                self._installed_column.insertWidget(place, card)
        self._nothing.setVisible(not models)
        for model_id, offer in self._fetch_cards.items():
            offer.setVisible(model_id not in wanted)
            if model_id in wanted and not offer.strip.is_busy:
                offer.strip.reset()
        self._offers.setVisible(any(model_id not in wanted for model_id in self._fetch_cards))

    def set_loaded(self, model_id: str | None) -> None:
        """The model that is loaded now, or None."""
        self._loaded_id = model_id
        for card in self._cards.values():
            card.set_loaded(card.entry.model_id == model_id)

    def show_load(self, load: ModelLoadProgress | ModelLoaded | ModelLoadFailed) -> None:
        """Show how loading a model goes, in its card."""
        if isinstance(load, ModelLoaded):
            self.set_loaded(load.model_id)
        elif load.model_id in self._cards:
            self._cards[load.model_id].show_load(load)

    def show_job(self, progress: JobProgress) -> None:
        """Show a job's progress in its card."""
        for offer in self._fetch_cards.values():
            if offer.job_id == progress.job_id:
                offer.strip.show_progress(progress)
        self.import_card.show_job(progress)

    def finish_job(self, finished: JobFinished) -> None:
        """Show a job's end in its card. The new model itself comes with `set_models`."""
        for offer in self._fetch_cards.values():
            if offer.job_id == finished.job_id:
                offer.strip.finish(finished)
        self.import_card.finish_job(finished)

    def card(self, model_id: str) -> ModelCard | None:
        """The card of a model in the library."""
        return self._cards.get(model_id)

    def offer(self, model_id: str) -> FetchCard | None:
        """The card of a model of the catalogue, shown or not."""
        return self._fetch_cards.get(model_id)

    def _build(self) -> None:
        self.column.addSpacing(8)
        self.column.addWidget(TextLabel("On this computer", "heading"))
        self.column.addWidget(self._nothing)
        self.column.addLayout(self._installed_column)
        self.column.addSpacing(8)
        self.column.addWidget(self._offers)
        for offer in self._fetch_cards.values():
            offer.fetch_requested.connect(self.fetch_requested)
            offer.pause_requested.connect(self.pause_requested)
            self.column.addWidget(offer)
        self.column.addSpacing(8)
        self.column.addWidget(self.import_card)
        self.column.addStretch(1)
        self.import_card.convert_requested.connect(self.convert_requested)
        self.import_card.pause_requested.connect(self.pause_requested)


def _catalog_entries(given: Sequence[CatalogEntry] | None) -> Sequence[CatalogEntry]:
    if given is not None:
        return given
    from engine.catalog import entries

    return entries()
