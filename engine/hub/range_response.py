"""One answer of the hub to a request for a range of a file: is it that file, and its bytes into their place.

Knows nothing of trying again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import httpx2
from huggingface_hub import hf_raise_for_status

from engine.errors import DownloadError
from engine.hub.partial_file import ExpectedFile

_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")
_HASH = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")
_MAX_ERROR_BYTES = 1 << 20


class RangeSink(Protocol):
    """Where the bytes of a file go to."""

    @property
    def expected(self) -> ExpectedFile: ...

    def write(self, offset: int, data: bytes) -> None: ...

    def discard(self) -> None:
        """What is there belongs to another file."""


class StuckError(TimeoutError):
    """The connection brings next to nothing."""


def is_whole(response: httpx2.Response) -> bool:
    """Whether the server took no notice of the range and sends the file from its beginning."""
    return response.status_code == 200


def request_range(
    session: httpx2.AsyncClient,
    url: str,
    headers: Mapping[str, str],
    start: int,
    stop: int,
    connect_s: float,
    stall_s: float,
) -> AbstractAsyncContextManager[httpx2.Response]:
    """Ask for the bytes `[start, stop)` of a file."""
    return session.stream(
        "GET",
        url,
        # Compressed by the way it could be neither resumed nor counted.
        headers={**headers, "range": f"bytes={start}-{stop - 1}", "accept-encoding": "identity"},
        timeout=(connect_s, stall_s, stall_s, None),
    )


class RangeResponse:
    """`response` is open and unread."""

    def __init__(self, response: httpx2.Response, file: RangeSink, stall_s: float, min_rate_bytes_per_s: int) -> None:
        self._response = response
        self._file = file
        self._stall_s = stall_s
        self._min_window_bytes = int(stall_s * min_rate_bytes_per_s)

    def check(self, start: int) -> None:
        """Raises what `hf_raise_for_status` does, and `DownloadError` if these are not the bytes from `start` on."""
        hf_raise_for_status(self._response)
        self._check_content()
        if is_whole(self._response):
            return
        found = _CONTENT_RANGE.fullmatch(self._response.headers.get("content-range", ""))
        size_bytes = self._file.expected.size_bytes
        if found is None or int(found[1]) != start or found[3] not in ("*", str(size_bytes)):
            raise DownloadError(
                f"The server answers with {self._response.headers.get('content-range')} for byte {start} of "
                f"{size_bytes} of {self._name}: try again later, or unset HF_ENDPOINT if it names a mirror"
            )

    async def read(self, start: int, stop: int) -> None:
        """Write the body to `[start, stop)` of the file; what comes after is dropped.

        Raises one of `HTTP_ERRORS` where the connection breaks, `StuckError`, `DownloadError`, `StorageError`.
        """
        offset, window_start, window_end_s = start, start, time.monotonic() + self._stall_s
        async for chunk in self._response.aiter_raw():
            data = chunk[: stop - offset]
            self._file.write(offset, data)
            offset += len(data)
            if offset == stop:
                return
            if time.monotonic() >= window_end_s:
                if offset - window_start < self._min_window_bytes:
                    raise StuckError
                window_start, window_end_s = offset, time.monotonic() + self._stall_s
        raise httpx2.RemoteProtocolError(f"the answer ended {stop - offset} bytes early")

    @property
    def _name(self) -> str:
        return self._file.expected.target.name

    def _check_content(self) -> None:
        """The hub's own tag of a file is its digest; a storage server's may be anything else."""
        if self._response.headers.get("content-encoding", "identity") != "identity":
            raise DownloadError(f"The server sends {self._name} compressed: unset HF_ENDPOINT if it names a mirror")
        for response in (*self._response.history, self._response):
            tag = response.headers.get("x-linked-etag") or response.headers.get("etag") or ""
            digest = tag.removeprefix("W/").strip('"')
            if not _HASH.fullmatch(digest):
                continue
            if digest not in (self._file.expected.sha256, self._file.expected.blob_id):
                self._file.discard()
                raise DownloadError(f"{self._name} has changed on the hub meanwhile: look at the repository again")
            return
