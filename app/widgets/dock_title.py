"""Owns the title of a panel at the window's side: its name, and the buttons that detach and hide it.

Does not know the panel's content.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from app.i18n import translate
from app.widgets.icons import show_icon

_MARGIN_PX = 12


class DockTitle(QWidget):
    """Stands where the style's own title bar would, which follows neither the zoom nor the icons."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self.setProperty("kind", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        label = QLabel(dock.windowTitle())
        label.setProperty("kind", "heading")
        self.detach_button = _button("detach", translate("app", "Detach into a window of its own, or put back"))
        self.detach_button.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self.hide_button = _button("close", translate("app", "Hide"))
        self.hide_button.clicked.connect(dock.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX // 2, 0)
        row.addWidget(label, 1)
        row.addWidget(self.detach_button)
        row.addWidget(self.hide_button)


def _button(icon_name: str, words: str) -> QToolButton:
    button = QToolButton()
    button.setToolTip(words)
    button.setAccessibleName(words)
    show_icon(button, icon_name, "muted")
    return button
