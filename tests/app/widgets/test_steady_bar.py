"""The column of a chat's messages keeps its place when there is more than one screenful of them."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.theme import current_theme
from tests.app.fake_engine import FakeEngine
from tests.app.windows import send


def test_the_messages_keep_their_place_when_there_is_more_to_see(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, qapp: QApplication
) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    # Narrower than the widest column there is.
    window.resize(700, 500)
    request_id = send(qtbot, window, engine, "a story")
    engine.answer(request_id, "once")
    qtbot.waitUntil(lambda: tab.session.answer.text == "once")
    qapp.processEvents()
    transcript, bar = tab.transcript, tab.transcript.verticalScrollBar()
    assert bar.maximum() == 0
    before = transcript.views[-1].geometry()
    # Where the bar will be the page goes on.
    stripe = QRect(bar.mapTo(window, bar.rect().topLeft()), bar.size())
    image = window.grab(stripe).toImage()
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert colors == {current_theme().color("page").name()}
    # The composer's column stands below the one of the messages.
    assert tab.panel._content.mapTo(tab, tab.panel._content.rect().center()).x() == (
        transcript.page.content.mapTo(tab, transcript.page.content.rect().center()).x()
    )
    engine.answer(request_id, " upon a time\n\n" * 60)
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    qapp.processEvents()
    after = transcript.views[-1].geometry()
    assert (after.x(), after.width()) == (before.x(), before.width())
    image = window.grab(stripe).toImage()
    assert current_theme().color("line").name() in {
        image.pixelColor(image.width() // 2, y).name() for y in range(image.height())
    }
