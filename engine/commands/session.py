"""An engine for the length of one command: a blocking face of `EngineHandle`.

Knows nothing of terminals.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from collections.abc import Sequence as Events
from types import TracebackType

from engine.api import EngineConfig, EngineHandle
from engine.errors import EngineError
from engine.messages import Command, EngineDied, Event, LoadModel, ModelLoaded, ModelLoadFailed


class EngineStoppedError(EngineError):
    """The engine reported a failure; the message is its own."""


class EngineSession:
    """`with EngineSession(...) as session`: the model is loaded inside, and the engine's thread has ended after."""

    def __init__(self, config: EngineConfig, model: str) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._handle = EngineHandle(config, self._receive)
        self._model = model

    def __enter__(self) -> EngineSession:
        self._handle.start()
        try:
            self._load()
        except BaseException:
            self._handle.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._handle.close()

    def send(self, command: Command) -> None:
        self._handle.send(command)

    def events(self) -> Iterator[Event]:
        """Events as they come, without end. Raises `EngineStoppedError` if the engine dies."""
        while True:
            # With a time limit, because a wait without one cannot be interrupted on Windows.
            try:
                event = self._events.get(timeout=0.5)
            except queue.Empty:
                continue
            if isinstance(event, EngineDied):
                raise EngineStoppedError(event.message)
            yield event

    def _receive(self, events: Events[Event]) -> None:
        for event in events:
            self._events.put(event)

    def _load(self) -> None:
        self.send(LoadModel(self._model))
        for event in self.events():
            if isinstance(event, ModelLoadFailed):
                raise EngineStoppedError(event.message)
            if isinstance(event, ModelLoaded):
                return
