"""Every control of every page has a name for a screen reader and a place in the keyboard's way."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from tests.app.fake_engine import FakeEngine
from tests.app.windows import send

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
)
_PAGES: dict[str, Callable[[MainWindow], None]] = {
    "chat": MainWindow.show_chats,
    "models": MainWindow.show_models,
    "settings": MainWindow.show_settings,
    "first run": lambda window: window.pages.setCurrentWidget(window.first_run_page),
}


def is_part(widget: QWidget) -> bool:
    """Whether a widget is a part of another control, under whose name it goes."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QComboBox | QAbstractSpinBox | QMenu):
            return True
        # The scroll bars, headers and corners of a view are Qt's own.
        if isinstance(parent, QAbstractScrollArea) and isinstance(widget, QScrollBar | QHeaderView):
            return True
        if isinstance(parent, QLineEdit | QTabBar) and isinstance(widget, QAbstractButton):
            return widget.objectName().startswith("qt_") or not widget.accessibleName()
        if isinstance(parent, QHeaderView | QAbstractItemView) and isinstance(widget, QAbstractButton):
            return True
        parent = parent.parentWidget()
    return False


def controls(window: MainWindow) -> Iterator[QWidget]:
    """What can be seen and used at the moment."""
    for widget in window.findChildren(QWidget):
        if isinstance(widget, CONTROLS) and widget.isVisible() and widget.isEnabled() and not is_part(widget):
            yield widget


def spoken_name(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


def described(widget: QWidget) -> str:
    chain = []
    at: QWidget | None = widget
    while at is not None and len(chain) < 4:
        chain.append(type(at).__name__)
        at = at.parentWidget()
    return " in ".join(chain)


def tab_stops(window: MainWindow) -> set[QWidget]:
    """Where the Tab key leads: each widget of the chain of focus, or who takes the focus for it."""
    stops: set[QWidget] = set()
    widget: QWidget = window
    while True:
        following = widget.nextInFocusChain()
        if following is None or following is window:
            return stops
        widget = following
        target = widget
        while (proxy := target.focusProxy()) is not None:
            target = proxy
        if target.focusPolicy() & Qt.FocusPolicy.TabFocus and target.isVisible():
            stops.add(target)


@pytest.fixture
def page(request: pytest.FixtureRequest, qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> MainWindow:
    """The window on one of its pages, with an answered chat in it and the panels shown."""
    window.resize(1400, 900)
    window.memory_dock.show()
    request_id = send(qtbot, window, engine, "a question")
    engine.answer(request_id, "Some **text**\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    engine.finish(request_id)
    qtbot.waitUntil(lambda: not window.tabs.tabs()[0].session.is_busy)
    _PAGES[request.param](window)
    return window


@pytest.mark.parametrize("page", _PAGES, indirect=True)
def test_every_control_has_a_spoken_name(page: MainWindow) -> None:
    found = list(controls(page))
    assert len(found) > 10
    assert [described(widget) for widget in found if not spoken_name(widget).strip()] == []


@pytest.mark.parametrize("page", _PAGES, indirect=True)
def test_every_control_can_be_reached_by_keyboard(page: MainWindow) -> None:
    stops = tab_stops(page)
    unreached = []
    for widget in controls(page):
        target = widget
        while (proxy := target.focusProxy()) is not None:
            target = proxy
        is_in_tab_bar = isinstance(widget.parentWidget(), QTabBar)  # the tab bar and Ctrl+W stand for its crosses
        if target not in stops and not is_in_tab_bar:
            unreached.append(f"{described(widget)} ({spoken_name(widget)})")
    assert unreached == []
