"""Owns the controls of one job: its button, progress and error.

Knows neither what the job makes nor how it runs; it asks, and shows what is reported back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.models.job_store import JobRecord
from app.models.job_text import JobText
from app.widgets.error_note import ErrorNote
from app.widgets.focus import holds_focus
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from engine.messages import JobFinished, JobProgress

_CANCELLED = "cancelled"
_BAR_STEPS = 1000


class JobState(Enum):
    """Where a job stands for the person who started it."""

    IDLE = "idle"
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"
    FAILED = "failed"
    DONE = "done"


class StartWord(Enum):
    """What is on the button before the start."""

    GET = "get"
    CONVERT = "convert"


class JobStrip(QWidget):
    """Get or Convert, then Pause, Resume or Retry, at last Load and Start a chat; beside them Cancel, or Dismiss after
    a failure.

    With `offers_load` a job that is done is followed by loading its model, and that by a chat with it.
    """

    start_requested = Signal()
    """Get, Resume or Retry was pressed: (re)start the job."""
    pause_requested = Signal()
    """Pause was pressed: stop it at its next safe point. What is finished stays for a later start."""
    cancel_requested = Signal()
    """Cancel or Dismiss was pressed: stop it for good."""
    load_requested = Signal(str)
    """Load was pressed: the id of the model that the job has brought."""
    chat_requested = Signal()
    """The model is loaded, and a chat with it is wanted."""
    state_changed = Signal()
    focus_freed = Signal()
    """The focus was on a button here, and there is none any more."""

    def __init__(
        self,
        start_word: StartWord,
        now_s: Callable[[], float] = time.monotonic,
        offers_load: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._start_word = start_word
        self._now_s = now_s
        self._state = JobState.IDLE
        self._words = JobText(now_s)
        self._last_text = ""
        self._offers_load = offers_load
        self._made_id: str | None = None
        self._loaded_id: str | None = None
        self._loading_id: str | None = None
        self._text = TextLabel("", "muted")
        self._error = ErrorNote()
        self._bar = QProgressBar(textVisible=False, maximum=_BAR_STEPS)
        self.main_button = QPushButton()
        self.main_button.setProperty("kind", "primary")
        self.main_button.clicked.connect(self._on_main_pressed)
        self.cancel_button = QPushButton(translate("app", "Cancel"))
        self.cancel_button.clicked.connect(self._on_cancel_pressed)
        buttons = QHBoxLayout()
        buttons.addWidget(self.main_button)
        buttons.addWidget(self.cancel_button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._error)
        column.addWidget(self._text)
        column.addWidget(self._bar)
        column.addLayout(buttons)
        self._go(JobState.IDLE)

    @property
    def state(self) -> JobState:
        return self._state

    @property
    def is_busy(self) -> bool:
        """Running, or not yet stopped."""
        return self._state in (JobState.RUNNING, JobState.STOPPING)

    def text(self) -> str:
        """The line about progress, as it is shown."""
        return self._text.text()

    def error_text(self) -> str:
        """The cause of the failure, empty if there is none."""
        return self._error.text()

    def begin(self) -> None:
        """The job was asked for; the first progress is still to come."""
        self._words = JobText(self._now_s)
        self._last_text = ""
        self._bar.setValue(0)
        self._go(JobState.RUNNING, translate("app", "Starting"))

    def show_progress(self, progress: JobProgress) -> None:
        """Show how far the job is, also one that was started elsewhere."""
        self._last_text = self._words.describe(progress)
        self._bar.setValue(round(_BAR_STEPS * self._words.share))
        # What still comes after Pause was pressed must not bring the button back.
        if self._state is not JobState.STOPPING:
            self._go(JobState.RUNNING, self._last_text)

    def finish(self, finished: JobFinished) -> None:
        """Show the job's end: ready, stopped, or failed with its cause."""
        if finished.model_id is not None:
            self._made_id = finished.model_id
            self._go(JobState.DONE)
        elif finished.code == _CANCELLED:
            # A stop that nobody asked for here (the engine closed) can be resumed as well.
            self._go(JobState.PAUSED, _paused_words(self._last_text))
        else:
            self._fail(finished.message, finished.code)

    def restore(self, record: JobRecord) -> None:
        """Show a job of an earlier start, or one that runs already."""
        self._last_text = record.text
        self._bar.setValue(round(_BAR_STEPS * record.share))
        if record.standing == "failed":
            self._fail(record.message, record.code)
        elif record.standing == "paused":
            self._go(JobState.PAUSED, _paused_words(record.text))
        else:
            self._go(JobState.RUNNING, record.text or translate("app", "Starting"))

    def show_loaded(self, loaded_id: str | None, loading_id: str | None) -> None:
        """The models that are loaded and being loaded now, or None."""
        self._loaded_id, self._loading_id = loaded_id, loading_id
        if self._state is JobState.DONE:
            self._go(JobState.DONE)

    def reset(self) -> None:
        """Back to before the start."""
        self._go(JobState.IDLE)

    def end(self) -> None:
        """The job is no more: one that was given up can be begun anew, one that is done stays so."""
        if self._state is not JobState.DONE:
            self.reset()

    def _fail(self, message: str | None, code: str | None) -> None:
        self._go(JobState.FAILED)
        details = [translate("app", "Error: {code}").format(code=code or "?")]
        if self._last_text:
            details.append(translate("app", "Last progress: {text}").format(text=self._last_text))
        self._error.show_error(
            message or translate("app", "It failed without a message: try again"), "\n".join(details)
        )

    def _go(self, state: JobState, text: str = "") -> None:
        before, self._state = self._state, state
        had_focus = holds_focus(self)
        if state is JobState.DONE:
            text = self._done_words()
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self._error.clear()
        self._bar.setVisible(state in (JobState.RUNNING, JobState.STOPPING, JobState.PAUSED))
        word, icon_name = self._next_step(state)
        self.main_button.setText(word)
        show_icon(self.main_button, icon_name, "on_accent")
        has_next = self._offers_load and (self._is_made_loaded or self._made_id != self._loading_id)
        self.main_button.setVisible(state is not JobState.DONE or has_next)
        self.main_button.setEnabled(state is not JobState.STOPPING)
        has_failed = state is JobState.FAILED
        self.cancel_button.setText(translate("app", "Dismiss") if has_failed else translate("app", "Cancel"))
        self.cancel_button.setVisible(state not in (JobState.IDLE, JobState.DONE))
        self.cancel_button.setEnabled(state is not JobState.STOPPING)
        if state is not before:
            self.state_changed.emit()
        if had_focus:
            self._keep_focus()

    def _keep_focus(self) -> None:
        """Near what was pressed, and not at the window's beginning, where Qt would go on."""
        for button in (self.main_button, self.cancel_button):
            if button.isVisible() and button.isEnabled():
                button.setFocus()
                return
        if self.isVisible():
            # Until there is something to press again.
            self.setFocus()
        else:
            self.focus_freed.emit()

    @property
    def _is_made_loaded(self) -> bool:
        return self._made_id is not None and self._made_id == self._loaded_id

    def _done_words(self) -> str:
        if self._is_made_loaded:
            return translate("app", "Ready and loaded")
        if self._made_id is not None and self._made_id == self._loading_id:
            return translate("app", "Loading")
        return translate("app", "Ready")

    def _next_step(self, state: JobState) -> tuple[str, str]:
        """Word and icon of the main button."""
        match state:
            case JobState.RUNNING | JobState.STOPPING:
                return translate("app", "Pause"), "pause"
            case JobState.PAUSED:
                return translate("app", "Resume"), "play"
            case JobState.FAILED:
                return translate("app", "Retry"), "retry"
            case JobState.DONE if self._is_made_loaded:
                return translate("app", "Start a chat"), "plus"
            case JobState.DONE:
                return translate("app", "Load"), "play"
            case _ if self._start_word is StartWord.GET:
                return translate("app", "Get"), "download"
        return translate("app", "Convert"), "play"

    def _on_cancel_pressed(self) -> None:
        if self.is_busy:
            self._go(JobState.STOPPING, translate("app", "Cancelling"))
        self.cancel_requested.emit()

    def _on_main_pressed(self) -> None:
        if self._state is JobState.RUNNING:
            self._go(JobState.STOPPING, translate("app", "Pausing"))
            self.pause_requested.emit()
        elif self._state is JobState.DONE and self._is_made_loaded:
            self.chat_requested.emit()
        elif self._state is JobState.DONE:
            assert self._made_id is not None, "a job that is done has brought a model"
            self.load_requested.emit(self._made_id)
        else:
            self.begin()
            self.start_requested.emit()


def _paused_words(reached: str) -> str:
    return translate("app", "Paused · {reached}").format(reached=reached) if reached else translate("app", "Paused")
