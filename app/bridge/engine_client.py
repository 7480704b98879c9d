"""Owns the window's side of the engine: commands down, events routed to streams and signals.

Does not know how the engine works nor what the views do; the engine is injected.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from app.bridge.mailbox import Mailbox
from app.bridge.response_stream import ResponseStream, StreamEvent
from app.i18n import QT_TRANSLATE_NOOP, translate
from engine.messages import (
    BlockFacts,
    BlockSnapshot,
    Cancel,
    ChatMessage,
    Command,
    ContextTrimmed,
    CountTokens,
    EngineDied,
    EngineStarted,
    EngineStats,
    Event,
    HubFailed,
    HubResults,
    JobFinished,
    JobProgress,
    LibraryEvent,
    ModelLoaded,
    ModelLoadFailed,
    ModelLoadProgress,
    ModelUnloaded,
    PrefillProgress,
    PrefixDropped,
    PrefixPinned,
    PrefixTree,
    RepositoryFacts,
    RequestFailed,
    RequestFinished,
    RequestPreempted,
    RequestQueued,
    RequestResumed,
    SamplingParams,
    StepsTaken,
    Submit,
    TextDelta,
    TokensCounted,
    WhenFull,
)

_log = logging.getLogger(__name__)
GONE_CODE = "engine_error"
GONE_MESSAGE = QT_TRANSLATE_NOOP("app", "The engine is not running: restart it, then retry")


class Engine(Protocol):
    """What the client needs of `engine.api.EngineHandle`."""

    def start(self) -> None: ...

    def send(self, command: Command) -> None: ...

    def close(self, timeout_s: float = 10) -> bool: ...


EngineFactory = Callable[[Callable[[Sequence[Event]], None], Callable[[BlockSnapshot], None]], Engine]
"""Makes an engine that is not started, from its sink and its snapshot sink."""


class EngineClient(QObject):
    """The asyncio face of the engine. Lives on the GUI thread; every signal is emitted there."""

    engine_started = Signal(EngineStarted)
    engine_died = Signal(EngineDied)
    engine_left = Signal()
    """It has died, or another is about to take its place: what was asked of it before is answered no more."""
    engine_missed = Signal(EngineDied)
    """A message was sent though the engine has died and nobody has restarted it."""
    model_changed = Signal(object)
    """ModelLoadProgress | ModelLoaded | ModelLoadFailed | ModelUnloaded"""
    job_progressed = Signal(JobProgress)
    job_finished = Signal(JobFinished)
    stats_changed = Signal(EngineStats)
    hub_answered = Signal(object)
    """HubResults | RepositoryFacts | HubFailed"""
    library_answered = Signal(object)
    """LibraryEvent"""
    answer_finished = Signal(RequestFinished)
    """Of any chat; its stream gets it too."""
    snapshot_arrived = Signal(BlockSnapshot)
    memory_answered = Signal(object)
    """BlockFacts | PrefixDropped | PrefixPinned | PrefixTree | StepsTaken"""

    def __init__(
        self, make_engine: EngineFactory, loop: asyncio.AbstractEventLoop, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._make_engine = make_engine
        self._loop = loop
        self._streams: dict[str, ResponseStream] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._counts: dict[str, asyncio.Future[tuple[int, ...] | None]] = {}
        self._connect_engine()

    def _connect_engine(self) -> None:
        self._mailbox = Mailbox(self._loop, self._on_event, self._on_snapshot)
        self._engine = self._make_engine(self._mailbox.put, self._mailbox.put_snapshot)
        self._death: EngineDied | None = None
        self._is_gone = False
        """No answer can come: the engine has died, or another is about to take its place."""

    def start(self) -> None:
        self._engine.start()

    def send(self, command: Command) -> None:
        self._engine.send(command)

    def run(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts a task on the window's loop and keeps it alive; a fault in it is logged."""
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)
        return task

    def stream(
        self,
        messages: Sequence[ChatMessage],
        params: SamplingParams,
        owner: str,
        when_full: WhenFull = "stop",
        continues_answer: bool = False,
    ) -> ResponseStream:
        """Submits a chat and gives back its events. Closing the stream before its end cancels the request."""
        request_id = uuid.uuid4().hex
        stream = ResponseStream(request_id, self._on_stream_cancelled, self._on_stream_left)
        if self._is_gone:
            stream.put(RequestFailed(request_id, GONE_CODE, translate("app", GONE_MESSAGE)))
            if self._death is not None:
                self.engine_missed.emit(self._death)
            return stream
        self._streams[request_id] = stream
        self.send(
            Submit(
                request_id,
                params,
                messages=tuple(messages),
                owner=owner,
                when_full=when_full,
                continues_answer=continues_answer,
                cuts_answer=True,
            )
        )
        return stream

    async def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...] | None:
        """How many tokens each text has for the loaded model; None if none is loaded or the engine is gone."""
        if self._is_gone:
            return None
        count_id = uuid.uuid4().hex
        answer = self._counts[count_id] = self._loop.create_future()
        self.send(CountTokens(count_id, tuple(texts)))
        return await answer

    async def restart(self) -> None:
        """Puts a new engine in the place of this one, dead or not. What was still open ends as failed.

        Not to be called again before it has ended.
        """
        is_news, self._is_gone, self._death = not self._is_gone, True, None
        self._mailbox.close()
        self._fail_streams(GONE_CODE, translate("app", GONE_MESSAGE))
        if is_news:
            self.engine_left.emit()
        await asyncio.get_running_loop().run_in_executor(None, self._engine.close)
        self._connect_engine()
        self.start()

    def close(self) -> bool:
        """Stops delivery, then the engine with its threads. True if they ended."""
        self._mailbox.close()
        for stream in list(self._streams.values()):
            stream.close()
        for task in list(self._tasks):
            task.cancel()
        return self._engine.close()

    def _on_stream_cancelled(self, request_id: str) -> None:
        self.send(Cancel(request_id))

    def _on_stream_left(self, request_id: str) -> None:
        self._streams.pop(request_id, None)

    def _on_task_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("A task of the window failed", exc_info=error)

    def _on_snapshot(self, snapshot: BlockSnapshot) -> None:
        self.snapshot_arrived.emit(snapshot)

    def _on_event(self, event: Event) -> None:
        match event:
            case (
                ContextTrimmed()
                | RequestQueued()
                | RequestPreempted()
                | RequestResumed()
                | PrefillProgress()
                | TextDelta()
                | RequestFinished()
                | RequestFailed()
            ):
                self._route_to_stream(event)
            case TokensCounted(count_id, counts):
                if (answer := self._counts.pop(count_id, None)) is not None and not answer.done():
                    answer.set_result(counts)
            case EngineStats():
                self.stats_changed.emit(event)
            case ModelLoadProgress() | ModelLoaded() | ModelLoadFailed() | ModelUnloaded():
                self.model_changed.emit(event)
            case JobProgress():
                self.job_progressed.emit(event)
            case JobFinished():
                self.job_finished.emit(event)
            case HubResults() | RepositoryFacts() | HubFailed():
                self.hub_answered.emit(event)
            case BlockFacts() | PrefixDropped() | PrefixPinned() | PrefixTree() | StepsTaken():
                self.memory_answered.emit(event)
            case _ if isinstance(event, LibraryEvent):
                self.library_answered.emit(event)
            case EngineStarted():
                self.engine_started.emit(event)
            case EngineDied():
                self._is_gone, self._death = True, event
                self._fail_streams(event.code, event.message)
                self.engine_left.emit()
                self.engine_died.emit(event)

    def _route_to_stream(self, event: StreamEvent) -> None:
        stream = self._streams.get(event.request_id)
        if stream is None:  # its reader has left
            return
        stream.put(event)
        if isinstance(event, RequestFinished | RequestFailed):
            del self._streams[event.request_id]
        if isinstance(event, RequestFinished):
            self.answer_finished.emit(event)

    def _fail_streams(self, code: str, message: str) -> None:
        """Ends what the engine could not end itself any more."""
        counts, self._counts = self._counts, {}
        for answer in counts.values():
            if not answer.done():
                answer.set_result(None)
        streams, self._streams = self._streams, {}
        for request_id, stream in streams.items():
            stream.put(RequestFailed(request_id, code, message))
