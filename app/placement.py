"""Owns where the window and its side panels stand: within the screen, as wide as the person wants, while there is room.

Does not know what the panels show.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow

from app.theme import theme_signals, zoomed_px

# The frame is the window manager's and not known before the window is shown.
_TITLE_BAR_PX = 32
_MIN_CENTRE_PX = 400
_EASY_CENTRE_PX = 600
"""At 100 %, for a chat that is read with ease."""


def available_geometry(window: QMainWindow) -> QRect:
    """The room that the window's screen leaves to windows."""
    screen = window.screen() or QGuiApplication.primaryScreen()
    return screen.availableGeometry()


def fitting(wanted: QRect, available: QRect) -> QRect:
    """`wanted` made small enough for `available` and moved into it, with room for a title bar above."""
    room = available.adjusted(0, _TITLE_BAR_PX, 0, 0)
    result = QRect(wanted.topLeft(), wanted.size().boundedTo(room.size()))
    result.moveLeft(min(max(result.left(), room.left()), room.right() + 1 - result.width()))
    result.moveTop(min(max(result.top(), room.top()), room.bottom() + 1 - result.height()))
    return result


class DockWidths(QObject):
    """Gives the panels their wanted widths again whenever the window's size has changed, the first ones first.

    Qt alone takes from the panels where the window shrinks and gives to the centre where it grows. A panel of its usual
    width is made wider for larger text where the centre leaves room for it.
    """

    def __init__(
        self, window: QMainWindow, widths: Mapping[QDockWidget, int], usual: Mapping[QDockWidget, int]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._wanted = dict(widths)
        self._usual = usual
        self._at_press: dict[QDockWidget, int] = {}
        self._applied: dict[QDockWidget, int] = {}
        window.installEventFilter(self)
        theme_signals().theme_settled.connect(self._apply_if_changed)
        for dock in widths:
            dock.visibilityChanged.connect(self._ask)

    def wanted_px(self, dock: QDockWidget) -> int:
        return self._wanted[dock]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._ask()
        elif event.type() == QEvent.Type.LayoutRequest:
            # A panel may need less than it did, as after larger text.
            QTimer.singleShot(0, self, self._apply_if_changed)
        elif event.type() == QEvent.Type.MouseButtonPress:
            # The window's own surface is the separators between its panels.
            self._at_press = self._shown()
        elif event.type() == QEvent.Type.MouseButtonRelease:
            QTimer.singleShot(0, self, self._on_dragged)
        return False

    def _shown(self) -> dict[QDockWidget, int]:
        return {dock: dock.width() for dock in self._wanted if dock.isVisible() and not dock.isFloating()}

    def _on_dragged(self) -> None:
        for dock, width_px in self._shown().items():
            if self._at_press.get(dock, width_px) != width_px:
                self._wanted[dock] = width_px

    def _ask(self) -> None:
        # After the layout has had its turn.
        QTimer.singleShot(0, self, self._apply)

    def _target(self) -> dict[QDockWidget, int]:
        room_px = self._window.width() - _MIN_CENTRE_PX
        target = {}
        for dock in self._shown():
            target[dock] = max(min(self._wanted[dock], room_px), dock.minimumSizeHint().width())
            room_px -= target[dock]
        room_px += _MIN_CENTRE_PX - zoomed_px(_EASY_CENTRE_PX)
        for dock, width_px in target.items():
            if self._wanted[dock] == self._usual[dock]:
                more_px = max(0, min(zoomed_px(width_px) - width_px, room_px))
                target[dock] += more_px
                room_px -= more_px
        return target

    def _apply(self) -> None:
        target = self._applied = self._target()
        if target:
            self._window.resizeDocks(list(target), list(target.values()), Qt.Orientation.Horizontal)

    def _apply_if_changed(self) -> None:
        if self._target() != self._applied:
            self._apply()


class LateDock(QObject):
    """Keeps a panel closed that has nothing to show yet. It opens when it first has, if the window is wide enough.

    Once the person has opened it, it stays as the person wants it.
    """

    def __init__(self, dock: QDockWidget, has_content: SignalInstance, min_window_px: int) -> None:
        """`has_content` has one argument: what is to be shown, None for nothing."""
        super().__init__(dock)
        self._dock = dock
        self._has_content = has_content
        self._min_window_px = min_window_px
        dock.hide()
        has_content.connect(self._on_content)
        dock.visibilityChanged.connect(self._on_visibility_changed)

    def _on_visibility_changed(self, is_shown: bool) -> None:
        if is_shown:
            self._end()

    def _end(self) -> None:
        self._has_content.disconnect(self._on_content)
        self._dock.visibilityChanged.disconnect(self._on_visibility_changed)

    def _on_content(self, content: object) -> None:
        if content is None:
            return
        self._end()
        if self._dock.window().width() >= self._min_window_px:
            self._dock.show()


class NarrowWindow(QObject):
    """Closes panels while the window is too narrow for them and the chat, and opens them again when it is wide.

    A panel that the person opens or closes meanwhile stays as the person wants it.
    """

    def __init__(self, window: QMainWindow, min_window_px: Mapping[QDockWidget, int]) -> None:
        super().__init__(window)
        self._window = window
        self._min_window_px = dict(min_window_px)
        self._was_narrow = dict.fromkeys(min_window_px, False)
        self._closed: set[QDockWidget] = set()
        window.installEventFilter(self)
        for dock in min_window_px:
            dock.visibilityChanged.connect(lambda is_shown, dock=dock: self._on_visibility_changed(dock, is_shown))

    def reopen(self) -> None:
        """Opens what was closed for want of room, so that the next start finds what the person chose."""
        for dock in tuple(self._closed):
            dock.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            # Not amid the layout's own work.
            QTimer.singleShot(0, self, self._apply)
        return False

    def _apply(self) -> None:
        if not self._window.isVisible():
            return
        for dock, min_px in self._min_window_px.items():
            is_narrow = self._window.width() < min_px
            if is_narrow == self._was_narrow[dock]:
                continue
            self._was_narrow[dock] = is_narrow
            if not is_narrow and dock in self._closed:
                dock.show()
            elif is_narrow and dock.isVisible() and not dock.isFloating():
                dock.hide()
                self._closed.add(dock)

    def _on_visibility_changed(self, dock: QDockWidget, is_shown: bool) -> None:
        if is_shown:
            self._closed.discard(dock)
