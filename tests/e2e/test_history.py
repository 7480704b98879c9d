"""The history of the real window, clicked through with chats that the real engine answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT
from tests.e2e.history_driver import QUESTIONS


@pytest.fixture
def report(starter_home: Path) -> dict[str, object]:
    command = [sys.executable, "-m", "tests.e2e.history_driver", str(starter_home)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "LANGUAGE": "en", "LC_ALL": "C.UTF-8"}
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=280
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def test_search_find_trash_folders_and_files_do_what_they_say(report: dict[str, object]):
    assert report["found_in"] == QUESTIONS[0]
    assert report["find_is_open"] is False
    assert report["after_undo"] == report["after_trash"] == sorted(QUESTIONS)
    assert report["pinned"] == ["Pinned", QUESTIONS[1]]
    assert report["in_folder"] == ["Folders", "New folder", QUESTIONS[0]]
    assert [report[name] for name in ("chats.json", "chats.md", "chats.html")] == [2, 2, 2]
    assert report["num_dialogs"] == 0
