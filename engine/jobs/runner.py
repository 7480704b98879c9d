"""Jobs on threads of their own, told as events: progress now and then, one end each.

Knows nothing of what the jobs do. Imports torch only on a job's thread.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event as Flag
from threading import Lock, Thread

from engine import catalog
from engine.config import EngineConfig
from engine.errors import EngineError, JobCancelledError
from engine.jobs import model_care
from engine.jobs.pause import run_despite_full_disk
from engine.messages import (
    ConvertJob,
    Event,
    FetchJob,
    HubJob,
    JobFinished,
    JobProgress,
    JobStage,
    MoveJob,
    StartJob,
    VerifyJob,
)
from engine.store.reserve import DiskReserve

PROGRESS_INTERVAL_S = 0.1

_log = logging.getLogger(__name__)
Sink = Callable[[Sequence[Event]], None]


class JobRunner:
    """Starts and cancels jobs from any thread. `sink` is called on the jobs' threads."""

    def __init__(self, config: EngineConfig, sink: Sink) -> None:
        self._config = config
        self._sink = sink
        self._lock = Lock()
        self._running: dict[str, _Job] = {}
        self._is_closed = False
        self._reserve = DiskReserve()

    def start(self, command: StartJob) -> None:
        """Start a job; ignored if a job of this id still runs, as its end is yet to come."""
        job = _Job(command)
        with self._lock:
            if command.job_id in self._running:
                _log.warning("job %s runs already", command.job_id)
                return
            if not self._is_closed:
                job.thread = Thread(target=self._run, args=(job,), name=f"job-{command.job_id}", daemon=True)
                self._running[command.job_id] = job
        if job.thread is None:
            self._sink([JobFinished(command.job_id, None, JobCancelledError.code, "The engine is closing")])
        else:
            job.thread.start()

    def cancel(self, job_id: str) -> None:
        """Ask a job to stop at its next safe point. Unknown and finished ids are ignored."""
        with self._lock:
            job = self._running.get(job_id)
        if job is not None:
            job.is_cancelled.set()

    def close(self, timeout_s: float) -> bool:
        """Cancel everything and wait; True if all threads ended. No job can be started afterwards."""
        with self._lock:
            self._is_closed = True
            jobs = list(self._running.values())
        for job in jobs:
            job.is_cancelled.set()
        deadline = time.monotonic() + timeout_s
        for job in jobs:
            # A thread that was registered but not yet started cannot be joined; its job sees the flag at once.
            if job.thread is not None and job.thread.ident is not None:
                job.thread.join(max(0.0, deadline - time.monotonic()))
        return not any(job.thread is not None and job.thread.is_alive() for job in jobs)

    def _run(self, job: _Job) -> None:
        job_id = job.command.job_id
        progress = _Progress(job_id, self._sink)
        is_cancelled = job.is_cancelled.is_set
        try:
            model_id = run_despite_full_disk(
                lambda: run_job(self._config, job.command, self._reserve, progress, is_cancelled),
                progress.wait,
                is_cancelled,
            )
            finished = JobFinished(job_id, model_id)
        except EngineError as error:
            finished = JobFinished(job_id, None, error.code, str(error))
        except Exception:
            # The loop of a job's thread: whatever broke, the client must learn that the job has ended.
            _log.exception("job %s broke", job_id)
            message = "The job broke by a fault of the program: the log has the details, start it again"
            finished = JobFinished(job_id, None, EngineError.code, message)
        with self._lock:
            del self._running[job_id]
        self._sink([finished])


@dataclass(slots=True)
class _Job:
    command: StartJob
    is_cancelled: Flag = field(default_factory=Flag)
    thread: Thread | None = None


class _Progress:
    """Passes on at most ten counts a second of each stage, and always its first and its last, and why a job waits."""

    def __init__(self, job_id: str, sink: Sink, clock: Callable[[], float] = time.monotonic) -> None:
        self._job_id = job_id
        self._sink = sink
        self._clock = clock
        self._last: JobProgress | None = None
        self._next_at = 0.0

    def __call__(self, stage: JobStage, done: int, total: int, left_s: float | None = None) -> None:
        now = self._clock()
        last = self._last
        if last is not None and stage == last.stage and done < total:
            # While a job waits, a count that is no higher is no news.
            is_waiting = last.waits_for is not None and done <= last.done
            if is_waiting or now < self._next_at:
                return
        self._send(JobProgress(self._job_id, stage, done, total, left_s=left_s), now)

    def wait(self, why: str) -> None:
        """The job goes on later by itself."""
        last = self._last or JobProgress(self._job_id, "download", 0, 0)
        self._send(replace(last, waits_for=why), self._clock())

    def _send(self, progress: JobProgress, now: float) -> None:
        self._last, self._next_at = progress, now + PROGRESS_INTERVAL_S
        self._sink([progress])


def run_job(
    config: EngineConfig,
    command: StartJob,
    reserve: DiskReserve,
    on_progress: _Progress,
    is_cancelled: Callable[[], bool],
) -> str:
    """Do the job here and now; returns the model's id. Raises `EngineError`."""
    job, home = command.job, config.home
    match job:
        case MoveJob():
            return model_care.move(home, job, on_progress, is_cancelled)
        case VerifyJob():
            return model_care.verify(home, job, on_progress, is_cancelled)
        case FetchJob(catalog_id, quality):
            from engine.jobs.fetch import fetch

            return fetch(catalog.require(catalog_id), home, on_progress, is_cancelled, quality).model_id
        case ConvertJob():
            return _convert(home, job, on_progress, is_cancelled)
        case HubJob():
            # Asking the hub takes packages that are slow to load and of no use to other jobs.
            from engine.jobs.hub import JobReport, fetch_repository

            report = JobReport(on_progress, on_progress.wait, is_cancelled)
            return fetch_repository(job, home, report, reserve).model_id


def _convert(home: Path, job: ConvertJob, on_progress: _Progress, is_cancelled: Callable[[], bool]) -> str:
    from engine.convert.options import DEFAULT_GROUP_SIZE, QuantizeOptions
    from engine.convert.pipeline import Conversion, convert_file

    options = QuantizeOptions(job.bits, DEFAULT_GROUP_SIZE if job.group_size is None else job.group_size)
    if job.quality is not None:
        options = QuantizeOptions.of_quality(job.quality)
    return convert_file(home, Conversion(Path(job.source), job.name, options), on_progress, is_cancelled).model_id
