"""Owns the jobs as a person knows them: begun, paused, resumed, cancelled, failed, and still there after a restart.

Does not know the pages; they listen.
"""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge.engine_client import EngineClient
from app.models.job_store import JobRecord, JobStore
from app.models.job_text import JobText
from engine.messages import CancelJob, Job, JobFinished, JobProgress, StartJob

CANCELLED = "cancelled"
_KEEP_INTERVAL_S = 5.0


class JobController(QObject):
    """One of a window. Every signal comes after the list on disk was brought up to date."""

    added = Signal(object)
    """JobRecord"""
    progressed = Signal(JobProgress)
    finished = Signal(JobFinished)
    removed = Signal(str)
    """The job's id: it is done, or was given up."""
    given_up = Signal(object)
    """JobRecord of a job that was cancelled and has stopped: what it has left may be removed."""

    def __init__(self, client: EngineClient, store: JobStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._store = store
        self._running: set[str] = set()
        self._doomed: set[str] = set()
        self._texts: dict[str, JobText] = {}
        self._kept_at_s: dict[str, float] = {}
        """When a running job's progress was put on disk last, by `time.monotonic`."""
        client.job_progressed.connect(self._on_progressed)
        client.job_finished.connect(self._on_finished)
        client.engine_left.connect(self._on_engine_left)

    def records(self) -> list[JobRecord]:
        return list(self._store)

    def start(self, job_id: str, title: str, job: Job) -> None:
        """Begin a job, or go on with one that was begun; a running one is left alone."""
        if job_id in self._running:
            return
        self._running.add(job_id)
        self._texts[job_id] = JobText(time.monotonic)
        record = self._store.get(job_id)
        text, share = ("", 0.0) if record is None else (record.text, record.share)
        self._store.put(JobRecord(job_id, title, job, text=text, share=share))
        self.added.emit(self._store.get(job_id))
        self._client.send(StartJob(job_id, job))

    def resume(self, job_id: str) -> None:
        record = self._store.get(job_id)
        if record is not None:
            self.start(job_id, record.title, record.job)

    def pause(self, job_id: str) -> None:
        self._client.send(CancelJob(job_id))

    def cancel(self, job_id: str) -> None:
        """Stop the job for good."""
        if job_id in self._running:
            self._doomed.add(job_id)
            self._client.send(CancelJob(job_id))
        else:
            self._give_up(job_id)

    def _on_progressed(self, progress: JobProgress) -> None:
        text = self._texts.setdefault(progress.job_id, JobText(time.monotonic))
        text.describe(progress)
        record = self._store.get(progress.job_id)
        if record is not None and time.monotonic() - self._kept_at_s.get(progress.job_id, 0.0) > _KEEP_INTERVAL_S:
            # Now and then, for a program that is killed; else when the job ends.
            self._kept_at_s[progress.job_id] = time.monotonic()
            self._store.put(replace(record, text=text.last, share=text.share))
        self.progressed.emit(progress)

    def _on_finished(self, finished: JobFinished) -> None:
        job_id = finished.job_id
        self._running.discard(job_id)
        record = self._store.get(job_id)
        text = self._texts.pop(job_id, None)
        self._kept_at_s.pop(job_id, None)
        is_doomed = job_id in self._doomed
        self._doomed.discard(job_id)
        if record is not None and finished.model_id is None:
            is_paused = finished.code == CANCELLED
            self._store.put(
                replace(
                    record,
                    standing="paused" if is_paused else "failed",
                    text=record.text if text is None else text.last,
                    share=record.share if text is None else text.share,
                    code=None if is_paused else finished.code,
                    message=None if is_paused else finished.message,
                )
            )
        self.finished.emit(finished)
        if finished.model_id is not None:
            self._store.remove(job_id)
            self.removed.emit(job_id)
        elif is_doomed:
            self._give_up(job_id)

    def _give_up(self, job_id: str) -> None:
        record = self._store.get(job_id)
        self._store.remove(job_id)
        self.removed.emit(job_id)
        if record is not None:
            self.given_up.emit(record)

    def _on_engine_left(self) -> None:
        for job_id in list(self._running):
            self._on_finished(JobFinished(job_id, None, CANCELLED, None))
