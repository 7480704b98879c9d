"""An error stands beside its buttons while there is room for both, else above them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.widgets.error_note import ErrorNote

TEXT = "The download stopped: the network is gone. Check the connection, then press Retry"


def test_the_buttons_of_an_error_leave_it_room(qtbot: QtBot) -> None:
    note = ErrorNote()
    qtbot.addWidget(note)
    note.show_error(TEXT, "Error: network")
    character_px = note.fontMetrics().averageCharWidth()
    buttons_px = note._buttons.sizeHint().width()

    def is_beside() -> bool:
        return note.details_button.x() > note._label.geometry().right()

    note.resize(100 * character_px + buttons_px, 200)
    qtbot.waitUntil(is_beside)
    note.resize(40 * character_px + buttons_px, 200)
    qtbot.waitUntil(lambda: not is_beside() and note.details_button.y() > note._label.geometry().bottom())


def test_a_narrow_error_takes_no_more_height_than_its_words_and_buttons_need(qtbot: QtBot) -> None:
    note = ErrorNote()
    qtbot.addWidget(note)
    note.show_error(TEXT, "Error: network")
    note.resize(40 * note.fontMetrics().averageCharWidth() + note._buttons.sizeHint().width(), 200)

    layout = note.layout()
    assert layout is not None
    qtbot.waitUntil(lambda: note._both.direction() == note._both.Direction.TopToBottom)
    assert not layout.expandingDirections() & Qt.Orientation.Vertical
