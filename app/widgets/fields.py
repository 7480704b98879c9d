"""Owns the fields of a form that a stylesheet leaves without arrows and ticks: a choice among few, numbers, yes or no.

Knows nothing of what is chosen. The mouse wheel scrolls the page and changes no field on the way.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionSpinBox,
    QToolTip,
    QWidget,
)

from app.theme import icon_size_px
from app.widgets.icons import icon

# The stylesheet's padding does not reach the text of a spin box.
_TEXT_MARGIN_PX = 6
_LABEL_MARGIN_PX = 2
"""That Qt leaves beside the text of a combo box."""


class ChoiceBox(QComboBox):
    """A combo box with the arrow of the icon set, and a list as high as its entries.

    What it has no room for it shortens, and tells as a tip.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802 - Qt's name
        super().initStyleOption(option)
        room_px = (
            self.style()
            .subControlRect(QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self)
            .width()
        )
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, room_px - _LABEL_MARGIN_PX
        )

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            option = QStyleOptionComboBox()
            self.initStyleOption(option)
            if option.currentText != self.currentText():
                QToolTip.showText(event.globalPos(), self.currentText(), self)
                return True
        return super().event(event)

    def showPopup(self) -> None:  # noqa: N802 - Qt's name
        super().showPopup()
        # Qt counts without what the stylesheet adds around the entries.
        view, popup = self.view(), self.view().window()
        first, last = (
            view.visualRect(self.model().index(row, self.modelColumn()))
            for row in (0, min(self.count(), self.maxVisibleItems()) - 1)
        )
        lacking_px = last.bottom() + 1 - first.top() - view.viewport().height()
        if self.count() and lacking_px > 0:
            place = popup.geometry()
            place.setHeight(place.height() + lacking_px)
            room = self.screen().availableGeometry()
            place.moveBottom(min(place.bottom(), room.bottom()))
            popup.setGeometry(place)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        rect = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxArrow, self
        )
        painter = QPainter(self)
        icon("chevron-down", "muted").paint(painter, _centred(rect, icon_size_px()))


class WholeNumberBox(QSpinBox):
    """A spin box for whole numbers with the arrows of the icon set."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(**properties)
        self.lineEdit().setTextMargins(_TEXT_MARGIN_PX, 0, 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        option = QStyleOptionSpinBox()
        self.initStyleOption(option)
        _paint_arrows(self, option)


class NumberBox(QDoubleSpinBox):
    """A spin box for any number with the arrows of the icon set."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(**properties)
        self.lineEdit().setTextMargins(_TEXT_MARGIN_PX, 0, 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        option = QStyleOptionSpinBox()
        self.initStyleOption(option)
        _paint_arrows(self, option)


class Slider(QSlider):
    """A horizontal slider."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class CheckBox(QCheckBox):
    """A check box with the tick of the icon set."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.isChecked():
            option = QStyleOptionButton()
            self.initStyleOption(option)
            rect = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
            icon("check", "on_accent").paint(QPainter(self), _centred(rect, round(0.85 * icon_size_px())))


def _paint_arrows(box: QAbstractSpinBox, option: QStyleOptionSpinBox) -> None:
    painter = QPainter(box)
    arrow = icon("chevron-down", "muted")
    for control, direction in ((QStyle.SubControl.SC_SpinBoxDown, 1), (QStyle.SubControl.SC_SpinBoxUp, -1)):
        rect = box.style().subControlRect(QStyle.ComplexControl.CC_SpinBox, option, control, box)
        painter.save()
        painter.translate(rect.center())
        painter.scale(1, direction)
        edge = round(0.75 * icon_size_px())
        arrow.paint(painter, QRect(-edge // 2, -edge // 2, edge, edge))
        painter.restore()


def _centred(room: QRect, edge: int) -> QRect:
    return QRect(room.center().x() - edge // 2, room.center().y() - edge // 2, edge, edge)
