"""Owns the list of jobs that are not done: one row each, with what can be done with it.

Does not know what the jobs make; it asks, and shows what is reported back.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.models.job_store import JobRecord
from app.models.job_strip import JobStrip, StartWord
from app.widgets.card import Card
from app.widgets.focus import holds_focus
from app.widgets.text_label import TextLabel
from engine.messages import JobFinished, JobProgress


class JobRow(Card):
    """The title of a job above its strip; or, where its progress is told elsewhere, beside the way there."""

    show_requested = Signal()

    def __init__(self, record: JobRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job_id = record.job_id
        self.strip = JobStrip(StartWord.GET)
        self.strip.setAccessibleName(record.title)
        self.show_button = QPushButton(translate("app", "Show"))
        words = translate("app", "Show how far it is: {job}").format(job=record.title)
        self.show_button.setToolTip(words)
        self.show_button.setAccessibleName(words)
        self.show_button.clicked.connect(self.show_requested)
        self._reference = TextLabel(translate("app", "How far it is stands with the model below."), "muted")
        line = QHBoxLayout()
        words_column = QVBoxLayout()
        words_column.setSpacing(2)
        words_column.addWidget(TextLabel(record.title))
        words_column.addWidget(self._reference)
        line.addLayout(words_column, 1)
        line.addWidget(self.show_button)
        self.column.addLayout(line)
        self.column.addWidget(self.strip)
        self.strip.restore(record)
        self.refer(False)

    def refer(self, is_elsewhere: bool) -> None:
        """Whether a card in sight tells how far the job is."""
        self.strip.setVisible(not is_elsewhere)
        self._reference.setVisible(is_elsewhere)
        self.show_button.setVisible(is_elsewhere)

    def take_focus(self) -> None:
        (self.strip.main_button if self.show_button.isHidden() else self.show_button).setFocus()


class JobList(QWidget):
    """Hidden while there is no job, or only one that is shown elsewhere."""

    resume_requested = Signal(str)
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """Each with the job's id."""
    show_requested = Signal(str)
    """The id of a job whose progress is told by a card."""
    added = Signal()
    """A row."""
    focus_freed = Signal()
    """The focus was on a job that is no more, and there is no other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: dict[str, JobRow] = {}
        self._left_out: str | None = None
        self._elsewhere: frozenset[str] = frozenset()
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
        row.show_requested.connect(lambda: self.show_requested.emit(record.job_id))
        self._column.addWidget(row)
        self._show_rows()
        self.added.emit()

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

    def refer(self, job_ids: frozenset[str]) -> None:
        """To the cards of these jobs, which are on the page as well: two that count would seem to be two downloads."""
        if job_ids != self._elsewhere:
            self._elsewhere = job_ids
            self._show_rows()

    def _show_rows(self) -> None:
        for job_id, row in self.rows.items():
            row.setVisible(job_id != self._left_out)
            is_elsewhere = job_id in self._elsewhere
            had_focus = holds_focus(row)
            row.refer(is_elsewhere)
            if had_focus:
                row.take_focus()
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
            shown[0].take_focus()
        else:
            self.focus_freed.emit()
