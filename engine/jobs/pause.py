"""Jobs that wait: for a moment to pass, or while a disk is full. Knows nothing of what they do."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from engine.errors import NoRoomError
from engine.store.files import check_cancelled, file_size, free_space

MIN_ROOM_BYTES = 64 << 20
"""So much must be free before a job goes on that has found the disk full."""
_POLL_S = 0.1
_ROOM_POLL_S = 2.0
T = TypeVar("T")


def pause(duration_s: float, is_cancelled: Callable[[], bool]) -> None:
    """Raises `JobCancelledError` soon after it is cancelled."""
    end_s = time.monotonic() + duration_s
    check_cancelled(is_cancelled)
    while (left_s := end_s - time.monotonic()) > 0:
        time.sleep(min(left_s, _POLL_S))
        check_cancelled(is_cancelled)


def run_despite_full_disk(work: Callable[[], T], on_wait: Callable[[str], None], is_cancelled: Callable[[], bool]) -> T:
    """Do `work`, which can be resumed; if the disk turns out full on the way, wait for room and do it again.

    Too little room before anything was written is an error at once: `NoRoomError`, as is what else `work` raises.
    """
    has_begun = False
    while True:
        try:
            return work()
        except NoRoomError as error:
            if error.needed_bytes is not None and not has_begun:
                raise
            has_begun = True
            _wait_for_room(error, on_wait, is_cancelled)


def _wait_for_room(error: NoRoomError, on_wait: Callable[[str], None], is_cancelled: Callable[[], bool]) -> None:
    needed_bytes = max(error.needed_bytes or 0, MIN_ROOM_BYTES)
    on_wait(f"Paused, the disk is full: goes on once {file_size(needed_bytes)} are free in {error.folder}")
    pause(_ROOM_POLL_S, is_cancelled)
    while free_space(error.folder) < needed_bytes:
        pause(_ROOM_POLL_S, is_cancelled)
