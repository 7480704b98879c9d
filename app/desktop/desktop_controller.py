"""Owns what the desktop is told of the work: not to sleep meanwhile, and that it has ended.

Does not know how chats and jobs work; it hears when they begin and end.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.bridge.engine_client import EngineClient
from app.chat.chat_tabs import ChatTabs
from app.desktop.keep_awake import KeepAwake
from app.desktop.notes import Notes, announce
from app.engine_words.recognition import in_window_words
from app.i18n import translate
from app.models.job_ids import brings_model
from app.state.options import KEEP_AWAKE, NOTIFY
from app.state.session import Session
from app.state.setting import Setting
from app.state.settings import Settings
from engine.messages import JobFinished, JobProgress

LONG_ANSWER_S = 5.0
"""A person who looks elsewhere during a shorter answer has seen it begin."""
_MAX_NOTE_CHARACTERS = 120


class DesktopController(QObject):
    """Follows the tabs and the jobs from the window's start to its end."""

    def __init__(self, client: EngineClient, tabs: ChatTabs, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._tabs = tabs
        self._settings = settings
        self._busy_ids: frozenset[str] = frozenset()
        self._job_ids: set[str] = set()
        self.awake = KeepAwake()
        self.notes = Notes(window, lambda: settings.get(NOTIFY))
        tabs.busy_changed.connect(self._on_busy_changed)
        client.job_progressed.connect(self._on_job_progressed)
        client.job_finished.connect(self._on_job_finished)
        client.engine_left.connect(self._on_engine_left)
        settings.listen(self._on_setting_changed)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication), f"the application is {application!r}"
        application.applicationStateChanged.connect(self._on_application_state_changed)

    def close(self) -> None:
        self.awake.set(False)
        self.notes.hide()

    def _on_busy_changed(self, busy_ids: frozenset[str]) -> None:
        ended, self._busy_ids = self._busy_ids - busy_ids, busy_ids
        for chat_id in ended:
            if (tab := self._tabs.tab_of(chat_id)) is not None:
                self._tell_answer(tab.session)
                announce(tab, _spoken(tab.session))
        self._show_awake()

    def _tell_answer(self, session: Session) -> None:
        answer = session.answer
        if answer.end == "cancelled" or time.monotonic() - session.asked_at_s < LONG_ANSWER_S:
            return
        text = in_window_words(answer.error) if answer.error is not None else " ".join(answer.text.split())
        self.notes.show(session.title, text[:_MAX_NOTE_CHARACTERS])

    def _on_job_progressed(self, progress: JobProgress) -> None:
        self._job_ids.add(progress.job_id)
        self._show_awake()

    def _on_job_finished(self, finished: JobFinished) -> None:
        self._job_ids.discard(finished.job_id)
        self._show_awake()
        if finished.code is None and brings_model(finished.job_id):
            self.notes.show(translate("app", "The model is ready"), finished.model_id or "")
        elif finished.code not in (None, "cancelled"):
            self.notes.show(
                translate("app", "A model could not be made ready"), in_window_words(finished.message or "")
            )

    def _on_engine_left(self) -> None:
        """No end of a job will be told any more."""
        self._job_ids.clear()
        self._show_awake()

    def _show_awake(self) -> None:
        self.awake.set(bool(self._busy_ids or self._job_ids) and self._settings.get(KEEP_AWAKE))

    def _on_setting_changed(self, setting: Setting[object]) -> None:
        if setting is KEEP_AWAKE:
            self._show_awake()

    def _on_application_state_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self.notes.hide()


def _spoken(session: Session) -> str:
    """What a screen reader says of an answer that has ended."""
    answer = session.answer
    if answer.error is not None:
        return translate("app", "The answer failed: {reason}").format(reason=in_window_words(answer.error))
    return answer.text
