"""Owns how the cached texts share the width of their tree: the text gets what the numbers and its users leave.

Knows neither the engine's tree nor what the rows say.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
)

from app.theme import icon_size_px, theme_signals

TEXT, TOKENS, HITS, USERS = range(4)
_MIN_WIDTH_WITH_NAMES_CHARACTERS = 60
"""Narrower, the texts need the room more than hits and names: users are chips there, their names stand in the tip."""
_USERS_PART = 0.34
_MAX_CHIPS = 3
_GAP_PX = 2

_Index = QModelIndex | QPersistentModelIndex


class TextTree(QTreeWidget):
    """`chips` gives the chips of those who use the text of a row, for a number of device pixels per pixel."""

    narrowed = Signal(bool)
    """The columns of hits and names came or went."""

    def __init__(self, chips: Callable[[_Index, float], list[QIcon]]) -> None:
        super().__init__()
        self.is_narrow = False
        self.setProperty("kind", "dense")
        self.setColumnCount(4)
        self.setUniformRowHeights(True)
        self.setIndentation(12)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegateForColumn(USERS, _Users(self, chips))
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(16)
        header.setSectionsMovable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(USERS, QHeaderView.ResizeMode.Interactive)
        theme_signals().theme_changed.connect(self._share_width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        least_px = _MIN_WIDTH_WITH_NAMES_CHARACTERS * self.fontMetrics().averageCharWidth()
        was_narrow, self.is_narrow = self.is_narrow, self.viewport().width() < least_px
        self.setColumnHidden(HITS, self.is_narrow)
        if self.is_narrow:
            # As wide as its title, without the room that a header keeps for the mark of an order.
            title_px = self.header().fontMetrics().horizontalAdvance(self.headerItem().text(USERS))
            users_px = max(title_px, _chips_px(_MAX_CHIPS)) + 4 * _GAP_PX
        else:
            users_px = round(_USERS_PART * self.viewport().width())
        self.setColumnWidth(USERS, users_px)
        if self.is_narrow != was_narrow:
            self.narrowed.emit(self.is_narrow)


def _chips_px(num_chips: int) -> int:
    return num_chips * (icon_size_px() * 3 // 4 + _GAP_PX)


class _Users(QStyledItemDelegate):
    """Names where there is room for them, else chips; how many there are besides stands behind the last one."""

    def __init__(self, tree: TextTree, chips: Callable[[_Index, float], list[QIcon]]) -> None:
        super().__init__(tree)
        self._tree = tree
        self._chips = chips

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        # The names as a whole would ask for more than there is.
        return QSize(0, super().sizeHint(option, index).height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        if not self._tree.is_narrow:
            super().paint(painter, option, index)
            return
        ground = QStyleOptionViewItem(option)
        self.initStyleOption(ground, index)
        ground.text = ""
        self._tree.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, ground, painter, self._tree)
        chips = self._chips(index, self._tree.devicePixelRatioF())
        num_shown = len(chips) if len(chips) <= _MAX_CHIPS else _MAX_CHIPS - 1
        edge_px = icon_size_px() * 3 // 4
        place = QRect(option.rect.x() + 2 * _GAP_PX, 0, edge_px, edge_px)
        place.moveTop(option.rect.center().y() - edge_px // 2)
        for chip in chips[:num_shown]:
            chip.paint(painter, place)
            place.translate(edge_px + _GAP_PX, 0)
        if num_shown < len(chips):
            rest = QRect(place.x(), option.rect.y(), option.rect.right() - place.x(), option.rect.height())
            painter.setPen(ground.palette.color(ground.palette.ColorRole.Text))
            painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, f"+{len(chips) - num_shown}")
