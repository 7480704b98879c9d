"""Themes: readable in both, complete, and followed by the whole application."""

import itertools
import math
import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QCompleter, QDialogButtonBox, QLineEdit, QListView, QStyle, QWidget
from pytestqt.qtbot import QtBot

from app.theme import (
    TEXT_PAIRS,
    Theme,
    apply_theme,
    apply_zoom,
    current_theme,
    icon_size_px,
    stylesheet,
    theme_signals,
)
from engine.api import assets_dir

THEMES = ("light", "dark", "contrast")

# Machado, Oliveira and Fernandes 2009, severity 1: rows give red, green and blue in linear light.
SIGHTS = {
    "all colours": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def linear_light(color: str) -> list[float]:
    def linear(byte: int) -> float:
        part = byte / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    return [linear(int(color[i : i + 2], 16)) for i in (1, 3, 5)]


def luminance(color: str) -> float:
    red, green, blue = linear_light(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def lab(color: str, sight: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """As somebody with this sight sees it, in CIE L*a*b* (D65)."""
    light = linear_light(color)
    red, green, blue = (min(1.0, max(0.0, sum(a * b for a, b in zip(row, light, strict=True)))) for row in sight)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.072175 * blue
    z = (0.0193339 * red + 0.119192 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (math.cbrt(part) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.fixture
def plain_look(qapp: QApplication):
    # Windows of other tests may have left another look.
    apply_zoom(qapp, 100)
    apply_theme(qapp, "light")
    yield qapp
    apply_zoom(qapp, 100)
    apply_theme(qapp, "light")


def test_contrast_formula_gives_the_known_extremes():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)


@pytest.mark.parametrize("name", THEMES)
def test_every_text_on_every_of_its_backgrounds_has_contrast_of_4_5(name: str):
    colors = Theme.read(name).colors
    weak = {
        (text, background): round(contrast(colors[text], colors[background]), 2)
        for text, backgrounds in TEXT_PAIRS
        for background in backgrounds
        if contrast(colors[text], colors[background]) < 4.5
    }
    assert weak == {}


@pytest.mark.parametrize("name", THEMES)
def test_focus_ring_stands_out_from_its_surroundings(name: str):
    colors = Theme.read(name).colors
    assert min(contrast(colors["accent"], colors[role]) for role in ("page", "panel", "hover")) >= 3


def test_stylesheet_uses_only_declared_pairs_of_text_and_background():
    allowed = {(text, background) for text, backgrounds in TEXT_PAIRS for background in backgrounds}
    # A progress bar never shows its text.
    sheet = re.sub(r"/\*.*?\*/", "", (assets_dir() / "themes" / "window.qss").read_text(encoding="utf-8"), flags=re.S)
    for selector, body in re.findall(r"([^{}]+)\{((?:[^{}]|\$\{\w+\})*)\}", sheet):
        text = re.search(r"(?:^|[;\s])color: \$(\w+)", body)
        background = re.search(r"background: \$(\w+)", body)
        if text and background and "QProgressBar" not in selector:
            assert (text[1], background[1]) in allowed, selector.strip()


@pytest.mark.parametrize("name", THEMES)
def test_every_owners_outline_stands_out_from_free_blocks_and_from_the_panel(name: str):
    theme = Theme.read(name)
    weak = {
        (owner, role): round(contrast(owner, theme.colors[role]), 2)
        for owner in theme.owners
        for role in ("block_free", "panel")
        if contrast(owner, theme.colors[role]) < 3
    }
    assert weak == {}


@pytest.mark.parametrize("name", THEMES)
def test_free_blocks_stand_out_from_the_panel(name: str):
    colors = Theme.read(name).colors
    assert contrast(colors["block_free_line"], colors["panel"]) >= 3


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("name", THEMES)
def test_owner_colours_are_told_apart_also_by_the_colour_blind(name: str, sight: str):
    seen = [lab(color, SIGHTS[sight]) for color in Theme.read(name).owners]
    assert min(math.dist(one, other) for one, other in itertools.combinations(seen, 2)) >= 15


@pytest.mark.parametrize("name", ["light", "dark"])
def test_no_owner_is_as_black_or_white_as_text(name: str):
    assert all(0.01 < luminance(owner) < 0.95 for owner in Theme.read(name).owners)


@pytest.mark.parametrize("name", THEMES)
def test_all_themes_have_the_same_roles_and_eight_owner_colours(name: str):
    theme = Theme.read(name)
    assert set(theme.colors) == set(Theme.read("light").colors)
    assert len(set(theme.owners)) == 8


@pytest.mark.parametrize("name", THEMES)
def test_stylesheet_leaves_no_role_unfilled(name: str):
    assert "$" not in stylesheet(Theme.read(name), 10.0)


def test_owner_colours_repeat_after_eight_with_other_corners():
    theme = Theme.read("light")
    assert theme.owner_color(9) == theme.owner_color(1) != theme.owner_color(2)
    looks = {(theme.owner_color(index).name(), theme.owner_corners(index)) for index in range(32)}
    assert len(looks) == 32


def test_applied_theme_reaches_palette_and_listeners(plain_look: QApplication, qtbot):
    with qtbot.waitSignal(theme_signals().theme_changed):
        dark = apply_theme(plain_look, "dark")
    assert current_theme() is dark
    assert plain_look.palette().color(QPalette.ColorRole.Window) == QColor(dark.colors["page"])
    assert dark.colors["panel"] in plain_look.styleSheet()


def test_system_theme_is_one_of_the_two(plain_look: QApplication):
    assert apply_theme(plain_look, "system").name in THEMES


@pytest.mark.parametrize("percent", [80, 100, 150, 200])
def test_zoom_scales_the_base_font(plain_look: QApplication, percent: int):
    apply_zoom(plain_look, 100)
    base = plain_look.font().pointSizeF()
    apply_zoom(plain_look, percent)
    assert plain_look.font().pointSizeF() == pytest.approx(base * percent / 100)
    assert icon_size_px() == round(16 * percent / 100)


def test_base_font_is_of_10_to_11_points(plain_look: QApplication):
    apply_zoom(plain_look, 100)
    assert 10 <= plain_look.font().pointSizeF() <= 11


@pytest.mark.parametrize("name", THEMES)
def test_a_list_has_a_background_of_its_own_where_it_is_a_window(plain_look: QApplication, qtbot, name: str):
    apply_theme(plain_look, name)
    field, page = QLineEdit(), QWidget()
    qtbot.addWidget(field)
    qtbot.addWidget(page)
    inner = QListView(page)
    field.setCompleter(QCompleter(["one", "other"], field))
    popup = field.completer().popup()
    for view in (popup, inner):
        view.ensurePolished()
    assert popup.palette().base().color() == current_theme().color("panel")
    assert inner.palette().base().style() is Qt.BrushStyle.NoBrush


class Painted(QWidget):
    num_times = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.num_times += 1


def test_a_window_that_was_about_to_be_painted_when_the_look_changed_is_painted(plain_look: QApplication, qtbot):
    window = Painted()
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: window.num_times > 0)
    window.update()
    window.num_times = 0
    apply_zoom(plain_look, 120)
    qtbot.waitUntil(lambda: window.num_times > 0)
    window.num_times = 0
    window.update()
    qtbot.waitUntil(lambda: window.num_times > 0)


def test_buttons_of_dialogs_have_no_icons(qapp: QApplication, qtbot: QtBot) -> None:
    apply_theme(qapp, "light")
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok)
    qtbot.addWidget(box)
    hint = QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons
    assert box.style().styleHint(hint, None, box) == 0
