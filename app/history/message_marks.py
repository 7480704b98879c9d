"""Owns the marks on what was found in the view of one message: where they are, and their colours.

Does not know the chat, nor which places there are in messages that have no view yet.
"""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.chat.message_view import AnswerMessageView, MessageView, QuestionView
from app.chat.text_view import TextView
from app.theme import current_theme

TextWidget = QTextEdit | QPlainTextEdit


def text_widgets(view: MessageView) -> list[TextWidget]:
    """The widgets with the message's text, from top to bottom."""
    if isinstance(view, QuestionView):
        return [view.body]
    assert isinstance(view, AnswerMessageView), f"a view of {type(view).__name__}"
    found: list[TextWidget] = []
    for part in view.body.views:
        code = None if isinstance(part, TextView) else part.findChild(QPlainTextEdit)
        found.append(part if code is None else code)  # type: ignore[arg-type]  # what is no text view has code
    return found


def places_in(view: MessageView, words: tuple[str, ...]) -> list[tuple[TextWidget, QTextCursor]]:
    """Where the view's text has one of the words, in whatever case, from top to bottom."""
    return [(widget, cursor) for widget in text_widgets(view) for cursor in _cursors(widget.document(), words)]


def _cursors(document: QTextDocument, words: tuple[str, ...]) -> list[QTextCursor]:
    found = []
    for word in words:
        cursor = document.find(word)
        while not cursor.isNull():
            found.append(cursor)
            cursor = document.find(word, cursor)
    found.sort(key=lambda cursor: (cursor.selectionStart(), -cursor.selectionEnd()))
    # A word within another one is no place of its own.
    ends = accumulate((cursor.selectionEnd() for cursor in found), max, initial=0)
    return [cursor for cursor, end in zip(found, ends, strict=False) if cursor.selectionStart() >= end]


def mark(view: MessageView, words: tuple[str, ...], current: int | None) -> None:
    """Marks all places, and the one with the number `current` more strongly; without words takes the marks away."""
    by_widget: dict[TextWidget, list[QTextEdit.ExtraSelection]] = {widget: [] for widget in text_widgets(view)}
    for number, (widget, cursor) in enumerate(places_in(view, words)):
        by_widget[widget].append(_selection(cursor, is_current=number == current))
    for widget, selections in by_widget.items():
        widget.setExtraSelections(selections)


def _selection(cursor: QTextCursor, *, is_current: bool) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    theme = current_theme()
    style = selection.format
    style.setBackground(theme.color("accent" if is_current else "selection"))
    style.setForeground(theme.color("on_accent" if is_current else "text"))
    selection.format = style
    selection.cursor = cursor
    return selection
