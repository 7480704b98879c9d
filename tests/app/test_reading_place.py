"""Where a person reads in a chat outlives a visit to another page and a change of the look."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QScrollBar
from pytestqt.qtbot import QtBot

from app.chat.transcript import Transcript
from app.main_window import MainWindow
from app.state import options
from tests.app.fake_engine import FakeEngine
from tests.app.windows import send


@pytest.fixture
def transcript(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> Transcript:
    """A chat of several screens, scrolled to somewhere in its middle."""
    tab = window.tabs.current_tab()
    assert tab is not None
    for number in range(6):
        request_id = send(qtbot, window, engine, f"question {number}")
        engine.answer(request_id, "line\n\n" * 20)
        engine.finish(request_id)
        qtbot.waitUntil(lambda: not tab.session.is_busy)
    bar = tab.transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1500 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 2)
    return tab.transcript


def read_at(transcript: Transcript) -> str:
    """The message at the window's upper edge."""
    top = transcript.verticalScrollBar().value()
    view = next(view for view in transcript.views if view.y() + view.height() > top)
    return f"{transcript.views.index(view)} at {(top - view.y()) / view.height():.2f}"


@pytest.mark.parametrize("page", ["models", "settings"])
def test_a_visit_to_another_page_keeps_the_place(
    qtbot: QtBot, window: MainWindow, transcript: Transcript, page: str
) -> None:
    before = transcript.verticalScrollBar().value()
    (window.show_models if page == "models" else window.show_settings)()
    qtbot.waitUntil(lambda: not transcript.isVisible())
    window.show_home()
    qtbot.waitUntil(transcript.isVisible)
    window.grab()
    assert transcript.verticalScrollBar().value() == before
    assert not transcript.is_following


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_change_of_theme_keeps_the_place(
    qtbot: QtBot, window: MainWindow, transcript: Transcript, is_shown: bool
) -> None:
    before = read_at(transcript)
    if not is_shown:
        window.show_settings()
    window.change_setting(options.THEME, "dark")
    window.show_home()
    window.change_setting(options.THEME, "light")
    qtbot.waitUntil(lambda: bool(transcript.views) and read_at(transcript) == before)
    assert not transcript.is_following
    assert transcript.latest_button.isVisible()


def test_a_chat_that_follows_its_end_still_does_after_a_change_of_theme(
    qtbot: QtBot, window: MainWindow, transcript: Transcript
) -> None:
    transcript.follow()
    bar = transcript.verticalScrollBar()
    window.change_setting(options.THEME, "dark")
    window.change_setting(options.THEME, "light")
    qtbot.waitUntil(lambda: bar.maximum() > 1500 and bar.value() == bar.maximum())
    assert transcript.is_following


def test_after_a_change_of_theme_the_person_scrolls_freely(
    qtbot: QtBot, window: MainWindow, transcript: Transcript
) -> None:
    window.change_setting(options.THEME, "dark")
    bar = transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1500)
    bar.triggerAction(QScrollBar.SliderAction.SliderToMinimum)
    assert bar.value() == 0
    bar.triggerAction(QScrollBar.SliderAction.SliderToMaximum)
    assert transcript.is_following
