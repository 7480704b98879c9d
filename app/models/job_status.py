"""Owns the part of the status line that says how far a job is, wherever the person is, and leads to it.

Does not know how a job runs.
"""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from app.i18n import translate
from app.models.job_controller import JobController
from engine.messages import JobFinished, JobProgress


class JobStatus(QToolButton):
    """`converting 42 %`; hidden while no job runs. Of several, the one that told something last."""

    def __init__(self, jobs: JobController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._running: set[str] = set()
        self.setToolTip(translate("app", "Show the jobs on the page Models"))
        # The line is as high as without it: else all of the window would move when a job begins.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        jobs.progressed.connect(self._on_progressed)
        jobs.finished.connect(self._on_finished)
        self.hide()

    def _on_progressed(self, progress: JobProgress) -> None:
        self._running.add(progress.job_id)
        words = job_words(progress)
        if len(self._running) > 1:
            words = translate("app", "{words}, {number} jobs").format(words=words, number=len(self._running))
        if words != self.text():
            self.setText(words)
            self.setAccessibleName(words)
        self.show()

    def _on_finished(self, finished: JobFinished) -> None:
        self._running.discard(finished.job_id)
        self.setVisible(bool(self._running))


def job_words(progress: JobProgress) -> str:
    """What a job does, and its share in percent where it has one."""
    if progress.waits_for is not None:
        return translate("app", "a download waits")
    percent = 100 * progress.done // progress.total if progress.total > 0 else 0
    match progress.stage:
        case "convert":
            words = translate("app", "converting {percent} %")
        case "measure":
            words = translate("app", "comparing {percent} %")
        case "verify":
            words = translate("app", "verifying")
        case "move":
            words = translate("app", "moving {percent} %")
        case _:
            words = translate("app", "downloading {percent} %")
    return words.format(percent=percent)
