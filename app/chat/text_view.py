"""Owns a stretch of text that is as high as its content: selectable, with links, without scroll bars of its own.

Does not know Markdown's meaning; `DocumentWriter` fills it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QEvent, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import QPainter, QPaintEvent, QTextBlockFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from app.chat.document_writer import INDENT_EM, QUOTE_DEPTH_PROPERTY, RULE_PROPERTY, DocumentWriter, Prose
from app.chat.links import open_link
from app.chat.markdown import Paragraph, Rule, Span, Table
from app.chat.transcript_page import keep_pixels
from app.i18n import translate
from app.theme import current_theme

_BAR_WIDTH_PX = 3
_OVERHANG_PX = 3
"""How far a line's letters may stand out of it."""
_MAX_SHORT_CHARACTERS = 2000


class TextView(QTextBrowser):
    """Text that wraps at the width it is given and takes the height it needs."""

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        keep_pixels(self)
        keep_pixels(self.viewport())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.anchorClicked.connect(open_link)
        self._has_marks = False
        """Whether there are bars or rules to paint besides the text."""
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

    def begin_edit(self) -> QTextCursor:
        """A cursor at the end, in an edit block that the caller ends: outside it would look for its place in a line."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._has_marks:
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
        block = self.cursorForPosition(event.rect().topLeft()).block()
        # Between two blocks it is the nearer one.
        block = block.previous() if block.previous().isValid() else block
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


@dataclass(frozen=True, slots=True)
class _Written:
    """A block as it stands in the document, and where it ends there."""

    block: Prose
    end: int
    format: QTextBlockFormat


class ProseView(TextView):
    """Paragraphs: the finished ones stay as they are; of the open ones only what changed is written anew."""

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(width_px, parent)
        self.setAccessibleName(translate("app", "Text"))
        self._num_finished = 0
        self._finished: _Written | None = None
        """The last of the finished blocks."""
        self._open: list[_Written] = []

    @property
    def num_finished(self) -> int:
        return self._num_finished

    def show_blocks(self, blocks: Sequence[Prose], num_finished: int) -> None:
        """Replaces the open blocks; of the new ones the first `num_finished` will never change again."""
        pairs = zip(self._open, blocks, strict=False)
        num_same = next((place for place, (old, new) in enumerate(pairs) if old.block != new), len(self._open))
        num_same = min(num_same, len(blocks))
        added: tuple[Span, ...] | None = None
        if num_same + 1 == len(self._open) and num_same < len(blocks):
            # The usual case, an answer that goes on: what has been laid out is not thrown away.
            added = added_spans(self._open[num_same].block, blocks[num_same])
        top = self._top_of_changed(num_same + (added is not None))
        new = blocks[num_same + (added is not None) :]
        # A long piece is laid out by and by, and the layout tells of each step.
        is_short = sum(map(_length, new)) + _num_characters(added or ()) < _MAX_SHORT_CHARACTERS
        layout = self.document().documentLayout()
        layout.blockSignals(is_short)
        self._write(blocks, num_same, added, num_finished)
        layout.blockSignals(False)
        self._has_marks |= any(isinstance(block, Rule) or block.quote_depth > 0 for block in blocks)
        if is_short:
            # The layout would have all of the text painted.
            self._on_document_size_changed(self.document().size())
            self.viewport().update(0, top, self.viewport().width(), self.viewport().height())

    def _top_of_changed(self, num_kept: int) -> int:
        """Above it nothing moves if all but the first open blocks go and others come behind them, in pixels."""
        last = self._open[num_kept - 1] if num_kept else self._finished
        if last is None:
            return 0
        # What is added to a line may take its last word to the next one.
        lines = self.document().findBlock(last.end).layout()
        y = lines.lineAt(lines.lineCount() - 1).y() if lines.lineCount() else 0.0
        return max(0, math.floor(lines.position().y() + y) - _OVERHANG_PX)

    def _write(self, blocks: Sequence[Prose], num_same: int, added: Sequence[Span] | None, num_finished: int) -> None:
        """Leaves the first open blocks as they are, adds to the next one if there is something, and writes the rest."""
        cursor = self.begin_edit()
        writer = self.writer()
        if added is not None:
            grown = blocks[num_same]
            assert isinstance(grown, Paragraph), f"{grown!r} cannot grow"
            writer.write_spans(cursor, grown, added)
            self._open[num_same] = _Written(grown, cursor.position(), cursor.blockFormat())
            num_same += 1
        self._remove_behind(cursor, num_same)
        for block in blocks[num_same:]:
            writer.write_prose(cursor, [block])
            self._open.append(_Written(block, cursor.position(), cursor.blockFormat()))
        if num_finished:
            self._num_finished += num_finished
            self._finished = self._open[num_finished - 1]
            del self._open[:num_finished]
        cursor.endEditBlock()

    def _remove_behind(self, cursor: QTextCursor, num_open: int) -> None:
        """Takes out all but the finished blocks and the first open ones."""
        if num_open == len(self._open) and (self._open or self._finished):
            return
        last = self._open[num_open - 1] if num_open else self._finished
        if last is None:
            cursor.select(QTextCursor.SelectionType.Document)
        else:
            cursor.setPosition(last.end)
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if last is not None and cursor.blockFormat() != last.format:
            # Removing what stands behind an empty line, a rule, leaves that line with the format of what was removed.
            cursor.setBlockFormat(last.format)
        del self._open[num_open:]


def added_spans(before: Prose, after: Prose) -> tuple[Span, ...] | None:
    """What a paragraph has gained at its end; None if that is not all that changed."""
    if not isinstance(before, Paragraph) or not isinstance(after, Paragraph):
        return None
    if replace(before, spans=after.spans) != after or len(before.spans) > len(after.spans):
        return None
    if not before.spans:
        return after.spans
    *same, last = before.spans
    grown = after.spans[len(same)]
    if tuple(same) != after.spans[: len(same)] or not grown.text.startswith(last.text):
        return None
    rest = replace(grown, text=grown.text[len(last.text) :])
    if replace(grown, text=last.text) != last:
        return None
    return (rest, *after.spans[len(same) + 1 :]) if rest.text else after.spans[len(same) + 1 :]


def _length(block: Prose) -> int:
    return _num_characters(block.spans) if isinstance(block, Paragraph) else 0


def _num_characters(spans: Sequence[Span]) -> int:
    return sum(len(span.text) for span in spans)


class TableView(TextView):
    """One table."""

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(width_px, parent)
        self.setAccessibleName(translate("app", "Table"))

    def show_table(self, table: Table) -> None:
        self.clear()
        cursor = self.begin_edit()
        self.writer().write_table(cursor, table)
        cursor.endEditBlock()
