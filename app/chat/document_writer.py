"""Owns turning blocks of text into a `QTextDocument`: fonts, margins, colours.

Does not know where a block came from nor when it changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QFont,
    QFontDatabase,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextFrameFormat,
    QTextOption,
    QTextTableCellFormat,
    QTextTableFormat,
)

from app.chat.markdown import Paragraph, Rule, Span, Table
from app.theme import Theme

Prose = Paragraph | Rule
QUOTE_DEPTH_PROPERTY = QTextFormat.Property.UserProperty + 1
RULE_PROPERTY = QTextFormat.Property.UserProperty + 2

_LINE_BREAK = "\u2028"
_PARAGRAPH_GAP_EM = 0.7
_ITEM_GAP_EM = 0.3
INDENT_EM = 1.8
_LINE_HEIGHT_PERCENT = 128
_CELL_PADDING_EM = 0.45
# Steps of Qt's font size adjustment, each about a fifth: they follow the base font when the zoom changes.
_HEADING_STEPS = {1: 2, 2: 1, 3: 1}
_SCRIPTS = {
    1: QTextCharFormat.VerticalAlignment.AlignSuperScript,
    -1: QTextCharFormat.VerticalAlignment.AlignSubScript,
}
_ALIGNMENTS = {
    "left": Qt.AlignmentFlag.AlignLeft,
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}


def monospaced_family() -> str:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()


class DocumentWriter:
    """Writes blocks at a cursor. `em_px` is the height of the base font, by which the margins are measured."""

    def __init__(self, theme: Theme, em_px: float) -> None:
        self._theme = theme
        self._em_px = em_px

    def write_prose(self, cursor: QTextCursor, blocks: Sequence[Prose]) -> None:
        """Appends blocks at the document's end; the first one fills an empty document's only line."""
        for block in blocks:
            is_first = cursor.document().isEmpty() and cursor.document().blockCount() == 1
            block_format = self._block_format(block, is_first)
            if is_first:
                cursor.setBlockFormat(block_format)
            else:
                cursor.insertBlock(block_format, QTextCharFormat())
            if isinstance(block, Paragraph):
                self._write_paragraph(cursor, block)

    def write_table(self, cursor: QTextCursor, table: Table) -> None:
        """Fills an empty document with one table."""
        rows, columns = len(table.rows), max(len(row) for row in table.rows)
        written = cursor.insertTable(rows, columns, self._table_format())
        for row_number, row in enumerate(table.rows):
            for column, spans in enumerate(row):
                cell = written.cellAt(row_number, column)
                cell.setFormat(self._cell_format())
                cell_cursor = cell.firstCursorPosition()
                block_format = QTextBlockFormat()
                block_format.setAlignment(_ALIGNMENTS[table.alignments[column]])
                cell_cursor.setBlockFormat(block_format)
                for span in spans:
                    cell_cursor.insertText(
                        span.text.replace("\n", _LINE_BREAK), self._span_format(span, row_number == 0)
                    )
        self._shrink_lines_around_table(cursor)

    def _shrink_lines_around_table(self, cursor: QTextCursor) -> None:
        # Qt keeps an empty line before and behind a table; they would look like gaps.
        thin = QTextBlockFormat()
        thin.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        for end in (QTextCursor.MoveOperation.Start, QTextCursor.MoveOperation.End):
            cursor.movePosition(end)
            cursor.setBlockFormat(thin)

    def _write_paragraph(self, cursor: QTextCursor, paragraph: Paragraph) -> None:
        if paragraph.marker:
            marker = QTextCharFormat()
            marker.setForeground(self._theme.color("muted"))
            cursor.insertText(f"{paragraph.marker}\t", marker)
        self.write_spans(cursor, paragraph, paragraph.spans)

    def write_spans(self, cursor: QTextCursor, paragraph: Paragraph, spans: Sequence[Span]) -> None:
        """Writes spans of a paragraph behind those that it has."""
        for span in spans:
            text = span.text.replace("\n", _LINE_BREAK)
            look = self._span_format(span, paragraph.heading > 0, paragraph.heading)
            if paragraph.is_formula:
                look.setProperty(QTextFormat.Property.FontSizeAdjustment, 1)
            cursor.insertText(text, look)

    def _block_format(self, block: Prose, is_first: bool) -> QTextBlockFormat:
        result = QTextBlockFormat()
        em = self._em_px
        if isinstance(block, Rule):
            result.setProperty(RULE_PROPERTY, True)
            result.setTopMargin(0 if is_first else em * _PARAGRAPH_GAP_EM)
            return result
        result.setLineHeight(_LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        gap = _ITEM_GAP_EM if block.indent else _PARAGRAPH_GAP_EM
        if block.heading:
            gap = 2 * _PARAGRAPH_GAP_EM
        result.setTopMargin(0 if is_first else em * gap)
        level_px = em * INDENT_EM
        left_px = level_px * (block.indent + block.quote_depth)
        result.setLeftMargin(left_px)
        if block.is_formula:
            result.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        if block.marker:
            # Hanging: the marker stands in the margin, and a tab leads to the text.
            result.setTextIndent(-level_px)
            tab = QTextOption.Tab(level_px, QTextOption.TabType.LeftTab)
            result.setTabPositions([tab])
        if block.quote_depth:
            result.setProperty(QUOTE_DEPTH_PROPERTY, block.quote_depth)
        return result

    def _span_format(self, span: Span, is_strong: bool, heading: int = 0) -> QTextCharFormat:
        result = QTextCharFormat()
        if span.is_bold or is_strong:
            result.setFontWeight(QFont.Weight.DemiBold)
        if heading:
            result.setProperty(QTextFormat.Property.FontSizeAdjustment, _HEADING_STEPS.get(heading, 0))
        result.setFontItalic(span.is_italic)
        result.setFontStrikeOut(span.is_struck)
        if span.script:
            result.setVerticalAlignment(_SCRIPTS[span.script])
        if span.is_overlined:
            result.setFontOverline(True)
        if span.is_code:
            result.setFontFamilies([monospaced_family()])
            result.setBackground(self._theme.color("code_bg"))
        if span.link is not None:
            result.setAnchor(True)
            result.setAnchorHref(span.link)
            result.setForeground(self._theme.color("accent"))
            result.setFontUnderline(True)
            result.setToolTip(span.link)
        return result

    def _table_format(self) -> QTextTableFormat:
        result = QTextTableFormat()
        result.setBorder(0)
        result.setCellPadding(self._em_px * _CELL_PADDING_EM)
        result.setCellSpacing(0)
        result.setHeaderRowCount(1)
        return result

    def _cell_format(self) -> QTextTableCellFormat:
        """A line below the cell, none beside it."""
        result = QTextTableCellFormat()
        # Letters of code stand lower than others in a line of the same height.
        result.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        result.setBottomBorder(1)
        result.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        result.setBottomBorderBrush(QBrush(self._theme.color("line")))
        return result
