"""Tabs, prompts, options, following, copying and editing with the real starter, in a window of a process of its own."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.desk_driver import EDITED, FILE, SYSTEM_PROMPT
from tests.e2e.window_user import report_of


def test_what_stands_around_the_messages_does_what_it_says(starter_home: Path) -> None:
    report = report_of("tests.e2e.desk_driver", starter_home)
    assert report["shift_tab"]
    assert report["dragged"] == ["Two?", "One?"]
    assert report["after_middle_click"] == "Two?"
    assert report["reopened"] == "One?"
    assert report["prompt"].startswith("Summarise this")
    assert report["pasted"] == [True]
    assert report["after_removal"] == 0
    assert report["dropped"] == [FILE.name, FILE.read_text(encoding="utf-8").strip("\n"), True]
    assert report["preset"]
    assert report["when_full"][0] == "drop_oldest"
    assert report["system"] == [SYSTEM_PROMPT]
    is_following, can_come_back, place = report["left"]
    assert (is_following, can_come_back) == (False, True)
    assert report["stayed"] == place
    assert report["followed"] == [True, True]
    assert report["copied"] == EDITED.strip()
    assert report["copied_text"] == "Bold words:\n\nprint(1)"
    assert report["copied_code"] == "print(1)"
    assert report["contrast"] == [[True, True], [True, True], True, "#000000"]
