"""A growing answer paints only what is new; what is on the screen is still what painting all of it would give."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QGuiApplication, QImage, QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat.transcript import Transcript
from app.state.session import Phase, Session

_TEXT = """# Heading

Some *italic* and **bold words that go on** and on, `code` and [a link](https://example.org) far enough to wrap a line.

> A quotation that goes on to the next line for sure, as it is long.

- item one that is long enough to go on in the next line
- item two
  - nested item 中文字符测试一些很长的中文文本没有空格在这里继续

1. first

---

| a | b |
|---|---|
| 1 | 2 |

Behind the table: ÅÄÖ Ẫ ỹ, and the end of it all.
"""


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """Something to stand on, as by itself a transcript is transparent."""
    result = QWidget()
    qtbot.addWidget(result)
    result.resize(360, 240)
    return result


def _shown(qtbot: QtBot, window: QWidget) -> tuple[Session, Transcript]:
    session = Session()
    session.ask("Write something")
    session.phase = Phase.STREAMING
    transcript = Transcript(session, window)
    transcript.resize(360, 240)
    with qtbot.waitExposed(window):
        window.show()
    return session, transcript


def _on_screen(widget: QWidget) -> QImage:
    picture = QGuiApplication.primaryScreen().grabWindow(widget.window().winId())
    return picture.toImage().convertToFormat(QImage.Format.Format_RGB32)


def _painted_anew(widget: QWidget) -> QImage:
    return widget.window().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def _wait_for_painting(qtbot: QtBot, widget: QWidget) -> None:
    QGuiApplication.processEvents()
    qtbot.waitUntil(lambda: _on_screen(widget) == _painted_anew(widget))


def test_what_is_on_the_screen_is_what_painting_all_of_it_gives(qtbot: QtBot, window: QWidget) -> None:
    session, transcript = _shown(qtbot, window)
    for start in range(0, len(_TEXT), 7):
        session.answer.text += _TEXT[start : start + 7]
        transcript.show_progress()
        _wait_for_painting(qtbot, transcript)
    assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum() > 0


class _Painted(QObject):
    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.heights: list[int] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.heights.append(event.rect().height())
        return False


def test_an_answer_that_grows_below_the_views_end_paints_some_lines(qtbot: QtBot, window: QWidget) -> None:
    session, transcript = _shown(qtbot, window)
    session.answer.text += "All of the view is full of words. " * 40
    transcript.show_progress()
    page = transcript.widget()
    assert page is not None
    _wait_for_painting(qtbot, transcript)
    # What `grab` painted is over.
    painted = _Painted(page)
    for _ in range(12):
        session.answer.text += "some more words "
        transcript.show_progress()
        QGuiApplication.processEvents()
    qtbot.waitUntil(lambda: len(painted.heights) > 2)
    assert max(painted.heights) < transcript.viewport().height() / 2
