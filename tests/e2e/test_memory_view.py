"""The memory view of the real window, clicked through while the real engine answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.window_user import report_of


@pytest.fixture
def report(starter_home: Path) -> dict[str, Any]:
    return report_of("tests.e2e.memory_view_driver", starter_home)


def test_every_control_of_the_memory_view_does_what_it_says(report: dict[str, Any]) -> None:
    assert report["folded"] == []
    tree = str(report["tree"]).splitlines()
    # Both chats begin with the same words, which are kept once.
    assert sum("You answer in one short sentence" in line for line in tree) == 1
    assert "tokens 0–15" in str(report["clicked_block"])
    assert "You answer in one" in str(report["clicked_block"])
    assert str(report["last_block"]).endswith("free")
    assert report["kept_after_escape"] is False
    assert report["kept_after_close"] is False
    assert report["opened"] == [False, True]
    assert report["filter"] == [True, True]
    by_key = report["dropped_by_key"]
    assert by_key["of_text"] == by_key["cached"] == by_key["free"] > 0
    assert by_key["words"].startswith(f"Dropped {by_key['of_text']} block")
    pinned, unpinned, dropped = report["answers"]
    assert pinned.startswith("Pinned: ")
    assert unpinned == "Unpinned this text."
    assert dropped.startswith("Dropped ")
    many, short, in_eight_bits = report["planner"]
    assert many.startswith("No room for 32 chats of 8,192 tokens together: ")
    assert short.startswith("There is room for 32 chats of 512 tokens: ")
    assert in_eight_bits.startswith("There is room for 32 chats of 512 tokens: ")
    assert in_eight_bits != short
    assert report["eight_bits"]
    last, middle = report["timeline"]
    assert last.startswith("0.2 s ago")
    assert middle.startswith("5.0 s ago")
    copied = str(report["copied"])
    for title in ("Where memory goes", "Blocks", "Chats in the engine", "Cached texts", "Steps", "How many chats fit"):
        assert title in copied
    assert "at rest" in copied
    parts = report["parts"]
    # What the others say changes from second to second.
    assert all(parts[key] in copied for key in ("blocks", "chats", "tree", "fit"))
    assert parts["bar"].startswith("Where memory goes\nweights ")
    assert "\nseconds ago\tsteps\t" in parts["steps"]
    assert report["is_folded"] == [True, False, False, True]
    # Detached, put back, hidden, and shown again by its key.
    assert report["dock"] == [[True, True], [False, True], [False, False], [False, True]]
