"""Owns how a row of the list of chats is drawn: one line, or two where there is a detail; and its editor's place.

Does not know what the rows mean beyond their kind.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.history.chat_list_model import ROW_ROLE
from app.history.chat_rows import TWO_LINES, Row, RowKind
from app.state.search_words import pattern_of
from app.theme import current_theme, icon_size_px
from app.widgets.elided_label import elided_title

_ROW_ROOM_PX = 10
_TEXT_MARGIN_PX = 8
_ENDLESS_PX = 1e6
_Index = QModelIndex | QPersistentModelIndex


class RowDelegate(QStyledItemDelegate):
    """Rows high enough for the editor of their title, which fills them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.searched: tuple[str, ...] = ()
        """The words that stand out."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        hint = super().sizeHint(option, index)
        row: Row = index.data(ROW_ROLE)
        lines = (row.text, row.detail) if row.kind in TWO_LINES else ("",)
        height = sum(line_height_px(line, option.font) for line in lines) + _ROW_ROOM_PX
        return QSize(hint.width(), max(hint.height(), height))

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: _Index) -> None:
        editor.setGeometry(option.rect)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row: Row = index.data(ROW_ROLE)
        if row.kind in TWO_LINES:
            self._paint_two_lines(painter, option, index, row)
            return
        if row.kind is RowKind.CHAT and row.folder_id is not None and not row.is_pinned:
            option.rect.adjust(icon_size_px(), 0, 0, 0)
        super().paint(painter, option, index)

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:  # noqa: N802 - Qt's name
        super().initStyleOption(option, index)
        row: Row = index.data(ROW_ROLE)
        # Its size is asked for before it has a place.
        if row.kind is RowKind.CHAT and option.rect.isValid():
            style = option.widget.style() if option.widget is not None else QApplication.style()
            room = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, option.widget)
            margin_px = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, option.widget) + 1
            option.text = elided_title(option.fontMetrics, row.text, room.width() - 2 * margin_px)

    def _paint_two_lines(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index, row: Row) -> None:
        self.initStyleOption(option, index)
        option.text = ""
        widget = option.widget
        style = widget.style() if widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        area = option.rect.adjusted(_TEXT_MARGIN_PX, _ROW_ROOM_PX // 2, -_TEXT_MARGIN_PX, 0)
        detail = begun_at_word(row.detail, self.searched, option.font, area.width())
        top = area.top()
        for whole, text, role in ((row.text, row.text, "text"), (row.detail, detail, "muted")):
            height = line_height_px(whole, option.font)
            shown = elided(text, self.searched, option.font, area.width(), is_title=role == "text")
            self._paint_line(painter, QRect(area.left(), top, area.width(), height), option.font, shown, role)
            top += height

    def _paint_line(self, painter: QPainter, area: QRect, font: QFont, shown: str, role: str) -> None:
        """What was searched stands out by weight and by the text's own colour."""
        formats = []
        if self.searched:
            strong = QTextCharFormat()
            strong.setFontWeight(QFont.Weight.Bold)
            strong.setForeground(current_theme().color("text"))
            for place in pattern_of(self.searched).finditer(shown):
                part = QTextLayout.FormatRange()
                part.start, part.length, part.format = place.start(), place.end() - place.start(), strong
                formats.append(part)
        layout = _laid_out(shown, font, formats)
        painter.save()
        painter.setClipRect(area)
        painter.setPen(current_theme().color(role))
        layout.draw(painter, QPointF(area.topLeft()))
        painter.restore()


def line_height_px(text: str, font: QFont) -> int:
    """Of this text in one line: other scripts come from other fonts, whose letters may be higher."""
    layout = _laid_out(text, font)
    return max(QFontMetrics(font).height(), math.ceil(layout.boundingRect().height()))


def _laid_out(text: str, font: QFont, formats: Sequence[QTextLayout.FormatRange] = ()) -> QTextLayout:
    """In one line, however long it is."""
    layout = QTextLayout(text, font)
    layout.setFormats(formats)
    layout.beginLayout()
    layout.createLine().setLineWidth(_ENDLESS_PX)
    layout.endLayout()
    return layout


def elided(text: str, words: tuple[str, ...], font: QFont, width_px: int, is_title: bool = False) -> str:
    """The text as far as there is room for it, with the words bold: what they take more is not there for the others."""
    metrics, room_px = QFontMetrics(font), width_px - bold_excess_px(text, words, font)
    if is_title:
        return elided_title(metrics, text, room_px)
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room_px)


def bold_excess_px(text: str, words: tuple[str, ...], font: QFont) -> int:
    """How much wider the text gets by these words being bold."""
    if not words:
        return 0
    bold = QFont(font)
    bold.setWeight(QFont.Weight.Bold)
    plain, strong = QFontMetrics(font), QFontMetrics(bold)
    found = pattern_of(words).findall(text)
    return sum(strong.horizontalAdvance(part) - plain.horizontalAdvance(part) for part in found)


def begun_at_word(text: str, words: tuple[str, ...], font: QFont, width_px: int) -> str:
    """The text without its beginning as far as the first of the words would be cut off at its right by `elided`."""
    pattern = pattern_of(words) if words else None
    place = pattern.search(text) if pattern is not None else None
    if pattern is None or place is None:
        return text
    # Scripts without blanks between words begin with the word itself.
    starts = [blank.end() for blank in re.finditer(r"\s", text[: place.start()])] + [place.start()]
    begun = text
    for start in starts:
        if pattern.search(elided(begun, words, font, width_px)):
            break
        begun = f"…{text[start:]}"
    return begun
