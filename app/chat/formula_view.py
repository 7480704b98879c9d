"""Owns the view of a formula that stands by itself: its drawing, over the text that says the same in a line.

Does not know how a formula is set. The text stays in the document: it is what is searched and read aloud, and what is
shown until the drawing is there, where there is none, and where it would not fit. Copied is the LaTeX.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QMimeData, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontInfo, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from app.chat.document_writer import INDENT_EM
from app.chat.formula_drawing import EM, INK, FormulaDrawing
from app.chat.formula_setter import formula_setter
from app.chat.markdown import Paragraph
from app.chat.text_view import TextView
from app.i18n import translate
from app.theme import current_theme

_ENLARGED = 1.2
"""As the text of a formula is, beside that around it."""
_MIN_SCALE = 0.6
"""A formula that must become smaller to fit stays a text, which wraps."""
_GAP_EM = 0.4


class FormulaView(TextView):
    """One formula."""

    # Here, as the document tells its size before there is a formula.
    _block: Paragraph | None = None
    _drawing: FormulaDrawing | None = None

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(width_px, parent)
        self.setAccessibleName(translate("app", "Formula"))
        self._picture = QPixmap()
        self._look: tuple[object, ...] = ()
        """What the picture was painted for."""
        formula_setter().drawn.connect(self._on_drawn)

    def show_formula(self, block: Paragraph) -> None:
        if block == self._block:
            return
        self._block = block
        self.clear()
        cursor = self.begin_edit()
        self.writer().write_prose(cursor, [block])
        cursor.endEditBlock()
        self._take_drawing()

    @property
    def is_drawn(self) -> bool:
        """Whether the drawing is shown, and not the text."""
        return self._drawing is not None and self._scale() > 0

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802 - Qt's name
        data = QMimeData()
        data.setText("" if self._block is None else f"$${self._block.formula}$$")
        return data

    def _on_drawn(self, source: str) -> None:
        if self._block is not None and source == self._block.formula:
            self._take_drawing()

    def _take_drawing(self) -> None:
        assert self._block is not None, "no formula is shown"
        self._drawing = formula_setter().drawing(self._block.formula)
        self._look = ()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange):
            self._fit()

    def _left_px(self) -> float:
        indent = 0 if self._block is None else self._block.indent
        return self.fontMetrics().height() * INDENT_EM * indent

    def _scale(self) -> float:
        """Pixels for a unit of the drawing; 0 if it does not fit."""
        if self._drawing is None:
            return 0.0
        wanted = QFontInfo(self.font()).pixelSize() * _ENLARGED / EM
        fitting = (self.width() - self._left_px()) / self._drawing.width
        return min(wanted, fitting) if fitting >= _MIN_SCALE * wanted else 0.0

    def _on_document_size_changed(self, size: QSizeF) -> None:
        if self._drawing is not None and (scale := self._scale()):
            gaps_px = 2 * _GAP_EM * self.fontMetrics().height()
            size = QSizeF(size.width(), self._drawing.height * scale + gaps_px)
        super()._on_document_size_changed(size)

    def _fit(self) -> None:
        self._on_document_size_changed(self.document().size())
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.is_drawn:
            if self._block is not None:
                formula_setter().hurry(self._block.formula)
            super().paintEvent(event)
            return
        painter = QPainter(self.viewport())
        picture = self._painted()
        ratio = picture.devicePixelRatio()
        size = picture.deviceIndependentSize()
        left = self._left_px()
        place = QPointF(left + (self.width() - left - size.width()) / 2, (self.height() - size.height()) / 2)
        # On whole pixels of the screen, or fine lines would blur.
        place = QPointF(round(place.x() * ratio) / ratio, round(place.y() * ratio) / ratio)
        marked = next((one.format.background() for one in self.extraSelections()), None)
        if marked is None and self.textCursor().hasSelection():
            marked = self.palette().highlight()
        if marked is not None:
            painter.fillRect(QRectF(place, size), marked)
        painter.drawPixmap(place, picture)

    def _painted(self) -> QPixmap:
        """The drawing in the size and colour of the text."""
        drawing, scale = self._drawing, self._scale()
        assert drawing is not None, "there is no drawing"
        color, ratio = current_theme().color("text").name(), self.devicePixelRatioF()
        look = (drawing, scale, color, ratio)
        if look != self._look:
            self._look = look
            size = QSizeF(drawing.width * scale, drawing.height * scale)
            self._picture = QPixmap((size * ratio).toSize().expandedTo(QSizeF(1, 1).toSize()))
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._picture)
            svg = drawing.svg.replace(f'"{INK}"', f'"{color}"')
            QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, size.width(), size.height()))
            painter.end()
        return self._picture
