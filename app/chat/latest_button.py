"""Owns the button over a chat's messages that goes to the newest text: how it looks and where it stands.

Does not know the messages.
"""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractScrollArea, QPushButton

from app.i18n import translate
from app.widgets.icons import show_icon

_GAP_PX = 8


class LatestButton(QPushButton):
    """At the foot of the view, in the middle; hidden at first."""

    def __init__(self, area: QAbstractScrollArea) -> None:
        super().__init__(translate("app", "latest"), area)
        self._area = area
        self.setToolTip(translate("app", "Go to the newest text"))
        show_icon(self, "arrow-down")
        self.hide()

    def place(self, is_shown: bool) -> None:
        """To where it belongs in a view of the present size."""
        self.setVisible(is_shown)
        if not is_shown:
            return
        self.adjustSize()
        size, view = self.size(), self._area.viewport().geometry()
        self.move(view.center().x() - size.width() // 2, view.bottom() - size.height() - _GAP_PX)
