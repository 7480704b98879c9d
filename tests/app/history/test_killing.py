"""A window that is killed while it answers loses nothing that was on disk; the long version is `killing.py` itself."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.app.history.killing import kill_windows


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_killed_windows_lose_no_chat(tmp_path: Path) -> None:
    tally = kill_windows(3, tmp_path, random.Random(1))
    assert tally.faults == []
    assert tally.num_kills == 3
