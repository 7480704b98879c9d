"""Owns the page of models: those in the library, and where more come from, under the jobs that are under way.

Knows neither the library's folder nor jobs; it asks by signals and shows what is reported back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.models.damaged_models import DamagedModels
from app.models.fetch_card import FetchCard
from app.models.fit_verdict import fit_of_model
from app.models.get_section import GetSection
from app.models.import_card import ImportCard
from app.models.job_list import JobList
from app.models.model_card import ModelCard
from app.models.storage_section import StorageSection
from app.widgets.icons import show_icon
from app.widgets.page import ClosablePage
from app.widgets.section_bar import SectionBar
from app.widgets.text_label import TextLabel
from app.widgets.undo_bar import UndoBar
from engine.messages import JobFinished, JobProgress, ModelLoaded, ModelLoadFailed, ModelLoadProgress

if TYPE_CHECKING:
    from app.models.host import Host
    from engine.api import DamagedModel, ModelEntry
    from engine.catalog import CatalogEntry
    from engine.planner import Recommended

_YOURS, _GET = 0, 1


class ModelPage(ClosablePage):
    """`catalog` and `recommended` are looked up if not given."""

    new_chat_requested = Signal()
    load_requested = Signal(str)
    """The model id."""
    unload_requested = Signal()
    planner_requested = Signal()
    """How many chats fit beside the model that is loaded."""
    delete_requested = Signal(str)
    verify_requested = Signal(str)
    """The model id."""
    rename_requested = Signal(str, str)
    """model id, name"""
    move_requested = Signal(str, str)
    """model id, folder"""
    default_requested = Signal(str, bool)
    """model id, and whether it is to be loaded at every start"""
    copy_free_requested = Signal(str)
    """The id of the model whose copy for this machine may go."""
    fetch_requested = Signal(str)
    """The catalogue id."""
    convert_requested = Signal(str, object, str)
    """The path of a file or folder, a quality or None, and the model's name, empty for that of the file."""
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """The job id."""

    def __init__(
        self,
        read_host: Callable[[], Host],
        catalog: Sequence[CatalogEntry] | None = None,
        recommended: Sequence[Recommended] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(translate("app", "Models"), parent)
        self._loaded_id: str | None = None
        self._has_chosen = False
        self._read_host = read_host
        self._cards: dict[str, ModelCard] = {}
        self.sections = SectionBar([translate("app", "On this computer"), translate("app", "Get a model")])
        self.jobs = JobList()
        self.get = GetSection(read_host, catalog, recommended)
        self.yours = QWidget()
        self.undo_bar = UndoBar()
        self.damaged = DamagedModels()
        self.storage = StorageSection()
        self.add_button = QPushButton(translate("app", "Add a model"))
        self.add_button.setToolTip(translate("app", "Leads to “Get a model”: from the hub, or from a file of yours"))
        show_icon(self.add_button, "plus")
        self._nothing = TextLabel(
            translate("app", "No model yet: choose Get a model above, or drop a file of your own on the window."),
            "muted",
        )
        self._installed_column = QVBoxLayout()
        self._installed_column.setSpacing(8)
        self._build()

    def set_models(self, models: Sequence[ModelEntry], damaged: Sequence[DamagedModel] = ()) -> None:
        """The models in the library now; cards of models that are still the same keep their state."""
        self.damaged.set_models(damaged)
        wanted = {model.model_id: model for model in models}
        for model_id, card in self._cards.items():
            model = wanted.get(model_id)
            if model is not None and replace(model, prepared_bytes=card.entry.prepared_bytes) == card.entry:
                # The focus stays on it.
                card.show_storage(model)
        for model_id in [id_ for id_, card in self._cards.items() if wanted.get(id_) != card.entry]:
            card = self._cards.pop(model_id)
            self._installed_column.removeWidget(card)
            card.deleteLater()
        for place, model in enumerate(models):
            if model.model_id not in self._cards:
                self._installed_column.insertWidget(place, self._make_card(model))
        self._nothing.setVisible(not models and not damaged)
        self.show_fits()
        self.get.set_installed(set(wanted))
        self.import_card.set_models(models)
        if not self._has_chosen:
            # What a person chose stays; before that, the part that is of use.
            self._show_section(_YOURS if models or damaged else _GET)

    def _make_card(self, model: ModelEntry) -> ModelCard:
        card = self._cards[model.model_id] = ModelCard(model)
        card.load_requested.connect(self.load_requested)
        card.unload_requested.connect(self.unload_requested)
        card.planner_requested.connect(self.planner_requested)
        card.delete_requested.connect(self.delete_requested)
        card.verify_requested.connect(self.verify_requested)
        card.rename_requested.connect(self.rename_requested)
        card.move_requested.connect(self.move_requested)
        card.default_requested.connect(self.default_requested)
        card.copy_free_requested.connect(self.copy_free_requested)
        card.set_loaded(model.model_id == self._loaded_id)
        return card

    def set_loaded(self, model_id: str | None) -> None:
        """The model that is loaded now, or None."""
        self._loaded_id = model_id
        for card in self._cards.values():
            card.set_loaded(card.entry.model_id == model_id)
        self.show_fits()

    def show_load(self, load: ModelLoadProgress | ModelLoaded | ModelLoadFailed) -> None:
        """Show how loading a model goes, in its card."""
        if isinstance(load, ModelLoaded):
            self.set_loaded(load.model_id)
        elif load.model_id in self._cards:
            self._cards[load.model_id].show_load(load)

    def forget_failure(self, model_id: str) -> None:
        """Why this model could not be loaded is no longer so."""
        if model_id in self._cards:
            self._cards[model_id].forget_error()

    def show_job(self, progress: JobProgress) -> None:
        """Show a job's progress, in the list and in its card."""
        self.jobs.show_progress(progress)
        self.get.show_job(progress)

    def finish_job(self, finished: JobFinished) -> None:
        """Show a job's end, in the list and in its card. The new model itself comes with `set_models`."""
        self.jobs.finish(finished)
        self.get.finish_job(finished)

    def end_job(self, job_id: str) -> None:
        """The job is done, or was given up."""
        self.jobs.remove(job_id)
        self.get.end_job(job_id)

    def card(self, model_id: str) -> ModelCard | None:
        """The card of a model in the library."""
        return self._cards.get(model_id)

    def show_error(self, model_id: str, message: str) -> None:
        """Why something that was asked for a model here could not be done."""
        if (card := self._cards.get(model_id)) is not None:
            card.show_error(message)
        elif (damaged := self.damaged.cards.get(model_id)) is not None:
            damaged.error.show_error(message)

    def offer(self, model_id: str) -> FetchCard | None:
        """The card of a model of the catalogue, shown or not."""
        return self.get.fetch_cards.get(model_id)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_fits()

    def show_fits(self) -> None:
        """How each model would fit now; the loaded one's memory would be free then."""
        if not self.isVisible():
            return
        host = self._read_host()
        loaded = self._cards.get(self._loaded_id or "")
        free_bytes = host.memory_free_bytes + (0 if loaded is None else loaded.entry.size_bytes)
        host = replace(host, memory_free_bytes=free_bytes)
        for card in self._cards.values():
            card.show_fit(fit_of_model(card.entry, host))

    def cards(self) -> list[ModelCard]:
        """Those of the models in the library."""
        return list(self._cards.values())

    @property
    def import_card(self) -> ImportCard:
        return self.get.import_card

    def offer_file(self, path: str) -> None:
        """Asks how a file of one's own is to be converted."""
        self.show_get()
        self.import_card.offer(path)

    def show_get(self) -> None:
        self._show_section(_GET)

    def _on_add_pressed(self) -> None:
        self._on_chosen(_GET)
        self.import_card.choose_button.setFocus()
        self.scroll_to(self.import_card, self.import_card.choose_button)

    def _on_chosen(self, section: int) -> None:
        self._has_chosen = True
        self._show_section(section)

    def _show_section(self, section: int) -> None:
        self.sections.show_current(section)
        self.yours.setVisible(section == _YOURS)
        self.get.setVisible(section == _GET)
        self._show_jobs_once()

    def _show_jobs_once(self) -> None:
        """A conversion has its card among what can be got, near the top of the page: not in the list as well. Of a
        download, whose card may be far below, the list says where it is.
        """
        has_cards = self.get.isVisibleTo(self)
        self.jobs.leave_out(self.import_card.job_id if has_cards else None)
        self.jobs.refer(frozenset(job_id for job_id in self.jobs.rows if has_cards and self.get.card_of(job_id)))

    def _show_card_of(self, job_id: str) -> None:
        """Of a job to which the list refers."""
        card = self.get.card_of(job_id)
        if card is not None:
            strip = card.strip if isinstance(card, FetchCard) else card.body.strip
            self.scroll_to(card, strip)
            strip.main_button.setFocus()

    def _build(self) -> None:
        self.column.addWidget(self.sections)
        self.column.addSpacing(8)
        self.column.addWidget(self.jobs)
        column = QVBoxLayout(self.yours)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(self.add_button)
        head.addStretch(1)
        column.addWidget(self._nothing)
        column.addLayout(head)
        column.addWidget(self.undo_bar)
        column.addWidget(self.damaged)
        column.addLayout(self._installed_column)
        column.addWidget(self.storage)
        self.column.addWidget(self.yours)
        self.column.addWidget(self.get)
        self.column.addStretch(1)
        self.sections.chosen.connect(self._on_chosen)
        self.jobs.focus_freed.connect(self.sections.take_focus)
        self.add_button.clicked.connect(self._on_add_pressed)
        for part in (self.get, self.damaged):
            part.fetch_requested.connect(self.fetch_requested)
        self.damaged.delete_requested.connect(self.delete_requested)
        self.get.convert_requested.connect(self.convert_requested)
        for moved in (self.import_card.strip.state_changed, self.get.job_moved, self.jobs.added):
            moved.connect(self._show_jobs_once)
        self.jobs.show_requested.connect(self._show_card_of)
        self.import_card.grown.connect(lambda: self.scroll_to(self.import_card, self.import_card.strip))
        for runner in (self.get, self.jobs):
            runner.pause_requested.connect(self.pause_requested)
            runner.cancel_requested.connect(self.cancel_requested)
        self.storage.unfolded.connect(lambda: self.scroll_to(self.storage, self.storage.fold_button))
        self._show_section(_YOURS)
