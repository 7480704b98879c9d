"""Owns the saving of a tab's chat: what could not be saved is kept, and tried again by itself.

Does not know what changed, nor where chats are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.state.history import History, HistoryError
from app.state.message import Message
from app.state.session import Session

RETRY_MS = 2000


class ChatSaver(QObject):
    """A chat that cannot be saved can still be continued."""

    failed = Signal(str)
    """Why; told once until it can be saved again."""

    def __init__(self, history: History, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._unsaved: dict[str, tuple[Session, dict[str, Message], bool]] = {}
        """By the chat's id: its messages that wait, and whether it was used."""
        self._timer = QTimer(self, singleShot=True, interval=RETRY_MS)
        self._timer.timeout.connect(self._save_again)

    def save(self, session: Session, messages: Sequence[Message], is_used: bool = True) -> None:
        """As `History.save`, with what waits of this chat."""
        _, waiting, was_used = self._unsaved.get(session.id, (session, {}, False))
        wanted = waiting | {message.id: message for message in messages}
        try:
            self._history.save(session, list(wanted.values()), is_used or was_used)
        except HistoryError as error:
            is_told = session.id in self._unsaved
            self._unsaved[session.id] = (session, wanted, is_used or was_used)
            self._timer.start()
            if not is_told:
                self.failed.emit(str(error))
        else:
            self._unsaved.pop(session.id, None)

    def forget(self, message: Message) -> None:
        """Deletes a message for good."""
        for _, waiting, _ in self._unsaved.values():
            waiting.pop(message.id, None)
        try:
            self._history.delete_message(message)
        except HistoryError as error:
            self.failed.emit(str(error))

    def close(self) -> None:
        """The last try, for which the window may stand still."""
        self._timer.stop()
        if self._unsaved:
            with self._history.patient():
                self._save_again()
            self._timer.stop()

    def _save_again(self) -> None:
        for session, waiting, is_used in list(self._unsaved.values()):
            self.save(session, list(waiting.values()), is_used)
