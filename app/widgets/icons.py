"""Owns the icons: SVG drawings of one set, tinted with a colour role of the theme, and those that others draw.

Knows nothing of what an icon stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from app.theme import Theme, current_theme, theme_signals
from engine.api import assets_dir

# Sharp at 80–200 % zoom on screens of one, one and a half, and two pixels per point.
_EDGES_PX = (13, 16, 20, 24, 28, 32, 40, 48, 64)
_FAINT = 0.6
CONFIRM_MS = 1500
"""Long enough to be seen by somebody who looks at the pointer, short enough not to be taken for a state."""


class _Drawn:
    """The icons of the theme that is shown: nearly 90 KiB each, so those of others are let go."""

    def __init__(self) -> None:
        self.theme: Theme | None = None
        self.icons: dict[Hashable, QIcon] = {}


_drawn = _Drawn()


class _HasIcon(Protocol):
    def setIcon(self, icon: QIcon, /) -> None: ...  # noqa: N802 - Qt's name


def icon(name: str, role: str = "text") -> QIcon:
    """The icon `assets/icons/<name>.svg` in the colour of `role`, faint while its control is disabled.

    Its colour is that of the theme now: after a change ask again, or use `show_icon`. Raises FileNotFoundError
    for a name that is not in the set.
    """
    theme = current_theme()
    color = theme.colors[role]
    return drawn_once((name, color), lambda: _tinted(name, color, _faint(theme)))


def drawn_once(key: Hashable, draw: Callable[[], QIcon]) -> QIcon:
    """What `draw` made when this key was first asked for in the theme that is shown.

    Qt keeps what it paints of an icon, by the pixmap, until some 10 MiB are full: icons that are drawn anew for each
    painting pile up there, and nobody will ever ask for them again.
    """
    theme = current_theme()
    if _drawn.theme is not theme:
        _drawn.theme = theme
        _drawn.icons.clear()
        QPixmapCache.clear()
    drawn = _drawn.icons.get(key)
    if drawn is None:
        drawn = _drawn.icons[key] = draw()
    return QIcon(drawn)


def show_icon(control: QObject, name: str, role: str = "text") -> None:
    """Give a button or an action an icon that follows the theme; a later call replaces the former icon."""
    former = control.findChild(_FollowingIcon, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if former is None:
        former = _FollowingIcon(control)
    former.show(name, role)


def confirm_by_icon(control: QObject) -> None:
    """Show for a moment, in place of the icon of `show_icon`, that it is done: where nothing else would tell."""
    shown = control.findChild(_FollowingIcon, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert shown is not None, f"{control!r} has no icon"
    shown.confirm()


class _FollowingIcon(QObject):
    """A child of its control: it and its connection end with the control."""

    def __init__(self, control: QObject) -> None:
        super().__init__(control)
        self._name = ""
        self._role = ""
        self._is_confirming = False
        theme_signals().theme_changed.connect(self.on_theme_changed)

    def show(self, name: str, role: str) -> None:
        self._name = name
        self._role = role
        self.on_theme_changed()

    def confirm(self) -> None:
        self._is_confirming = True
        self.on_theme_changed()
        QTimer.singleShot(CONFIRM_MS, self, self._end_confirming)

    def _end_confirming(self) -> None:
        self._is_confirming = False
        self.on_theme_changed()

    def on_theme_changed(self) -> None:
        control: _HasIcon = self.parent()  # type: ignore[assignment]  # buttons and actions have setIcon
        control.setIcon(icon("check", "ok") if self._is_confirming else icon(self._name, self._role))


def _faint(theme: Theme) -> str:
    """Between what is muted and the page: what can be used is often muted."""
    muted, page = theme.color("muted"), theme.color("page")
    parts = zip((muted.red(), muted.green(), muted.blue()), (page.red(), page.green(), page.blue()), strict=True)
    return QColor(*(round((1 - _FAINT) * one + _FAINT * other) for one, other in parts)).name()


def _tinted(name: str, color: str, disabled_color: str) -> QIcon:
    result = QIcon()
    drawing = (assets_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    for mode, tint in ((QIcon.Mode.Normal, color), (QIcon.Mode.Disabled, disabled_color)):
        renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", tint).encode()))
        for edge in _EDGES_PX:
            pixmap = QPixmap(edge, edge)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            renderer.render(painter, QRectF(0, 0, edge, edge))
            painter.end()
            result.addPixmap(pixmap, mode)
    return result
