"""The history of the real window, clicked through with chats that the real engine answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.history_driver import CHINESE, FOREIGN, FORMATS, QUESTIONS
from tests.e2e.window_user import report_of


@pytest.fixture
def report(starter_home: Path) -> dict[str, Any]:
    return report_of("tests.e2e.history_driver", starter_home)


def test_search_find_trash_folders_and_files_do_what_they_say(report: dict[str, Any]) -> None:
    assert report["found_in"] == QUESTIONS[0]
    assert report["find_is_open"] is False
    assert report["after_undo"] == report["after_trash"] == sorted(QUESTIONS)
    assert report["pinned"] == ["Pinned", QUESTIONS[1]]
    assert report["in_folder"] == ["Folders", "New folder", QUESTIONS[0]]
    assert report["folded"]
    assert report["dragged"] == sorted([QUESTIONS[0], CHINESE])
    assert report["moved"] == [CHINESE, QUESTIONS[1]]
    assert report["unsorted"] == sorted(QUESTIONS)
    assert sorted(report["renamed"]) == sorted(QUESTIONS)
    assert [report[name] for name in FORMATS] == [True, True, True]
    assert report["one"] == QUESTIONS[1]
    assert report["foreign"] == [
        ["Where to?", "To the hills", "And this picture?"],
        ["Where to?", "To the hills", "Thanks"],
        ["Where to?", "To sea", "Thanks"],
    ]
    assert report["in_trash"] == sorted(QUESTIONS[:2])
    assert report["list_is_back"]
    assert report["left"] == sorted([*FOREIGN, CHINESE])
