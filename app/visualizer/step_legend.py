"""Owns the legend of the step timeline: what its hatches, lines and marks stand for.

Does not know the steps.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.i18n import listed, translate
from app.theme import ICON_SIZE_PX, current_theme, icon_size_px, theme_signals
from app.visualizer.memory_bar import paint_part
from app.visualizer.step_marks import MARK_PX, Mark, paint_mark
from app.widgets.flow import Flow

_SAMPLE_SIZE = QSize(12, 10)
_GAP_PX = 4
_LINE_PX = 2
_MARKS: tuple[Mark, ...] = ("recomputed", "swapped", "resumed")


class StepLegend(Flow):
    """Each sample with its word, the lanes from top to bottom in the tip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        entries, notes = legend_words(), _notes()
        for sample, words in entries.items():
            self.add(_Entry(sample, words, notes.get(sample, "")))
        self.setAccessibleName(translate("app", "Legend of the step timeline"))
        self.setAccessibleDescription(listed(entries.values()))
        self.setToolTip(lanes_words())


def legend_words() -> dict[str, str]:
    """{a sample: what it stands for}"""
    return {
        "prompts": translate("app", "tokens of prompts"),
        "answers": translate("app", "tokens of answers"),
        "lines": translate("app", "time of a step; below it, chats at once"),
        "waiting": translate("app", "somebody waits"),
        "recomputed": translate("app", "preempted, to be computed again"),
        "swapped": translate("app", "swapped out"),
        "resumed": translate("app", "back again"),
    }


def _notes() -> dict[str, str]:
    """{a sample: what its words mean}"""
    return {
        "recomputed": translate(
            "app", "There was no memory for all chats: this one waits, and what was read of it is read again later"
        ),
        "swapped": translate(
            "app", "There was no memory for all chats: this one waits, and its blocks lie in RAM meanwhile"
        ),
        "resumed": translate("app", "There is room again: the chat goes on"),
    }


def lanes_words() -> str:
    return translate(
        "app",
        "From top to bottom: what became of chats that wait, tokens computed, time of a step, chats at once. Bars grow "
        "as the root of their number. Arrow keys go through the moments.",
    )


class _Entry(QWidget):
    def __init__(self, sample: str, words: str, note: str) -> None:
        super().__init__()
        self.setToolTip(note)
        label = QLabel(words)
        label.setProperty("kind", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_GAP_PX)
        row.addWidget(_Sample(sample))
        row.addWidget(label)


class _Sample(QWidget):
    def __init__(self, sample: str) -> None:
        super().__init__()
        self._sample = sample
        theme_signals().theme_changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self.setFixedSize(_SAMPLE_SIZE * icon_size_px() / ICON_SIZE_PX)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        zoom = icon_size_px() / ICON_SIZE_PX
        painter.scale(zoom, zoom)
        room = QRectF(0, 0, _SAMPLE_SIZE.width(), _SAMPLE_SIZE.height())
        line = QRectF(0, (room.height() - _LINE_PX) / 2, room.width(), _LINE_PX)
        match self._sample:
            case "prompts":
                paint_part(painter, room, "bar_cached")
            case "answers":
                painter.fillRect(room, theme.color("bar_used"))
            case "lines":
                painter.fillRect(line, theme.color("muted"))
            case "waiting":
                painter.fillRect(line, theme.color("warning"))
            case mark:
                top = (room.height() - MARK_PX) / 2
                paint_mark(painter, next(known for known in _MARKS if known == mark), room.center().x(), top)
