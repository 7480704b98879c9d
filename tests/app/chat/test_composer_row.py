"""The row below the composer at every width: nothing is a stub, and what gives way is elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from app.chat import composer_panel
from app.chat.composer_row import ComposerRow
from app.chat.presets import apply_preset
from app.main_window import MainWindow
from app.state.parameters import Preset
from app.theme import apply_zoom
from engine.api import ModelEntry
from tests.app.chat.desk import Desk
from tests.app.fake_engine import FakeEngine
from tests.app.windows import send


@pytest.mark.parametrize("zoom_percent", [100, 150])
def test_no_part_is_narrower_than_its_words(
    qtbot: QtBot, window: MainWindow, qapp: QApplication, zoom_percent: int
) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    panel = tab.panel
    qtbot.waitUntil(panel.gauge.isVisible)
    apply_zoom(qapp, zoom_percent)
    try:
        tab.setParent(None)
        qtbot.addWidget(tab)
        tab.show()
        for width in (1000, 800, 640, 520, 460, 380):
            tab.resize(width, 500)
            qtbot.waitUntil(lambda: not _cut(panel.row))
    finally:
        apply_zoom(qapp, 100)


def _cut(row: ComposerRow) -> list[QWidget]:
    """The parts that are narrower than their words, or stick out of the row."""
    parts = [part for part, _ in row._parts if not part.isHidden()]
    return [one for one in parts if one.width() < one.sizeHint().width() or not row.rect().contains(one.geometry())]


def test_the_choice_for_a_full_chat_gives_way_before_the_numbers_and_comes_back(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    row, panel = tab.row, tab.panel
    monkeypatch.setattr(composer_panel, "COLUMN_CHARACTERS", 200)
    panel.leave_gap(0)
    qtbot.waitUntil(panel.gauge.isVisible)
    tab.setParent(None)
    qtbot.addWidget(tab)
    tab.show()

    def narrowed(width: int) -> tuple[bool, bool, bool]:
        tab.resize(width, 500)
        tab.grab()
        return panel.gauge._label.isVisible(), panel.full_choice.isVisible(), panel.send_button.text() != ""

    assert narrowed(1000) == (True, True, True)
    whole = row.wanted_width() + tab.width() - row.width()
    assert narrowed(whole - 1) == (True, False, True)
    assert narrowed(400) == (False, False, True)
    assert "When the chat is full: Stop" in panel.gauge.toolTip()
    options = tab.open_options()
    options.full_choice.actions_by_choice["drop_oldest"].trigger()
    assert tab.session.when_full == "drop_oldest"
    assert panel.full_choice.text() == "When full: forget ▾"
    options.accept()
    assert narrowed(1000) == (True, True, True)


def test_the_numbers_are_seen_in_a_window_of_the_first_size(
    qtbot: QtBot, window: MainWindow, models: list[ModelEntry]
) -> None:
    models[0] = replace(models[0], name="SmolLM2 135M Instruct")
    window.models.refresh()
    window.resize(1280, 800)
    tab = window.tabs.current_tab()
    assert tab is not None
    assert window.memory_dock.isVisible()
    qtbot.waitUntil(tab.panel.gauge._label.isVisible)


def test_the_numbers_stay_while_an_answer_streams(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, models: list[ModelEntry]
) -> None:
    models[0] = replace(models[0], name="SmolLM2-135M-Instruct.Q4_1")
    window.models.refresh()
    tab = window.tabs.current_tab()
    assert tab is not None
    window.resize(1280, 800)
    qtbot.waitUntil(tab.panel.gauge._label.isVisible)
    request_id = send(qtbot, window, engine, "hello")
    engine.answer(request_id, "hi")
    window.grab()
    assert tab.panel.queue_button.isVisible()
    assert tab.panel.gauge._label.isVisible()


def test_the_send_buttons_word_gives_way_before_the_presets_name(qtbot: QtBot, window: MainWindow) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(tab.panel.gauge.isVisible)
    tab.setParent(None)
    qtbot.addWidget(tab)
    tab.show()
    for width in range(1000, 200, -10):
        tab.resize(width, 500)
        tab.grab()
        if not tab.send_button.text():
            break
    assert not tab.send_button.text()
    assert tab.options_button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon


def test_an_answer_moves_nothing_in_the_row(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: not _cut(tab.row))

    def places() -> list[tuple[int, int]]:
        window.grab()
        shown = (tab.options_button, tab.gauge, tab.panel.attach_button, tab.panel._send_or_stop)
        return [(part.x(), part.width()) for part in shown]

    before = places()
    request_id = send(qtbot, window, engine, "hello")
    assert tab.panel.queue_button.isVisible()
    qtbot.waitUntil(lambda: places() == before)
    engine.finish(request_id)
    qtbot.waitUntil(lambda: not tab.session.is_busy)
    qtbot.waitUntil(lambda: places() == before)


def test_what_was_shortened_in_vain_is_shown_whole_again(qtbot: QtBot) -> None:
    room = QWidget()
    qtbot.addWidget(room)
    row = ComposerRow(room)
    widths = {"small": (100, 90), "large": (200, 20)}
    parts: dict[str, QWidget] = {}
    for rank, (name, (whole, short)) in enumerate(widths.items()):
        part = parts[name] = QWidget()
        part.setFixedSize(whole, 20)

        def shorten(is_short: bool, part: QWidget = part, whole: int = whole, short: int = short) -> None:
            part.setFixedSize(short if is_short else whole, 20)

        part.sizeHint = part.size  # type: ignore[method-assign]
        row.add_left(part, str, [(rank, shorten)])
    room.show()
    row.resize(400, 30)
    assert [part.width() for part in parts.values()] == [100, 200]
    row.resize(250, 30)
    assert [part.width() for part in parts.values()] == [100, 20]


def test_a_chosen_preset_is_named_where_the_usual_one_is_an_icon(desk: Desk) -> None:
    button = desk.tab.options_button
    button.show_short(True)
    assert button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
    apply_preset(desk.tab.session, Preset("Pirate of the seas", "You are a pirate."))
    button.show_preset()
    assert button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    assert button.text() == "Pirate of …"
    button.show_icon_only(True)
    assert button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
    assert "Pirate of the seas" in button.toolTip()


def test_the_parts_of_the_context_are_shown_by_a_key_and_by_a_click(qtbot: QtBot, window: MainWindow) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    gauge = tab.panel.gauge
    qtbot.waitUntil(gauge.isVisible)
    assert gauge.focusPolicy() & Qt.FocusPolicy.TabFocus
    for use in (
        lambda: qtbot.keyClick(gauge, Qt.Key.Key_Space),
        lambda: qtbot.mouseClick(gauge, Qt.MouseButton.LeftButton),
    ):
        use()
        assert QToolTip.text() == gauge.toolTip()
        QToolTip.hideText()
        qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_the_composer_stands_below_the_column_of_the_messages(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    window.resize(1800, 700)
    window.memory_dock.hide()
    engine.finish(send(qtbot, window, engine, "hello"))

    def edges(part: QWidget) -> tuple[int, int]:
        left = part.mapTo(tab, part.rect().topLeft()).x()
        return left, left + part.width()

    qtbot.waitUntil(lambda: bool(tab.transcript.views))
    qtbot.waitUntil(lambda: edges(tab.composer) == edges(tab.transcript.views[0]))


def test_send_and_stop_have_one_width(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    window.grab()
    place = tab.send_button.geometry()
    request_id = send(qtbot, window, engine, "hello")
    window.grab()
    assert tab.stop_button.isVisible()
    assert tab.stop_button.geometry() == place
    engine.finish(request_id)
    qtbot.waitUntil(tab.send_button.isVisible)
