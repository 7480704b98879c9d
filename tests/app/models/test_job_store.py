"""Jobs on disk, from one start to the next."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import EngineClient
from app.models.job_controller import JobController
from app.models.job_store import JobRecord, JobStore
from engine.messages import CancelJob, ConvertJob, EngineDied, FetchJob, HubJob, JobFinished, JobProgress, StartJob
from tests.app.fake_engine import FakeEngines

HUB = HubJob("maker/一个模型", "c" * 40, ("a.gguf", "b.gguf"), "faithful", None, "https://mirror.example")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jobs.json"


@pytest.fixture
def jobs(client: EngineClient, path: Path) -> JobController:
    return JobController(client, JobStore(path))


def test_every_job_is_there_at_the_next_start_and_paused(path: Path) -> None:
    store = JobStore(path)
    records = [
        JobRecord("hub:1", "One", HUB, text="Download 1 of 2 GB"),
        JobRecord("fetch:starter", "Two", FetchJob("starter"), "failed", "", "offline", "No network"),
        JobRecord("convert:a", "Three", ConvertJob("a"), "paused"),
    ]
    for record in records:
        store.put(record)
    assert [record.standing for record in JobStore(path)] == ["paused", "failed", "paused"]
    assert [record.job for record in JobStore(path)] == [record.job for record in records]
    store.remove("hub:1")
    assert [record.job_id for record in JobStore(path)] == ["fetch:starter", "convert:a"]


@pytest.mark.parametrize("content", ["", "[]", '{"jobs": [{"job_id": 1}]}', '{"jobs": [{"kind": "odd", "job": {}}]}'])
def test_a_damaged_list_is_an_empty_one(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")
    assert list(JobStore(path)) == []


def test_a_paused_job_keeps_what_it_had_reached(qtbot: QtBot, jobs: JobController, path: Path, engines: FakeEngines):
    jobs.start("hub:1", "One", HUB)
    assert engines.newest.commands == [StartJob("hub:1", HUB)]
    engines.newest.emit(JobProgress("hub:1", "download", 5, 10))
    jobs.pause("hub:1")
    with qtbot.waitSignal(jobs.finished):
        engines.newest.emit(JobFinished("hub:1", None, "cancelled"))
    (record,) = JobStore(path)
    assert (record.standing, record.text, record.share) == ("paused", "Download 5 of 10 B", 0.35)
    jobs.resume("hub:1")
    assert engines.newest.commands == [StartJob("hub:1", HUB), CancelJob("hub:1"), StartJob("hub:1", HUB)]


def test_a_killed_program_leaves_what_a_job_had_reached(
    qtbot: QtBot, jobs: JobController, path: Path, engines: FakeEngines
):
    jobs.start("convert:a", "One", ConvertJob("a"))
    with qtbot.waitSignal(jobs.progressed):
        engines.newest.emit(JobProgress("convert:a", "convert", 2, 8))
    (record,) = JobStore(path)
    assert (record.standing, record.text, record.share) == ("paused", "Convert layer 2 of 8", pytest.approx(0.2))


def test_a_cancelled_job_is_gone_once_it_has_stopped(
    qtbot: QtBot, jobs: JobController, path: Path, engines: FakeEngines
):
    jobs.start("hub:1", "One", HUB)
    jobs.cancel("hub:1")
    assert len(list(JobStore(path))) == 1
    with qtbot.waitSignal(jobs.given_up) as given_up:
        engines.newest.emit(JobFinished("hub:1", None, "cancelled"))
    assert given_up.args[0].job == HUB
    assert list(JobStore(path)) == []


def test_jobs_of_an_engine_that_died_are_paused(qtbot: QtBot, jobs: JobController, path: Path, engines: FakeEngines):
    jobs.start("hub:1", "One", HUB)
    with qtbot.waitSignal(jobs.finished):
        engines.newest.emit(EngineDied("engine_error", "It broke"))
    assert [record.standing for record in JobStore(path)] == ["paused"]
    with qtbot.waitSignal(jobs.added):
        jobs.resume("hub:1")


def test_jobs_of_an_engine_that_is_restarted_are_paused_and_can_go_on(
    qtbot: QtBot, jobs: JobController, client: EngineClient, path: Path, engines: FakeEngines
):
    jobs.start("hub:1", "One", HUB)
    with qtbot.waitSignal(jobs.finished):
        client.run(client.restart())
    assert [record.standing for record in JobStore(path)] == ["paused"]
    qtbot.waitUntil(lambda: len(engines.made) == 2)
    jobs.resume("hub:1")
    assert engines.newest.commands == [StartJob("hub:1", HUB)]
