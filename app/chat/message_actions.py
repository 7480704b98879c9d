"""Owns what a message's tools do to its chat: other versions, continuing, branching, deleting and taking that back.

Does not know how messages look; the chat is saved and answered by those it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.chat.message_tools import Tool
from app.chat.message_view import QuestionView
from app.chat.transcript import Transcript
from app.i18n import translate
from app.state import revisions
from app.state.message import Attachment, Message
from app.state.session import Session, marked_title, title_of


@dataclass(frozen=True, slots=True)
class ChatHands:
    """What the tools need of the tab. A chat is on disk before it is sent."""

    save: Callable[[Session, Sequence[Message], bool], None]
    """As `History.save`."""
    forget: Callable[[Message], None]
    """Deletes a message for good."""
    send: Callable[[int | None], None]
    """Asks the engine for the chat's newest answer, from a seed if there is one."""
    model_name: Callable[[], str | None]
    titles: Callable[[], set[str]]
    """Those of all chats."""


class MessageActions(QObject):
    """Of one chat. While it answers nothing of it is changed."""

    changed = Signal()
    """Other messages are shown now."""
    chat_made = Signal(object)
    """A `Session` that is on disk."""
    deleted = Signal(str, str, object)
    """That something was deleted, the beginning of its text, and the call that puts it back."""
    model_missed = Signal()

    def __init__(self, session: Session, transcript: Transcript, hands: ChatHands, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._transcript = transcript
        self._hands = hands
        transcript.tool_used.connect(self.use)
        transcript.edited.connect(self.edit)

    def use(self, message: Message, tool: Tool) -> None:
        if self._session.is_busy and tool != "branch":
            return
        match tool:
            case "again":
                self._again(message, None)
            case "again_same_seed":
                self._again(message, message.seed)
            case "go_on":
                self._go_on()
            case "branch":
                self._branch(message)
            case "delete":
                self._delete([message], translate("app", "Message deleted."))
            case "delete_turn":
                turn = revisions.turn_of(self._session, message)
                self._delete(turn, translate("app", "Question and answer deleted."))
            case "version_before":
                self._show_version(message, -1)
            case "version_behind":
                self._show_version(message, 1)

    def edit(self, message: Message, text: str) -> None:
        """A question is asked anew with the text, an answer says it from now on; where that cannot be, it stays."""
        if message.role == "assistant" and text == message.text:
            return
        if self._session.is_busy or (message.role == "user" and not self._has_model()):
            self._transcript.edit_again(message, text)
        elif message.role == "assistant":
            self._save(revisions.edit_answer(self._session, message, text))
            self._show()
        else:
            self._ask_anew(message, text, message.attachments)

    def _ask_anew(self, message: Message, text: str, attachments: tuple[Attachment, ...]) -> None:
        copies = revisions.copied(attachments)
        self._save(revisions.ask_anew(self._session, message, text, copies, self._hands.model_name()))
        self._hands.send(None)

    def _again(self, message: Message, seed: int | None) -> None:
        if self._has_model():
            new, gone = revisions.answer_anew(self._session, message, self._hands.model_name())
            if gone is not None:
                self._hands.forget(gone)
            self._save(new)
            self._hands.send(seed)

    def _go_on(self) -> None:
        if self._has_model():
            answer = self._session.go_on()
            self._save([answer])
            self._transcript.show_anew(answer)
            self._hands.send(None)

    def _branch(self, message: Message) -> None:
        chat = revisions.branch(self._session, message)
        chat.title = marked_title(chat.title, translate("app", "branch"), self._hands.titles())
        self._hands.save(chat, chat.messages, True)
        self.chat_made.emit(chat)

    def _delete(self, messages: list[Message], words: str) -> None:
        revisions.delete(self._session, messages)
        self._save(messages, is_used=False)
        self._show()
        self._offer(messages, words)

    def _offer(self, messages: list[Message], words: str) -> None:
        self.deleted.emit(words, title_of(messages[0].text), lambda: self._restore(messages, words))

    def _restore(self, messages: list[Message], words: str) -> None:
        if self._session.is_busy:
            # Not while it answers, but afterwards.
            self._offer(messages, words)
            return
        # Some may be back by the trash.
        messages = [message for message in messages if message.deleted_at_s is not None]
        if not messages:
            return
        revisions.restore(self._session, messages)
        self._save(messages, is_used=False)
        self._show()

    def restore_deleted(self, message_id: str) -> None:
        """Puts this message back, with those that were deleted together with it."""
        for _, messages in revisions.deletions(self._session):
            if any(message.id == message_id for message in messages):
                self._restore(messages, translate("app", "Message deleted."))

    def earlier_deletions(self) -> list[tuple[float, Callable[[], object]]]:
        """What was deleted before the chat was opened: the times, since 1970, and the calls that put it back."""
        groups = revisions.deletions(self._session)
        words = translate("app", "Message deleted.")
        return [(at_s, partial(self._restore, messages, words)) for at_s, messages in groups]

    def _show_version(self, message: Message, step: int) -> None:
        head_px = self._transcript.head_px(message)
        index = next(number for number, one in enumerate(self._session.messages) if one is message)
        revisions.show_version(self._session, message, step)
        self._save([], is_used=False)
        self._show()
        # The switch that was pressed stays below the pointer.
        self._transcript.hold_head(self._session.messages[index], head_px)

    def keep_sizes(self, message: Message) -> None:
        """The message's attachments have been counted."""
        self._save([message], is_used=False)
        view = self._transcript.view_of(message)
        if isinstance(view, QuestionView):
            view.show_sizes()

    def show_message(self, message_id: str) -> bool:
        """Shows the version of the chat that has this message; False while that cannot be."""
        if any(message.id == message_id for message in self._session.messages):
            return True
        others = (one for one in self._session.aside if one.id == message_id and one.deleted_at_s is None)
        message = next(others, None)
        if message is None or self._session.is_busy:
            return False
        revisions.show_message(self._session, message)
        self._save([], is_used=False)
        self._show()
        return True

    def _has_model(self) -> bool:
        if self._hands.model_name() is None:
            self.model_missed.emit()
            return False
        return True

    def _save(self, messages: Sequence[Message], is_used: bool = True) -> None:
        self._hands.save(self._session, messages, is_used)

    def _show(self) -> None:
        self._transcript.show_messages()
        self.changed.emit()
