"""Owns a field to search with: a mark at its beginning, and a cross that empties it, as large as the zoom has them.

Does not know what is searched. Qt's own icons in such a field stay as small at every zoom.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton, QWidget

from app.i18n import translate
from app.theme import icon_size_px, theme_signals
from app.widgets.icons import icon, show_icon
from app.widgets.screen_change import redraw_on_other_screen

_GAP_PX = 4


class IconField(QLineEdit):
    """`mark`: the icon at the beginning; None for none. The cross is there while there is text."""

    def __init__(self, mark: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = mark
        self._label = QLabel(self)
        self._label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label.setVisible(mark is not None)
        self.clear_button = QToolButton(self)
        self.clear_button.setProperty("kind", "small")
        self.clear_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.clear_button.setCursor(Qt.CursorShape.ArrowCursor)
        self.clear_button.setAccessibleName(translate("app", "Clear the field"))
        self.clear_button.setToolTip(translate("app", "Clear the field"))
        show_icon(self.clear_button, "close", "muted")
        self.clear_button.clicked.connect(self.clear)
        self.clear_button.hide()
        self.textChanged.connect(lambda text: self.clear_button.setVisible(bool(text)))
        theme_signals().theme_changed.connect(self._fit)
        redraw_on_other_screen(self, self._fit)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _fit(self) -> None:
        if self._mark is not None:
            self._label.setPixmap(icon(self._mark, "muted").pixmap(icon_size_px()))
        room_px = icon_size_px() + _GAP_PX
        self.setTextMargins(room_px + _GAP_PX if self._mark is not None else 0, 0, room_px, 0)
        self._place()

    def _place(self) -> None:
        edge = icon_size_px()
        top = (self.height() - edge) // 2
        self._label.setGeometry(2 * _GAP_PX, top, edge, edge)
        # As large as a finger's tip would have it, within the field's border.
        height = self.height() - 2
        self.clear_button.setGeometry(self.width() - 1 - height, 1, height, height)
