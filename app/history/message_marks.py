"""Owns the marks on what was found in the view of one message: where they are, and their colours.

Does not know the chat, nor which places there are in messages that have no view yet.
"""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
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


def places_in(view: MessageView, text: str) -> list[tuple[TextWidget, QTextCursor]]:
    """Where the view's text has `text`, in whatever case."""
    places = []
    for widget in text_widgets(view):
        cursor = widget.document().find(text)
        while not cursor.isNull():
            places.append((widget, cursor))
            cursor = widget.document().find(text, cursor)
    return places


def mark(view: MessageView, text: str, current: int | None) -> None:
    """Marks all places, and the one with the number `current` more strongly; without a text takes the marks away."""
    by_widget: dict[TextWidget, list[QTextEdit.ExtraSelection]] = {widget: [] for widget in text_widgets(view)}
    for number, (widget, cursor) in enumerate(places_in(view, text) if text else ()):
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
