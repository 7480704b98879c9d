"""Owns the part of the page of models where more come from: the search, a file of one's own, the catalogue.

Knows neither downloads nor the library; it asks by signals and shows what is reported back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.i18n import translate
from app.models.fetch_card import FetchCard
from app.models.hub_card import HubCard
from app.models.hub_offer import recommended_offer
from app.models.hub_search import HubSearch
from app.models.import_card import ImportCard
from app.models.other_programs import OtherPrograms
from app.widgets.text_label import TextLabel
from engine.messages import JobFinished, JobProgress

if TYPE_CHECKING:
    from app.models.host import Host
    from engine.catalog import CatalogEntry
    from engine.planner import Recommended


class GetSection(QWidget):
    """`catalog` and `recommended` are looked up if not given, the latter when the section is shown first."""

    fetch_requested = Signal(str)
    """The catalogue id."""
    convert_requested = Signal(str, object, str)
    """The path of a file or folder, a quality or None, and the model's name, empty for that of the file."""
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """The job id."""
    card_made = Signal(HubCard)
    job_moved = Signal()
    """A card began to show a job, or shows it no more."""

    def __init__(
        self,
        read_host: Callable[[], Host],
        catalog: Sequence[CatalogEntry] | None = None,
        recommended: Sequence[Recommended] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._read_host = read_host
        self._recommended = recommended
        self.search = HubSearch(read_host)
        self.import_card = ImportCard(read_host)
        self.others = OtherPrograms()
        self.fetch_cards = {entry.model_id: FetchCard(entry) for entry in _catalog_entries(catalog)}
        self.hub_cards: list[HubCard] = []
        self._offers = TextLabel(translate("app", "Models to get"), "heading")
        self._recommended_column = QVBoxLayout()
        self._recommended_column.setSpacing(8)
        self._build()

    def set_installed(self, model_ids: set[str]) -> None:
        """Models that are here are not offered."""
        for model_id, card in self.fetch_cards.items():
            card.setVisible(model_id not in model_ids)
            if model_id in model_ids and not card.strip.is_busy:
                card.strip.reset()

    def show_job(self, progress: JobProgress) -> None:
        for card in self.fetch_cards.values():
            if card.job_id == progress.job_id:
                card.strip.show_progress(progress)
        self.import_card.show_job(progress)

    def finish_job(self, finished: JobFinished) -> None:
        for card in self.fetch_cards.values():
            if card.job_id == finished.job_id:
                card.strip.finish(finished)
        self.import_card.finish_job(finished)

    def end_job(self, job_id: str) -> None:
        """A job that was given up can be begun anew."""
        for card in self.fetch_cards.values():
            if card.job_id == job_id:
                card.strip.end()
        self.import_card.end_job(job_id)

    def card_of(self, job_id: str) -> FetchCard | HubCard | None:
        """The card that tells how far a job is."""
        cards: tuple[FetchCard | HubCard, ...] = (*self.fetch_cards.values(), *self.search.cards(), *self.hub_cards)
        return next((card for card in cards if card.shows_job(job_id) and not card.isHidden()), None)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.hub_cards:
            self._add_recommended()

    def _add_recommended(self) -> None:
        """Made when it is looked at: each card plans what its model would take here."""
        host = self._read_host()
        for model in _recommended_models(self._recommended):
            card = HubCard(recommended_offer(model), host)
            self.hub_cards.append(card)
            self._recommended_column.addWidget(card)
            card.job_moved.connect(self.job_moved)
            self.card_made.emit(card)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.search)
        # Before the offers, of which there are many: who has a file looks for its place first.
        column.addWidget(self.import_card)
        column.addWidget(self.others)
        column.addSpacing(8)
        column.addWidget(self._offers)
        for card in self.fetch_cards.values():
            card.fetch_requested.connect(self.fetch_requested)
            card.pause_requested.connect(self.pause_requested)
            card.cancel_requested.connect(self.cancel_requested)
            card.job_moved.connect(self.job_moved)
            column.addWidget(card)
        column.addLayout(self._recommended_column)
        self.search.card_opened.connect(lambda card: card.job_moved.connect(self.job_moved))
        self.search.cards_changed.connect(self.job_moved)
        self.others.convert_requested.connect(self.import_card.offer)
        self.import_card.convert_requested.connect(self.convert_requested)
        self.import_card.pause_requested.connect(self.pause_requested)
        self.import_card.cancel_requested.connect(self.cancel_requested)


def _catalog_entries(given: Sequence[CatalogEntry] | None) -> Sequence[CatalogEntry]:
    if given is not None:
        return given
    from engine.catalog import entries

    return entries()


def _recommended_models(given: Sequence[Recommended] | None) -> Sequence[Recommended]:
    if given is not None:
        return given
    from engine.planner import recommended

    return recommended()
