"""Owns the arrow of a choice that Qt itself has made, such as those of its file dialog.

The stylesheet takes Qt's own arrow away, and `ChoiceBox` paints another; what is no `ChoiceBox` would have none.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QWidget

from app.theme import icon_size_px
from app.widgets.icons import icon


class ComboArrow(QWidget):
    """Lies on its box, and lets the mouse through."""

    def __init__(self, box: QComboBox) -> None:
        super().__init__(box)
        self._box = box
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        box.installEventFilter(self)
        self._take_place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.StyleChange, QEvent.Type.LayoutDirectionChange):
            self._take_place()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        place = self.rect()
        edge = min(icon_size_px(), place.width(), place.height())
        square = place.adjusted(0, 0, edge - place.width(), edge - place.height())
        square.moveCenter(place.center())
        icon("chevron-down", "muted").paint(QPainter(self), square)

    def _take_place(self) -> None:
        option = QStyleOptionComboBox()
        self._box.initStyleOption(option)
        arrow = QStyle.SubControl.SC_ComboBoxArrow
        self.setGeometry(self._box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, arrow, self._box))
