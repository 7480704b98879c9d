"""One holder at a time, over processes; the lock ends with its process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import StorageError
from engine.store.lock import _take, exclusive, is_held

HOLDER = """
import sys, time
from pathlib import Path
from engine.store.lock import exclusive
with exclusive(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_holder_gets_the_message(tmp_path: Path) -> None:
    lock = tmp_path / "locks" / "model.lock"
    with exclusive(lock, "busy"), pytest.raises(StorageError, match="busy"), exclusive(lock, "busy"):
        pass
    with exclusive(lock, "busy"):
        pass


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    lock = tmp_path / "model.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StorageError), exclusive(lock, "busy"):
            pass
        holder.kill()
    with exclusive(lock, "busy"):
        pass


def test_a_question_for_the_lock_does_not_turn_away_who_wants_to_hold_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "model.lock"
    with exclusive(lock, "busy"):
        assert is_held(lock)
    assert not is_held(lock)
    question = os.open(lock, os.O_RDWR)
    _take(question)
    monkeypatch.setattr("engine.store.lock.time.sleep", lambda _: os.close(question))
    with exclusive(lock, "busy"):
        pass
