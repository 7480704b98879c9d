"""From a repository to the library: refused before a byte is fetched, interrupted anywhere, never half listed."""

import os
import signal
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from engine.convert.pipeline import Converted
from engine.errors import (
    DownloadError,
    GatedError,
    InvalidRequestError,
    JobCancelledError,
    NoRoomError,
    OfflineError,
    SourceError,
    StorageError,
)
from engine.hub.tokens import store_token
from engine.hub.transfer import TransferLimits
from engine.jobs.hub import JobReport, fetch_repository
from engine.messages import HubJob
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from engine.store.reserve import DiskReserve
from tests.engine.convert.hf_folders import llama_folder
from tests.engine.hub.hub_server import COMMIT, TOKEN, Drop, HubServer, Status, Wrong
from tests.engine.tiny_models import TinyShape, split_gguf, tiny_gguf, write_tiny_gguf

Usage = namedtuple("Usage", "total used free")
ROOT = Path(__file__).parents[3]
REPO, FILE = "maker/tiny-GGUF", "Tiny-Q8_0.gguf"
JOB = HubJob(REPO)
LIMITS = TransferLimits(max_connections=2, segment_bytes=20_000, max_attempts=2)

# Fetches and kills itself at the n-th report of progress, or says that it finished.
KILLED = """
import os, signal, sys
from pathlib import Path
from engine.hub.transfer import TransferLimits
from engine.jobs.hub import JobReport, fetch_repository
from engine.messages import HubJob
from engine.store.reserve import DiskReserve
home, repo, num_reports = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
reports = iter(range(num_reports))
def on_progress(stage, done, total, left_s=None):
    if next(reports, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)
fetch_repository(HubJob(repo), home, JobReport(on_progress, print, lambda: False), DiskReserve(), TransferLimits())
"""


@pytest.fixture
def content(hub: HubServer, tmp_path: Path) -> bytes:
    path = write_tiny_gguf(tmp_path / "source.gguf")
    data = path.read_bytes()
    path.unlink()
    hub.add(REPO, {FILE: data, "README.md": b"# Tiny"})
    return data


def quietly(home: Path, job: HubJob = JOB, is_cancelled=lambda: False, on_progress=lambda *_: None) -> Converted:
    return fetch_repository(job, home, JobReport(on_progress, lambda why: None, is_cancelled), DiskReserve(), LIMITS)


def listed(home: Path) -> list[str]:
    return [model.model_id for model in Library(home / "models").list()]


def downloads(home: Path) -> list[str]:
    folder = home / "downloads"
    return sorted(path.name for path in folder.rglob("*") if path.is_file()) if folder.exists() else []


def test_a_repository_becomes_a_listed_model_and_the_download_goes(tmp_path: Path, content: bytes) -> None:
    stages: list[str] = []
    converted = quietly(tmp_path, on_progress=lambda stage, done, total, left_s=None: stages.append(stage))
    assert converted == Converted("tiny-q8_0", False)
    assert list(dict.fromkeys(stages)) == ["download", "verify", "convert", "measure"]
    assert listed(tmp_path) == ["tiny-q8_0"]
    assert downloads(tmp_path) == []


def test_fetched_again_it_downloads_nothing(tmp_path: Path, hub: HubServer, content: bytes) -> None:
    quietly(tmp_path)
    hub.requests.clear()
    assert quietly(tmp_path) == Converted("tiny-q8_0", True)
    assert hub.downloads() == []


def test_qualities_and_names_make_models_of_their_own(tmp_path: Path, content: bytes) -> None:
    for quality in ("smallest", "balanced", "faithful"):
        quietly(tmp_path, HubJob(REPO, files=("Q8_0",), quality=quality, name=f"Tiny {quality}"))
    bits = {
        model.name: Checkpoint.open(model.path).manifest.source.bits for model in Library(tmp_path / "models").list()
    }
    assert bits == {"Tiny smallest": 4, "Tiny balanced": 4, "Tiny faithful": 8}


@pytest.mark.parametrize("stage", ["download", "verify", "convert"])
def test_cancelled_in_any_stage_it_stays_so_and_resumes_when_started(
    tmp_path: Path, hub: HubServer, content: bytes, stage: str
) -> None:
    seen: list[str] = []
    with pytest.raises(JobCancelledError):
        quietly(tmp_path, JOB, lambda: stage in seen, lambda name, done, total, left_s=None: seen.append(name))
    assert listed(tmp_path) == []
    num_bytes_before = len(hub.downloads())
    assert quietly(tmp_path) == Converted("tiny-q8_0", False)
    if stage != "download":
        assert len(hub.downloads()) == num_bytes_before


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_and_started_again_it_ends_well(tmp_path: Path, hub: HubServer, content: bytes) -> None:
    def run(num_reports: int) -> int:
        command = [sys.executable, "-c", KILLED, str(tmp_path), REPO, str(num_reports)]
        return subprocess.run(
            command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False, stdout=subprocess.DEVNULL
        ).returncode

    hub.faults[FILE] += [Drop(5000), Drop(20_000)]
    for num_reports in (1, 3):
        assert run(num_reports) == -signal.SIGKILL
        assert listed(tmp_path) == []
    assert run(10**6) == 0
    Checkpoint.open(tmp_path / "models" / "tiny-q8_0").verify()
    assert downloads(tmp_path) == []


def test_what_can_be_known_to_fail_is_told_before_a_download(tmp_path: Path, hub: HubServer) -> None:
    hub.add("a/gated", {"a-Q4_0.gguf": bytes(2000)}, gate="manual")
    hub.add("a/pickles", {"pytorch_model.bin": bytes(2000)})
    for repo_id, kind, words in (
        ("a/gated", GatedError, f"accepted first: do so at {hub.url}/a/gated"),
        ("a/pickles", SourceError, "neither a whole GGUF"),
    ):
        with pytest.raises(kind, match=words):
            quietly(tmp_path, HubJob(repo_id))
    assert hub.downloads("hub") == []
    assert downloads(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"architectures": ["OddForCausalLM"]}, "'OddForCausalLM' is not supported"),
        ({"quantization_config": {"quant_method": "quip"}}, "is quantised by 'quip'"),
        ({"quantization_config": {"quant_method": "awq", "bits": 4, "version": "gemv"}}, "'gemv'"),
        ({"quantization_config": [4]}, "quantization_config is no table"),
        ({"hidden_act": "odd"}, "'odd'"),
    ],
)
def test_a_model_that_cannot_run_is_named_before_its_weights_are_downloaded(
    tmp_path: Path, hub: HubServer, change: dict[str, object], named: str
) -> None:
    folder = llama_folder()
    folder.config |= change
    folder.write(tmp_path / "source")
    hub.add(REPO, {path.name: path.read_bytes() for path in (tmp_path / "source").iterdir()})
    with pytest.raises(SourceError, match=named):
        quietly(tmp_path / "home")
    assert [path for _, path, _ in hub.requests if "/resolve/" in path] == [f"/{REPO}/resolve/{COMMIT}/config.json"]
    assert downloads(tmp_path / "home") == []


def test_a_gguf_of_an_unknown_architecture_is_named_before_it_is_downloaded(tmp_path: Path, hub: HubServer) -> None:
    hub.add(REPO, {FILE: bytes(2000)}, architecture="odd")
    with pytest.raises(SourceError, match="the architecture 'odd'"):
        quietly(tmp_path / "home")
    assert hub.downloads() == hub.downloads("hub") == []


def test_safetensors_and_split_models_are_downloaded_whole_and_once(tmp_path: Path, hub: HubServer) -> None:
    folder = llama_folder().write(tmp_path / "made", num_shards=2)
    hub.add("maker/Tiny-Llama", {path.name: path.read_bytes() for path in folder.iterdir()})
    parts = split_gguf(tmp_path, 2)
    hub.add("maker/Tiny-GGUF", {path.name: path.read_bytes() for path in parts})
    for repo_id, model_id in (("maker/Tiny-Llama", "tiny-llama"), ("maker/Tiny-GGUF", "tiny")):
        assert quietly(tmp_path, HubJob(repo_id)) == Converted(model_id, False)
        Checkpoint.open(tmp_path / "models" / model_id).verify()
        assert downloads(tmp_path) == []
        before = len(hub.downloads("hub"))
        assert quietly(tmp_path, HubJob(repo_id)) == Converted(model_id, True)
        assert len(hub.downloads("hub")) == before
    assert listed(tmp_path) == ["tiny", "tiny-llama"]


def test_a_gated_repository_opens_with_the_token_of_the_keyring(tmp_path: Path, hub: HubServer, content: bytes) -> None:
    hub.repositories[REPO].gate = "auto"
    with pytest.raises(GatedError):
        quietly(tmp_path)
    store_token(TOKEN)
    assert quietly(tmp_path).model_id == "tiny-q8_0"


def test_too_little_room_for_download_and_model_is_told_before_a_download(
    tmp_path: Path, hub: HubServer, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.files.shutil.disk_usage", lambda path: Usage(10**9, 10**9, 100 << 20))
    with pytest.raises(NoRoomError, match=r"Needs 268\.\d MB .* 104\.9 MB free") as raised:
        quietly(tmp_path)
    assert raised.value.needed_bytes == 2 * len(content) + (256 << 20)
    assert hub.downloads() == []


def test_a_wrong_file_never_becomes_a_model(tmp_path: Path, hub: HubServer, content: bytes) -> None:
    hub.faults[FILE].append(Wrong())
    with pytest.raises(DownloadError, match="checksum"):
        quietly(tmp_path)
    assert (listed(tmp_path), downloads(tmp_path)) == ([], [])
    assert quietly(tmp_path).model_id == "tiny-q8_0"


def test_a_hub_that_fails_half_way_keeps_what_is_there(
    tmp_path: Path, hub: HubServer, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.hub.faults._FIRST_WAIT_S", 0.0)
    hub.faults[FILE] += [Drop(9000), *[Status(503)] * 50]
    with pytest.raises(OfflineError, match="status 503"):
        quietly(tmp_path)
    assert downloads(tmp_path) == [f"{FILE}.partial", f"{FILE}.partial.json"]
    hub.faults[FILE].clear()
    hub.requests.clear()
    quietly(tmp_path)
    # Whichever part of the file it was that broke, its bytes are not asked for again.
    ranges = [headers["range"].removeprefix("bytes=").split("-") for headers in hub.downloads()]
    assert sum(int(last) + 1 - int(first) for first, last in ranges) == len(content) - 9000


def test_a_finished_download_that_was_changed_is_fetched_anew(tmp_path: Path, hub: HubServer, content: bytes) -> None:
    seen: list[str] = []
    with pytest.raises(JobCancelledError):
        quietly(tmp_path, JOB, lambda: "convert" in seen, lambda name, done, total, left_s=None: seen.append(name))
    (there,) = (tmp_path / "downloads").rglob(FILE)
    there.write_bytes(content[:-1] + b"?")
    assert quietly(tmp_path) == Converted("tiny-q8_0", False)


def test_another_model_of_the_name_is_not_replaced(tmp_path: Path, hub: HubServer, content: bytes) -> None:
    quietly(tmp_path)
    hub.add("other/tiny", {FILE: write_tiny_gguf(tmp_path / "other.gguf", seed=9).read_bytes()})
    hub.requests.clear()
    with pytest.raises(InvalidRequestError, match="already a model tiny-q8_0"):
        quietly(tmp_path, HubJob("other/tiny"))
    assert hub.downloads() == []


def test_two_downloads_of_the_same_files_do_not_mix(tmp_path: Path, hub: HubServer, content: bytes) -> None:
    refused: list[str] = []

    def start_second(stage: str, done: int, total: int, left_s: float | None = None) -> None:
        if stage == "download" and not refused:
            with pytest.raises(StorageError, match="being downloaded by another") as raised:
                quietly(tmp_path)
            refused.append(str(raised.value))

    quietly(tmp_path, on_progress=start_second)
    assert len(refused) == 1


def test_the_room_that_is_still_to_be_filled_is_kept_from_other_jobs(
    tmp_path: Path, hub: HubServer, content: bytes
) -> None:
    reserve = DiskReserve()
    kept: list[int] = []

    def on_progress(stage: str, done: int, total: int, left_s: float | None = None) -> None:
        kept.append(sum(hold.left_bytes for hold in reserve._holds))

    fetch_repository(JOB, tmp_path, JobReport(on_progress, print, lambda: False), reserve, LIMITS)
    assert kept[0] == 2 * len(content) + (256 << 20)
    assert kept[-1] == len(content) + (256 << 20)
    assert reserve._holds == []


def test_a_large_file_that_cannot_run_is_not_downloaded(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tiny_gguf(metadata={"tokenizer.ggml.pre": "unheard-of"}, shape=TinyShape(hidden_size=512)).write(
        tmp_path / "source.gguf"
    )
    data = path.read_bytes()
    hub.add(REPO, {FILE: data})
    monkeypatch.setattr("engine.jobs.hub_header.LARGE_BYTES", len(data))
    monkeypatch.setattr("engine.jobs.hub_header.FIRST_BYTES", 2_000)
    home = tmp_path / "home"
    with pytest.raises(SourceError, match="unheard-of"):
        quietly(home)
    assert sum(int(headers["range"].split("-")[1]) for headers in hub.downloads()) < len(data)
    assert downloads(home) == []


def test_a_header_that_cannot_be_had_hinders_no_download(
    hub: HubServer, tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.jobs.hub_header.LARGE_BYTES", len(content))
    hub.faults[FILE].append(Status(503))
    assert quietly(tmp_path).model_id == "tiny-q8_0"
