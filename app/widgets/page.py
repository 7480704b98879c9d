"""Owns a page of the centre: one scrolling column of readable width, and the head of a page that can be left.

Knows nothing of its content.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.theme import theme_signals
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel

_MARGIN_PX = 24
_SPACING_PX = 8
_MAX_CHARACTERS = 110


class Page(QWidget):
    """Content goes into `column`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = QWidget()
        self.column = QVBoxLayout(self._content)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(_SPACING_PX)
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        row.addStretch(1)
        row.addWidget(self._content, 1000)
        row.addStretch(1)
        area = self._area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(middle)
        self._middle = middle
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        theme_signals().theme_changed.connect(self._limit_width)
        self._limit_width()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            # A page begins with its title; the layout and the focus have had their turn by then.
            QTimer.singleShot(0, self, lambda: self._area.verticalScrollBar().setValue(0))

    def scroll_to(self, *widgets: QWidget) -> None:
        """Brings parts of the page into view, once they have their places; the last one in any case."""

        def scroll() -> None:
            # What has just been added to a part has its height only then.
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            for widget in widgets:
                self._area.ensureWidgetVisible(widget, 0, _MARGIN_PX)

        QTimer.singleShot(0, self, scroll)

    @contextmanager
    def keeping_place(self, grown: QWidget) -> Iterator[None]:
        """Where a person looks at what is below `grown`, that stays where it is while `grown` gets another height."""
        before_px, looks_below = grown.height(), self._looks_below(grown)
        yield
        if looks_below:
            # All of the layouts at once, or what is below would be painted where it goes first.
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            bar = self._area.verticalScrollBar()
            bar.setValue(bar.value() + grown.height() - before_px)

    def _looks_below(self, part: QWidget) -> bool:
        """Whether the part is above what is in view, or the mouse is below it."""
        view = self._area.viewport()
        top_px = self._area.verticalScrollBar().value()
        bottom_px = part.mapTo(self._middle, part.rect().bottomLeft()).y() - top_px
        mouse = view.mapFromGlobal(QCursor.pos())
        return part.isVisible() and (bottom_px < 0 or (view.rect().contains(mouse) and mouse.y() > bottom_px))

    def _limit_width(self) -> None:
        self._content.setMaximumWidth(self.fontMetrics().averageCharWidth() * _MAX_CHARACTERS)


class ClosablePage(Page):
    """A page under its title, from which a button and Esc lead back."""

    closed = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        close = QToolButton()
        close.setToolTip(translate("app", "Back (Esc)"))
        close.setAccessibleName(translate("app", "Back"))
        show_icon(close, "close")
        close.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.addWidget(TextLabel(title, "title"), 1)
        head.addWidget(close)
        self.column.addLayout(head)
        context = Qt.ShortcutContext.WidgetWithChildrenShortcut
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.closed.emit, context=context)
