"""More chats than the pool holds, in a real window with the real engine, in a process of its own."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.window_user import report_of


def test_tabs_tell_of_waiting_swapping_and_failing_and_a_full_chat_goes_on(starter_home: Path) -> None:
    report = report_of("tests.e2e.crowd_driver", starter_home)
    assert report["answered"] == [True] * 4
    phases = {phase for told in report["phases"].values() for phase in told}
    assert phases >= {"waiting", "prefill", "streaming", "idle", "failed"}
    assert ("swapped" in phases) == ("swap" in report["preempted"])
    assert report["marks_differ"]
    words = {word for told in report["words"].values() for word in told}
    assert "(1st)" in words
    assert any(word.endswith(" %") for word in words)
    assert report["memory_is_hidden"]
    assert report["first_is_in_sight"]
    assert report["after_ctrl_tab"] == 1
    assert report["both_in_sight"]
    assert report["beside"] == "Right."
    assert report["split_is_over"]
    assert report["title"] == "Colours"
    assert report["refusal"].startswith("This chat is full: ")
    assert report["stayed"]
    assert report["forgotten"].startswith("The chat is full: from here on the model no longer sees turn 1 (")
    assert report["copied_failure"] == report["failure"] == "The engine is not running: restart it, then retry"
    assert report["retried"] == ["idle", True]
