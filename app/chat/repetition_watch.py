"""Owns what is done about an answer that repeats itself: it is told below it, and asked for otherwise if the person
wants so. Nothing is stopped by itself.

Does not know the engine; the tab stops and asks again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.chat.repetition import repeats_itself
from app.chat.transcript import Transcript
from app.state.message import Message
from app.state.session import Session
from engine.messages import SamplingParams

LESS_REPETITION = 1.15
"""The repetition penalty that an answer is asked for with."""
_LOOK_CHARACTERS = 200
"""An answer is looked at each time it has gained so many."""
_KEEP_CHARACTERS = 1_000
"""What was told stands until the answer has gone on for so many without a loop: the line does not come and go."""


class RepetitionWatch(QObject):
    """Of one chat. It looks at the answer's thoughts as long as there is no text."""

    stop_requested = Signal()
    again_requested = Signal()
    """The chat's parameters are other ones now, and its newest answer is to be asked for again."""

    def __init__(
        self, session: Session, transcript: Transcript, read_params: Callable[[], SamplingParams], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._transcript = transcript
        self._read_params = read_params
        """What the chat's answers are drawn by now."""
        self._answer: Message | None = None
        self._num_seen = 0
        self._num_repeating = 0
        """How long the answer was when it last repeated itself."""
        self._is_repeating = False
        self._is_again_due = False
        """Whether the answer was asked to end so that another can be asked for."""

    def look(self) -> None:
        """The newest answer has grown."""
        answer = self._session.answer
        if answer is not self._answer:
            self._answer, self._num_seen, self._is_repeating = answer, 0, False
        text = answer.text or answer.reasoning
        if abs(len(text) - self._num_seen) >= _LOOK_CHARACTERS:
            self._num_seen = len(text)
            if repeats_itself(text):
                self._is_repeating, self._num_repeating = True, len(text)
            elif abs(len(text) - self._num_repeating) >= _KEEP_CHARACTERS:
                self._is_repeating = False
            self._show()

    def look_at_shown(self) -> None:
        """The chat has come into sight, or another version of an answer: it may have ended in a loop long ago."""
        if self._session.messages and self._session.messages[-1].role == "assistant":
            self.look()
            self._show()

    def on_answer_ended(self) -> None:
        is_due, self._is_again_due = self._is_again_due, False
        if self._answer is not self._session.answer:
            return
        if is_due and self._answer.error is None:
            self._ask_again()
        else:
            self._show()

    def _show(self) -> None:
        view = self._transcript.answer_view()
        if view is None or view.message is not self._answer:
            return
        if self._is_repeating and view.repetition_note is None:
            note = view.add_repetition_note()
            note.stop_requested.connect(self.stop_requested)
            note.again_requested.connect(self._on_again_requested)
        if view.repetition_note is not None:
            can_ask = self._read_params().repetition_penalty < LESS_REPETITION
            view.repetition_note.show_state(self._is_repeating, self._session.is_busy, can_ask)

    def _on_again_requested(self) -> None:
        if self._session.is_busy:
            self._is_again_due = True
            self.stop_requested.emit()
        else:
            self._ask_again()

    def _ask_again(self) -> None:
        self._session.parameters = replace(self._session.parameters, repetition_penalty=LESS_REPETITION)
        self.again_requested.emit()
