"""Owns telling a person who is at the chats or the settings how far a job is, and what has come of it.

Does not know how a job runs; on the pages of the models its card says all of it.
"""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QStackedWidget

from app.engine_words.recognition import in_window_words
from app.i18n import translate
from app.models.first_run import FirstRunPage
from app.models.job_controller import CANCELLED
from app.models.job_ids import brings_model
from app.models.job_status import JobStatus
from app.models.model_controller import ModelController
from app.models.model_page import ModelPage
from app.widgets.banner import Banner
from app.widgets.status_line import StatusLine
from engine.messages import JobFinished, ModelLoaded


class _Window(Protocol):
    """What the news need of the window."""

    models: ModelController
    pages: QStackedWidget
    model_page: ModelPage
    first_run_page: FirstRunPage
    banner: Banner
    status_line: StatusLine

    def show_models(self) -> None: ...


class JobNews(QObject):
    """As long-lived as the window that it is a child of."""

    def __init__(self, window: _Window) -> None:
        assert isinstance(window, QObject), f"the window is {window!r}"
        super().__init__(window)
        self._window = window
        self._told: dict[str, str | None] = {}
        """What was said, each with the model that is ready; None for a job that failed."""
        self.status = JobStatus(window.models.jobs)
        self.status.clicked.connect(window.show_models)
        # Behind the engine's state and before the buttons at the end, which stay where they are.
        window.status_line.insertPermanentWidget(1, self.status)
        window.models.jobs.finished.connect(self._on_finished)
        window.pages.currentChanged.connect(self._on_page_changed)
        window.models.loaded_changed.connect(self._on_loaded_changed)

    @property
    def _is_at_models(self) -> bool:
        return self._window.pages.currentWidget() in (self._window.model_page, self._window.first_run_page)

    def _on_finished(self, finished: JobFinished) -> None:
        if self._is_at_models or not brings_model(finished.job_id):
            return
        names = {model.model_id: model.name for model in self._window.models.models}
        # With the first one the welcome gives way to the chats, which say that it is loaded.
        if finished.model_id is not None and len(names) > 1:
            name = names.get(finished.model_id, finished.model_id)
            self._tell(translate("app", "{model} is ready").format(model=name), finished.model_id)
        elif finished.model_id is None and finished.code != CANCELLED:
            titles = {record.job_id: record.title for record in self._window.models.jobs.records()}
            reason = in_window_words(finished.message or "")
            self._tell(f"{titles.get(finished.job_id, finished.job_id)}: {reason}", None)

    def _tell(self, words: str, ready_id: str | None) -> None:
        banner = self._window.banner
        self._told[words] = ready_id
        if not banner.isHidden():
            # What it says may matter more.
            banner.add_message(words)
            return
        show = banner.show_message if ready_id is None else banner.show_note
        show(words, translate("app", "Models"), self._window.show_models)

    def _on_page_changed(self) -> None:
        """At the models it is seen."""
        if self._is_at_models:
            for words in self._told:
                self._window.banner.take_back(words)
            self._told.clear()

    def _on_loaded_changed(self, model: ModelLoaded | None) -> None:
        """Whoever has loaded it knows that it is ready."""
        for words in [words for words, ready_id in self._told.items() if model and ready_id == model.model_id]:
            self._window.banner.take_back(words)
            del self._told[words]
