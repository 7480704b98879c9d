"""Owns a row of widgets that breaks into further rows where it is too narrow.

Knows nothing of the widgets.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

_GAP_PX = 12
_ROW_GAP_PX = 4


class Flow(QWidget):
    """Keeps each widget at the size that it asks for; its height follows its width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._widgets: list[QWidget] = []
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, widget: QWidget, place: int | None = None) -> None:
        """Behind the others, or at a place among them."""
        widget.setParent(self)
        self._widgets.insert(len(self._widgets) if place is None else place, widget)
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(width, is_real=False)

    def sizeHint(self) -> QSize:
        shown = [widget.sizeHint() for widget in self._widgets if not widget.isHidden()]
        width = sum(hint.width() for hint in shown) + _GAP_PX * max(0, len(shown) - 1)
        return QSize(width, max((hint.height() for hint in shown), default=0))

    def minimumSizeHint(self) -> QSize:
        shown = [widget.sizeHint() for widget in self._widgets if not widget.isHidden()]
        return QSize(
            max((hint.width() for hint in shown), default=0), max((hint.height() for hint in shown), default=0)
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(self.width(), is_real=True)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            # One of them asks for another size, as with another zoom.
            self.refresh()
        return super().event(event)

    def refresh(self) -> None:
        """Arrange anew, after widgets were shown, hidden or given other words."""
        self._arrange(self.width(), is_real=True)
        self.updateGeometry()

    def _arrange(self, width: int, is_real: bool) -> int:
        top = 0
        for row in self._rows(width):
            height = max(hint.height() for _, hint in row)
            left = 0
            for widget, hint in row:
                if is_real:
                    # Of unlike heights, they stand on one middle line.
                    middle = top + (height - hint.height()) // 2
                    widget.setGeometry(left, middle, min(hint.width(), width), hint.height())
                left += hint.width() + _GAP_PX
            top += height + _ROW_GAP_PX
        return max(0, top - _ROW_GAP_PX)

    def _rows(self, width: int) -> list[list[tuple[QWidget, QSize]]]:
        """The widgets that are shown with the sizes that they ask for, as they fit beside each other."""
        rows: list[list[tuple[QWidget, QSize]]] = []
        left = 0
        for widget in self._widgets:
            if widget.isHidden():
                continue
            hint = widget.sizeHint()
            if not rows or left + hint.width() > width:
                rows.append([])
                left = 0
            rows[-1].append((widget, hint))
            left += hint.width() + _GAP_PX
        return rows
