"""Owns the models' side of the window: what is in the library, which one is loaded, and the jobs that bring more.

Does not know the chats; pages and pickers show what it is told.
"""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QObject, Signal

from app.bridge.engine_client import EngineClient
from app.i18n import translate
from app.models.first_run import FirstRunPage
from app.models.hub_controller import HubController
from app.models.import_controller import ImportController
from app.models.job_controller import JobController
from app.models.job_ids import brings_model, convert_job_id, fetch_job_id
from app.models.job_store import JobStore
from app.models.library_controller import LibraryController
from app.models.model_page import ModelPage
from app.models.model_picker import ModelPicker
from app.models.model_reminder import ModelReminder
from app.models.services import ModelServices
from app.models.speed_store import SpeedStore
from app.state import options
from app.state.settings import Settings
from engine.api import EngineError, ModelEntry
from engine.messages import (
    ConvertJob,
    FetchJob,
    JobFinished,
    JobProgress,
    LoadModel,
    ModelLoaded,
    ModelLoadFailed,
    ModelLoadProgress,
    ModelUnloaded,
    Quality,
    RequestFinished,
    UnloadModel,
)

ModelChange = ModelLoadProgress | ModelLoaded | ModelLoadFailed | ModelUnloaded


class ModelController(QObject):
    """Connects the client with everything that shows models."""

    models_changed = Signal()
    loaded_changed = Signal(object)
    """ModelLoaded | None"""
    loading_changed = Signal(str)
    """The name of the model that is being loaded now, or empty."""
    load_failed = Signal(ModelLoadFailed)
    list_failed = Signal(str)
    """Why the library could not be read, and what to do."""

    def __init__(
        self,
        client: EngineClient,
        services: ModelServices,
        page: ModelPage,
        first_run: FirstRunPage,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.client = client
        self._services = services
        self._page = page
        self._first_run = first_run
        self._pickers: list[ModelPicker | ModelReminder] = []
        self.models: list[ModelEntry] = []
        self.loaded: ModelLoaded | None = None
        self.loading_name = ""
        """Of the model that was asked for, and is neither loaded nor failed yet."""
        self.jobs = JobController(client, JobStore(services.home / "jobs.json"), self)
        self.hub = HubController(client, self.jobs, page.get.search, settings, parent=self)
        page.get.card_made.connect(self.hub.add_card)
        first_run.card_made.connect(self.hub.add_card)
        for view in (page, first_run):
            view.fetch_requested.connect(self.fetch)
            view.convert_requested.connect(self.convert)
            view.pause_requested.connect(self.jobs.pause)
            view.cancel_requested.connect(self.jobs.cancel)
            view.import_card.resume_requested.connect(self.jobs.resume)
        first_run.damaged.delete_requested.connect(page.delete_requested)
        self.imports = ImportController(client, (page.import_card, first_run.import_card), self)
        for part in (self.hub, self.imports):
            part.load_requested.connect(self.load)
            part.chat_requested.connect(page.new_chat_requested)
        page.jobs.resume_requested.connect(self.jobs.resume)
        self.library = LibraryController(client, self.jobs, page, self)
        self.library.models_changed.connect(self.refresh)
        self._speeds = SpeedStore(services.home / "speeds.json")
        self._settings = settings
        page.default_requested.connect(self._choose_default)
        client.answer_finished.connect(self._on_answer_finished)
        self.jobs.added.connect(page.jobs.add)
        self.jobs.removed.connect(self._on_job_removed)
        for record in self.jobs.records():
            page.jobs.add(record)
        page.load_requested.connect(self.load)
        page.unload_requested.connect(self.unload)
        client.model_changed.connect(self._on_model_changed)
        self.jobs.progressed.connect(self._on_job_progressed)
        self.jobs.finished.connect(self._on_job_finished)

    def refresh(self) -> None:
        """Reads the library again. Where it cannot be read, the models that were known stay."""
        try:
            self.models = self._services.list_models()
            damaged = self._services.list_damaged()
        except (OSError, EngineError) as error:
            cause = f"{error.strerror} ({error.filename})" if isinstance(error, OSError) else str(error)
            words = translate(
                "app", "The models cannot be listed. {cause}. Make it a folder that you may read, then try again."
            )
            self.list_failed.emit(words.format(cause=cause.rstrip(".")))
            return
        self._page.set_models(self.models, damaged)
        self._first_run.damaged.set_models(damaged)
        for picker in self._pickers:
            picker.set_models(self.models)
        self._show_marks()
        self.models_changed.emit()

    def add_picker(self, picker: ModelPicker | ModelReminder) -> None:
        self._pickers.append(picker)
        picker.set_models(self.models)
        picker.set_loaded(None if self.loaded is None else self.loaded.model_id)
        picker.show_loading(self.loading_name)
        picker.load_requested.connect(self.load)
        picker.destroyed.connect(lambda: self._pickers.remove(picker))

    def _views(self) -> list[ModelPage | ModelPicker | ModelReminder]:
        return [self._page, *self._pickers]

    @property
    def is_loading(self) -> bool:
        return bool(self.loading_name)

    def load(self, model_id: str) -> None:
        self._show_loading(model_id)
        self.client.send(LoadModel(model_id))

    def unload(self) -> None:
        self.client.send(UnloadModel())

    def load_first(self, last_id: str, chats_id: str | None = None) -> None:
        """Loads the model of a chat, the default one, that of last time, or the first one: the first that is there."""
        ids = [entry.model_id for entry in self.models]
        wanted = (chats_id, self._settings.get(options.DEFAULT_MODEL_ID), last_id, *ids)
        if ids:
            self.load(next(model_id for model_id in wanted if model_id in ids))

    def fetch(self, catalog_id: str) -> None:
        from engine.catalog import find

        entry = find(catalog_id)
        title = catalog_id if entry is None else entry.name
        self.jobs.start(fetch_job_id(catalog_id), title, FetchJob(catalog_id))

    def convert(self, path: str, quality: Quality | None = None, name: str = "") -> None:
        """Begins a conversion, or goes on with one. Without a name the model takes that of the file."""
        title = translate("app", "Convert {file}").format(file=PurePath(path).name)
        self.jobs.start(convert_job_id(path), title, ConvertJob(path, name or None, quality=quality))

    def _show_marks(self) -> None:
        """What is known of models beside what they are: how fast they were, and which one is the default."""
        default_id = self._settings.get(options.DEFAULT_MODEL_ID)
        self._services.measured.update(self.models, self._speeds)
        for card in self._page.cards():
            card.set_speed(self._speeds.get(card.entry.model_id))
            card.set_default(card.entry.model_id == default_id)

    def _choose_default(self, model_id: str, is_default: bool) -> None:
        try:
            self._settings.set(options.DEFAULT_MODEL_ID, model_id if is_default else "")
        except OSError as error:
            if (card := self._page.card(model_id)) is not None:
                card.show_error(translate("app", "It cannot be kept: {reason}").format(reason=error.strerror))
        self._show_marks()

    def _on_answer_finished(self, finished: RequestFinished) -> None:
        if self.loaded is None:
            return
        model_id, rate = self.loaded.model_id, finished.tokens_per_s
        if self._speeds.add(model_id, finished.num_completion_tokens, rate, finished.ttft_s):
            self._show_marks()

    def take_in(self, path: str) -> None:
        """Show the card for files of one's own, which asks how the file or folder is to be converted."""
        self._page.offer_file(path)

    def forget_failure(self, model_id: str) -> None:
        """Why this model could not be loaded, or unloaded, is no longer so."""
        self._page.forget_failure(model_id)
        for picker in self._pickers:
            picker.forget_failure()

    def forget_loaded(self) -> None:
        """The engine is gone, and its model with it."""
        self._show_loading("")
        self._set_loaded(None)

    def _on_model_changed(self, change: ModelChange) -> None:
        if isinstance(change, ModelUnloaded):
            self._set_loaded(None)
            return
        for view in self._views():
            view.show_load(change)
        if isinstance(change, ModelLoaded):
            # Before it is no longer on its way: a message that waits for it is not given up.
            self._set_loaded(change)
        self._show_loading(change.model_id if isinstance(change, ModelLoadProgress) else "")
        if isinstance(change, ModelLoaded):
            if any(entry.model_id == change.model_id and not entry.prepared_bytes for entry in self.models):
                # The first load has laid a copy beside it.
                self.refresh()
        elif isinstance(change, ModelLoadFailed):
            self.load_failed.emit(change)

    def _set_loaded(self, model: ModelLoaded | None) -> None:
        self.loaded = model
        for view in self._views():
            view.set_loaded(None if model is None else model.model_id)
        self._show_in_jobs("")
        self.loaded_changed.emit(model)

    def _show_in_jobs(self, loading_id: str) -> None:
        """In the cards of jobs that are done, loading is the next step."""
        for part in (self.hub, self.imports):
            part.show_loaded(None if self.loaded is None else self.loaded.model_id, loading_id or None)

    def _show_loading(self, model_id: str) -> None:
        self._show_in_jobs(model_id)
        name = next((model.name for model in self.models if model.model_id == model_id), model_id)
        if name != self.loading_name:
            self.loading_name = name
            for picker in self._pickers:
                picker.show_loading(name)
            self.loading_changed.emit(name)

    def _on_job_removed(self, job_id: str) -> None:
        self._page.end_job(job_id)
        self._first_run.end_job(job_id)

    def _on_job_progressed(self, progress: JobProgress) -> None:
        self._page.show_job(progress)
        self._first_run.show_job(progress)

    def _on_job_finished(self, finished: JobFinished) -> None:
        self._page.finish_job(finished)
        self._first_run.finish_job(finished)
        if finished.model_id is None:
            return
        self.refresh()
        if self.loaded is None and brings_model(finished.job_id):
            self.load(finished.model_id)
