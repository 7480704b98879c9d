"""A shown tab with all that is around it, for tests that play the engine's part by hand."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import EngineClient
from app.chat.message_view import AnswerMessageView
from app.chat.tab import ChatTab
from app.state.history import History
from app.state.session import Session
from engine.messages import RequestFailed, SamplingParams
from tests.app.fake_engine import MODEL, FakeEngine, FakeEngines

PARAMS = SamplingParams(temperature=0.5)


class Desk:
    """A shown tab with all that is around it."""

    def __init__(self, qtbot: QtBot, client: EngineClient, engines: FakeEngines, path: Path) -> None:
        self.qtbot = qtbot
        self.path = path
        self.history = History(path)
        self.client = client
        self.engines = engines
        self.tab = self.open(Session())

    @property
    def engine(self) -> FakeEngine:
        return self.engines.newest

    def open(self, session: Session) -> ChatTab:
        tab = ChatTab(session, self.client, self.history, lambda: PARAMS)
        tab.show_model(MODEL)
        self.qtbot.addWidget(tab)
        tab.resize(700, 500)
        tab.show()
        return tab

    def send(self, text: str) -> str:
        """Types and sends; returns the request's id."""
        self.qtbot.keyClicks(self.tab.composer, text)
        self.qtbot.keyClick(self.tab.composer, Qt.Key.Key_Return)
        return self.engine.submits()[-1].request_id

    def answer(self, request_id: str, text: str) -> None:
        """Lets text arrive and waits until it is shown."""
        before = self.tab.session.answer.text
        self.engine.answer(request_id, *text)
        self.qtbot.waitUntil(lambda: self.tab.session.answer.text == before + text)
        # What came is set in another turn of the loop.
        self.tab._show_throttle.flush()

    def finish(self, request_id: str, reason: str = "stop") -> None:
        self.engine.finish(request_id, reason)
        self.qtbot.waitUntil(lambda: not self.tab.session.is_busy)

    def fail(self, request_id: str, message: str) -> None:
        self.engine.emit(RequestFailed(request_id, "engine_error", message))
        self.qtbot.waitUntil(lambda: not self.tab.session.is_busy)

    def on_disk(self) -> list[str]:
        other = History(self.path)
        session = other.load(self.tab.session.id)
        other.close()
        return [] if session is None else [message.text for message in session.messages]

    def view(self) -> AnswerMessageView:
        view = self.tab.transcript.answer_view()
        assert view is not None, "no answer is shown"
        return view
