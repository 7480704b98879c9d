"""Owns the page that greets a person who has no model yet.

Knows neither downloads nor the library; it asks for a fetch or a conversion and shows what is reported back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.models.fetch_card import FetchCard
from app.models.import_card import ImportCard
from app.models.model_facts import machine_text
from app.widgets.card_row import CardRow
from app.widgets.page import Page
from app.widgets.text_label import TextLabel
from engine.messages import JobFinished, JobProgress

if TYPE_CHECKING:
    from engine.catalog import CatalogEntry
    from engine.planner import Machine

STARTER_ID = "starter"


class FirstRunPage(Page):
    """`read_machine` is asked whenever the page is shown; `starter` is looked up if not given."""

    fetch_requested = Signal(str)
    """The catalogue id."""
    convert_requested = Signal(str)
    """The file's path."""
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """The job id."""

    def __init__(
        self, read_machine: Callable[[], Machine], starter: CatalogEntry | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._read_machine = read_machine
        self._machine_line = TextLabel("", "muted")
        self.import_card = ImportCard()
        self.fetch_card = _starter_card(starter)
        self.column.addWidget(TextLabel("Welcome", "title"))
        self.column.addWidget(TextLabel("DeepInfer runs on this computer alone. To begin, it needs a model."))
        self.column.addWidget(self._machine_line)
        self.column.addSpacing(8)
        cards: list[QWidget] = [] if self.fetch_card is None else [self.fetch_card]
        self.column.addWidget(CardRow([*cards, self.import_card]))
        self.column.addStretch(1)
        if self.fetch_card is not None:
            self.fetch_card.fetch_requested.connect(self.fetch_requested)
            self.fetch_card.pause_requested.connect(self.pause_requested)
            self.fetch_card.cancel_requested.connect(self.cancel_requested)
        self.import_card.convert_requested.connect(self.convert_requested)
        self.import_card.pause_requested.connect(self.pause_requested)
        self.import_card.cancel_requested.connect(self.cancel_requested)

    def show_job(self, progress: JobProgress) -> None:
        """Show a job's progress in its card; a job that has none here is ignored."""
        if self.fetch_card is not None and progress.job_id == self.fetch_card.job_id:
            self.fetch_card.strip.show_progress(progress)
        else:
            self.import_card.show_job(progress)

    def finish_job(self, finished: JobFinished) -> None:
        """Show a job's end in its card."""
        if self.fetch_card is not None and finished.job_id == self.fetch_card.job_id:
            self.fetch_card.strip.finish(finished)
        else:
            self.import_card.finish_job(finished)

    def end_job(self, job_id: str) -> None:
        """The job is done, or was given up."""
        if self.fetch_card is not None and job_id == self.fetch_card.job_id:
            self.fetch_card.strip.end()
        self.import_card.end_job(job_id)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._machine_line.setText(machine_text(self._read_machine()))


def _starter_card(starter: CatalogEntry | None) -> FetchCard | None:
    from engine.catalog import find

    entry = starter if starter is not None else find(STARTER_ID)
    return None if entry is None else FetchCard(entry, "Start now")
