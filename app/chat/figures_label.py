"""Owns the line of an answer's figures: as many of them as there is room for, and all of them in its tip.

Does not know what they mean, only which of them can be done without first.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.chat.answer_figures import Figures

_FEWEST_CHARACTERS = 8
"""Of less than that nobody could tell what it is the beginning of."""


class FiguresLabel(QLabel):
    """One line; where it is too narrow the figures that count least give way."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "muted")
        self.setTextFormat(Qt.TextFormat.PlainText)
        # It takes what is left beside the tools, whatever it says.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._figures = Figures()

    def show_figures(self, figures: Figures, details: str) -> None:
        """`details` stand in the tip."""
        self._figures = figures
        self.setAccessibleName(figures.text())
        self.setAccessibleDescription(details)
        self._fit()

    def whole_text(self) -> str:
        """All of them with their details, which a pointer alone finds in the tip."""
        return "\n".join(part for part in (self._figures.text(), self.accessibleDescription()) if part)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        whole, metrics, width_px = self._figures.text(), self.fontMetrics(), self.contentsRect().width()
        shortened = (text for text in self._figures.shortened() if metrics.horizontalAdvance(text) <= width_px)
        # Before it has a place it says all.
        text = next(shortened, None) if width_px else whole
        if text is None and width_px < _FEWEST_CHARACTERS * metrics.averageCharWidth():
            text = ""
        elif text is None:
            text = metrics.elidedText(self._figures.shortened()[-1], Qt.TextElideMode.ElideRight, width_px)
        if text != self.text():
            self.setText(text)
        details = self.accessibleDescription()
        self.setToolTip("\n".join(part for part in (whole if text != whole else "", details) if part))
