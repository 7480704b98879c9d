"""Jobs end exactly once, whatever happens to them, and report no more often than is useful."""

import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.errors import JobCancelledError
from engine.jobs import runner
from engine.jobs.runner import JobRunner
from engine.messages import ConvertJob, Event, FetchJob, JobFinished, JobProgress, StartJob
from tests.engine.tiny_models import write_tiny_gguf


class Recorder:
    """A sink that keeps what it is given and lets a test wait for the ends."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.events: list[Event] = []

    def __call__(self, events: Sequence[Event]) -> None:
        with self._changed:
            self.events += events
            self._changed.notify_all()

    def ends(self) -> list[JobFinished]:
        return [event for event in self.events if isinstance(event, JobFinished)]

    def wait_for_ends(self, count: int = 1) -> list[JobFinished]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.ends()) >= count, timeout=60)
        return self.ends()


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
def jobs(tmp_path: Path, sink: Recorder) -> JobRunner:
    return JobRunner(EngineConfig(home=tmp_path), sink)


def convert(path: Path, **options: object) -> ConvertJob:
    return ConvertJob(str(path), **options)


def test_a_conversion_ends_with_its_model(tmp_path: Path, jobs: JobRunner, sink: Recorder) -> None:
    jobs.start(StartJob("a", convert(write_tiny_gguf(tmp_path / "tiny.gguf"), name="My Model")))
    assert sink.wait_for_ends() == [JobFinished("a", "my-model")]
    assert jobs.close(60)
    progress = [event for event in sink.events if isinstance(event, JobProgress)]
    assert {event.stage for event in progress} == {"verify", "convert"}
    assert sink.events[-1] == JobFinished("a", "my-model")


@pytest.mark.parametrize(
    ("job", "code", "words"),
    [
        (FetchJob("nope"), "model_not_found", "choose one of starter"),
        (ConvertJob("nowhere.gguf"), "source", "There is no file"),
        (ConvertJob("x.gguf", bits=6), "invalid_request", "6 bits"),
        (ConvertJob("x.gguf", group_size=16), "invalid_request", "Groups of 16"),
    ],
)
def test_a_known_error_becomes_code_and_message(
    jobs: JobRunner, sink: Recorder, job: FetchJob | ConvertJob, code: str, words: str
) -> None:
    jobs.start(StartJob("a", job))
    (end,) = sink.wait_for_ends()
    assert (end.model_id, end.code) == (None, code)
    assert end.message is not None
    assert words in end.message


def test_a_fault_of_the_program_is_logged_and_ends_the_job(
    jobs: JobRunner, sink: Recorder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: object) -> str:
        raise ZeroDivisionError("the fault")

    monkeypatch.setattr(runner, "run_job", break_down)
    with caplog.at_level(logging.ERROR):
        jobs.start(StartJob("a", FetchJob("starter")))
        (end,) = sink.wait_for_ends()
    assert end.code == "engine_error"
    assert "ZeroDivisionError: the fault" in caplog.text


class Waiting:
    """Stands in for the work: waits until it is cancelled."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started = threading.Semaphore(0)
        monkeypatch.setattr(runner, "run_job", self._run)

    def _run(self, config, command, reserve, on_progress, is_cancelled) -> str:
        self.started.release()
        waiter = threading.Event()
        while not is_cancelled():
            waiter.wait(0.001)
        raise JobCancelledError("cancelled")


def test_cancelling_ends_only_that_job(jobs: JobRunner, sink: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Waiting(monkeypatch)
    for job_id in ("a", "b"):
        jobs.start(StartJob(job_id, FetchJob("starter")))
        assert work.started.acquire(timeout=60)
    jobs.cancel("unknown")
    jobs.cancel("a")
    assert [end.job_id for end in sink.wait_for_ends()] == ["a"]
    assert jobs.close(60)
    assert [(end.job_id, end.code) for end in sink.ends()] == [("a", "cancelled"), ("b", "cancelled")]


def test_a_job_that_runs_already_is_not_started_twice(
    jobs: JobRunner, sink: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Waiting(monkeypatch)
    jobs.start(StartJob("a", FetchJob("starter")))
    assert work.started.acquire(timeout=60)
    jobs.start(StartJob("a", FetchJob("starter")))
    assert jobs.close(60)
    assert len(sink.ends()) == 1


def test_after_closing_a_job_ends_at_once(jobs: JobRunner, sink: Recorder) -> None:
    assert jobs.close(1)
    jobs.start(StartJob("a", FetchJob("starter")))
    assert [end.code for end in sink.ends()] == ["cancelled"]


def test_progress_is_passed_on_at_most_ten_times_a_second_and_stage(sink: Recorder) -> None:
    now = 0.0
    progress = runner._Progress("a", sink, clock=lambda: now)
    for done in range(101):
        progress("download", done, 100)
        now += 0.03
    progress("verify", 0, 10)
    progress("verify", 10, 10)
    downloads = [event.done for event in sink.events if isinstance(event, JobProgress) and event.stage == "download"]
    assert downloads[0] == 0
    assert downloads[-1] == 100
    assert len(downloads) <= 3.03 / 0.1 + 2
    assert [event.done for event in sink.events[-2:] if isinstance(event, JobProgress)] == [0, 10]


def test_a_runner_is_made_without_torch() -> None:
    code = "import sys, engine.jobs.runner; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
