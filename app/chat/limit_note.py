"""Owns the lines below an answer that stopped at a limit: which limit it was, how to go on, and where it is set.

Does not know the chat around the answer.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.chat.chat_words import tokens_text
from app.i18n import sentences, translate
from app.state.message import Message
from app.widgets.text_label import TextLabel
from engine.messages import WhenFull


class LimitNote(QWidget):
    """Hidden while there is nothing to say."""

    options_requested = Signal()
    """The person wants to change the limit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = TextLabel(kind="muted")
        self.options_button = QPushButton(translate("app", "Change the limit…"))
        self.options_button.setToolTip(translate("app", "“Longest answer” in the options of this chat"))
        self.options_button.clicked.connect(self.options_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 1)
        row.addWidget(self.options_button)
        self.hide()

    def show_words(self, words: str, has_options: bool) -> None:
        """Empty for nothing; whether the options of the chat have to do with it."""
        self.label.setText(words)
        self.options_button.setVisible(has_options)
        self.setVisible(bool(words))


def fills_context(message: Message, context_limit: int | None) -> bool:
    """Whether the answer stopped because the chat was at the end of the model's context."""
    stats = message.stats
    if message.end != "length" or stats is None or context_limit is None:
        return False
    return stats.num_prompt_tokens + stats.num_completion_tokens >= context_limit


def limit_words(message: Message, context_limit: int | None, when_full: WhenFull) -> str:
    """Why the answer stopped before its end, and how it goes on; empty for one that stopped otherwise."""
    if message.end != "length":
        return ""
    if fills_context(message, context_limit):
        words = translate("app", "The chat is full: it has all {limit} tokens that it may have.")
        advice = translate("app", "Start a new chat, or let this one forget its oldest turns.")
        if when_full == "drop_oldest":
            advice = translate("app", "“Continue” goes on without the oldest turns.")
        return sentences(words.format(limit=f"{context_limit:,}"), advice)
    num_tokens = 0 if message.stats is None else message.stats.num_completion_tokens
    if not message.text:
        words = translate(
            "app",
            "The model was still thinking after {tokens}, the longest an answer may be: allow more, and ask again.",
        )
    else:
        words = translate("app", "An answer may have {tokens} here. “Continue” lets the model go on.")
    return words.format(tokens=tokens_text(num_tokens))
