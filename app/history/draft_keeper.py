"""Owns keeping what is being written in a chat's composer: on disk while it is written, back in the field afterwards.

Does not know how it is sent.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextCursor

from app.bridge.throttle import Throttle
from app.chat.tab import ChatTab
from app.state.drafts import Draft
from app.state.history import History, HistoryError

# A killed process loses at most this much of what was typed.
_INTERVAL_MS = 500


class DraftKeeper(QObject):
    """Child of the chat's tab, and as long-lived."""

    failed = Signal(str)

    def __init__(self, history: History, tab: ChatTab) -> None:
        super().__init__(tab)
        self._history = history
        self._session = tab.session
        self._panel = tab.panel
        self._kept = Draft()
        self._is_on_disk = bool(tab.session.messages)
        """Whether the chat is; one in which nothing was said yet is put there for its draft."""
        self._throttle = Throttle(_INTERVAL_MS, self.save, self)
        self._restore()
        self._panel.composer.textChanged.connect(self._on_changed)
        self._panel.attachments.changed.connect(self._on_changed)
        self._panel.queued.changed.connect(self._on_queue_changed)
        tab.left.connect(self._on_left)

    def save(self) -> None:
        """Keeps what is not sent now."""
        draft = self._panel.draft()
        if draft == self._kept:
            return
        session = self._session
        try:
            if draft.is_empty and not session.messages and not session.aside:
                # Nothing was said and nothing is to be said.
                self._history.delete(session.id)
                self._is_on_disk = False
            else:
                if not self._is_on_disk and not session.messages:
                    self._history.save(session, [])
                self._is_on_disk = True
                self._history.drafts.save(session.id, draft)
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        self._kept = draft

    def _restore(self) -> None:
        try:
            self._kept = self._history.drafts.load(self._session.id)
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        if not self._kept.is_empty:
            self._is_on_disk = True
            self._panel.composer.setPlainText(self._kept.text)
            # Whoever goes on writing does so behind it.
            self._panel.composer.moveCursor(QTextCursor.MoveOperation.End)
            self._panel.attachments.show_attachments(self._kept.attachments)

    def _on_changed(self) -> None:
        if self._panel.is_empty:
            self._save_now()
        else:
            self._throttle.request()

    def _on_queue_changed(self) -> None:
        if self._panel.queued.draft.is_empty:
            self._save_now()
        else:
            # Its text is still being taken out of the field.
            self._throttle.request()

    def _save_now(self) -> None:
        """It was sent or taken back; a kill must not bring it up again."""
        self._throttle.cancel()
        self.save()

    def _on_left(self) -> None:
        self._save_now()
        self._panel.composer.textChanged.disconnect(self._on_changed)
        self._panel.attachments.changed.disconnect(self._on_changed)
        self._panel.queued.changed.disconnect(self._on_queue_changed)
