"""Owns the picture of the engine's last seconds: tokens, time and batch of its steps, and what happened in the queue.

Does not know the engine; the numbers come from a `StepLog`.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.i18n import translate
from app.theme import current_theme, theme_signals
from app.visualizer.memory_bar import paint_part
from app.visualizer.step_legend import lanes_words
from app.visualizer.step_log import NUM_SLICES, SPAN_S, StepLog, StepSums
from app.visualizer.step_marks import MARK_PX, paint_mark
from app.visualizer.step_text import describe_slice

_MIN_HEIGHT_LINES = 7


class StepTimeline(QWidget):
    """From top to bottom: marks of preemptions, swaps and returns; tokens; time per step; sequences per step.

    Prompt tokens are hatched, tokens of answers are solid, and bars grow as the root of their number. Arrow keys go
    from column to column.
    """

    described = Signal(str)
    """The words for the column under the cursor or the mouse; empty when there is none."""

    def __init__(self, log: StepLog, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log = log
        self._cursor: int | None = None
        self._slices: list[StepSums] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(translate("app", "Step timeline"))
        self.setToolTip(lanes_words())
        theme_signals().theme_changed.connect(self.update)

    def refresh(self) -> None:
        """The log has changed."""
        self._slices = self._log.slices() if len(self._log) else []
        self.update()

    @property
    def _column_px(self) -> float:
        return self.width() / NUM_SLICES

    def sizeHint(self) -> QSize:
        return QSize(280, _MIN_HEIGHT_LINES * self.fontMetrics().lineSpacing())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _MIN_HEIGHT_LINES * self.fontMetrics().lineSpacing())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = current_theme()
        painter.fillRect(self.rect(), theme.color("block_free"))
        if self._slices:
            room = self.height() - MARK_PX - 2
            self._paint_waiting(painter)
            self._paint_tokens(painter, QRectF(0, MARK_PX + 2, self.width(), room * 0.5 - 2))
            values = [part.mean_duration_s for part in self._slices]
            self._paint_lane(painter, QRectF(0, MARK_PX + 2 + room * 0.5, self.width(), room * 0.25 - 2), values)
            counts = [float(part.max_sequences) for part in self._slices]
            self._paint_lane(painter, QRectF(0, MARK_PX + 2 + room * 0.75, self.width(), room * 0.25), counts)
            self._paint_marks(painter)
        if self._cursor is not None:
            painter.setPen(QPen(theme.color("text"), 1, Qt.PenStyle.DotLine))
            middle = round(self._middle(self._cursor))
            painter.drawLine(middle, 0, middle, self.height())
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _middle(self, column: int) -> float:
        return (column + 0.5) * self._column_px

    def _paint_waiting(self, painter: QPainter) -> None:
        """A thin line under the marks for as long as somebody waits."""
        width = self._column_px
        lines = [
            QRectF(column * width, MARK_PX, width, 2)
            for column, part in enumerate(self._slices)
            if part.max_waiting or part.max_swapped
        ]
        _fill(painter, lines, current_theme().color("warning"))

    def _paint_tokens(self, painter: QPainter, lane: QRectF) -> None:
        # A prompt has hundreds of tokens a step, an answer one: by their roots both are seen.
        highest = math.sqrt(max(part.num_tokens for part in self._slices) or 1)
        width, bottom = self._column_px, lane.bottom()
        answers = []
        for column, part in enumerate(self._slices):
            if not part.num_tokens:
                continue
            both = lane.height() * math.sqrt(part.num_tokens) / highest
            decode = both * part.num_decode_tokens / part.num_tokens
            answers.append(QRectF(column * width, bottom - decode, width - 1, decode))
            if part.num_prefill_tokens:
                prompts = QRectF(column * width, bottom - both, width - 1, both - decode)
                paint_part(painter, prompts, "bar_cached")
        _fill(painter, answers, current_theme().color("bar_used"))

    def _paint_lane(self, painter: QPainter, lane: QRectF, values: list[float]) -> None:
        """Steps of a line, with nothing where nothing was computed."""
        highest = max(values) or 1.0
        painter.setPen(QPen(current_theme().color("line"), 1))
        painter.drawLine(lane.topLeft(), lane.topRight())
        width = self._column_px
        room, bottom = lane.height() - 3, lane.bottom()
        steps = [
            QRectF(column * width, bottom - max(2.0, room * value / highest), width, 2)
            for column, value in enumerate(values)
            if value
        ]
        _fill(painter, steps, current_theme().color("muted"))

    def _paint_marks(self, painter: QPainter) -> None:
        for column, part in enumerate(self._slices):
            middle = self._middle(column)
            if part.num_resumed:
                paint_mark(painter, "resumed", middle)
            if part.num_recomputed:
                paint_mark(painter, "recomputed", middle)
            if part.num_swapped_out:
                paint_mark(painter, "swapped", middle)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # A mouse that is dragged goes beyond the picture's ends.
        self._move_cursor(max(0, min(NUM_SLICES - 1, int(event.position().x() / self._column_px))))

    def leaveEvent(self, event: object) -> None:
        if not self.hasFocus():
            self._move_cursor(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._cursor is None:
            self._move_cursor(NUM_SLICES - 1)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._move_cursor(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = NUM_SLICES - 1
        at = last if self._cursor is None else self._cursor
        moved = {
            Qt.Key.Key_Left: at - 1,
            Qt.Key.Key_Right: at + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if moved is None:
            super().keyPressEvent(event)
            return
        self._move_cursor(max(0, min(last, moved)))

    def _move_cursor(self, column: int | None) -> None:
        self._cursor = column
        words = ""
        if column is not None and column < len(self._slices):
            ago_s = SPAN_S * (1 - (column + 0.5) / len(self._slices))
            words = describe_slice(self._slices[column], ago_s)
        self.setAccessibleDescription(words)
        self.described.emit(words)
        self.update()


def _fill(painter: QPainter, parts: list[QRectF], color: QColor) -> None:
    """All in one call: each costs more than what it paints."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRects(parts)
