"""Owns how one message looks: who wrote it, its body, its figures or its error, and its tools.

Does not know the chat around it; what its tools do is for those who listen.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QEnterEvent, QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.chat.answer_view import AnswerView
from app.chat.markdown import Paragraph, Span
from app.chat.text_view import ProseView
from app.state.message import AnswerStats, Message
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from app.widgets.units import count

_PANEL_PADDING_PX = 12
_GAP_PX = 4
_END_WORDS = {"cancelled": "stopped", "length": "stopped at the limit", "interrupted": "interrupted"}
_NO_MODEL_CODE = "no_model"


def stats_text(message: Message) -> str:
    """`62 tok/s · first token 0.21 s · 412 cached · stopped at the limit of 1,024 tokens`."""
    parts = _figures(message.stats) if message.stats is not None else []
    if message.end == "length" and message.stats is not None:
        parts.append(f"{_END_WORDS['length']} of {count(message.stats.num_completion_tokens, 'token')}")
    elif message.end in _END_WORDS:
        parts.append(_END_WORDS[message.end])
    return " · ".join(parts)


def phases_text(stats: AnswerStats | None) -> str:
    """`waiting 0.02 s, reading 0.19 s, writing 3.10 s, set aside 0.40 s`: where the time went; empty if not known."""
    if stats is None or stats.queue_s is None:
        return ""
    phases = {
        "waiting": stats.queue_s,
        "reading": stats.prefill_s,
        "writing": stats.decode_s,
        "set aside for other chats": stats.preempted_s,
    }
    return ", ".join(f"{name} {time_s:.2f} s" for name, time_s in phases.items() if time_s)


def _figures(stats: AnswerStats) -> list[str]:
    parts = []
    if stats.tokens_per_s is not None:
        parts.append(
            f"{stats.tokens_per_s:.0f} tok/s" if stats.tokens_per_s >= 10 else f"{stats.tokens_per_s:.1f} tok/s"
        )
    if stats.ttft_s is not None:
        parts.append(f"first token {stats.ttft_s:.2f} s")
    if stats.num_cached_tokens:
        parts.append(f"{stats.num_cached_tokens} cached")
    return parts


class QuietButton(QToolButton):
    """A tool that shows itself while its message is under the pointer, or while it has the focus itself."""

    def __init__(self, icon_name: str, words: str) -> None:
        super().__init__()
        self.is_revealed = False
        self.setToolTip(words)
        self.setAccessibleName(words)
        show_icon(self, icon_name, "muted")

    def reveal(self, is_revealed: bool) -> None:
        self.is_revealed = is_revealed
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        # It keeps its place while it does not show, so that nothing moves under the pointer.
        if self.is_revealed or self.hasFocus():
            super().paintEvent(event)


class MessageView(QWidget):
    """What user and answer have in common: the column, and tools that show on hover."""

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = message
        self.copy_button = QuietButton("copy", "Copy this message")
        self.copy_button.clicked.connect(self._copy)
        self.tools: list[QuietButton] = [self.copy_button]
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(_GAP_PX)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        for tool in self.tools:
            tool.reveal(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        for tool in self.tools:
            tool.reveal(False)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.message.text)


class QuestionView(MessageView):
    """A user's message, exactly as written, on a soft panel."""

    def __init__(self, message: Message, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(message, parent)
        panel = QFrame()
        panel.setProperty("kind", "question")
        self.body = ProseView(width_px - 2 * _PANEL_PADDING_PX)
        self.body.show_blocks([Paragraph((Span(message.text),))], 1)
        inner = QHBoxLayout(panel)
        # Less below: the last line brings its own leading.
        inner.setContentsMargins(_PANEL_PADDING_PX, _PANEL_PADDING_PX, _PANEL_PADDING_PX, _PANEL_PADDING_PX // 2)
        inner.addWidget(self.body)
        header = QHBoxLayout()
        header.addWidget(_author("You"))
        header.addStretch(1)
        header.addWidget(self.copy_button)
        self.column.addLayout(header)
        self.column.addWidget(panel)


class AnswerMessageView(MessageView):
    """A model's message on the page, with its figures below, or its error and the way to try again."""

    retry_requested = Signal()
    continue_requested = Signal()
    models_requested = Signal()

    def __init__(self, message: Message, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(message, parent)
        self.body = AnswerView(width_px)
        self.state_label = _muted_label()
        self.stats_label = TextLabel(kind="muted")
        self.retry_button = QuietButton("retry", "Answer again")
        self.retry_button.clicked.connect(self.retry_requested)
        self.retry_button.hide()
        self.tools.append(self.retry_button)
        self.error_panel = _ErrorPanel()
        self.error_panel.retry_button.clicked.connect(self.retry_requested)
        self.error_panel.models_button.clicked.connect(self.models_requested)
        self.continue_button = QPushButton("Continue")
        self.continue_button.setToolTip("Ask the model to go on")
        self.continue_button.clicked.connect(self.continue_requested)
        self.continue_button.hide()
        self.notice_label = TextLabel(kind="muted")
        # Part of the label, so that nothing stands there without words.
        self.notice_label.setContentsMargins(0, 0, 0, 2 * _GAP_PX)
        self.column.addWidget(self.notice_label)
        self.column.addWidget(_author(message.model_name or "Answer"))
        self.column.addWidget(self.state_label)
        self.column.addWidget(self.body)
        self.column.addWidget(self.error_panel)
        footer = QHBoxLayout()
        footer.addWidget(self.stats_label, 1)
        footer.addWidget(self.continue_button)
        footer.addWidget(self.retry_button)
        footer.addWidget(self.copy_button)
        self.column.addLayout(footer)
        self._num_shown = 0
        self.show_text()
        self.show_notice("")
        self.show_state("")
        self.show_end()

    def show_notice(self, words: str) -> None:
        """What a person should know before the answer; empty for nothing."""
        self.notice_label.setText(words)
        self.notice_label.setVisible(bool(words))

    def show_text(self) -> None:
        """Shows what the message's text has gained."""
        added = self.message.text[self._num_shown :]
        if added:
            self._num_shown += len(added)
            self.body.append(added)

    def show_state(self, words: str) -> None:
        """What the request is doing before there is text; empty for nothing."""
        self.state_label.setText(words)
        self.state_label.setVisible(bool(words))

    def show_end(self) -> None:
        """Shows how the answer ended, if it has."""
        is_over = self.message.end is not None
        if is_over:
            self.show_text()
            self.body.finish()
            self.show_state("")
        self.stats_label.setText(stats_text(self.message))
        self.stats_label.setToolTip(phases_text(self.message.stats))
        self.copy_button.setVisible(is_over and bool(self.message.text))
        self.error_panel.show_error(self.message.error, self.message.error_code)

    def allow_retry(self, is_allowed: bool) -> None:
        """Whether this is the answer that may be asked for again."""
        has_failed = self.message.error is not None
        self.retry_button.setVisible(is_allowed and not has_failed)
        self.error_panel.retry_button.setVisible(is_allowed)
        self.continue_button.setVisible(is_allowed and self.message.end == "length")


class _ErrorPanel(QFrame):
    """An error with its cause, the button that tries again, and the way to the models where one is missing."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "failure")
        self.label = TextLabel(kind="error")
        self.models_button = QPushButton("Models")
        self.retry_button = QPushButton("Retry")
        row = QHBoxLayout(self)
        row.setContentsMargins(_PANEL_PADDING_PX, _PANEL_PADDING_PX, _PANEL_PADDING_PX, _PANEL_PADDING_PX)
        row.addWidget(self.label, 1)
        row.addWidget(self.models_button)
        row.addWidget(self.retry_button)

    def show_error(self, message: str | None, code: str | None) -> None:
        self.label.setText(message or "")
        self.models_button.setVisible(code == _NO_MODEL_CODE)
        self.setVisible(message is not None)


def _author(name: str) -> QLabel:
    label = QLabel(name)
    label.setProperty("kind", "author")
    return label


def _muted_label() -> QLabel:
    label = QLabel()
    label.setProperty("kind", "muted")
    return label
