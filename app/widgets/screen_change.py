"""Owns hearing that a widget is on a screen with other pixels than before.

Does not know what is drawn.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget


class _Listener(QObject):
    def __init__(self, widget: QWidget, redraw: Callable[[], object]) -> None:
        super().__init__(widget)
        self._redraw = redraw
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._redraw()
        return super().eventFilter(watched, event)


def redraw_on_other_screen(widget: QWidget, redraw: Callable[[], object]) -> None:
    """Calls `redraw` whenever a pixel of the widget is another number of the screen's; for pictures that are kept."""
    _Listener(widget, redraw)
