"""An engine that does nothing by itself: a test reads what was sent to it and hands events in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.messages import (
    BlockSnapshot,
    Cancel,
    Command,
    EngineStarted,
    Event,
    ModelLoaded,
    PrefillProgress,
    RequestFinished,
    Submit,
    TextDelta,
)

MODEL = ModelLoaded(
    model_id="tiny",
    name="Tiny 1M",
    backend="cpu",
    max_context=8192,
    weight_bytes=100_000_000,
    num_blocks=512,
    block_size=16,
    kv_bytes_per_token=23_040,
)


class FakeEngine:
    """Stands where `EngineHandle` stands."""

    def __init__(self, sink: Callable[[Sequence[Event]], None], snapshot_sink: Callable[[BlockSnapshot], None]) -> None:
        self.sink = sink
        self.snapshot_sink = snapshot_sink
        self.commands: list[Command] = []
        self.is_started = False
        self.is_closed = False

    def start(self) -> None:
        self.is_started = True

    def send(self, command: Command) -> None:
        self.commands.append(command)

    def close(self, timeout_s: float = 10) -> bool:
        self.is_closed = True
        return True

    def emit(self, *events: Event) -> None:
        self.sink(events)

    def get_ready(self) -> None:
        self.emit(EngineStarted("cpu", 2), MODEL)

    def submits(self) -> list[Submit]:
        return [command for command in self.commands if isinstance(command, Submit)]

    def cancelled(self) -> list[str]:
        return [command.request_id for command in self.commands if isinstance(command, Cancel)]

    def answer(self, request_id: str, *texts: str) -> None:
        """The events from the prompt's last chunk to these pieces of text."""
        self.emit(PrefillProgress(request_id, 20, 20, 16))
        self.emit(*(TextDelta(request_id, text, (1,)) for text in texts))

    def finish(self, request_id: str, reason: str = "stop") -> None:
        self.emit(finished(request_id, reason))


def finished(request_id: str, reason: str = "stop") -> RequestFinished:
    return RequestFinished(request_id, reason, 20, 16, 40, 0.21, 62.4)  # type: ignore[arg-type]


class FakeEngines:
    """Makes fake engines and keeps them; the newest is the one in use."""

    def __init__(self) -> None:
        self.made: list[FakeEngine] = []

    def __call__(
        self, sink: Callable[[Sequence[Event]], None], snapshot_sink: Callable[[BlockSnapshot], None]
    ) -> FakeEngine:
        self.made.append(FakeEngine(sink, snapshot_sink))
        return self.made[-1]

    @property
    def newest(self) -> FakeEngine:
        return self.made[-1]
