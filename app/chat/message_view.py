"""Owns how one message looks: who wrote it, its body, its figures or its error, and its tools.

Does not know the chat around it; what its tools do is for those who listen.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.chat.answer_figures import Figures, details_text, figures_of
from app.chat.answer_view import AnswerView
from app.chat.attachment_card import AttachmentCard
from app.chat.error_panel import ErrorPanel
from app.chat.figures_label import FiguresLabel
from app.chat.limit_note import LimitNote
from app.chat.markdown import Paragraph, Span
from app.chat.message_editor import MessageEditor
from app.chat.message_tools import MessageTools, Tool, VersionSwitch
from app.chat.plain_text import plain_text
from app.chat.reasoning_view import ReasoningView
from app.chat.repetition_note import RepetitionNote
from app.chat.text_view import ProseView
from app.chat.transcript_page import keep_pixels
from app.i18n import translate
from app.state.message import Message
from app.widgets.icons import confirm_by_icon
from app.widgets.text_label import TextLabel

_PANEL_PADDING_PX = 12
_GAP_PX = 4
_PART_INTERVAL_MS = 15
"""Between two parts, in which the window paints and answers."""
_CUT_ENDS = ("length", "cancelled", "interrupted")
"""Of answers that are likely to be continued: that is said in words, not by an icon alone."""
MAX_PART_CHARACTERS = 6_000
"""Of an answer's text are laid out in one piece, which takes about twenty milliseconds."""


class MessageView(QWidget):
    """What user and answer have in common: the column, tools that show on hover and focus, versions, and editing."""

    tool_used = Signal(str)
    """A `Tool`, of those that change the chat."""
    edited = Signal(str)
    """The new text."""
    editor_left = Signal()

    def __init__(
        self, message: Message, author: str, buttons: Sequence[Tool], in_menu: Sequence[Tool], take_words: str
    ) -> None:
        super().__init__()
        keep_pixels(self)
        self.message = message
        self._take_words = take_words
        self.tools = MessageTools(buttons, in_menu)
        self.tools.used.connect(self._on_tool_used)
        self.versions = VersionSwitch()
        self.versions.used.connect(self.tool_used)
        self.editor: MessageEditor | None = None
        self.header = QHBoxLayout()
        self.header.addWidget(_author(author))
        self.header.addWidget(self.versions)
        self.header.addStretch(1)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(_GAP_PX)

    def show_version(self, place: int, count: int) -> None:
        """Which version of the message this is, from 1 on, and how many there are."""
        self.versions.show_place(place, count)

    def can(self, tool: Tool) -> bool:
        """Whether there is a button for it by now, that can be pressed."""
        return self.tools.is_allowed(tool)

    def allow_changes(self, is_allowed: bool) -> None:
        """Nothing of a chat may be changed while it answers."""
        for tool in ("edit", "again", "again_same_seed", "go_on", "delete", "delete_turn"):
            self.tools.allow(tool, is_allowed)
        self.versions.setEnabled(is_allowed)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.tools.point_at(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.tools.point_at(False)

    def edit(self, text: str | None = None) -> None:
        """Puts the message's text, or another, into a field in the body's place."""
        if self.editor is not None:
            return
        text = self.message.text if text is None else text
        self.editor = MessageEditor(text, self._take_words, bool(self.message.attachments))
        self.editor.taken.connect(self._take)
        self.editor.left.connect(self._leave_editor)
        place = self.column.indexOf(self._shown_body())
        self._shown_body().hide()
        self.column.insertWidget(place, self.editor)
        self.editor.setFocus()

    def _shown_body(self) -> QWidget:
        raise NotImplementedError

    def _take(self, text: str) -> None:
        self._leave_editor()
        self.edited.emit(text)

    def _leave_editor(self) -> None:
        if self.editor is not None:
            self.column.removeWidget(self.editor)
            self.editor.hide()
            self.editor.deleteLater()
            self.editor = None
            self._shown_body().show()
            self.editor_left.emit()

    def _on_tool_used(self, tool: Tool) -> None:
        match tool:
            case "copy":
                self._copy(self.message.text)
            case "copy_text":
                self._copy(plain_text(self.message.text))
            case "edit":
                self.edit()
            case _:
                self.tool_used.emit(tool)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        confirm_by_icon(self.tools.buttons["copy"])


class QuestionView(MessageView):
    """A user's message, exactly as written, on a soft panel, with what was attached to it."""

    def __init__(self, message: Message, width_px: int) -> None:
        words = translate("app", "Send")
        super().__init__(message, translate("app", "You"), ("edit", "copy"), ("branch", "delete", "delete_turn"), words)
        self.panel = QFrame()
        self.panel.setProperty("kind", "question")
        inner = QVBoxLayout(self.panel)
        # Less below: the last line brings its own leading.
        inner.setContentsMargins(_PANEL_PADDING_PX, _PANEL_PADDING_PX, _PANEL_PADDING_PX, _PANEL_PADDING_PX // 2)
        self.cards = [AttachmentCard(attachment) for attachment in message.attachments]
        for card in self.cards:
            row = QHBoxLayout()
            row.addWidget(card)
            row.addStretch(1)
            inner.addLayout(row)
        self.body = ProseView(width_px - 2 * _PANEL_PADDING_PX)
        self.body.show_blocks([Paragraph((Span(message.text),))], 1)
        inner.addWidget(self.body)
        if self.cards and not message.text:
            self.body.hide()
        self.header.addWidget(self.tools)
        self.column.addLayout(self.header)
        self.column.addWidget(self.panel)

    def show_sizes(self) -> None:
        """The attachments have been counted since."""
        for card, attachment in zip(self.cards, self.message.attachments, strict=True):
            card.attachment = attachment
            card.show_size(attachment.num_tokens)

    def _shown_body(self) -> QWidget:
        return self.panel


class AnswerMessageView(MessageView):
    """A model's message on the page, with its figures below, or its error and the way to try again."""

    models_requested = Signal()

    def __init__(self, message: Message, width_px: int) -> None:
        buttons: tuple[Tool, ...] = ("go_on", "again", "edit", "copy")
        in_menu: tuple[Tool, ...] = ("copy_text", "copy_figures", "again_same_seed", "branch", "delete", "delete_turn")
        author = message.model_name or translate("app", "Answer")
        super().__init__(message, author, buttons, in_menu, translate("app", "Save"))
        self._width_px = width_px
        self.body = AnswerView(width_px)
        self.reasoning: ReasoningView | None = None
        self.state_label = QLabel()
        self.state_label.setProperty("kind", "muted")
        self.stats_label = FiguresLabel()
        self.error_panel = ErrorPanel()
        self.error_panel.retry_button.clicked.connect(lambda: self.tool_used.emit("again"))
        self.error_panel.remove_button.clicked.connect(lambda: self.tool_used.emit("delete_turn"))
        self.error_panel.models_button.clicked.connect(self.models_requested)
        self.continue_button = QPushButton(translate("app", "Continue"))
        self.continue_button.setToolTip(translate("app", "Let the model go on where it ended"))
        self.continue_button.clicked.connect(lambda: self.tool_used.emit("go_on"))
        self.continue_button.hide()
        self.notice_label = TextLabel(kind="muted")
        # Part of the label, so that nothing stands there without words.
        self.notice_label.setContentsMargins(0, 0, 0, 2 * _GAP_PX)
        self.column.addWidget(self.notice_label)
        self.column.addLayout(self.header)
        for part in (self.state_label, self.body, self.error_panel):
            self.column.addWidget(part)
        footer = QHBoxLayout()
        footer.addWidget(self.stats_label, 1)
        footer.addWidget(self.continue_button)
        footer.addWidget(self.tools)
        self.column.addLayout(footer)
        self.limit_note = LimitNote()
        self.column.addWidget(self.limit_note)
        self.repetition_note: RepetitionNote | None = None
        self._num_read = 0
        self._has_room = True
        self.show_text()
        self.show_notice("")
        self.show_state("")
        self.show_end()

    def _shown_body(self) -> QWidget:
        return self.body

    def _on_tool_used(self, tool: Tool) -> None:
        if tool == "copy_figures":
            self._copy(self.stats_label.whole_text())
        else:
            super()._on_tool_used(tool)

    def show_notice(self, words: str) -> None:
        """What a person should know before the answer; empty for nothing."""
        self.notice_label.setText(words)
        self.notice_label.setVisible(bool(words))

    def read_text(self) -> None:
        """Takes what the message's text has gained, to be shown by `show_text`."""
        added = self.message.text[self._num_read : self._num_read + MAX_PART_CHARACTERS]
        if added:
            self._num_read += len(added)
            self.body.read(added)

    def show_text(self) -> None:
        """Shows what the message's text has gained, and what the model thought."""
        self.read_text()
        self.body.show_read()
        if not self.is_whole:
            QTimer.singleShot(_PART_INTERVAL_MS, self, self._show_next_part)
        if self.message.reasoning:
            self._show_reasoning()

    @property
    def is_whole(self) -> bool:
        """Whether all of the text is shown: a long one comes in parts, so that it can be read at once."""
        return self._num_read >= len(self.message.text)

    def extent(self) -> tuple[int, int]:
        """How many parts the answer has, and how high the last one is: the one that grows."""
        parts = self.body.views
        return len(parts), parts[-1].height() if parts else 0

    def _show_next_part(self) -> None:
        if self.is_whole:
            return
        self.show_text()
        if self.is_whole and self.message.end is not None:
            self.body.finish()

    def _show_reasoning(self) -> None:
        if self.reasoning is None:
            self.reasoning = ReasoningView(self._width_px)
            self.column.insertWidget(self.column.indexOf(self.state_label), self.reasoning)
        is_thinking = self.message.end is None and not self.message.text
        self.reasoning.show_reasoning(self.message.reasoning, self.message.reasoning_s, is_thinking)

    def show_state(self, words: str) -> None:
        """What the request is doing before there is text; empty for nothing."""
        self.state_label.setText(words)
        self.state_label.setVisible(bool(words))

    def show_end(self) -> None:
        """Shows how the answer ended, if it has."""
        is_over = self.message.end is not None
        if is_over:
            self.show_text()
            if self.is_whole:
                self.body.finish()
            self.show_state("")
        figures, details = (figures_of(self.message), details_text(self.message)) if is_over else (Figures(), "")
        self.stats_label.show_figures(figures, details)
        self.tools.allow("copy_figures", bool(self.stats_label.whole_text()))
        self.tools.setVisible(is_over)
        self.tools.allow("copy", bool(self.message.text))
        self.tools.allow("copy_text", bool(self.message.text))
        self.error_panel.show_error_of(self.message)

    def can(self, tool: Tool) -> bool:
        return super().can(tool) or (tool == "go_on" and not self.continue_button.isHidden())

    def show_limit(self, words: str, is_full: bool) -> None:
        """Why the answer stopped before its end, empty if it did not; whether the chat has no room to go on."""
        self.limit_note.show_words(words, not is_full)
        self._has_room = not is_full

    def add_repetition_note(self) -> RepetitionNote:
        """Few answers have one."""
        self.repetition_note = RepetitionNote()
        self.column.addWidget(self.repetition_note)
        return self.repetition_note

    def allow_changes(self, is_allowed: bool, is_newest: bool = False) -> None:
        """Whether the chat may be changed; only its newest answer can go on."""
        super().allow_changes(is_allowed)
        has_text, has_failed = bool(self.message.text), self.message.error is not None
        can_go_on = is_allowed and is_newest and has_text
        self.tools.allow("again", is_allowed and not has_failed)
        self.tools.allow("again_same_seed", is_allowed and self.message.seed is not None)
        self.tools.allow("edit", is_allowed and has_text)
        has_button = self.message.end in _CUT_ENDS
        self.tools.allow("go_on", can_go_on and not has_button)
        self.error_panel.allow_changes(is_allowed)
        self.continue_button.setVisible(can_go_on and has_button and self._has_room)
        if self.repetition_note is not None and not is_newest:
            self.repetition_note.hide()


def _author(name: str) -> QLabel:
    label = QLabel(name)
    label.setProperty("kind", "author")
    return label
