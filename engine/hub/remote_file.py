"""The beginning of a file on the hub, read as if it lay here: as many of its bytes are fetched as are looked at.

Knows nothing of what is in the file. Nothing is written to the disk.
"""

from __future__ import annotations

import asyncio
from types import TracebackType

import httpx2
from huggingface_hub import get_async_session

from engine.errors import DownloadError, SourceError
from engine.hub.faults import HTTP_ERRORS, Fault, passing
from engine.hub.partial_file import ExpectedFile, IsCancelled
from engine.hub.range_response import RangeResponse, is_whole, request_range
from engine.hub.transfer import Origin
from engine.store.files import check_cancelled

MAX_BYTES = 32 << 20
"""Far above the header of any real model: with a vocabulary of 151,936 tokens it has 6 MB."""
FIRST_BYTES = 1 << 20
_MAX_STEP_BYTES = 2 << 20
_MAX_FAR_BYTES = 1 << 20
_CONNECT_S, _STALL_S, _MIN_RATE_BYTES_PER_S = 15.0, 20.0, 1024
_POLL_S = 0.1


class RemoteFile:
    """An open file, a context manager; one thread uses it, and reads no further than the file goes.

    The first request is for `first_bytes`, each further one for as much as there is already, `_MAX_STEP_BYTES` at most.
    Raises `DownloadError` and what derives from it, `JobCancelledError`, and `SourceError` behind `MAX_BYTES`; what
    lies far behind what has been read, up to a MiB of it, is fetched for itself.
    """

    def __init__(
        self, origin: Origin, expected: ExpectedFile, is_cancelled: IsCancelled, first_bytes: int = FIRST_BYTES
    ) -> None:
        self._origin = origin
        self._expected = expected
        self._is_cancelled = is_cancelled
        self._first_bytes = first_bytes
        self._head = _Piece(expected, 0)
        self._position = 0
        # A selector loop of this file's own, whatever policy the window's loop has set.
        self._runner = asyncio.Runner(loop_factory=asyncio.SelectorEventLoop)
        self._session: httpx2.AsyncClient | None = None

    def __enter__(self) -> RemoteFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def num_fetched_bytes(self) -> int:
        return self._head.stop

    def seek(self, offset: int, /) -> int:
        self._position = offset
        return offset

    def read(self, length: int, /) -> bytes:
        start, stop = self._position, self._position + length
        assert 0 <= start <= stop <= self._expected.size_bytes, (start, stop, self._expected.size_bytes)
        piece = self._extended(start, stop) if stop > self._head.stop else self._head
        self._position = stop
        return bytes(memoryview(piece.data)[start - piece.start : stop - piece.start])

    def readinto(self, buffer: memoryview, /) -> int:
        data = self.read(len(buffer))
        buffer[:] = data
        return len(data)

    def close(self) -> None:
        """Breaks off what is still on its way."""
        if self._session is not None:
            self._runner.run(self._leave(self._session))
            self._session = None
        self._runner.close()

    def _extended(self, start: int, stop: int) -> _Piece:
        """A piece that has the bytes `[start, stop)`: the head, made longer, or one far behind it."""
        name = self._expected.target.name
        if start > self._head.stop + _MAX_STEP_BYTES:
            if stop - start > _MAX_FAR_BYTES:
                raise SourceError(f"{name} is damaged, it holds {stop - start} bytes of factors: get the file again")
            piece = _Piece(self._expected, start)
        elif stop > MAX_BYTES:
            raise SourceError(f"{name} is damaged, its header has more than {MAX_BYTES} bytes: get the file again")
        else:
            piece = self._head
        self._runner.run(self._fetch(piece, stop))
        return piece

    async def _fetch(self, piece: _Piece, stop: int) -> None:
        """Until the piece reaches to `stop`. A connection that breaks is made anew as long as that brings something,
        or once if it does not."""
        while piece.stop < stop:
            check_cancelled(self._is_cancelled)
            if piece.answer is None:
                piece.answer = asyncio.create_task(self._ask(piece, self._window_stop(piece, stop)))
            piece.has_grown.clear()
            growth = asyncio.create_task(piece.has_grown.wait())
            await asyncio.wait((piece.answer, growth), timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
            growth.cancel()
            if piece.answer.done():
                fault, piece.answer = piece.answer.result(), None
                if fault is not None:
                    raise fault.error

    def _window_stop(self, piece: _Piece, stop: int) -> int:
        if piece is not self._head:
            return stop
        step = min(piece.stop, _MAX_STEP_BYTES) or self._first_bytes
        return min(max(stop, piece.stop + step), MAX_BYTES, self._expected.size_bytes)

    async def _ask(self, piece: _Piece, stop: int) -> Fault | None:
        """One request for what comes next in the piece; what went wrong with it, unless asking again goes on there."""
        if self._session is None:
            self._session = get_async_session()
        start, url, headers = piece.stop, self._expected.url, self._origin.headers
        try:
            async with request_range(self._session, url, headers, start, stop, _CONNECT_S, _STALL_S) as raw:
                response = RangeResponse(raw, piece, _STALL_S, _MIN_RATE_BYTES_PER_S)
                response.check(start)
                if not is_whole(raw):
                    await response.read(start, stop)
                elif piece is self._head:
                    # Nobody reads on from here while nothing more is looked at; then the connection is closed.
                    await response.read(0, min(MAX_BYTES, self._expected.size_bytes))
                else:
                    name = self._expected.target.name
                    raise DownloadError(f"The server sends no parts of {name}: unset HF_ENDPOINT if it names a mirror")
            return None
        except HTTP_ERRORS as error:
            fault = self._origin.explain(error)
        except TimeoutError:
            fault = passing("The download is stuck: try again later")
        # A connection that was kept may have been closed meanwhile: what has come before speaks for one more try.
        is_worth_it = piece.stop > start or (bool(piece.data) and not piece.gave_nothing)
        piece.gave_nothing = piece.stop == start
        return None if fault.is_passing and is_worth_it else fault

    async def _leave(self, session: httpx2.AsyncClient) -> None:
        unfinished = asyncio.all_tasks() - {asyncio.current_task()}
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)
        await session.aclose()


class _Piece:
    """Bytes of the file from `start` on, without a gap."""

    def __init__(self, expected: ExpectedFile, start: int) -> None:
        self.expected = expected
        self.start = start
        self.data = bytearray()
        self.answer: asyncio.Task[Fault | None] | None = None
        self.has_grown = asyncio.Event()
        self.gave_nothing = False
        """Whether the last request that broke had brought nothing new."""

    @property
    def stop(self) -> int:
        """Where in the file the piece ends."""
        return self.start + len(self.data)

    def write(self, offset: int, data: bytes) -> None:
        place = offset - self.start
        assert 0 <= place <= len(self.data), (offset, self.start, self.stop)
        # A server that knows no ranges sends again what is there.
        if place + len(data) > len(self.data):
            self.data[place:] = data
            self.has_grown.set()

    def discard(self) -> None:
        self.data.clear()
