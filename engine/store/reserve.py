"""Room on a disk that running jobs have still to fill, so that two do not count on the same free bytes.

Knows nothing of what is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from engine.errors import NoRoomError
from engine.store.files import file_size, free_space, nearest_existing, storage_errors


@dataclass(slots=True)
class Hold:
    """One job's share: `left_bytes` are those that it has still to write; the job counts them down."""

    device: int
    left_bytes: int


class DiskReserve:
    """Any thread may hold."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._holds: list[Hold] = []

    @contextmanager
    def hold(self, folder: Path, needed_bytes: int) -> Iterator[Hold]:
        """Keep so much of the folder's disk. Raises `NoRoomError` with the numbers if it is not there."""
        with storage_errors(folder):
            device = nearest_existing(folder).stat().st_dev
        with self._lock:
            free_bytes = free_space(folder)
            kept_bytes = sum(hold.left_bytes for hold in self._holds if hold.device == device)
            if free_bytes - kept_bytes < needed_bytes:
                others = f", of which other jobs need {file_size(kept_bytes)}" if kept_bytes else ""
                raise NoRoomError(
                    f"Needs {file_size(needed_bytes)} in {folder}, {file_size(free_bytes)} free{others}: "
                    "free some space, or choose another folder with --home",
                    folder,
                    needed_bytes + kept_bytes,
                )
            hold = Hold(device, needed_bytes)
            self._holds.append(hold)
        try:
            yield hold
        finally:
            with self._lock:
                # Two holds of the same size are equal, but this one must go.
                self._holds = [other for other in self._holds if other is not hold]
