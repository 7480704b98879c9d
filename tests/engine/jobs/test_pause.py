"""A full disk pauses a job, which goes on when there is room; cancelled, it stays so."""

from collections import namedtuple
from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.errors import JobCancelledError, NoRoomError
from engine.hub.partial_file import PartialFile
from engine.jobs import pause
from engine.jobs.pause import run_despite_full_disk
from engine.jobs.runner import JobRunner
from engine.messages import HubJob, JobFinished, JobProgress, StartJob
from engine.store.library import Library
from tests.engine.hub.hub_server import HubServer
from tests.engine.hub.test_transfer import full_after
from tests.engine.jobs.test_job_runner import Recorder
from tests.engine.tiny_models import write_tiny_gguf

Usage = namedtuple("Usage", "total used free")


class Disk:
    """So many bytes are free at each look; the last number stays."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *free_bytes: int) -> None:
        self._free_bytes = list(free_bytes)
        monkeypatch.setattr("engine.store.files.shutil.disk_usage", self._usage)
        monkeypatch.setattr(pause, "_ROOM_POLL_S", 0.0)

    def _usage(self, path: Path) -> Usage:
        free = self._free_bytes.pop(0) if len(self._free_bytes) > 1 else self._free_bytes[0]
        return Usage(1 << 40, (1 << 40) - free, free)


def test_work_that_finds_the_disk_full_waits_for_room_and_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Disk(monkeypatch, 0, 1 << 20, 1 << 30)
    failures = [NoRoomError("full", tmp_path), NoRoomError("still too little", tmp_path, 1 << 29)]
    reasons: list[str] = []

    def work() -> str:
        if failures:
            raise failures.pop(0)
        return "done"

    assert run_despite_full_disk(work, reasons.append, lambda: False) == "done"
    assert "Paused, the disk is full: goes on once 67.1 MB are free" in reasons[0]
    assert "536.9 MB" in reasons[1]


def test_too_little_room_before_the_start_is_an_error(tmp_path: Path) -> None:
    def work() -> None:
        raise NoRoomError("too little", tmp_path, 1 << 60)

    with pytest.raises(NoRoomError, match="too little"):
        run_despite_full_disk(work, print, lambda: False)


def test_a_paused_job_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Disk(monkeypatch, 0)
    reasons: list[str] = []

    def work() -> None:
        assert not reasons, "it went on after it was cancelled"
        raise NoRoomError("full", tmp_path)

    with pytest.raises(JobCancelledError):
        run_despite_full_disk(work, reasons.append, lambda: bool(reasons))


def test_a_download_that_fills_the_disk_says_so_and_ends_well(
    tmp_path: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("maker/tiny", {"tiny.gguf": write_tiny_gguf(tmp_path / "tiny.gguf").read_bytes()})
    sink = Recorder()
    Disk(monkeypatch, 1 << 40)
    write = full_after(30_000)

    def write_until_seen(self: PartialFile, offset: int, data: bytes) -> None:
        # There is room again once the user has been told.
        is_told = any(isinstance(event, JobProgress) and event.waits_for for event in sink.events)
        (real_write if is_told else write)(self, offset, data)

    real_write = PartialFile.write
    monkeypatch.setattr(PartialFile, "write", write_until_seen)
    jobs = JobRunner(EngineConfig(home=tmp_path), sink)
    jobs.start(StartJob("a", HubJob("maker/tiny")))
    assert sink.wait_for_ends() == [JobFinished("a", "tiny")]
    assert jobs.close(60)
    paused = [event for event in sink.events if isinstance(event, JobProgress) and event.waits_for is not None]
    assert len(paused) == 1
    assert "disk is full" in (paused[0].waits_for or "")
    assert [model.model_id for model in Library(tmp_path / "models").list()] == ["tiny"]
