"""One holder at a time, over processes; the lock ends with its process."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import StorageError
from engine.store.lock import exclusive

HOLDER = """
import sys, time
from pathlib import Path
from engine.store.lock import exclusive
with exclusive(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_holder_gets_the_message_at_once(tmp_path: Path) -> None:
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
