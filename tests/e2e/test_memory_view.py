"""The memory view of the real window, clicked through while the real engine answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.window_user import report_of


@pytest.fixture
def report(starter_home: Path) -> dict[str, object]:
    return report_of("tests.e2e.memory_view_driver", starter_home)


def test_every_control_of_the_memory_view_does_what_it_says(report: dict[str, object]):
    assert report["folded"] == []
    tree = str(report["tree"]).splitlines()
    # Both chats begin with the same words, which are kept once.
    assert sum("You answer in one short sentence" in line for line in tree) == 1
    assert "tokens 0–15" in str(report["clicked_block"])
    assert "You answer in one" in str(report["clicked_block"])
    assert str(report["last_block"]).endswith("free")
    assert report["kept_after_escape"] is False
    assert report["filter"] == [True, True]
    pinned, unpinned, dropped = report["answers"]  # type: ignore[misc]
    assert pinned.startswith("Pinned: ")
    assert unpinned == "Unpinned “this text”."
    assert dropped.startswith("Dropped ")
    assert "chats of" in str(report["planner"])
    assert "s ago" in str(report["timeline"])
    copied = str(report["copied"])
    for title in ("Where memory goes", "Blocks", "Chats in the engine", "Cached texts", "Steps", "How many chats fit"):
        assert title in copied
    assert "at rest" in copied
