"""Owns a line of text that gives way with an ellipsis instead of widening its surroundings.

Knows nothing of the text.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

_MIN_CHARACTERS = 4


def elided_title(metrics: QFontMetrics, title: str, width_px: int) -> str:
    """As much of a title as fits. What tells a branch or a copy from its origin, `(branch)` at its end, stays:
    whole while it leaves room for a word's beginning, else its last letters."""
    mark = re.search(r"\s*\([^()]*\)$", title)
    if mark is not None and metrics.horizontalAdvance(title) > width_px:
        head_px = width_px - metrics.horizontalAdvance(mark.group())
        if head_px >= _MIN_CHARACTERS * metrics.averageCharWidth():
            return metrics.elidedText(title[: mark.start()], Qt.TextElideMode.ElideRight, head_px) + mark.group()
        return metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, width_px)
    return metrics.elidedText(title, Qt.TextElideMode.ElideRight, width_px)


class ElidedLabel(QLabel):
    """Shows as much of its text as fits; the whole stands in the tooltip while some is hidden.

    Without a mode it is cut as titles are.
    """

    def __init__(
        self,
        text: str = "",
        kind: str | None = None,
        mode: Qt.TextElideMode | None = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        if kind is not None:
            self.setProperty("kind", kind)

    def shown_text(self) -> str:
        """The text as it is painted at the present width."""
        width_px = self.contentsRect().width()
        if self._mode is None:
            return elided_title(self.fontMetrics(), self.text(), width_px)
        return self.fontMetrics().elidedText(self.text(), self._mode, width_px)

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        narrow = self.fontMetrics().averageCharWidth() * _MIN_CHARACTERS
        return QSize(min(whole.width(), narrow), whole.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        text = self.shown_text()
        self.setToolTip(self.text() if text != self.text() else "")
        painter = QPainter(self)
        self.style().drawItemText(
            painter, self.contentsRect(), int(self.alignment()), self.palette(), self.isEnabled(), text,
            self.foregroundRole(),
        )  # fmt: skip
