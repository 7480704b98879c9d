"""Owns a line of text that gives way with an ellipsis instead of widening its surroundings.

Knows nothing of the text.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

_MIN_CHARACTERS = 4


def title_elide_mode(title: str) -> Qt.TextElideMode:
    """Where a title is cut: what tells a branch or a copy from its origin, `(branch)`, stands at its end."""
    return Qt.TextElideMode.ElideMiddle if title.endswith(")") else Qt.TextElideMode.ElideRight


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
        mode = title_elide_mode(self.text()) if self._mode is None else self._mode
        return self.fontMetrics().elidedText(self.text(), mode, self.contentsRect().width())

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
