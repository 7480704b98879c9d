"""Owns the list of jobs that are not done: one row each, with what can be done with it.

Does not know what the jobs make; it asks, and shows what is reported back.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.i18n import translate
from app.models.job_store import JobRecord
from app.models.job_strip import JobStrip, StartWord
from app.widgets.card import Card
from app.widgets.focus import holds_focus
from app.widgets.text_label import TextLabel
from engine.messages import JobFinished, JobProgress


class JobRow(Card):
    """The title of a job above its strip."""

    def __init__(self, record: JobRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job_id = record.job_id
        self.strip = JobStrip(StartWord.GET)
        self.strip.setAccessibleName(record.title)
        self.column.addWidget(TextLabel(record.title))
        self.column.addWidget(self.strip)
        self.strip.restore(record)


class JobList(QWidget):
    """Hidden while there is no job, or only one that is shown elsewhere."""

    resume_requested = Signal(str)
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """Each with the job's id."""
    focus_freed = Signal()
    """The focus was on a job that is no more, and there is no other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: dict[str, JobRow] = {}
        self._left_out: str | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(TextLabel(translate("app", "Jobs"), "heading"))
        self.hide()

    def add(self, record: JobRecord) -> None:
        """A job that was begun now, or in an earlier start."""
        row = self.rows.get(record.job_id)
        if row is not None:
            row.strip.restore(record)
            return
        row = self.rows[record.job_id] = JobRow(record)
        row.strip.start_requested.connect(lambda: self.resume_requested.emit(record.job_id))
        row.strip.pause_requested.connect(lambda: self.pause_requested.emit(record.job_id))
        row.strip.cancel_requested.connect(lambda: self.cancel_requested.emit(record.job_id))
        self._column.addWidget(row)
        self._show_rows()

    def leave_out(self, job_id: str | None) -> None:
        """The job that is in sight elsewhere, with the same buttons."""
        if job_id == self._left_out:
            return
        self._left_out = job_id
        row = None if job_id is None else self.rows.get(job_id)
        had_focus = row is not None and holds_focus(row)
        self._show_rows()
        if had_focus:
            self.focus_freed.emit()

    def _show_rows(self) -> None:
        for job_id, row in self.rows.items():
            row.setVisible(job_id != self._left_out)
        self.setVisible(any(job_id != self._left_out for job_id in self.rows))

    def show_progress(self, progress: JobProgress) -> None:
        if (row := self.rows.get(progress.job_id)) is not None:
            row.strip.show_progress(progress)

    def finish(self, finished: JobFinished) -> None:
        if (row := self.rows.get(finished.job_id)) is not None:
            row.strip.finish(finished)

    def remove(self, job_id: str) -> None:
        if (row := self.rows.pop(job_id, None)) is not None:
            had_focus = holds_focus(row)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
            self._show_rows()
            if had_focus:
                self._pass_focus()

    def _pass_focus(self) -> None:
        shown = [row for job_id, row in self.rows.items() if job_id != self._left_out]
        if shown:
            shown[0].strip.main_button.setFocus()
        else:
            self.focus_freed.emit()
