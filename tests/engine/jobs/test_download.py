"""pip's downloads: whole or not at all, watched, cancelled, and their failures in one line."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from engine.errors import DownloadError, JobCancelledError, StorageError
from engine.jobs import download
from engine.jobs.download import download_wheel, failure_cause
from tests.engine.jobs.packages import PACKAGE, VERSION, make_package

SLOW_PIP = """
import subprocess, sys, tempfile, time
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x" * 5000)
    file.flush()
    child.wait()
"""
FAILING_PIP = "import sys; sys.exit('WARNING: first\\nERROR: the reason.\\n')"
VANISHING_PIP = """
import os, sys, tempfile, time
folder = tempfile.mkdtemp(prefix="vanishing")
while os.path.exists(folder):
    time.sleep(0.01)
sys.exit("ERROR: the reason.")
"""
FULL_PIP = "import sys; sys.exit('ERROR: Could not install: [Errno 28] No space left on device')"


def fake_pip(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(download, "pip_command", lambda requirement, target: [sys.executable, "-c", code])


def fetch_into(folder: Path, on_bytes=lambda done: None, is_cancelled=lambda: False) -> Path:
    return download_wheel(PACKAGE, VERSION, folder, on_bytes, is_cancelled)


def test_pip_brings_the_wheel_and_nothing_else_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = make_package(tmp_path / "index")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    wheel = fetch_into(tmp_path / "work")
    assert wheel.stat().st_size == entry.download_bytes
    assert list((tmp_path / "work").iterdir()) == [wheel]


def test_a_package_that_is_not_there_names_the_cause_and_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(DownloadError, match=r"No matching distribution found.*Check the internet connection") as raised:
        fetch_into(tmp_path / "work")
    assert "\n" not in str(raised.value)
    assert list((tmp_path / "work").iterdir()) == []


def test_cancelling_ends_pip_and_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_pip(monkeypatch, SLOW_PIP)
    seen: list[int] = []
    family: list[psutil.Process] = []

    def is_cancelled() -> bool:
        # Once the growing file has been seen, pip and its child both run.
        if seen and max(seen) >= 5000:
            family.extend(psutil.Process().children(recursive=True))
            return True
        return False

    with pytest.raises(JobCancelledError):
        fetch_into(tmp_path / "work", seen.append, is_cancelled)
    assert len(family) >= 2
    assert not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in family)
    assert list((tmp_path / "work").iterdir()) == []


def test_pips_last_error_is_the_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_pip(monkeypatch, FAILING_PIP)
    with pytest.raises(DownloadError, match=r"the reason\. Check"):
        fetch_into(tmp_path / "work")


def test_a_full_disk_is_a_storage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_pip(monkeypatch, FULL_PIP)
    with pytest.raises(StorageError, match="disk is full"):
        fetch_into(tmp_path / "work")


def test_without_pip_the_next_step_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DownloadError, match="ensurepip"):
        fetch_into(tmp_path / "work")


def test_leftovers_of_a_killed_download_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_pip(monkeypatch, FAILING_PIP)
    left = tmp_path / "work" / "attempt-old" / "tmp" / "half.whl"
    left.parent.mkdir(parents=True)
    left.write_text("half")
    with pytest.raises(DownloadError):
        fetch_into(tmp_path / "work")
    assert not left.exists()


@pytest.mark.parametrize(
    ("stderr", "cause"),
    [
        (
            "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by "
            "'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish "
            "a new connection: [Errno -2] Name or service not known')': /simple/x/\n"
            "ERROR: Could not find a version that satisfies the requirement x==1\n"
            "ERROR: No matching distribution found for x==1\n",
            "Failed to establish a new connection: [Errno -2] Name or service not known",
        ),
        (
            "WARNING: Retrying (Retry(total=4)) after connection broken by 'ReadTimeoutError(\"HTTPSConnectionPool"
            "(host='x', port=443): Read timed out. (read timeout=15)\")': /simple/x/\nERROR: No matching distribution",
            "HTTPSConnectionPool(host='x', port=443): Read timed out. (read timeout=15)",
        ),
        ("ERROR: one\nERROR: two.\nnotice", "two"),
        ("odd words", "odd words"),
        ("", "pip gave no reason"),
    ],
)
def test_the_cause_is_the_line_that_says_why(stderr: str, cause: str) -> None:
    assert failure_cause(stderr) == cause


def test_a_folder_of_pips_that_goes_while_it_is_looked_into_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_pip(monkeypatch, VANISHING_PIP)
    scan = os.scandir

    def scan_late(path):
        if not isinstance(path, int) and Path(path).name.startswith("vanishing"):
            os.rmdir(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_late)
    with pytest.raises(DownloadError, match=r"the reason\. Check"):
        fetch_into(tmp_path / "work")
