"""The history of the real window, clicked through with chats that the real engine answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.history_driver import QUESTIONS
from tests.e2e.window_user import report_of


@pytest.fixture
def report(starter_home: Path) -> dict[str, object]:
    return report_of("tests.e2e.history_driver", starter_home)


def test_search_find_trash_folders_and_files_do_what_they_say(report: dict[str, object]):
    assert report["found_in"] == QUESTIONS[0]
    assert report["find_is_open"] is False
    assert report["after_undo"] == report["after_trash"] == sorted(QUESTIONS)
    assert report["pinned"] == ["Pinned", QUESTIONS[1]]
    assert report["in_folder"] == ["Folders", "New folder", QUESTIONS[0]]
    assert [report[name] for name in ("chats.json", "chats.md", "chats.html")] == [2, 2, 2]
    assert report["num_dialogs"] == 0
