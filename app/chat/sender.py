"""Owns when a written message is sent: at once, when the answer that is being written ends, or when a model is there.

Does not know how it is sent, nor how a model is loaded.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.chat.composer_panel import ComposerPanel
from app.chat.context_meter import ContextMeter
from app.chat.tab_words import kept_hint
from app.chat.transcript import Transcript
from app.state.message import AnswerEnd, Attachment
from app.state.session import Session
from engine.messages import ModelLoaded

Send = Callable[[str, tuple[Attachment, ...]], None]


class Sender(QObject):
    """Of one chat."""

    model_missed = Signal()
    """A message is to be sent, and no model is loaded nor on its way. `show_model` says that one is from then on."""

    def __init__(
        self,
        session: Session,
        transcript: Transcript,
        panel: ComposerPanel,
        meter: ContextMeter,
        send: Send,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._transcript = transcript
        self._panel = panel
        self._meter = meter
        self._send = send
        self._model: ModelLoaded | None = None
        self._loading_name = ""
        panel.submitted.connect(self.submit)

    def show_model(self, model: ModelLoaded | None, loading_name: str) -> None:
        """The model that answers now, and the name of the one that is on its way."""
        self._model, self._loading_name = model, loading_name
        if not loading_name and not self._session.is_busy:
            self._send_waiting(None)

    def submit(self, text: str) -> None:
        """The person wants this sent."""
        if self._model is None and not self._loading_name:
            self.model_missed.emit()
        if self._session.is_busy or (self._model is None and self._loading_name):
            self._panel.queue(text)
        elif self._model is not None:
            self._send(text, self._panel.attachments.attachments)
            self._panel.clear()

    def on_answer_ended(self) -> None:
        end = self._session.answer.end
        # Only what was queued behind the stop is still there when an answer was stopped.
        if end in ("stop", "cancelled"):
            self._send_waiting(end)
        else:
            self._take_back(end)

    def _send_waiting(self, end: AnswerEnd | None) -> None:
        draft = self._panel.queued.draft
        is_awaited = self._model is None and bool(self._loading_name)
        if draft.is_empty or is_awaited:
            # `show_model` comes back to it.
            return
        if self._model is None or self._meter.refuses(draft):
            self._take_back(end)
            return
        place = self._transcript.place()
        self._send(draft.text, draft.attachments)
        self._panel.queued.take()
        if place is not None:
            # Nobody has pressed a key: what is read stays in sight.
            self._transcript.stay_at(*place)

    def _take_back(self, end: AnswerEnd | None) -> None:
        if not self._panel.queued.draft.is_empty:
            self._panel.take_back()
            self._panel.show_hint(kept_hint(end))
