"""Owns what stands below a chat: the composer with its attachments, prompts and buttons, and the footer.

Does not know the chat: it emits what is to be sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.bridge.engine_client import EngineClient
from app.chat.attached_files import AttachmentError, is_model, read_attachment
from app.chat.attachment_list import AttachmentList
from app.chat.composer import Composer
from app.chat.composer_row import ComposerRow
from app.chat.context_gauge import ContextGauge
from app.chat.full_choice import FullChoice
from app.chat.hint import Hint
from app.chat.prompt_dialog import PromptDialog, ask_for_name
from app.chat.prompt_picker import PromptPicker
from app.chat.queued_message import QueuedMessage
from app.chat.transcript import COLUMN_CHARACTERS
from app.i18n import translate
from app.state.drafts import Draft
from app.state.history import History, HistoryError
from app.state.message import Attachment
from app.state.parameters import Prompt
from app.widgets.file_dialog import begin_in
from app.widgets.icons import show_icon
from app.widgets.kept_room import keep_room
from app.widgets.text_label import TextLabel
from app.widgets.undo_bar import UndoBar
from engine.messages import WhenFull

_MARGIN_PX = 8


class ComposerPanel(QWidget):
    """`submitted` has the text; what goes with it is in `attachments` until `clear`."""

    submitted = Signal(str)
    stopped = Signal()
    forget_requested = Signal()
    """The chat is to forget its oldest turns, so that what is refused can be sent."""
    model_given = Signal(str)
    """The path of a model's file or folder."""
    failed = Signal(str)
    """Why a file cannot be attached, or a prompt not be kept."""

    def __init__(
        self, client: EngineClient, history: History, when_full: WhenFull, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._history = history
        self._can_send = False
        self._gap_px = 0
        self._refusal = self._warning = ""
        self._num_reading = 0
        """Files that are being attached: the message waits for them."""
        self.setProperty("kind", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.undo_bar = UndoBar()
        self.attachments = AttachmentList()
        self.attachments.changed.connect(self._show_can_send)
        self.composer = Composer()
        self.composer.submitted.connect(self._submit)
        self.composer.textChanged.connect(self._show_can_send)
        self.composer.files_given.connect(self.attach)
        self.composer.long_text_given.connect(self.attach_text)
        self.queued = QueuedMessage()
        self.queued.changed.connect(self._show_can_send)
        self.queued.changed.connect(self._show_placeholder)
        self.queued.back_button.clicked.connect(self.take_back)
        self.queued.back_button.clicked.connect(lambda: self.composer.setFocus())
        self.prompts = PromptPicker(self.composer, self._own_prompts)
        self.prompts.forgotten.connect(self._forget_prompt)
        words = translate("app", "Prompts: texts to begin with. Enter puts one in; the clip’s menu edits them.")
        self.prompts_label = TextLabel(words, "muted")
        self.prompts_label.hide()
        self.prompts.shown.connect(self.prompts_label.setVisible)
        self.gauge = ContextGauge()
        self.gauge.tip_above = self
        self.full_choice = FullChoice(when_full)
        self.full_choice.shown.connect(self.gauge.show_note)
        self.gauge.show_note(self.full_choice.note())
        self.refusal_label = TextLabel(kind="error")
        self.warning_label = TextLabel(kind="warning")
        self.forget_button = QPushButton(translate("app", "Forget the oldest turns"))
        self.forget_button.setToolTip(translate("app", "Let this chat forget its oldest turns, and send the message"))
        self.forget_button.clicked.connect(self.forget_requested)
        self._forgetting_helps = self._forgetting_makes_room = False
        self.hint = Hint()
        self.composer.textChanged.connect(self.hint.hide)
        self._make_buttons()
        self._build()
        self.setFocusProxy(self.composer)
        self._show_can_send()

    def _build(self) -> None:
        self.row = ComposerRow()
        self.row.add_left(self.gauge, self.gauge.shown_text, [(4, self.gauge.show_short)])
        # Before the gauge's numbers, which stand nowhere else: the chat's options have it too.
        self.row.add_left(self.full_choice, self.full_choice.text, [(0, self.full_choice.setHidden)])
        # Where nothing is moved when it comes and goes.
        self.row.add_right(self.queue_button)
        self.row.add_right(self.attach_button)
        self.row.add_right(self._send_or_stop, [(1, self._show_short)])
        self._content = QWidget()
        column = self._column = QVBoxLayout(self._content)
        column.setContentsMargins(0, 0, 0, 0)
        refusal = QHBoxLayout()
        refusal.addWidget(self.refusal_label, 1)
        refusal.addWidget(self.warning_label, 1)
        refusal.addWidget(self.forget_button)
        for part in (self.undo_bar, self.queued, self.attachments, self.prompts_label, self.prompts):
            column.addWidget(part)
        column.addLayout(refusal)
        column.addWidget(self.hint)
        column.addWidget(self.composer)
        column.addWidget(self.row)
        outer = self._outer = QHBoxLayout(self)
        outer.addStretch(1)
        # As with the messages: only what is over goes to the sides.
        outer.addWidget(self._content, 10_000)
        outer.addStretch(1)
        self._line_up()

    def _make_buttons(self) -> None:
        self.attach_button = QToolButton()
        self.attach_button.setToolTip(translate("app", "Attach files, keep the text as a prompt, or edit prompts"))
        self.attach_button.setAccessibleName(translate("app", "Attach files"))
        show_icon(self.attach_button, "attach", "muted")
        self.attach_button.clicked.connect(self.open_menu)
        self.send_button = QPushButton(translate("app", "Send"))
        self.send_button.setAccessibleName(translate("app", "Send"))
        self.send_button.setProperty("kind", "primary")
        show_icon(self.send_button, "send", "on_accent")
        self.send_button.clicked.connect(self.composer.submit)
        self.queue_button = QToolButton()
        self.queue_button.setToolTip(translate("app", "Send it when this answer is finished (Enter)"))
        self.queue_button.setAccessibleName(translate("app", "Send it when this answer is finished"))
        show_icon(self.queue_button, "send", "muted")
        self.queue_button.clicked.connect(self.composer.submit)
        self.queue_button.clicked.connect(lambda: self.composer.setFocus())
        # Its room stays, or the row would be laid out anew with each answer.
        keep_room(self.queue_button)
        self.queue_button.hide()
        self.stop_button = QPushButton(translate("app", "Stop"))
        self.stop_button.setAccessibleName(translate("app", "Stop"))
        self.stop_button.setToolTip(translate("app", "Stop this answer (Esc)"))
        show_icon(self.stop_button, "stop")
        self.stop_button.clicked.connect(self.stopped)
        self.stop_button.clicked.connect(lambda: self.composer.setFocus())
        # One place for both, as wide as the wider one: nothing moves when they change.
        self._send_or_stop = QStackedWidget()
        self._send_or_stop.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._send_or_stop.addWidget(self.send_button)
        self._send_or_stop.addWidget(self.stop_button)

    def _show_short(self, is_short: bool) -> None:
        """The two buttons as icons alone, or with their words."""
        for button in (self.send_button, self.stop_button):
            button.setText("" if is_short else button.accessibleName())

    def leave_gap(self, gap_px: int) -> None:
        """What a scroll bar takes at the right of the messages above."""
        self._gap_px = gap_px
        self._line_up()

    def _line_up(self) -> None:
        """Stands below the column of the messages, and is as wide."""
        self._content.setMaximumWidth(COLUMN_CHARACTERS * self.fontMetrics().averageCharWidth())
        side_px = 2 * _MARGIN_PX
        self._outer.setContentsMargins(side_px, _MARGIN_PX, side_px + self._gap_px, _MARGIN_PX)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._line_up()

    def add_line(self, line: QWidget) -> None:
        """Puts something above all else."""
        self._column.insertWidget(0, line)

    @property
    def is_empty(self) -> bool:
        return self.draft().is_empty

    def draft(self) -> Draft:
        """All that is not sent: what waits for the end of an answer, and what stands in the field."""
        return self.queued.draft.followed_by(self._written())

    def _written(self) -> Draft:
        return Draft(self.composer.toPlainText(), self.attachments.attachments)

    def queue(self, text: str) -> None:
        """The message waits, for the end of the answer that is being written or for a model; one at a time."""
        if self.queued.draft.is_empty:
            self.queued.put(Draft(text, self.attachments.attachments), waits_for_model=not self._can_send)
            self.clear()
        else:
            self.show_hint(translate("app", "One message waits already: take it back, or wait until it is sent."))

    def take_back(self) -> None:
        """What waits stands in the field again, before what is written there."""
        if self.queued.draft.is_empty:
            return
        both = self.draft()
        # Not all anew: the caret, what can be undone and what an input method composes stay.
        QTextCursor(self.composer.document()).insertText(both.text.removesuffix(self.composer.toPlainText()))
        self.attachments.show_attachments(both.attachments)
        self.queued.take()

    def clear(self) -> None:
        self.composer.clear()
        self.attachments.show_attachments([])

    def show_busy(self, is_busy: bool) -> None:
        if not is_busy:
            self.stop_button.setEnabled(True)
            self.hint.hide()
        self.queue_button.setVisible(is_busy)
        self._show_placeholder()
        had_focus = any(one.hasFocus() for one in (self.send_button, self.stop_button, self.queue_button))
        self._send_or_stop.setCurrentWidget(self.stop_button if is_busy else self.send_button)
        if had_focus:
            # Else it would go to whatever stands next.
            self.composer.setFocus()

    def _show_placeholder(self) -> None:
        can_queue = not self.queue_button.isHidden() and self.queued.draft.is_empty
        words = (
            translate("app", "Next message: Enter sends it when this answer is finished")
            if can_queue
            else translate("app", "Message, or / for a prompt")
        )
        self.composer.setPlaceholderText(words)

    def show_stopping(self) -> None:
        """The answer was asked to end."""
        self.stop_button.setEnabled(False)

    def show_hint(self, words: str) -> None:
        """Why what was to be sent is not, for a moment; nothing where there are no words."""
        self.hint.show_words(words)

    def show_can_send(self, has_model: bool) -> None:
        self._can_send = has_model
        self._show_can_send()

    def show_refusal(self, words: str, forgetting_helps: bool) -> None:
        """Why what is being written cannot be sent, and what to do; empty if it can be."""
        self._refusal, self._forgetting_helps = words, forgetting_helps
        self._show_can_send()

    def show_warning(self, words: str, forgetting_helps: bool) -> None:
        """What is to be known before what is being written is sent; empty if nothing."""
        self._warning, self._forgetting_makes_room = words, forgetting_helps
        self._show_can_send()

    def _submit(self, text: str) -> None:
        # What was written stays; the words above it say why.
        if self._num_reading:
            self.show_hint(translate("app", "A file is being read: it can be sent when that is done."))
        elif not self._refusal:
            self.submitted.emit(text)

    def open_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addAction(translate("app", "Attach files…"), self.ask_for_files)
        keep = menu.addAction(translate("app", "Keep this text as a prompt…"), self._ask_for_name)
        keep.setEnabled(bool(self.composer.toPlainText().strip()))
        menu.addAction(translate("app", "Prompts…"), self.open_prompts)
        menu.popup(self.attach_button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))
        return menu

    def attach(self, paths: Sequence[Path]) -> None:
        """Reads the files on a thread and shows them; a model that comes alone is for the library."""
        if len(paths) == 1 and is_model(paths[0]):
            self.model_given.emit(str(paths[0]))
            return
        self._num_reading += len(paths)
        self._show_can_send()
        self._client.run(self._read(tuple(paths)))

    def attach_text(self, text: str) -> None:
        number = 1 + sum(card.attachment.name.startswith(_pasted_name("")) for card in self.attachments.cards)
        self.attachments.add(Attachment(f"{_pasted_name(str(number))}.txt", text))

    async def _read(self, paths: tuple[Path, ...]) -> None:
        try:
            for path in paths:
                try:
                    self.attachments.add(await asyncio.to_thread(read_attachment, path))
                except AttachmentError as error:
                    self.failed.emit(str(error))
        finally:
            self._num_reading -= len(paths)
        self._show_can_send()

    def _show_can_send(self) -> None:
        self.composer.can_be_empty = bool(self.attachments.cards)
        has_content = bool(self.composer.toPlainText().strip()) or self.composer.can_be_empty
        # Without a model it waits for one.
        has_place = self._can_send or self.queued.draft.is_empty
        can_send = has_content and has_place and not self._refusal and not self._num_reading
        self.send_button.setEnabled(can_send)
        self.queue_button.setEnabled(can_send and self.queued.draft.is_empty)
        words = translate("app", "Send (Enter)")
        words = words if self._can_send else translate("app", "Send it once a model is loaded (Enter)")
        words = translate("app", "Reading the file") if self._num_reading else words
        self.send_button.setToolTip(self._refusal or words)
        self.refusal_label.setText(self._refusal)
        self.refusal_label.setVisible(has_content and bool(self._refusal))
        self.warning_label.setText(self._warning)
        self.warning_label.setVisible(has_content and bool(self._warning))
        self.forget_button.setVisible(has_content and (self._forgetting_helps or self._forgetting_makes_room))

    def ask_for_files(self) -> None:
        dialog = begin_in(QFileDialog(self, translate("app", "Attach files: text, source code, PDF")))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.attach([Path(name) for name in names]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _ask_for_name(self) -> None:
        ask_for_name(self, self.prompts.name_in_use).textValueSelected.connect(self.keep_prompt)

    def open_prompts(self) -> PromptDialog:
        """Shows all prompts, to be changed and deleted."""
        dialog = PromptDialog(self._own_prompts, self.prompts.every, self)
        dialog.saved.connect(self._save_prompt)
        dialog.deleted.connect(self._forget_prompt)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def keep_prompt(self, name: str) -> None:
        """Keeps the text that is being written under a name; one of the person's own with that name gets the text."""
        name = name.strip()
        if not name:
            return
        prompt = Prompt(name, self.composer.toPlainText())
        former = next((one for one in self._own_prompts() if one.name.casefold() == name.casefold()), None)
        is_kept = self._save_prompt(prompt if former is None else replace(prompt, id=former.id))
        if is_kept and former is None:
            self.undo_bar.show_note(translate("app", "Prompt kept. Type / to use it."), name)
        elif is_kept and former is not None:
            self.undo_bar.show_message(translate("app", "Prompt replaced."), name, partial(self._save_prompt, former))

    def _own_prompts(self) -> list[Prompt]:
        try:
            return self._history.prompts.all()
        except HistoryError as error:
            self.failed.emit(str(error))
            return []

    def _forget_prompt(self, prompt: Prompt) -> None:
        try:
            self._history.prompts.remove(prompt.id)
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        undo = partial(self._save_prompt, prompt)
        self.undo_bar.show_message(translate("app", "Prompt deleted."), prompt.name, undo)

    def _save_prompt(self, prompt: Prompt) -> bool:
        try:
            self._history.prompts.save(prompt)
        except HistoryError as error:
            self.failed.emit(str(error))
            return False
        return True


def _pasted_name(number: str) -> str:
    return translate("app", "Pasted text {number}").format(number=number)
