"""A file that is being downloaded in pieces: its bytes in `<name>.partial`, beside them a record of which are there.

Knows nothing of where the bytes come from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine.errors import DownloadError, StorageError
from engine.hub.ranges import ByteRanges
from engine.store.files import CHUNK_BYTES, OnBytes, check_cancelled, hash_file, replace, storage_errors, write_file

PARTIAL_SUFFIX = ".partial"
RECORD_SUFFIX = ".partial.json"
IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class ExpectedFile:
    """Where a file comes from, where it goes and what it must be: by its `sha256`, or else as git knows it.

    `blob_id` is the SHA-1 of git's object: "blob", a space, the size in decimal digits, a zero byte, the content.
    """

    url: str
    target: Path
    size_bytes: int
    sha256: str | None
    blob_id: str | None

    @property
    def digest(self) -> str:
        """Raises `DownloadError` if the hub has told none."""
        digest = self.sha256 or self.blob_id
        if digest is None:
            raise DownloadError(f"The hub tells no checksum of {self.target.name}: choose another file or mirror")
        return digest

    def digest_of(self, path: Path, on_bytes: OnBytes | None = None, is_cancelled: IsCancelled | None = None) -> str:
        """What `digest` would have to be for the file at `path`. Raises OSError, `JobCancelledError`."""
        if self.sha256 is not None:
            return hash_file(path, on_bytes, is_cancelled).sha256
        object_id = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                check_cancelled(is_cancelled)
                object_id.update(chunk)
                if on_bytes is not None:
                    on_bytes(len(chunk))
        return object_id.hexdigest()


class PartialFile:
    """Takes over what an earlier run has left of the same file. One thread uses it, and one process."""

    def __init__(self, expected: ExpectedFile) -> None:
        self.expected = expected
        self.path = expected.target.with_name(expected.target.name + PARTIAL_SUFFIX)
        self._record_path = expected.target.with_name(expected.target.name + RECORD_SUFFIX)
        self._file: BinaryIO | None = None
        self.ranges = self._read_record()

    @property
    def is_complete(self) -> bool:
        return not self.gaps()

    def gaps(self) -> list[tuple[int, int]]:
        return self.ranges.gaps(0, self.expected.size_bytes)

    def write(self, offset: int, data: bytes) -> None:
        """Raises `StorageError`, `NoRoomError`; then the bytes count as missing."""
        with storage_errors(self.path):
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                # Unbuffered: what the record calls written must be with the system, should this process be killed.
                self._file = self.path.open("r+b" if self.ranges.num_bytes else "w+b", buffering=0)
            self._file.seek(offset)
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        self.ranges.add(offset, offset + len(data))

    def save(self) -> None:
        """Record what is there, for a later run. On a full disk the record before it stays, which is true as well."""
        if self._file is None:
            return
        record = {"digest": self.expected.digest, "size_bytes": self.expected.size_bytes, "ranges": list(self.ranges)}
        with suppress(StorageError):
            write_file(self._record_path, [json.dumps(record).encode()], is_durable=False)

    def close(self) -> None:
        self.save()
        if self._file is not None:
            self._file.close()
            self._file = None

    def finish(self, on_bytes: OnBytes | None = None, is_cancelled: IsCancelled | None = None) -> None:
        """Read the whole file back and give it its name; a file of another content is removed.

        Raises `DownloadError`, `StorageError`, `JobCancelledError`, which leaves all as it is.
        """
        assert self.is_complete, self.gaps()
        if self._file is None and not self.path.exists():
            self.write(0, b"")  # an empty file
        self.close()
        with storage_errors(self.path):
            found = self.expected.digest_of(self.path, on_bytes, is_cancelled)
            if found == self.expected.digest:
                replace(self.path, self.expected.target)
        self.discard()
        if found != self.expected.digest:
            raise DownloadError(
                f"{self.expected.target.name} has the checksum {found[:12]}…, must have "
                f"{self.expected.digest[:12]}…: download it again, and do not use the file if this repeats"
            )

    def discard(self) -> None:
        """Remove what is there of the file. Raises `StorageError`."""
        if self._file is not None:
            self._file.close()
            self._file = None
        with storage_errors(self.path):
            # The record first: bytes without a record are started anew, a record without bytes would lie.
            self._record_path.unlink(missing_ok=True)
            self.path.unlink(missing_ok=True)
        self.ranges = ByteRanges()

    def _read_record(self) -> ByteRanges:
        """What is there of this very file, nothing if that cannot be told."""
        try:
            record = json.loads(self._record_path.read_text(encoding="utf-8"))
            if (record["digest"], record["size_bytes"]) != (self.expected.digest, self.expected.size_bytes):
                return ByteRanges()
            there_bytes = self.path.stat().st_size
            ranges = [(start, stop) for start, stop in record["ranges"]]
            if any(type(start) is not int or type(stop) is not int or not 0 <= start <= stop for start, stop in ranges):
                return ByteRanges()
            return ByteRanges((start, min(stop, there_bytes)) for start, stop in ranges if start < there_bytes)
        except (OSError, KeyError, TypeError, ValueError, RecursionError):
            return ByteRanges()
