"""Owns what is done with models on disk: rename, move, verify, trash and back, where each byte is, others' files.

Does not know how a model is made or loaded.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.bridge.engine_client import GONE_MESSAGE, EngineClient
from app.i18n import translate
from app.models.job_controller import JobController
from app.models.job_ids import is_verification, move_job_id, verify_job_id
from app.models.job_store import JobRecord
from app.models.model_page import ModelPage
from app.widgets.units import file_size
from engine.messages import (
    AskStorage,
    CleanUp,
    ConvertJob,
    DeleteModel,
    DiscoverModels,
    EmptyTrash,
    FetchJob,
    HubJob,
    InspectSource,
    JobFinished,
    LibraryEvent,
    LibraryFailed,
    ModelDeleted,
    ModelRenamed,
    ModelRestored,
    ModelsDiscovered,
    MoveJob,
    RenameModel,
    RestoreModel,
    SpaceFreed,
    StorageReport,
    VerifyJob,
)


class LibraryController(QObject):
    """Brings the page's wishes to the engine and its answers to the page."""

    models_changed = Signal()
    """Another list of models, or another name."""

    def __init__(
        self, client: EngineClient, jobs: JobController, page: ModelPage, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._jobs = jobs
        self._page = page
        self._cleans_after_job = False
        self._freed_ids: set[str] = set()
        """The models whose copies for this machine are to be removed, once it is known where those are."""
        page.copy_free_requested.connect(self._free_copy)
        page.rename_requested.connect(lambda model_id, name: client.send(RenameModel(model_id, name)))
        page.delete_requested.connect(lambda model_id: client.send(DeleteModel(model_id)))
        page.move_requested.connect(self._move)
        page.verify_requested.connect(self._verify)
        page.storage.asked.connect(lambda: client.send(AskStorage()))
        page.storage.clean_requested.connect(lambda paths: client.send(CleanUp(paths)))
        page.storage.restore_requested.connect(lambda trash_id: client.send(RestoreModel(trash_id)))
        page.storage.empty_requested.connect(lambda: client.send(EmptyTrash()))
        page.get.others.asked.connect(lambda: client.send(DiscoverModels()))
        client.library_answered.connect(self._on_answered)
        client.engine_left.connect(self._on_engine_left)
        jobs.given_up.connect(self._on_given_up)
        jobs.finished.connect(self._on_job_finished)

    def _move(self, model_id: str, folder: str) -> None:
        title = translate("app", "Move {model} to {folder}").format(model=self._name(model_id), folder=folder)
        self._jobs.start(move_job_id(model_id), title, MoveJob(model_id, folder))

    def _verify(self, model_id: str) -> None:
        title = translate("app", "Verify {model}").format(model=self._name(model_id))
        self._jobs.start(verify_job_id(model_id), title, VerifyJob(model_id))

    def _name(self, model_id: str) -> str:
        card = self._page.card(model_id)
        return model_id if card is None else card.entry.name

    def _on_engine_left(self) -> None:
        if self._page.get.others.is_waiting:
            self._page.get.others.show_error(translate("app", GONE_MESSAGE))

    def _on_answered(self, answer: LibraryEvent) -> None:
        match answer:
            case ModelRenamed() | ModelRestored():
                self.models_changed.emit()
                self._ask_if_open()
            case ModelDeleted():
                self._on_deleted(answer)
            case StorageReport():
                self._on_report(answer)
            case SpaceFreed():
                if answer.num_items:
                    self.models_changed.emit()
                    words = translate("app", "{size} are free again")
                    self._page.undo_bar.show_note(words.format(size=file_size(answer.freed_bytes)), "")
                self._ask_if_open()
            case ModelsDiscovered():
                with self._page.keeping_place(self._page.get.others):
                    self._page.get.others.show_models(answer.models)
            case LibraryFailed():
                self._on_failed(answer)

    def _on_deleted(self, deleted: ModelDeleted) -> None:
        trash_id = deleted.trash_id
        if trash_id is not None:
            words = translate("app", "{model} is in the trash, from which it goes after 30 days.")
            self._page.undo_bar.show_offer(
                words.format(model=deleted.name), deleted.name, lambda: self._client.send(RestoreModel(trash_id))
            )
        self.models_changed.emit()
        self._ask_if_open()

    def _free_copy(self, model_id: str) -> None:
        self._freed_ids.add(model_id)
        self._client.send(AskStorage())

    def _on_report(self, report: StorageReport) -> None:
        if self._freed_ids:
            caches = [item for item in report.items if item.kind == "cache" and item.model_id in self._freed_ids]
            self._freed_ids = set()
            if caches:
                # Without a path it would mean all that can be removed.
                self._client.send(CleanUp(tuple(item.path for item in caches)))
        if self._cleans_after_job:
            self._cleans_after_job = False
            paths = tuple(
                item.path for item in report.items if item.kind in ("download", "partial") and item.is_removable
            )
            if paths:
                self._client.send(CleanUp(paths))
        self._page.storage.show_report(report)

    def _on_failed(self, failed: LibraryFailed) -> None:
        match failed.command:
            case RenameModel(model_id) | DeleteModel(model_id):
                self._page.show_error(model_id, failed.message)
            case DiscoverModels():
                self._page.get.others.show_error(failed.message)
            case InspectSource():
                # Its card tells it.
                pass
            case _:
                # What waits for this report must not be freed by a later one.
                self._freed_ids, self._cleans_after_job = set(), False
                self._page.storage.show_error(failed.message)
                self._page.storage.fold_button.setChecked(True)

    def _on_given_up(self, record: JobRecord) -> None:
        """What a job has left goes with it, unless another one may still need what looks alike."""
        if isinstance(record.job, FetchJob | ConvertJob | HubJob) and not self._jobs.records():
            self._cleans_after_job = True
            self._client.send(AskStorage())

    def _on_job_finished(self, finished: JobFinished) -> None:
        if finished.model_id is None:
            return
        if is_verification(finished.job_id):
            words = translate("app", "Every file of {model} is as it was made.")
            self._page.undo_bar.show_note(words.format(model=self._name(finished.model_id)), "")
        self._ask_if_open()

    def _ask_if_open(self) -> None:
        if self._page.storage.is_open:
            self._client.send(AskStorage())
