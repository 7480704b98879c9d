"""The real starter model, fetched once and kept in the user's cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest
from filelock import FileLock

from engine.api import list_models

ROOT = Path(__file__).resolve().parents[2]
KEPT_HOME = platformdirs.user_cache_path("DeepInfer-tests", appauthor=False) / "home"

CommandLine = Callable[..., "subprocess.CompletedProcess[str]"]


def run_engine(home: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "engine", *arguments, "--home", str(home)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", **options)  # type: ignore[call-overload]


@pytest.fixture(scope="session")
def kept_home() -> Path:
    KEPT_HOME.mkdir(parents=True, exist_ok=True)
    # Other processes of the same run want it too.
    with FileLock(KEPT_HOME.with_suffix(".lock")):
        result = run_engine(KEPT_HOME, "fetch", "starter")
        assert result.returncode == 0, result.stderr
        # What a first load makes, so that not every test's own folder makes it.
        result = run_engine(KEPT_HOME, "generate", "starter", "--prompt", "Hi", "--max-tokens", "1")
        assert result.returncode == 0, result.stderr
    return KEPT_HOME


@pytest.fixture
def starter_home(kept_home: Path, tmp_path: Path) -> Path:
    """A data folder of the test's own with the starter in it; the weights are linked, not copied."""
    home = tmp_path / "home"
    for entry in list_models(kept_home):
        shutil.copytree(entry.path, home / "models" / entry.path.name, copy_function=_link)
    return home


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


@pytest.fixture
def engine(starter_home: Path) -> CommandLine:
    """Runs `python -m engine ARGUMENTS` on the starter's data folder."""
    return lambda *arguments, **options: run_engine(starter_home, *arguments, **options)
