"""Owns the card of a model that can be fetched from the catalogue.

Knows neither downloads nor where the model will lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.engine_words.recognition import in_window_words
from app.models.job_ids import fetch_job_id
from app.models.job_strip import JobState, JobStrip, StartWord
from app.models.model_facts import offer_text
from app.widgets.card import Card
from app.widgets.text_label import TextLabel

if TYPE_CHECKING:
    from engine.catalog import CatalogEntry


class FetchCard(Card):
    """Name, size, licence and Get; under a `heading` where one is given."""

    fetch_requested = Signal(str)
    """The catalogue id."""
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """The job id."""
    job_moved = Signal()
    """Its job began to be shown here, or is shown no more."""

    def __init__(self, entry: CatalogEntry, heading: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self.job_id = fetch_job_id(entry.catalog_id)
        self.strip = JobStrip(StartWord.GET)
        if heading is not None:
            self.column.addWidget(TextLabel(heading, "heading"))
        self.column.addWidget(TextLabel(entry.name, None if heading is not None else "heading"))
        self.column.addWidget(TextLabel(in_window_words(entry.description)))
        self.column.addWidget(TextLabel(offer_text(entry), "muted"))
        self.column.addStretch(1)
        self.column.addWidget(self.strip)
        self.strip.start_requested.connect(lambda: self.fetch_requested.emit(entry.catalog_id))
        self.strip.pause_requested.connect(lambda: self.pause_requested.emit(self.job_id))
        self.strip.cancel_requested.connect(lambda: self.cancel_requested.emit(self.job_id))
        self.strip.state_changed.connect(self.job_moved)

    def shows_job(self, job_id: str) -> bool:
        """Whether this is its job, and was begun and is not done."""
        return self.job_id == job_id and self.strip.state not in (JobState.IDLE, JobState.DONE)
