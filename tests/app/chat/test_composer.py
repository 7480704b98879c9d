"""Enter sends what is written and nothing that is not finished."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.composer import MAX_LINES, Composer
from app.theme import apply_zoom

SHIFT = Qt.KeyboardModifier.ShiftModifier


class Writer:
    def __init__(self, qtbot: QtBot) -> None:
        self.composer = Composer()
        self.sent: list[str] = []
        self.composer.submitted.connect(self.sent.append)
        self._qtbot = qtbot
        qtbot.addWidget(self.composer)
        self.composer.resize(400, 40)
        self.composer.show()

    def type(self, text: str) -> None:
        self._qtbot.keyClicks(self.composer, text)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self._qtbot.keyClick(self.composer, key, modifiers)

    def compose(self, preedit: str, commit: str = "") -> None:
        """What an input method does while its candidates are open."""
        event = QInputMethodEvent(preedit, [])
        if commit:
            event.setCommitString(commit)
        QApplication.sendEvent(self.composer, event)


@pytest.fixture
def writer(qtbot: QtBot) -> Writer:
    return Writer(qtbot)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_sends(writer: Writer, key: Qt.Key) -> None:
    writer.type("hello")
    writer.press(key)
    assert writer.sent == ["hello"]


def test_shift_enter_breaks_the_line(writer: Writer) -> None:
    writer.type("one")
    writer.press(Qt.Key.Key_Return, SHIFT)
    writer.type("two")
    assert writer.sent == []
    writer.press(Qt.Key.Key_Return)
    assert writer.sent == ["one\ntwo"]


def test_blank_lines_at_both_ends_go_and_the_first_lines_indentation_stays(writer: Writer) -> None:
    writer.composer.setPlainText("\n  \n    if x:\n\n        y\n \n")
    writer.press(Qt.Key.Key_Return)
    assert writer.sent == ["    if x:\n\n        y"]


@pytest.mark.parametrize("text", ["", "   "])
def test_nothing_is_not_sent(writer: Writer, text: str) -> None:
    writer.type(text)
    writer.press(Qt.Key.Key_Return)
    assert writer.sent == []


def test_enter_does_not_send_while_an_input_method_composes(writer: Writer) -> None:
    writer.type("say ")
    writer.compose("nihao")
    writer.press(Qt.Key.Key_Return)
    assert writer.sent == []
    assert "nihao" not in writer.composer.toPlainText()
    writer.compose("", commit="你好")
    writer.press(Qt.Key.Key_Return)
    assert writer.sent == ["say 你好"]


def test_the_send_button_does_not_send_an_unfinished_composition(writer: Writer) -> None:
    writer.compose("ni")
    writer.composer.submit()
    assert writer.sent == []


def test_paste_takes_the_text_and_no_format(writer: Writer) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold")
    QGuiApplication.clipboard().setMimeData(data)
    writer.composer.paste()
    # What the clipboard holds at exit would be destroyed after Python, which made it.
    QGuiApplication.clipboard().clear()
    assert writer.composer.toPlainText() == "bold"


def test_paste_without_text_does_nothing(writer: Writer) -> None:
    data = QMimeData()
    data.setHtml("<img src='http://127.0.0.1:9/x.png'>")
    data.setUrls([])
    assert not writer.composer.canInsertFromMimeData(QMimeData())
    image = QMimeData()
    image.setData("image/png", b"x")
    writer.composer.insertFromMimeData(image)
    assert writer.composer.toPlainText() == ""


def test_a_pasted_file_is_its_name_as_text(writer: Writer) -> None:
    data = QMimeData()
    data.setUrls([QUrl("file:///a/b.txt")])
    data.setText("file:///a/b.txt")
    writer.composer.insertFromMimeData(data)
    assert writer.composer.toPlainText() == "file:///a/b.txt"


def test_it_grows_with_its_lines_up_to_a_bound(writer: Writer) -> None:
    heights = []
    for number in range(MAX_LINES + 4):
        writer.composer.insertPlainText(f"{number}\n")
        heights.append(writer.composer.height())
    assert heights[0] < heights[1] < heights[MAX_LINES - 2]
    assert heights[MAX_LINES - 1] == heights[-1]
    writer.composer.clear()
    assert writer.composer.height() < heights[0]


@pytest.mark.parametrize("zoom", [80, 100, 150, 200])
def test_a_line_has_the_same_room_above_and_below_at_every_zoom(qapp: QApplication, writer: Writer, zoom: int) -> None:
    writer.type("gjpqy")
    apply_zoom(qapp, zoom)
    line = writer.composer.cursorRect()
    room = writer.composer.viewport().height()
    apply_zoom(qapp, 100)
    assert abs(line.top() - (room - line.bottom() - 1)) <= 1
