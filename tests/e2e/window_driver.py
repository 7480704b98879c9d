"""Uses the real window with the real engine as a person does, and prints as JSON what it saw.

Run as a program of its own, because how the program quits is part of what is tested:
`python -m tests.e2e.window_driver HOME`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from app.chat.message_view import AnswerMessageView
from app.chat.tab import ChatTab
from app.main_window import MainWindow
from engine.api import EngineConfig, EngineHandle
from engine.messages import BlockSnapshot, Cancel, Command, Event, RequestFinished, Submit, TextDelta
from tests.e2e.window_user import WindowUser, use_window

QUESTIONS = {
    "stopped": "Tell me a very long story about a lighthouse and its keeper.",
    "closed": "Explain in great detail, step by step, how bread is made.",
    "quit": "Write a long letter to a friend about a journey by train.",
}


class RecordingEngine:
    """The real engine, with everything that crosses its door written down in order."""

    def __init__(
        self,
        config: EngineConfig,
        sink: Callable[[Sequence[Event]], None],
        snapshot_sink: Callable[[BlockSnapshot], None],
    ) -> None:
        self._sink, self._snapshot_sink = sink, snapshot_sink
        self.log: list[Command | list[Event] | BlockSnapshot] = []
        self._handle = EngineHandle(config, self._on_events, self._on_snapshot)
        self.start, self.close = self._handle.start, self._handle.close

    def send(self, command: Command) -> None:
        self.log.append(command)
        self._handle.send(command)

    def _on_events(self, events: Sequence[Event]) -> None:
        self.log.append(list(events))
        self._sink(events)

    def _on_snapshot(self, snapshot: BlockSnapshot) -> None:
        self.log.append(snapshot)
        self._snapshot_sink(snapshot)


class Driver(WindowUser):
    def __init__(self, window: MainWindow, engines: list[RecordingEngine]) -> None:
        super().__init__(window)
        self._engines = engines
        self._tabs: dict[str, ChatTab] = {}

    @property
    def log(self) -> list[Any]:
        return self._engines[0].log

    def result(self) -> dict[str, Any]:
        chats = {
            name: {"id": tab.session.id, "texts": [message.text for message in tab.session.messages]}
            for name, tab in self._tabs.items()
        }
        return {**self.report, "chats": chats}

    async def _use(self) -> None:
        await self._model()
        for name, question in QUESTIONS.items():
            self._tabs[name] = await self._ask(question)
        await self._wait("three streams", lambda: all(len(t.session.answer.text) > 10 for t in self._tabs.values()))
        self.report["all_streamed_at_once"] = all(tab.session.is_busy for tab in self._tabs.values())

        stopped = self._tabs["stopped"]
        self._window.tabs.setCurrentWidget(stopped)
        await self._key(stopped.composer, Qt.Key.Key_Escape)
        await self._wait("the stop", lambda: not stopped.session.is_busy)
        await self._wait("a snapshot after the stop", lambda: self._snapshot_after_end(stopped.session.id) is not None)
        self.report["steps_until_stopped"] = self._steps_until_end(stopped.session.id)
        self.report["blocks_after_stop"] = self._held_blocks(stopped.session.id)

        closed = self._tabs["closed"]
        self.report["closed_while_streaming"] = closed.session.is_busy
        self._window.tabs.setCurrentWidget(closed)
        await self._key(self._window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
        await self._wait("a snapshot after the close", lambda: self._snapshot_after_end(closed.session.id) is not None)
        self.report["blocks_after_close"] = self._held_blocks(closed.session.id)

        last = self._tabs["quit"].session
        length = len(last.answer.text)
        await self._wait("more of the last answer", lambda: len(last.answer.text) > length)
        self.report["quit_while_streaming"] = last.is_busy

    async def _ask(self, question: str) -> ChatTab:
        await self._key(self._window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        tab = self._window.tabs.current_tab()
        assert tab is not None
        await self._type(tab.composer, question)
        await self._key(tab.composer, Qt.Key.Key_Return)
        return tab

    def _current(self) -> ChatTab:
        tab = self._window.tabs.current_tab()
        assert tab is not None, "no tab is open"
        return tab

    def _answer(self, tab: ChatTab) -> AnswerMessageView:
        view = tab.transcript.answer_view()
        assert view is not None, "no answer is shown"
        return view

    def _request_of(self, owner: str) -> str:
        return next(entry.request_id for entry in self.log if isinstance(entry, Submit) and entry.owner == owner)

    def _end_index(self, owner: str) -> int | None:
        request_id = self._request_of(owner)
        for index, entry in enumerate(list(self.log)):
            if isinstance(entry, list) and any(
                isinstance(event, RequestFinished) and event.request_id == request_id for event in entry
            ):
                return index
        return None

    def _steps_until_end(self, owner: str) -> int:
        """Steps that were published between the cancellation and its end: the one that was under way, at most."""
        request_id = self._request_of(owner)
        log = list(self.log)
        begin = log.index(Cancel(request_id))
        end = self._end_index(owner)
        between = [entry for entry in log[begin:end] if isinstance(entry, list)]
        return sum(any(isinstance(event, TextDelta) for event in entry) for entry in between)

    def _snapshot_after_end(self, owner: str) -> BlockSnapshot | None:
        end = self._end_index(owner)
        if end is None:
            return None
        return next((entry for entry in list(self.log)[end:] if isinstance(entry, BlockSnapshot)), None)

    def _held_blocks(self, owner: str) -> int:
        """Blocks that a live sequence of this owner still holds in the first snapshot after its end."""
        snapshot = self._snapshot_after_end(owner)
        assert snapshot is not None
        if owner not in snapshot.owner_names:
            return 0
        index = snapshot.owner_names.index(owner)
        return sum(count > 0 and snapshot.owners[b] == index for b, count in enumerate(snapshot.ref_counts))


def main(home: Path, make_driver: type[Driver] = Driver, config: EngineConfig | None = None) -> int:
    engines: list[RecordingEngine] = []

    def make_engine(
        sink: Callable[[Sequence[Event]], None], snapshot_sink: Callable[[BlockSnapshot], None]
    ) -> RecordingEngine:
        engines.append(RecordingEngine(config or EngineConfig(home=home), sink, snapshot_sink))
        return engines[-1]

    return use_window(home, lambda window: make_driver(window, engines), make_engine)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
