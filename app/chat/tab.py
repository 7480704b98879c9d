"""Owns one open chat: it sends, follows the answer, shows it and has it saved.

Does not know the other tabs nor the window; what they need to know is emitted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.bridge.engine_client import EngineClient
from app.bridge.response_stream import ResponseStream, StreamEvent
from app.bridge.throttle import Throttle
from app.chat.attached_files import is_model
from app.chat.chat_options import ChatOptions
from app.chat.chat_saver import ChatSaver
from app.chat.composer import files_in
from app.chat.composer_panel import ComposerPanel
from app.chat.context_meter import ContextMeter, context_limit
from app.chat.message_actions import ChatHands, MessageActions
from app.chat.preset_button import PresetButton
from app.chat.presets import apply_preset
from app.chat.repetition_watch import RepetitionWatch
from app.chat.sender import Sender
from app.chat.stream_buffer import StreamBuffer
from app.chat.tab_words import empty_words, penalty_hint
from app.chat.transcript import Transcript
from app.i18n import translate
from app.state.history import History, HistoryError
from app.state.message import Attachment
from app.state.parameters import ChatParameters, Preset
from app.state.session import NEW_CHAT_TITLE, Session
from engine.messages import ModelLoaded, RequestFailed, RequestFinished, SamplingParams, TextDelta, WhenFull

# A killed process loses at most this much of a streaming answer.
SAVE_INTERVAL_MS = 300
SHOW_PATIENCE_MS = 100
"""Text that comes ten times a second still flows."""


class ChatTab(QWidget):
    """A transcript above a composer. One answer streams at a time."""

    changed = Signal()
    """The chat's phase, its progress or its title is another now."""
    turn_begun = Signal(str)
    """The id of a chat of which something was put on disk, so that its place in the list may be another now."""
    save_failed = Signal(str)
    models_requested = Signal()
    chat_made = Signal(object)
    """A `Session` that is on disk and not open yet."""
    left = Signal()
    """The tab is being closed."""
    model_missed = Signal()
    """A message was to be sent while no model is loaded; it stays in the composer."""

    def __init__(
        self,
        session: Session,
        client: EngineClient,
        history: History,
        read_params: Callable[[], SamplingParams],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._client = client
        self._history = history
        self.read_params = read_params
        """What holds of an answer where the chat sets nothing of its own."""
        self._model: ModelLoaded | None = None
        self._stream: ResponseStream | None = None
        self._task: asyncio.Task[None] | None = None
        self._buffer = StreamBuffer(self)
        self._buffer.flushed.connect(self._on_text_flushed)
        self._thoughts = StreamBuffer(self)
        self._thoughts.flushed.connect(self._on_thoughts_flushed)
        self._saver = ChatSaver(history, self)
        self._saver.failed.connect(self.save_failed)
        self._save_throttle = Throttle(SAVE_INTERVAL_MS, self._save_answer, self)
        self._build()
        self._show_throttle = Throttle(0, self.transcript.show_progress, self, SHOW_PATIENCE_MS)
        self._show_phase()

    def _build(self) -> None:
        self.transcript = Transcript(self.session)
        self.transcript.models_requested.connect(self.models_requested)
        self.transcript.options_requested.connect(self.open_options)
        hands = ChatHands(self._saver.save, self._saver.forget, self._begin, self._model_name, self._titles)
        self.message_actions = MessageActions(self.session, self.transcript, hands, self)
        self.message_actions.changed.connect(self._show_phase)
        self.message_actions.chat_made.connect(self.chat_made)
        # Behind it: the list of chats marks the one that is open by then.
        self.message_actions.chat_made.connect(lambda chat: self.turn_begun.emit(chat.id))
        self.message_actions.model_missed.connect(self.model_missed)
        self.repetition = RepetitionWatch(self.session, self.transcript, self._params, self)
        self.message_actions.changed.connect(self.repetition.look_at_shown)
        self.repetition.stop_requested.connect(self.stop)
        self.repetition.stop_requested.connect(lambda: self.setFocus())
        self.repetition.again_requested.connect(self._ask_with_less_repetition)
        self.panel = ComposerPanel(self._client, self._history, self.session.when_full)
        self.panel.leave_gap(self.transcript.bar_px)
        self.panel.stopped.connect(self.stop)
        self.panel.failed.connect(self.save_failed)
        self.panel.full_choice.chosen.connect(self._on_full_chosen)
        self.panel.forget_requested.connect(self._forget_and_send)
        self.message_actions.deleted.connect(self.panel.undo_bar.show_message)
        for at_s, undo in self.message_actions.earlier_deletions():
            self.panel.undo_bar.remember(time.time() - at_s, undo)
        self.transcript.focus_freed.connect(self.setFocus)
        # What others use of it.
        self.composer, self.row, self.gauge = self.panel.composer, self.panel.row, self.panel.gauge
        self.send_button, self.stop_button = self.panel.send_button, self.panel.stop_button
        self.full_choice, self.undo_bar = self.panel.full_choice, self.panel.undo_bar
        self.undo_bar.focus_freed.connect(lambda: self.setFocus())
        self.options_button = PresetButton(self.session)
        self.options_button.clicked.connect(self.open_options)
        button = self.options_button
        shortenings = [(2, button.show_short), (5, button.show_icon_only)]
        self.row.add_left(button, button.whole_text, shortenings, place=0)
        self.meter = ContextMeter(self.session, self._client, self.panel, self)
        self.meter.refusal_changed.connect(self.panel.show_refusal)
        self.meter.warning_changed.connect(self.panel.show_warning)
        self.meter.message_counted.connect(self.message_actions.keep_sizes)
        self._sender = Sender(self.session, self.transcript, self.panel, self.meter, self.submit, self)
        self._sender.model_missed.connect(self.model_missed)
        empty = self.transcript.empty_chat
        empty.question_chosen.connect(self._begin_with)
        self.composer.textChanged.connect(lambda: empty.show_questions(self.composer.document().isEmpty()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.transcript, 1)
        column.addWidget(self.panel)
        self.setFocusProxy(self.composer)
        self.setAcceptDrops(True)
        self.show_model(None)

    @property
    def is_blank(self) -> bool:
        """Whether nothing has been said, written or chosen in it."""
        session = self.session
        is_as_made = session.preset is None and session.parameters == ChatParameters()
        # What was said may all lie in the trash.
        is_as_made = is_as_made and session.title == NEW_CHAT_TITLE and not session.aside
        return not session.messages and self.panel.is_empty and is_as_made

    def show_model(self, model: ModelLoaded | None, loading_name: str = "") -> None:
        """The model that answers now, and the name of the one that is on its way."""
        self._model = model
        self._show_max_tokens()
        self.meter.show_model(model)
        self._show_context_limit()
        self.panel.show_can_send(model is not None)
        self.transcript.show_empty_words(empty_words(model, loading_name))
        self._sender.show_model(model, loading_name)

    def submit(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Sends a message, unless an answer streams."""
        if self.session.is_busy:
            return
        messages = self.session.ask(text, self._model_name(), attachments)
        self._remember_model()
        # On disk before it is sent: what a person wrote is never lost.
        self._saver.save(self.session, messages)
        self._begin()

    def _begin_with(self, question: str) -> None:
        """The question stands in the field, to be changed or sent."""
        self.setFocus()
        self.composer.insertPlainText(question)

    def retry(self) -> None:
        """Asks again for the newest answer."""
        if self.session.can_retry:
            self.message_actions.use(self.session.answer, "again")

    def _ask_with_less_repetition(self) -> None:
        self.retry()
        self.options_button.show_preset()
        self.panel.show_hint(penalty_hint(self._params().repetition_penalty))

    def stop(self) -> None:
        """Asks the engine to end the answer; its text so far stays, and what waits for its end is not sent."""
        if self._stream is not None:
            self.panel.take_back()
            self._stream.cancel()
            self.session.is_stopping = True
            self.panel.show_stopping()
            self.transcript.show_progress()
            self.changed.emit()

    def leave(self) -> None:
        """The tab is being closed: an unfinished answer is cancelled and kept as it is."""
        self._thoughts.flush()
        self._buffer.flush()
        if self._stream is not None:
            self._stream.close()
        if self._task is not None:
            self._task.cancel()
        self._save_throttle.cancel()
        self._show_throttle.cancel()
        self.meter.close()
        if self.session.is_busy:
            self.session.interrupt()
            self._save_answer()
        self._saver.close()
        self.left.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # The settings may have been changed behind another page.
        self._show_max_tokens()
        self.meter.refresh()
        self.repetition.look_at_shown()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Whatever in the tab has the focus, it leaves this key to the tab.
        if event.key() == Qt.Key.Key_Escape and self.session.is_busy:
            self.stop()
        else:
            super().keyPressEvent(event)

    def rename(self, title: str) -> None:
        self.session.title = title
        self.changed.emit()

    def open_options(self) -> ChatOptions:
        """Shows what this chat sets for itself."""
        options = ChatOptions(self.session, self._history, self.read_params(), self)
        options.changed.connect(self._on_options_changed)
        options.failed.connect(self.save_failed)
        options.full_choice.chosen.connect(self._on_full_chosen)
        options.full_choice.chosen.connect(self.full_choice.show_choice)
        options.preset_deleted.connect(self._on_preset_deleted)
        options.finished.connect(self._on_options_left)
        options.finished.connect(options.deleteLater)
        options.open()
        return options

    def use_preset(self, preset: Preset) -> None:
        """The chat takes what the preset has, as if it had been chosen in the options."""
        apply_preset(self.session, preset)
        self._on_options_changed()
        self._on_options_left()

    def _on_options_changed(self) -> None:
        self.options_button.show_preset()
        self._show_max_tokens()

    def _show_context_limit(self) -> None:
        self.transcript.show_context_limit(None if self._model is None else context_limit(self._model))

    def _show_max_tokens(self) -> None:
        self.meter.show_max_tokens(self._params().max_tokens)

    def _on_preset_deleted(self, preset: Preset) -> None:
        self.undo_bar.show_message(translate("app", "Preset deleted."), preset.name, lambda: self._bring_back(preset))

    def _bring_back(self, preset: Preset) -> None:
        try:
            self._history.presets.save(preset)
        except HistoryError as error:
            self.save_failed.emit(str(error))

    def _on_options_left(self) -> None:
        if self.session.messages:
            # A chat that is not on disk yet takes them there with its first message.
            self._saver.save(self.session, [], False)
        self.composer.setFocus()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        files = files_in(event.mimeData())
        # A model is the window's.
        if files and not (len(files) == 1 and is_model(files[0])):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        self.panel.attach(files_in(event.mimeData()))
        event.acceptProposedAction()

    def _on_full_chosen(self, when_full: WhenFull) -> None:
        self.session.when_full = when_full
        self.meter.show()
        self._show_context_limit()
        try:
            # A chat that is not on disk yet takes it there with its first message.
            self._history.set_when_full(self.session.id, when_full)
        except HistoryError as error:
            self.save_failed.emit(str(error))

    def _forget_and_send(self) -> None:
        """What is refused as the chat is full is sent, once the chat may forget."""
        self.full_choice.show_choice("drop_oldest")
        self._on_full_chosen("drop_oldest")
        self.composer.submit()
        self.composer.setFocus()

    def _params(self) -> SamplingParams:
        return self.session.parameters.applied_to(self.read_params())

    def _begin(self, seed: int | None = None) -> None:
        session = self.session
        # However it is asked: by a new question, one that was changed, or again.
        self._remember_model()
        self.turn_begun.emit(session.id)
        params = self._params()
        self._stream = self._client.stream(
            session.prompt(),
            params if seed is None else replace(params, seed=seed),
            session.id,
            session.when_full,
            session.continues_answer,
        )
        self._task = self._client.run(self._follow(self._stream))
        self.transcript.show_messages()
        self.transcript.follow()
        self._show_phase()

    async def _follow(self, stream: ResponseStream) -> None:
        async for event in stream:
            self._on_event(event)

    def _on_event(self, event: StreamEvent) -> None:
        if isinstance(event, TextDelta):
            self._thoughts.append(event.reasoning)
            self._buffer.append(event.text)
        phase = self.session.phase
        if isinstance(event, RequestFinished | RequestFailed):
            self._thoughts.flush()
            self._buffer.flush()
            self._stream = None
            self._save_throttle.cancel()
            self._show_throttle.cancel()
        self.session.apply(event)
        if not isinstance(event, TextDelta) or phase is not self.session.phase:
            self.transcript.show_progress()
            self._show_phase()
        if not self.session.is_busy:
            self._save_answer()
            self._sender.on_answer_ended()
            self.repetition.on_answer_ended()

    def _on_thoughts_flushed(self, text: str) -> None:
        self.session.append_reasoning(text)
        self._show_added()

    def _on_text_flushed(self, text: str) -> None:
        self.session.append_text(text)
        self._show_added()

    def _show_added(self) -> None:
        self._save_throttle.request()
        if self.transcript.isVisible():
            # Read now and set in another turn of the loop, so that input need not wait for all of it.
            if (view := self.transcript.answer_view()) is not None:
                view.read_text()
            self._show_throttle.request()
        self.repetition.look()
        self.meter.show_soon()

    def _show_phase(self) -> None:
        self.panel.show_busy(self.session.is_busy)
        self.meter.refresh()
        self.changed.emit()

    def _remember_model(self) -> None:
        if self._model is not None:
            self.session.parameters = replace(self.session.parameters, model_id=self._model.model_id)

    def _model_name(self) -> str | None:
        return None if self._model is None else self._model.name

    def _titles(self) -> set[str]:
        try:
            return {chat.title for chat in self._history.chats()}
        except HistoryError as error:
            self.save_failed.emit(str(error))
            return set()

    def _save_answer(self) -> None:
        if self.session.is_busy:
            # A killed process keeps the figures too.
            self.session.measure()
        self._saver.save(self.session, [self.session.answer])
