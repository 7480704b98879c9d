"""The set of icons and their tint."""

import re
import weakref

import pytest
from PySide6.QtGui import QColor, QIcon, QPixmap, QPixmapCache
from PySide6.QtWidgets import QApplication, QPushButton

from app.theme import apply_theme, current_theme
from app.widgets.icons import CONFIRM_MS, _drawn, confirm_by_icon, drawn_once, icon, show_icon
from engine.api import assets_dir

NAMES = (
    "dot",
    "plus", "close", "send", "stop", "copy", "chats", "models", "settings", "memory", "search", "arrow-down", "pin",
    "play", "pause", "check", "warning", "moon", "sun", "edit", "trash", "retry", "download", "folder", "chevron-down",
    "chevron-right", "more", "chevron-up", "folder-new", "list",
)  # fmt: skip


def strongest_color(drawn: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal) -> QColor:
    image = drawn.pixmap(64, 64, mode).toImage()
    inked = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return max(inked, key=lambda color: color.alpha())


@pytest.mark.parametrize("name", NAMES)
def test_icon_is_drawn_in_the_colour_of_its_role(qapp: QApplication, name: str):
    apply_theme(qapp, "light")
    color = strongest_color(icon(name, "accent"))
    assert color.alpha() > 200
    assert color.name() == current_theme().color("accent").name()


@pytest.mark.parametrize("name", NAMES)
def test_all_icons_share_grid_and_stroke(name: str):
    drawing = (assets_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    assert 'viewBox="0 0 16 16"' in drawing
    assert re.findall(r'stroke-width="([\d.]+)"', drawing) == ["1.5"]
    assert "#" not in drawing


def test_icon_of_a_disabled_control_is_fainter_than_a_muted_one(qapp: QApplication):
    apply_theme(qapp, "light")
    disabled, muted = strongest_color(icon("plus", "muted"), QIcon.Mode.Disabled), current_theme().color("muted")
    assert muted.lightness() < disabled.lightness() < current_theme().color("page").lightness()


def test_icons_of_a_theme_that_is_not_shown_any_more_are_not_kept(qapp: QApplication):
    apply_theme(qapp, "light")
    icon("plus")
    kept = [weakref.ref(drawn) for drawn in _drawn.icons.values()]
    assert any(drawn() is not None for drawn in kept)
    apply_theme(qapp, "dark")
    icon("plus")
    assert all(drawn() is None for drawn in kept)
    apply_theme(qapp, "light")


def test_icons_of_the_theme_that_is_shown_are_drawn_once(qapp: QApplication):
    apply_theme(qapp, "light")
    assert icon("plus").cacheKey() == icon("plus").cacheKey() != icon("plus", "muted").cacheKey()


def test_what_others_draw_is_drawn_once_in_a_theme(qapp: QApplication):
    drawn: list[QIcon] = []

    def draw() -> QIcon:
        drawn.append(QIcon(QPixmap(16, 16)))
        return drawn[-1]

    apply_theme(qapp, "light")
    assert {drawn_once("a key", draw).cacheKey() for _ in range(3)} == {drawn[0].cacheKey()}
    apply_theme(qapp, "dark")
    assert drawn_once("a key", draw).cacheKey() == drawn[1].cacheKey()
    apply_theme(qapp, "light")


def test_what_qt_keeps_of_icons_goes_with_their_theme(qapp: QApplication):
    apply_theme(qapp, "light")
    icon("plus")
    QPixmapCache.insert("of the light theme", QPixmap(16, 16))
    apply_theme(qapp, "dark")
    icon("plus")
    assert not QPixmapCache.find("of the light theme", QPixmap())
    apply_theme(qapp, "light")


def test_shown_icon_follows_the_theme(qapp: QApplication, qtbot):
    button = QPushButton()
    qtbot.addWidget(button)
    apply_theme(qapp, "light")
    show_icon(button, "plus")
    light = strongest_color(button.icon()).name()
    apply_theme(qapp, "dark")
    dark = strongest_color(button.icon()).name()
    assert dark == current_theme().color("text").name() != light
    apply_theme(qapp, "light")


def test_later_icon_replaces_the_former_for_good(qapp: QApplication, qtbot):
    button = QPushButton()
    qtbot.addWidget(button)
    show_icon(button, "plus")
    show_icon(button, "close", "error")
    apply_theme(qapp, "light")
    assert button.icon().pixmap(16).toImage() == icon("close", "error").pixmap(16).toImage()


def test_unknown_name_is_an_error(qapp: QApplication):
    with pytest.raises(FileNotFoundError):
        icon("no-such-icon")


def test_a_confirmed_icon_comes_back_by_itself(qapp: QApplication, qtbot):
    button = QPushButton()
    qtbot.addWidget(button)
    apply_theme(qapp, "light")
    show_icon(button, "copy", "muted")
    confirm_by_icon(button)
    assert strongest_color(button.icon()).name() == current_theme().color("ok").name()
    muted = current_theme().color("muted").name()
    qtbot.waitUntil(lambda: strongest_color(button.icon()).name() == muted, timeout=CONFIRM_MS + 5000)
