"""Owns how a model's thinking is shown: folded to one line, and its text below when that is opened.

Does not know the answer that it led to.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.chat.markdown import Paragraph, Span
from app.chat.text_view import ProseView
from app.i18n import translate
from app.widgets.icons import show_icon
from app.widgets.units import duration

_PADDING_PX = 12


class ReasoningView(QWidget):
    """`Thought for 12 s ▸`. Text is laid out only while it is open."""

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._shown = ""
        self._is_open = False
        self.fold_button = QToolButton()
        self.fold_button.setProperty("kind", "small")
        self.fold_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold_button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.fold_button.setToolTip(translate("app", "Show or hide what the model thought"))
        self.fold_button.clicked.connect(lambda: self._fold(not self._is_open))
        panel = self._panel = QFrame()
        panel.setProperty("kind", "question")
        self.body = ProseView(width_px - 2 * _PADDING_PX)
        self.body.setAccessibleName(translate("app", "What the model thought"))
        inner = QHBoxLayout(panel)
        inner.setContentsMargins(_PADDING_PX, _PADDING_PX, _PADDING_PX, _PADDING_PX // 2)
        inner.addWidget(self.body)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.fold_button)
        column.addWidget(panel)
        self._fold(False)

    def show_reasoning(self, text: str, thought_s: float | None, is_thinking: bool) -> None:
        """Shows what was thought so far, and for how long."""
        self._text = text
        if is_thinking:
            words = translate("app", "Thinking…")
        elif thought_s is None:
            words = translate("app", "Thought")
        else:
            words = translate("app", "Thought for {time}").format(time=duration(thought_s))
        self.fold_button.setText(words)
        self.fold_button.setAccessibleName(words)
        self._show_text()

    def _fold(self, is_open: bool) -> None:
        self._is_open = is_open
        show_icon(self.fold_button, "chevron-down" if is_open else "chevron-right", "muted")
        self._panel.setVisible(is_open)
        self._show_text()

    def _show_text(self) -> None:
        if self._is_open and self._shown != self._text:
            self._shown = self._text
            self.body.show_blocks([Paragraph((Span(self._text),))], 0)
