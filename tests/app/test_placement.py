"""Where the window stands on screens of every size, and how wide its panels are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.placement import fitting
from app.state import options
from app.widgets.dock_title import DockTitle, beside
from engine.api import ModelEntry
from tests.app.fake_engine import FakeEngines
from tests.app.windows import OpenWindow, wait_until_started

WANTED = QRect(100, 100, 1280, 800)


@pytest.mark.parametrize("size", [(1366, 768), (960, 600), (1920, 1080), (2560, 1440)])
@pytest.mark.parametrize("corner", [(0, 0), (1920, 0), (-1366, 200)])
def test_a_window_always_lies_within_its_screen(size: tuple[int, int], corner: tuple[int, int]) -> None:
    room = QRect(*corner, *size)
    for place in (WANTED, WANTED.translated(-5000, -5000), WANTED.translated(5000, 5000)):
        result = fitting(place, room)
        assert room.contains(result)
        assert result.size() == WANTED.size().boundedTo(result.size())


def test_what_fits_stays_where_it_is() -> None:
    assert fitting(WANTED, QRect(0, 0, 1920, 1080)) == WANTED


def is_within(window: MainWindow, widget: QWidget) -> bool:
    corner = widget.mapTo(window, QPoint(0, 0))
    return widget.isVisible() and window.rect().contains(QRect(corner, widget.size()))


@pytest.mark.parametrize("with_memory", [False, True])
def test_on_a_small_screen_all_that_is_needed_is_in_view(
    qtbot: QtBot, screen: QRect, open_window: OpenWindow, with_memory: bool
) -> None:
    screen.setRect(0, 0, 960, 600)
    window = open_window()
    assert not window.memory_dock.isVisible()
    if with_memory:
        window.memory_dock.show()
    qtbot.waitUntil(lambda: window.memory_dock.isVisible() == with_memory)
    tab = window.tabs.current_tab()
    assert tab is not None
    window.show_chats()
    window.grab()
    assert screen.contains(window.geometry())
    for widget in (tab.composer, tab.send_button, window.status_line, window.sidebar):
        assert is_within(window, widget)


@pytest.mark.parametrize(("width_px", "is_shown"), [(1280, True), (1000, False)])
def test_the_memory_stays_closed_until_a_first_model_is_loaded(
    qtbot: QtBot,
    open_window: OpenWindow,
    engines: FakeEngines,
    models: list[ModelEntry],
    width_px: int,
    is_shown: bool,
) -> None:
    here = list(models)
    models.clear()
    open_window().close()
    window = open_window()
    window.resize(width_px, 800)
    assert not window.memory_dock.isVisible()
    wait_until_started(qtbot, engines)
    models.extend(here)
    window.models.refresh()
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: window.models.loaded is not None)
    assert window.memory_dock.isVisible() == is_shown
    window.memory_dock.toggleViewAction().trigger()
    window.models.forget_loaded()
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: window.models.loaded is not None)
    assert window.memory_dock.isVisible() != is_shown


def test_the_memory_stays_closed_that_was_opened_and_closed_before_a_first_model(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines, models: list[ModelEntry]
) -> None:
    here = list(models)
    models.clear()
    window = open_window()
    wait_until_started(qtbot, engines)
    toggle = window.memory_dock.toggleViewAction()
    toggle.trigger()
    qtbot.waitUntil(window.memory_dock.isVisible)
    toggle.trigger()
    models.extend(here)
    window.models.refresh()
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: window.models.loaded is not None)
    assert not window.memory_dock.isVisible()


def test_a_place_of_another_screen_is_brought_into_this_one(screen: QRect, open_window: OpenWindow) -> None:
    window = open_window()
    window.setGeometry(300, 200, 1500, 850)
    window.close()
    screen.setRect(0, 0, 960, 600)
    assert screen.contains(open_window().geometry())


def test_panels_that_were_squeezed_get_their_widths_again(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    docks = (window.sidebar_dock, window.memory_dock)
    qtbot.waitUntil(lambda: [dock.width() for dock in docks] == [230, 390])
    window.resize(920, 700)
    # The memory gives way first, and the chat keeps a width in which one can write.
    qtbot.waitUntil(lambda: window.sidebar_dock.width() == 230 and window.memory_dock.width() < 390)
    assert window.pages.width() > 350
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: [dock.width() for dock in docks] == [230, 390])


def test_a_width_that_was_dragged_holds_and_is_remembered(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    dock = window.memory_dock
    qtbot.waitUntil(lambda: dock.width() == 390)
    edge = QPoint(dock.x() - 2, dock.y() + dock.height() // 2)
    qtbot.mouseMove(window, edge)
    qtbot.mousePress(window, Qt.MouseButton.LeftButton, pos=edge)
    qtbot.mouseMove(window, edge - QPoint(60, 0))
    qtbot.waitUntil(lambda: dock.width() > 430)
    qtbot.mouseRelease(window, Qt.MouseButton.LeftButton, pos=edge - QPoint(60, 0))
    QApplication.processEvents()
    dragged = dock.width()
    window.resize(920, 700)
    qtbot.waitUntil(lambda: dock.width() < dragged)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: dock.width() == dragged)
    window.close()
    again = open_window()
    again.resize(1280, 800)
    qtbot.waitUntil(lambda: again.memory_dock.width() == dragged)


def test_panels_have_their_widths_again_after_larger_text(qtbot: QtBot, window: MainWindow) -> None:
    docks = (window.sidebar_dock, window.memory_dock)
    qtbot.waitUntil(lambda: [dock.width() for dock in docks] == [230, 390])
    window.change_setting(options.ZOOM_PERCENT, 150)
    # The chat comes first: where there is no more than it needs for its larger text, the panels stay as they are.
    qtbot.wait(50)
    assert [dock.width() for dock in docks] == [230, 390]
    window.resize(1900, 800)
    qtbot.waitUntil(lambda: [dock.width() for dock in docks] == [345, 585])
    window.reset_zoom()
    qtbot.waitUntil(lambda: [dock.width() for dock in docks] == [230, 390])


def shown(window: MainWindow) -> list[bool]:
    return [window.sidebar_dock.isVisible(), window.memory_dock.isVisible()]


def test_a_narrow_window_closes_its_panels_until_it_is_wide_again(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.resize(1280, 700)
    qtbot.waitUntil(lambda: shown(window) == [True, True])
    window.resize(880, 700)
    qtbot.waitUntil(lambda: shown(window) == [True, False])
    window.resize(480, 700)
    qtbot.waitUntil(lambda: shown(window) == [False, False])
    qtbot.waitUntil(lambda: window.pages.width() == 480)
    window.resize(1280, 700)
    qtbot.waitUntil(lambda: shown(window) == [True, True])
    # Closed for want of room is not closed by the person: the next start knows.
    window.resize(880, 700)
    qtbot.waitUntil(lambda: shown(window) == [True, False])
    window.close()
    again = open_window()
    again.resize(1280, 700)
    qtbot.waitUntil(lambda: shown(again) == [True, True])


def test_what_the_person_does_to_a_panel_in_a_narrow_window_counts(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.resize(880, 700)
    qtbot.waitUntil(lambda: shown(window) == [True, False])
    toggle = window.memory_dock.toggleViewAction()
    toggle.trigger()
    window.resize(870, 700)
    qtbot.waitUntil(lambda: shown(window) == [True, True])
    toggle.trigger()
    window.resize(1280, 700)
    QApplication.processEvents()
    qtbot.wait(0)
    assert shown(window) == [True, False]


def test_a_detached_panel_is_a_window_with_a_frame_and_a_way_back(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    dock: QDockWidget = window.memory_dock
    title = dock.titleBarWidget()
    assert isinstance(title, DockTitle)
    title.detach_button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    qtbot.mouseClick(title.detach_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not title.detach_button.underMouse())
    qtbot.waitUntil(lambda: bool(dock.windowFlags() & Qt.WindowType.WindowTitleHint))
    assert not dock.windowFlags() & Qt.WindowType.FramelessWindowHint
    qtbot.waitUntil(dock.isVisible)
    assert dock.isFloating()
    assert title.detach_button.text() == "Put back"
    qtbot.mouseClick(title.detach_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dock.isFloating() and dock.isVisible())
    assert not dock.isWindow()


@pytest.mark.parametrize(("left", "width", "expected"), [(0, 1000, 1000), (900, 1000, 500)])
def test_a_detached_panel_lies_beside_the_window_where_there_is_room(left: int, width: int, expected: int) -> None:
    place = beside(QRect(left, 50, width, 800), QSize(400, 800), QRect(0, 0, 1920, 1080))
    assert place == QRect(expected, 50, 400, 800)


def test_over_a_maximised_window_a_detached_panel_has_its_title_in_view_and_leaves_send_free() -> None:
    room = QRect(0, 0, 1366, 820)
    place = beside(room, QSize(390, 770), room)
    assert room.contains(place.adjusted(0, -32, 0, 0))
    assert place.bottom() < room.bottom() - 100
    assert place.width() == 390


def test_a_panel_that_was_detached_above_the_screen_comes_back_into_it(
    qtbot: QtBot, screen: QRect, open_window: OpenWindow
) -> None:
    window = open_window()
    dock = window.memory_dock
    dock.setFloating(True)
    dock.setGeometry(700, -40, 390, 300)
    qtbot.waitUntil(lambda: bool(dock.windowFlags() & Qt.WindowType.WindowTitleHint))
    assert dock.isFloating()
    assert dock.geometry().y() >= 32
