"""Files compared with their record, byte by byte. Standard library only; knows nothing of what is in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from engine.errors import DamagedCheckpointError
from engine.store.files import FileRecord, hash_file
from engine.store.manifest import file_error


def verify_files(
    folder: Path,
    files: Mapping[str, FileRecord],
    on_progress: Callable[[int, int], None] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> None:
    """Read every file and compare size and digest.

    Raises `DamagedCheckpointError` naming the first that is missing or differs, `CheckpointError` if one cannot be
    read, `JobCancelledError` if cancelled.
    """
    total_bytes = sum(record.size_bytes for record in files.values())
    done_bytes = 0

    def on_bytes(count: int) -> None:
        nonlocal done_bytes
        done_bytes += count
        if on_progress is not None:
            on_progress(min(done_bytes, total_bytes), total_bytes)

    for name, record in files.items():
        try:
            found = hash_file(folder / name, on_bytes, is_cancelled)
        except OSError as error:
            raise file_error(folder / name, error) from error
        if found != record:
            raise DamagedCheckpointError(f"{folder / name} differs from its recorded sha256: convert the model again")
