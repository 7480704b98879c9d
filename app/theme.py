"""Owns the look of the window: colours by role, the one stylesheet, the palette and the zoom of the base font.

Knows no widget of its own; colours come from `assets/themes` and never from code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from string import Template
from typing import Literal

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette, QPixmapCache
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from engine.api import assets_dir

ThemeName = Literal["light", "dark", "contrast", "system"]

ICON_SIZE_PX = 16
MIN_BASE_POINTS = 10.0
MAX_BASE_POINTS = 11.0
_PIXMAP_CACHE_KIB = 2048
"""Of what Qt keeps of painted pictures: icons take a KiB each, and its own limit fills with those of no more use."""
_SETTLE_MS = 40
"""Until a new look is laid out: layouts take several turns of the loop."""

TEXT_PAIRS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("text", ("page", "panel", "hover", "selection", "code_bg")),
    ("muted", ("page", "panel", "hover", "code_bg")),
    ("accent", ("page", "panel", "code_bg")),
    ("on_accent", ("accent", "accent_hover")),
    ("error", ("page", "panel")),
    ("warning", ("page", "panel")),
    ("ok", ("page", "panel")),
    ("code_keyword", ("code_bg",)),
    ("code_string", ("code_bg",)),
    ("code_comment", ("code_bg",)),
    ("code_number", ("code_bg",)),
    ("code_name", ("code_bg",)),
)
"""Every text role and the backgrounds it may stand on; each pair has a contrast of at least 4.5:1."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by role, and the colours of the memory view's owners."""

    name: str
    is_dark: bool
    colors: Mapping[str, str]
    owners: Sequence[str]

    @classmethod
    def read(cls, name: str) -> Theme:
        """The theme `assets/themes/<name>.json`."""
        data = json.loads((assets_dir() / "themes" / f"{name}.json").read_text(encoding="utf-8"))
        return cls(data["name"], data["is_dark"], data["colors"], data["owners"])

    def color(self, role: str) -> QColor:
        """The colour of a role. Raises KeyError for a role that the theme does not have."""
        return QColor(self.colors[role])

    def owner_color(self, index: int) -> QColor:
        """The colour of the owner with this index; after the last colour they repeat, with corners."""
        return QColor(self.owners[index % len(self.owners)])

    def owner_corners(self, index: int) -> int:
        """The corners that mark this owner among those of its colour: none for the first of them."""
        return index // len(self.owners) % 4


class ThemeSignals(QObject):
    """Tells those who paint for themselves that colours or sizes are others now."""

    theme_changing = Signal()
    """Before it: what would be made anew can go, so that no look is worked out for it."""
    theme_changed = Signal()
    theme_settled = Signal()
    """A moment behind it, when all is laid out anew and about to be painted."""


class _Look:
    """What is applied at the moment: one per process, as the application's stylesheet is."""

    def __init__(self) -> None:
        self.choice: ThemeName = "light"
        self.theme = Theme.read("light")
        self.zoom_percent = 100
        self.system_points: float | None = None
        self.signals = ThemeSignals()
        self.is_following = False
        self.has_style = False
        self.frozen: list[QWidget] = []
        """Windows that keep what they show until the new look is laid out."""


_look: _Look | None = None


def _current_look() -> _Look:
    global _look
    if _look is None:
        _look = _Look()
    return _look


def theme_signals() -> ThemeSignals:
    """The object whose `theme_changed` is emitted after each change of theme or zoom."""
    return _current_look().signals


def current_theme() -> Theme:
    """The theme that is applied (light until `apply_theme` was called)."""
    return _current_look().theme


def zoomed_px(size_px: int) -> int:
    """What is so large at 100 % has this size at the present zoom, both in device-independent pixels."""
    return round(size_px * _current_look().zoom_percent / 100)


def icon_size_px() -> int:
    """The edge of a small icon at the present zoom, in device-independent pixels."""
    return zoomed_px(ICON_SIZE_PX)


def apply_theme(app: QApplication, name: ThemeName) -> Theme:
    """Give the whole application the theme `name`; `system` follows the desktop's light or dark setting."""
    look = _current_look()
    look.choice = name
    hints = app.styleHints()
    if not look.is_following:
        look.is_following = True
        hints.colorSchemeChanged.connect(_on_color_scheme_changed)
    # The platform draws title bars and native dialogs after this setting.
    if name == "system":
        hints.setColorScheme(Qt.ColorScheme.Unknown)
        look.theme = Theme.read("dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light")
    else:
        look.theme = Theme.read(name)
        hints.setColorScheme(Qt.ColorScheme.Dark if look.theme.is_dark else Qt.ColorScheme.Light)
    _apply(app, look)
    return look.theme


def apply_zoom(app: QApplication, percent: int) -> None:
    """Scale the base font and all that follows it."""
    look = _current_look()
    look.zoom_percent = percent
    _apply(app, look)


def stylesheet(theme: Theme, base_points: float, icon_px: int = ICON_SIZE_PX) -> str:
    """The one stylesheet, with the theme's colours and the sizes of this zoom."""
    template = Template((assets_dir() / "themes" / "window.qss").read_text(encoding="utf-8"))
    return template.substitute(
        theme.colors,
        title_pt=f"{base_points * 1.5:.1f}",
        heading_pt=f"{base_points * 1.15:.1f}",
        icon_px=icon_px,
        scroller_px=icon_px * 5 // 2,
        # Within a border of 2 px instead of 1, so that the box is as large.
        focused_icon_px=icon_px - 2,
        # A ring of the icon's size; chosen, its border of 5 px leaves a dot.
        radio_px=icon_px // 2 + 1,
        dot_px=icon_px - 8,
        # The handle is of the icon's size, on a groove of 4 px; with the focus its border is twice as wide.
        slider_px=icon_px + 2,
        slider_overlap_px=icon_px // 2 - 2,
        slider_focused_px=icon_px - 4,
        slider_radius_px=icon_px // 2,
    )


def _on_color_scheme_changed() -> None:
    app = QGuiApplication.instance()
    if _current_look().choice == "system" and isinstance(app, QApplication):
        apply_theme(app, "system")


def _apply(app: QApplication, look: _Look) -> None:
    if look.system_points is None:
        # A font set in pixels reports no point size.
        points = app.font().pointSizeF()
        look.system_points = min(MAX_BASE_POINTS, max(MIN_BASE_POINTS, points))
    if not look.has_style:
        # Once: with a stylesheet the style's own name is not told any more.
        look.has_style = True
        app.setStyle("Fusion")
        QPixmapCache.setCacheLimit(_PIXMAP_CACHE_KIB)
    points = look.system_points * look.zoom_percent / 100
    sheet = stylesheet(look.theme, points, icon_size_px())
    if sheet == app.styleSheet():
        # A stylesheet is worked out for every widget there is, which can be felt.
        return
    _freeze(app, look)
    look.signals.theme_changing.emit()
    # Without one first: put in the place of another, a stylesheet is worked out for each widget and again for each of
    # those that it stands in.
    app.setStyleSheet("")
    font = QFont(app.font())
    font.setPointSizeF(points)
    app.setFont(font)
    app.setPalette(_palette(look.theme))
    app.setStyleSheet(sheet)
    look.signals.theme_changed.emit()
    for widget in app.allWidgets():
        # What layouts remember of sizes was asked for while only a part was known of the new look.
        widget.updateGeometry()


def _freeze(app: QApplication, look: _Look) -> None:
    """Nobody sees a window that is laid out in part."""
    if look.frozen:
        return
    look.frozen = [window for window in app.topLevelWidgets() if window.isVisible() and window.updatesEnabled()]
    for window in look.frozen:
        window.setUpdatesEnabled(False)
    QTimer.singleShot(_SETTLE_MS, look.signals, partial(_thaw, look))


def _thaw(look: _Look) -> None:
    look.signals.theme_settled.emit()
    windows, look.frozen = look.frozen, []
    for window in windows:
        if isValid(window):
            window.setUpdatesEnabled(True)
            # What was to be painted when the window was frozen is still noted, and as long as something is Qt asks for
            # no painting: the window would keep its old look until it is covered and uncovered.
            window.repaint()


def _palette(theme: Theme) -> QPalette:
    roles = {
        QPalette.ColorRole.Window: "page",
        QPalette.ColorRole.WindowText: "text",
        QPalette.ColorRole.Base: "page",
        QPalette.ColorRole.AlternateBase: "panel",
        QPalette.ColorRole.Text: "text",
        QPalette.ColorRole.PlaceholderText: "muted",
        QPalette.ColorRole.Button: "panel",
        QPalette.ColorRole.ButtonText: "text",
        QPalette.ColorRole.BrightText: "error",
        QPalette.ColorRole.ToolTipBase: "panel",
        QPalette.ColorRole.ToolTipText: "text",
        QPalette.ColorRole.Highlight: "selection",
        QPalette.ColorRole.HighlightedText: "text",
        QPalette.ColorRole.Link: "accent",
        QPalette.ColorRole.LinkVisited: "accent",
        QPalette.ColorRole.Mid: "line",
        QPalette.ColorRole.Dark: "line",
        QPalette.ColorRole.Accent: "accent",
    }
    palette = QPalette(theme.color("panel"))
    for role, name in roles.items():
        palette.setColor(role, theme.color(name))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.color("muted"))
    return palette
