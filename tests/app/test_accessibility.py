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
    QDialog,
    QHeaderView,
    QInputDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.commands.command_palette import CommandPalette
from app.commands.shortcut_sheet import ShortcutSheet
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


def show_get(window: MainWindow) -> None:
    window.show_models()
    window.model_page.show_get()


def edit_messages(window: MainWindow) -> None:
    for view in window.tabs.tabs()[0].transcript.views:
        view.edit()


def show_beside(window: MainWindow) -> None:
    tab = window.tabs.tabs()[0]
    window.chats.new_chat()
    window.tabs.show_beside(tab)


def show_attachment(window: MainWindow) -> QWidget:
    panel = window.tabs.tabs()[0].panel
    panel.attach_text("some text")
    return panel.attachments.cards[0].open()


def show_undo(window: MainWindow) -> None:
    tab = window.tabs.tabs()[0]
    tab.message_actions.use(tab.session.messages[-1], "delete")
    window.chats.delete(tab.session.id)
    window.banner.show_message("Something went wrong", "Try again", lambda: None)


def show_palette(window: MainWindow) -> QWidget | None:
    window.commands.show_palette()
    return window.findChild(CommandPalette)


def show_keys(window: MainWindow) -> QWidget | None:
    window.commands.show_keys()
    return window.findChild(ShortcutSheet)


def ask_for_title(window: MainWindow) -> QWidget | None:
    window.tabs.tabBarDoubleClicked.emit(0)
    return window.tabs.findChild(QInputDialog)


_PAGES: dict[str, Callable[[MainWindow], object]] = {
    "chat": MainWindow.show_chats,
    "find in a chat": lambda window: window.chats.find_in_chat(),
    "an edited message": edit_messages,
    "two chats": show_beside,
    "memory": lambda window: window.memory_panel.fold(""),
    "undo": show_undo,
    "trash": lambda window: window.chats.trash.show(),
    "models": MainWindow.show_models,
    "get a model": show_get,
    "settings": MainWindow.show_settings,
    "first run": lambda window: window.pages.setCurrentWidget(window.first_run_page),
    "options of a chat": lambda window: window.tabs.tabs()[0].open_options(),
    "an attached text": show_attachment,
    "commands": show_palette,
    "keys": show_keys,
    "a question": lambda window: window.sidebar.trash_panel.ask_to_empty(),
    "a title": ask_for_title,
}
"""What is done to the window; where a dialog comes of it, that is looked at."""


def is_part(widget: QWidget) -> bool:
    """Whether a widget is a part of another control, under whose name it goes."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QComboBox | QAbstractSpinBox | QMenu):
            return True
        # The scroll bars, headers and corners of a view are Qt's own.
        if isinstance(parent, QAbstractScrollArea) and isinstance(widget, QScrollBar | QHeaderView):
            return True
        if isinstance(parent, QTabBar) and isinstance(widget, QAbstractButton):
            return widget.objectName().startswith("qt_") or not widget.accessibleName()
        if isinstance(parent, QHeaderView | QAbstractItemView) and isinstance(widget, QAbstractButton):
            return True
        parent = parent.parentWidget()
    return False


def controls(window: QWidget) -> Iterator[QWidget]:
    """What can be seen and used at the moment."""
    for widget in window.findChildren(QWidget):
        if isinstance(widget, CONTROLS) and widget.isVisible() and widget.isEnabled() and not is_part(widget):
            yield widget


def spoken_name(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


def described(widget: QWidget) -> str:
    chain: list[str] = []
    at: QWidget | None = widget
    while at is not None and len(chain) < 4:
        chain.append(type(at).__name__)
        at = at.parentWidget()
    return " in ".join(chain)


def tab_stops(window: QWidget) -> set[QWidget]:
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
def page(request: pytest.FixtureRequest, qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> QWidget:
    """The window on one of its pages, with an answered chat in it and the panels shown; or a dialog."""
    window.resize(1400, 900)
    window.memory_dock.show()
    request_id = send(qtbot, window, engine, "a question")
    engine.answer(request_id, "Some **text**\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    engine.finish(request_id)
    qtbot.waitUntil(lambda: not window.tabs.tabs()[0].session.is_busy)
    shown = _PAGES[request.param](window)
    return shown if isinstance(shown, QDialog) else window


@pytest.mark.parametrize("page", _PAGES, indirect=True)
def test_every_control_has_a_spoken_name_and_is_reached_by_keyboard(page: QWidget) -> None:
    found, stops = list(controls(page)), tab_stops(page)
    assert len(found) > (0 if isinstance(page, QDialog) else 10)
    assert [described(widget) for widget in found if not spoken_name(widget).strip()] == []
    unreached = []
    for widget in found:
        target = widget
        while (proxy := target.focusProxy()) is not None:
            target = proxy
        # The tab bar and Ctrl+W stand for its crosses, and a field's own keys for the one that clears it.
        is_in_control = isinstance(widget.parentWidget(), QTabBar | QLineEdit)
        is_moved_in = isinstance(page, CommandPalette) and widget is page.list  # by the keys of the line above it
        if target not in stops and not is_in_control and not is_moved_in:
            unreached.append(f"{described(widget)} ({spoken_name(widget)})")
    assert unreached == []
