"""Owns the page that greets a person who has no model yet.

Knows neither downloads nor the library; it asks for a fetch or a conversion and shows what is reported back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.models.damaged_models import DamagedModels
from app.models.fetch_card import FetchCard
from app.models.hub_card import HubCard
from app.models.hub_offer import recommended_offer
from app.models.import_card import ImportCard
from app.models.model_facts import machine_text
from app.widgets.card_row import CardRow
from app.widgets.page import Page
from app.widgets.text_label import TextLabel
from engine.messages import JobFinished, JobProgress

if TYPE_CHECKING:
    from app.models.host import Host
    from engine.catalog import CatalogEntry
    from engine.planner import Recommended

STARTER_ID = "starter"


class FirstRunPage(Page):
    """`read_host` is asked whenever the page is shown; `starter` and `recommended` are looked up if not given."""

    fetch_requested = Signal(str)
    """The catalogue id."""
    convert_requested = Signal(str, object, str)
    """The path of a file or folder, a quality or None, and the model's name, empty for that of the file."""
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """The job id."""
    card_made = Signal(HubCard)
    more_requested = Signal()
    """The page of models is wanted, where there are more to get."""

    def __init__(
        self,
        read_host: Callable[[], Host],
        starter: CatalogEntry | None = None,
        recommended: Sequence[Recommended] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._read_host = read_host
        self._recommended = recommended
        self._machine_line = TextLabel("", "muted")
        self._wanted_line = TextLabel("", "warning")
        self._wanted_line.hide()
        self.damaged = DamagedModels()
        self.import_card = ImportCard(read_host)
        self.fetch_card = _starter_card(starter)
        self.hub_card: HubCard | None = None
        self._place = QWidget()
        self._row: CardRow | None = None
        self.more_button = QPushButton(translate("app", "More models…"))
        self.more_button.clicked.connect(self.more_requested)
        self._build()

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
        host = self._read_host()
        self._machine_line.setText(machine_text(host))
        if self._row is None:
            self._add_cards(host)

    def ask_for_model(self) -> None:
        """A chat was wanted, and there is nothing that could answer."""
        self._wanted_line.setText(translate("app", "First get a model: a chat needs one that answers."))
        self._wanted_line.show()
        self.setFocus()

    def _add_cards(self, host: Host) -> None:
        """Made when the page is looked at: most people never see it, and a plan takes some milliseconds."""
        best = _best(self._recommended, host)
        cards: list[QWidget] = [] if self.fetch_card is None else [self.fetch_card]
        if best is not None:
            self.hub_card = HubCard(recommended_offer(best), host, translate("app", "Recommended for you"))
            cards.append(self.hub_card)
            self.card_made.emit(self.hub_card)
        self._row = CardRow([*cards, self.import_card])
        layout = self._place.layout()
        assert layout is not None, "the place of the cards has a layout"
        layout.addWidget(self._row)

    def _build(self) -> None:
        place = QVBoxLayout(self._place)
        place.setContentsMargins(0, 0, 0, 0)
        foot = QHBoxLayout()
        foot.addWidget(self.more_button)
        foot.addStretch(1)
        self.column.addWidget(TextLabel(translate("app", "Welcome"), "title"))
        self.column.addWidget(
            TextLabel(translate("app", "DeepInfer runs on this computer alone. To begin, it needs a model."))
        )
        self.column.addWidget(self._wanted_line)
        self.column.addWidget(self._machine_line)
        self.column.addSpacing(8)
        self.column.addWidget(self.damaged)
        self.column.addWidget(self._place)
        self.column.addLayout(foot)
        self.column.addStretch(1)
        self.damaged.fetch_requested.connect(self.fetch_requested)
        if self.fetch_card is not None:
            self.fetch_card.fetch_requested.connect(self.fetch_requested)
            self.fetch_card.pause_requested.connect(self.pause_requested)
            self.fetch_card.cancel_requested.connect(self.cancel_requested)
            # What a person without a model is led to.
            self.setFocusProxy(self.fetch_card.strip.main_button)
        self.import_card.grown.connect(lambda: self.scroll_to(self.import_card, self.import_card.strip))
        self.import_card.convert_requested.connect(self.convert_requested)
        self.import_card.pause_requested.connect(self.pause_requested)
        self.import_card.cancel_requested.connect(self.cancel_requested)


def _starter_card(starter: CatalogEntry | None) -> FetchCard | None:
    from engine.catalog import find

    entry = starter if starter is not None else find(STARTER_ID)
    return None if entry is None else FetchCard(entry, translate("app", "Start now"))


def _best(recommended: Sequence[Recommended] | None, host: Host) -> Recommended | None:
    from engine.planner import best_of, plan_here
    from engine.planner import recommended as all_recommended

    models = all_recommended() if recommended is None else tuple(recommended)
    return best_of(models, lambda spec: plan_here(spec, "balanced", host.memory_free_bytes, host.config))
