"""The tools of a chat's messages with the real starter, in a window of a process of its own."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.window_user import report_of


def test_messages_are_edited_answered_again_continued_attached_branched_and_deleted(starter_home: Path) -> None:
    report = report_of("tests.e2e.chat_driver", starter_home)
    assert report["same_seed_same_answer"]
    assert report["versions"] == "3 of 3"
    assert report["edited"] == "Name a colour. Please."
    assert report["version_before"] == "Name a colour."
    assert report["version_behind"] == "Name a colour. Please."
    assert report["went_on"]
    assert report["continued"]
    assert 100 < report["counted"] < report["prompt_tokens_with_file"]
    assert report["branch"]
    assert report["deleted"]
    assert report["undone"]
    assert report["both_answered"]
