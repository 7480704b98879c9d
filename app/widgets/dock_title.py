"""Owns the title of a panel at the window's side: its name, and the buttons that detach, put back and hide it.

Does not know the panel's content.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from app.i18n import translate
from app.placement import fitting
from app.widgets.hover import let_go
from app.widgets.icons import show_icon

_MARGIN_PX = 12
_FRAME_PX = 8
"""At most what a desktop draws left, right and below of a window."""
_WRITING_PX = 160
"""At the foot of the main window: where a message is written and sent."""
_DRAG_POLL_MS = 100
_WINDOW_FLAGS = (
    Qt.WindowType.Window
    | Qt.WindowType.CustomizeWindowHint
    | Qt.WindowType.WindowTitleHint
    | Qt.WindowType.WindowSystemMenuHint
    | Qt.WindowType.WindowMaximizeButtonHint
    | Qt.WindowType.WindowCloseButtonHint
)


class DockTitle(QWidget):
    """Stands where the style's own title bar would, which follows neither the zoom nor the icons.

    A panel that is detached gets a frame and a title from the desktop, as any window has, and lies beside the main one.
    """

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._dock = dock
        self._main_window = dock.window()
        self.setProperty("kind", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._label = QLabel(dock.windowTitle())
        self._label.setProperty("kind", "heading")
        self.detach_button = QToolButton()
        self.detach_button.clicked.connect(self._on_detach_clicked)
        self.hide_button = QToolButton()
        words = translate("app", "Hide")
        self.hide_button.setToolTip(words)
        self.hide_button.setAccessibleName(words)
        show_icon(self.hide_button, "close", "muted")
        self.hide_button.clicked.connect(dock.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX // 2, 0)
        row.addWidget(self._label)
        row.addStretch(1)
        row.addWidget(self.detach_button)
        row.addWidget(self.hide_button)
        dock.topLevelChanged.connect(self._on_floating_changed)
        self._show_way(dock.isFloating())

    def _on_detach_clicked(self) -> None:
        dock = self._dock
        if dock.isFloating():
            dock.setFloating(False)
            return
        window, size = dock.window(), dock.size()
        dock.setFloating(True)
        dock.setGeometry(beside(window.frameGeometry(), size, window.screen().availableGeometry()))

    def _on_floating_changed(self, is_floating: bool) -> None:
        self._show_way(is_floating)
        # It has moved away from the pointer.
        let_go(self.detach_button)
        if is_floating:
            QTimer.singleShot(0, self, self._frame)

    def _frame(self) -> None:
        """Qt gives a floating panel no frame where it has a title of its own, and on some desktops none at all."""
        dock = self._dock
        if not dock.isFloating():
            return
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            # It is being dragged, and would lose the mouse.
            QTimer.singleShot(_DRAG_POLL_MS, self, self._frame)
            return
        is_shown, place = not dock.isHidden(), dock.geometry()
        # Of last time, perhaps, on a screen that is not there any more.
        screen = QGuiApplication.screenAt(place.center()) or self._main_window.screen()
        dock.setWindowFlags(_WINDOW_FLAGS)
        dock.setGeometry(within(place, screen.availableGeometry()))
        dock.setVisible(is_shown)
        let_go(self.detach_button)

    def _show_way(self, is_floating: bool) -> None:
        """The way back is in words: nobody looks for it behind a picture."""
        words = translate("app", "Put back") if is_floating else translate("app", "Detach into a window of its own")
        self.detach_button.setText(words)
        self.detach_button.setToolTip("" if is_floating else words)
        self.detach_button.setAccessibleName(words)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if is_floating else Qt.ToolButtonStyle.ToolButtonIconOnly
        self.detach_button.setToolButtonStyle(style)
        show_icon(self.detach_button, "detach", "muted")
        # The window's own title says it then, and its own button closes it.
        self._label.setVisible(not is_floating)
        self.hide_button.setVisible(not is_floating)


def within(place: QRect, room: QRect) -> QRect:
    """The place moved, and made smaller where it must be, so that the frame too lies on the screen."""
    return fitting(place, room.adjusted(_FRAME_PX, 0, -_FRAME_PX, -_FRAME_PX))


def beside(window: QRect, size: QSize, room: QRect) -> QRect:
    """The place of that size right or left of the window, or where the screen leaves no room for it, at its end.

    There it covers what is in the window, but not the place where messages are written.
    """
    place = QRect(window.topLeft(), size.boundedTo(room.size()))
    if window.right() + place.width() <= room.right():
        place.moveLeft(window.right() + 1)
    elif window.left() - place.width() >= room.left():
        place.moveRight(window.left() - 1)
    else:
        place.moveRight(room.right())
        place.setBottom(min(place.bottom(), window.bottom() - _WRITING_PX))
    return within(place, room)
