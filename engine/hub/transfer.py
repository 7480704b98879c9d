"""Several files at once from the hub, in ranges, until every byte is there; interrupted anywhere, it goes on there.

Knows nothing of models. docs/adr/0015-hub-downloads.md says why huggingface_hub's own downloader is not used.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import httpx2
from huggingface_hub import get_async_session

from engine.hub.faults import HTTP_ERRORS, Fault, explain, passing
from engine.hub.partial_file import IsCancelled, PartialFile
from engine.hub.range_response import RangeResponse, is_whole, request_range
from engine.store.files import check_cancelled

_POLL_S = 0.1
_SAVE_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True)
class TransferLimits:
    """`stall_s`: so long without a byte, or below `min_rate_bytes_per_s`, and the connection is made anew.

    After `max_attempts` failures in a row without a byte between them the download ends, to be started again later.
    """

    max_connections: int = 4
    segment_bytes: int = 32 << 20
    connect_s: float = 15.0
    stall_s: float = 30.0
    min_rate_bytes_per_s: int = 1024
    max_attempts: int = 8


@dataclass(frozen=True, slots=True)
class Origin:
    """The repository that the files come from; `headers` go with every request, the token among them."""

    repo_id: str
    page_url: str
    headers: Mapping[str, str]

    def explain(self, error: Exception) -> Fault:
        return explain(error, self.repo_id, self.page_url, "authorization" in self.headers)


@dataclass(slots=True)
class _Segment:
    file: PartialFile
    start: int
    stop: int
    whole: asyncio.Lock
    """Of the file: held by who reads it whole, from a server that knows no ranges."""

    def gaps(self) -> list[tuple[int, int]]:
        return self.file.ranges.gaps(self.start, self.stop)

    def num_missing(self) -> int:
        return sum(stop - start for start, stop in self.gaps())


class Transfer:
    """One download of several files. `on_bytes(bytes there)` and `on_wait(why)` are called on the caller's thread."""

    def __init__(
        self,
        origin: Origin,
        files: Sequence[PartialFile],
        on_bytes: Callable[[int], None],
        on_wait: Callable[[str], None],
        is_cancelled: IsCancelled,
        limits: TransferLimits | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._origin = origin
        self._files = files
        self._on_bytes = on_bytes
        self._on_wait = on_wait
        self._is_cancelled = is_cancelled
        self._limits = limits or TransferLimits()
        self._sleep = sleep

    def run(self) -> None:
        """Returns when every byte is there, still to be verified. What is there is kept whatever happens.

        Raises `DownloadError` and what derives from it, `StorageError`, `JobCancelledError`.
        """
        # A selector loop of this thread's own, whatever policy the window's loop has set.
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            runner.run(self._run())

    async def _run(self) -> None:
        segments = deque(self._segments())
        async with get_async_session() as session:
            workers = [
                asyncio.create_task(self._work(session, segments))
                for _ in range(min(self._limits.max_connections, len(segments)))
            ]
            try:
                await self._watch(workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
                for file in self._files:
                    file.close()

    def _segments(self) -> list[_Segment]:
        size = self._limits.segment_bytes
        segments = []
        for file in self._files:
            whole = asyncio.Lock()
            for start, stop in file.gaps():
                segments += [_Segment(file, low, min(low + size, stop), whole) for low in range(start, stop, size)]
        return segments

    async def _watch(self, workers: Sequence[asyncio.Task[None]]) -> None:
        """Until all workers have ended or one has failed; meanwhile progress, records, and the wish to cancel."""
        running, save_at = set(workers), 0.0
        while running:
            ended, running = await asyncio.wait(running, timeout=_POLL_S, return_when=asyncio.FIRST_EXCEPTION)
            for worker in ended:
                worker.result()
            check_cancelled(self._is_cancelled)
            self._on_bytes(sum(file.ranges.num_bytes for file in self._files))
            if time.monotonic() >= save_at:
                for file in self._files:
                    file.save()
                save_at = time.monotonic() + _SAVE_INTERVAL_S

    async def _work(self, session: httpx2.AsyncClient, segments: deque[_Segment]) -> None:
        while segments:
            await self._fetch(session, segments.popleft())

    async def _fetch(self, session: httpx2.AsyncClient, segment: _Segment) -> None:
        """Try until the segment is there. Raises the last fault's error once too many tries have brought nothing."""
        num_attempts = 0
        while missing := segment.num_missing():
            fault = await self._attempt(session, segment)
            if fault is None:
                continue
            num_attempts = 1 if segment.num_missing() < missing else num_attempts + 1
            if not fault.is_passing or num_attempts >= self._limits.max_attempts:
                raise fault.error
            wait_s = fault.wait_s(num_attempts)
            self._on_wait(f"{fault.error}. Next try in {wait_s:.0f} s")
            await self._sleep(wait_s)

    async def _attempt(self, session: httpx2.AsyncClient, segment: _Segment) -> Fault | None:
        """One request for the first gap of the segment; what went wrong, if anything did."""
        start, stop = segment.gaps()[0]
        limits = self._limits
        url, headers = segment.file.expected.url, self._origin.headers
        request = request_range(session, url, headers, start, stop, limits.connect_s, limits.stall_s)
        try:
            async with request as raw:
                response = RangeResponse(raw, segment.file, limits.stall_s, limits.min_rate_bytes_per_s)
                response.check(start)
                if not is_whole(raw):
                    await response.read(start, stop)
                    return None
                if not segment.whole.locked():
                    async with segment.whole:
                        await response.read(0, segment.file.expected.size_bytes)
                    return None
            # Another connection reads the whole file: when it ends, there is nothing left to do, or it is our turn.
            async with segment.whole:
                return None
        except HTTP_ERRORS as error:
            return self._origin.explain(error)
        except TimeoutError:
            return passing("The download is stuck: the connection is made anew")
