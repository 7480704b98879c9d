"""Owns a stretch of text that is as high as its content: selectable, with links, without scroll bars of its own.

Does not know Markdown's meaning; `DocumentWriter` fills it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import QPainter, QPaintEvent, QTextBlockFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from app.chat.document_writer import INDENT_EM, QUOTE_DEPTH_PROPERTY, RULE_PROPERTY, DocumentWriter, Prose
from app.chat.links import open_link
from app.chat.markdown import Table
from app.i18n import translate
from app.theme import current_theme

_BAR_WIDTH_PX = 3


class TextView(QTextBrowser):
    """Text that wraps at the width it is given and takes the height it needs."""

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.anchorClicked.connect(open_link)
        document = self.document()
        document.setDocumentMargin(0)
        document.documentLayout().documentSizeChanged.connect(self._on_document_size_changed)
        # The width is known before the first layout, so that text is not laid out twice.
        self.resize(width_px, 1)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: N802 - Qt's name
        """Loads nothing, whatever a document asks for."""
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def writer(self) -> DocumentWriter:
        return DocumentWriter(current_theme(), self.fontMetrics().height())

    def end_cursor(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._paint_bars_and_rules(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._on_document_size_changed(self.document().size())

    def _paint_bars_and_rules(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        layout = self.document().documentLayout()
        color = current_theme().color("line")
        indent_px = self.fontMetrics().height() * INDENT_EM
        block = self.document().begin()
        while block.isValid():
            style = block.blockFormat()
            area = layout.blockBoundingRect(block)
            if area.top() > event.rect().bottom():
                break
            for level in range(int(style.property(QUOTE_DEPTH_PROPERTY) or 0)):
                bar = QRectF(level * indent_px + _BAR_WIDTH_PX, area.top(), _BAR_WIDTH_PX, area.height())
                painter.fillRect(bar, color)
            if style.property(RULE_PROPERTY):
                painter.fillRect(QRectF(0, area.center().y(), self.viewport().width(), 1), color)
            block = block.next()

    def _on_document_size_changed(self, size: QSizeF) -> None:
        height = math.ceil(size.height())
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)


class ProseView(TextView):
    """Paragraphs: the finished ones stay as they are, the open ones behind them are written anew at each change."""

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(width_px, parent)
        self.setAccessibleName(translate("app", "Text"))
        self._num_finished = 0
        self._finished_end: int | None = None
        """Where the open blocks begin, with the break before them; None while there is no finished block."""
        self._finished_format = QTextBlockFormat()

    @property
    def num_finished(self) -> int:
        return self._num_finished

    def show_blocks(self, blocks: Sequence[Prose], num_finished: int) -> None:
        """Replaces the open blocks; of the new ones the first `num_finished` will never change again."""
        cursor = self.end_cursor()
        cursor.beginEditBlock()
        if self._finished_end is None:
            cursor.select(QTextCursor.SelectionType.Document)
        else:
            cursor.setPosition(self._finished_end)
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if self._finished_end is not None and cursor.blockFormat() != self._finished_format:
            # Removing what stands behind an empty line, a rule, leaves that line with the format of what was removed.
            cursor.setBlockFormat(self._finished_format)
        writer = self.writer()
        writer.write_prose(cursor, blocks[:num_finished])
        if num_finished:
            self._num_finished += num_finished
            self._finished_end = cursor.position()
            self._finished_format = cursor.blockFormat()
        writer.write_prose(cursor, blocks[num_finished:])
        cursor.endEditBlock()


class TableView(TextView):
    """One table."""

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(width_px, parent)
        self.setAccessibleName(translate("app", "Table"))

    def show_table(self, table: Table) -> None:
        self.clear()
        cursor = self.end_cursor()
        cursor.beginEditBlock()
        self.writer().write_table(cursor, table)
        cursor.endEditBlock()
