"""Files and long texts that go with a message, and the gauge that counts them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QPainter, QPdfWriter
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton

from app.chat import composer_panel
from app.chat.attached_files import AttachmentError, read_attachment
from app.chat.composer import MAX_PASTED_LINES
from app.chat.message_view import QuestionView
from app.state.message import Attachment
from engine.messages import Command, CountTokens, TokensCounted
from tests.app.chat.desk import Desk


def pdf(path: Path, text: str) -> None:
    writer = QPdfWriter(str(path))
    painter = QPainter(writer)
    painter.drawText(1000, 1000, text)
    painter.end()


def test_a_dropped_file_stands_above_the_composer_and_goes_with_the_message(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.py"))])
    desk.tab.composer.insertFromMimeData(data)
    desk.qtbot.waitUntil(lambda: len(desk.tab.panel.attachments.cards) == 1)
    assert desk.tab.send_button.isEnabled()
    desk.send("what is it")
    (submit,) = desk.engine.submits()
    assert submit.messages[0].content == "File a.py:\n```\nx = 1\n```\n\nwhat is it"
    assert desk.tab.panel.attachments.cards == []
    view = desk.tab.transcript.views[0]
    assert [card.attachment.name for card in view.cards] == ["a.py"]  # type: ignore[attr-defined]
    stored = desk.history.load(desk.tab.session.id)
    assert stored is not None
    assert [one.text for one in stored.messages[0].attachments] == ["x = 1"]


def test_a_message_waits_for_the_file_that_is_being_attached(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()

    def read(path: Path) -> Attachment:
        may_end.wait(30)
        return Attachment(path.name, "x = 1")

    monkeypatch.setattr(composer_panel, "read_attachment", read)
    desk.tab.panel.attach([Path("a.py")])
    desk.qtbot.keyClicks(desk.tab.composer, "what is it")
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert not desk.engine.submits()
    assert not desk.tab.send_button.isEnabled()
    may_end.set()
    desk.qtbot.waitUntil(desk.tab.send_button.isEnabled)
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    (submit,) = desk.engine.submits()
    assert submit.messages[0].content.endswith("x = 1\n```\n\nwhat is it")


def test_files_alone_can_be_sent(desk: Desk) -> None:
    desk.tab.panel.attachments.add(Attachment("a.txt", "hello"))
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert desk.tab.session.messages[0].attachments[0].name == "a.txt"


def test_an_attached_text_is_read_in_a_window_with_a_button_that_closes_it(desk: Desk) -> None:
    desk.tab.panel.attachments.add(Attachment("a.txt", "hello"))
    dialog = desk.tab.panel.attachments.cards[0].open()
    field, button = dialog.findChild(QPlainTextEdit), dialog.findChild(QPushButton)
    assert isinstance(field, QPlainTextEdit)
    assert isinstance(button, QPushButton)
    assert (field.toPlainText(), button.text()) == ("hello", "Close")
    desk.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()


def test_an_attachment_is_taken_off(desk: Desk) -> None:
    desk.tab.panel.attachments.add(Attachment("a.txt", "hello"))
    (card,) = desk.tab.panel.attachments.cards
    desk.qtbot.mouseClick(card.remove_button, Qt.MouseButton.LeftButton)
    assert desk.tab.panel.attachments.cards == []
    assert not desk.tab.send_button.isEnabled()


def test_a_long_pasted_text_becomes_an_attachment_and_a_short_one_does_not(desk: Desk) -> None:
    for text in ("short", "line\n" * MAX_PASTED_LINES):
        data = QMimeData()
        data.setText(text)
        desk.tab.composer.insertFromMimeData(data)
    assert desk.tab.composer.toPlainText() == "short"
    (card,) = desk.tab.panel.attachments.cards
    assert card.attachment.name == "Pasted text 1.txt"


def test_what_is_written_is_counted_and_shown_in_parts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def count(command: Command) -> None:
        if isinstance(command, CountTokens):
            desk.engine.emit(TokensCounted(command.count_id, tuple(map(len, command.texts))))

    monkeypatch.setattr(desk.engine, "send", count)
    desk.tab.session.system_prompt = "be brief"
    desk.tab.panel.attachments.add(Attachment("a.txt", "hello"))
    desk.qtbot.keyClicks(desk.tab.composer, "abc")
    file = "File a.txt:\n```\nhello\n```"
    desk.qtbot.waitUntil(lambda: desk.tab.gauge.parts is not None and desk.tab.gauge.parts.draft == 3 + len(file))
    parts = desk.tab.gauge.parts
    assert parts is not None
    assert (parts.system, parts.history, parts.reserve, parts.limit) == (8, 0, 1024, 8192)
    assert f"What you are writing: {3 + len(file)} tokens" in desk.tab.gauge.toolTip()
    (card,) = desk.tab.panel.attachments.cards
    assert card.size_label.text() == f"{len(file)} tokens"


def test_an_attachment_that_is_sent_at_once_is_counted_afterwards_and_stays_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.tab.panel.attachments.add(Attachment("a.txt", "hello"))
    request_id = desk.send("what is it")
    view = desk.tab.transcript.views[0]
    assert isinstance(view, QuestionView)
    assert view.cards[0].attachment.num_tokens is None

    def count(command: Command) -> None:
        if isinstance(command, CountTokens):
            desk.engine.emit(TokensCounted(command.count_id, tuple(map(len, command.texts))))

    monkeypatch.setattr(desk.engine, "send", count)
    for command in tuple(desk.engine.commands):
        # What was asked for before.
        count(command)
    desk.answer(request_id, "a greeting")
    desk.finish(request_id)
    expected = len("File a.txt:\n```\nhello\n```")
    desk.qtbot.waitUntil(lambda: view.cards[0].size_label.text() == f"{expected} tokens")
    stored = desk.history.load(desk.tab.session.id)
    assert stored is not None
    assert stored.messages[0].attachments[0].num_tokens == expected


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("grüße\r\n".encode(), "grüße"),
        ("grüße".encode("utf-8-sig"), "grüße"),
        ("grüße".encode("utf-16"), "grüße"),
        ("grüße".encode("cp1252"), "grüße"),
    ],
)
def test_texts_of_many_encodings_are_read(content: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    assert read_attachment(tmp_path / "file").text == text


def test_a_damaged_pdf_is_told_to_the_person_and_not_named_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    (tmp_path / "my secret.pdf").write_bytes(b"%PDF-1.4\nmy secret\n%%EOF")
    with pytest.raises(AttachmentError, match=r"my secret\.pdf cannot be read"):
        read_attachment(tmp_path / "my secret.pdf")
    assert "could not be read" in caplog.text
    assert "secret" not in caplog.text


def test_the_text_of_pdf_is_read(qapp: QApplication, tmp_path: Path) -> None:
    pdf(tmp_path / "paper.pdf", "Hello paper")
    assert read_attachment(tmp_path / "paper.pdf").text.split() == ["Hello", "paper"]


@pytest.mark.parametrize("content", [b"\0\1\2\xff", b"", b"  \n", b"%PDF-1.4 broken"])
def test_what_is_no_text_is_refused_by_name(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "thing").write_bytes(content)
    with pytest.raises(AttachmentError, match="thing"):
        read_attachment(tmp_path / "thing")


def test_a_file_that_cannot_be_attached_is_told(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "thing").write_bytes(b"\0\xff")
    with desk.qtbot.waitSignal(desk.tab.save_failed) as told:
        desk.tab.panel.attach([tmp_path / "thing"])
    assert told.args == ["thing is not a text file: attach text, source code or PDF."]
    assert desk.tab.panel.attachments.cards == []


def given(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_a_model_that_is_pasted_into_the_message_is_for_the_library(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    for path in (tmp_path / "m.gguf", tmp_path):
        data = given(path)
        assert desk.tab.composer.canInsertFromMimeData(data)
        with desk.qtbot.waitSignal(desk.tab.panel.model_given) as told:
            desk.tab.composer.insertFromMimeData(data)
        assert told.args == [str(path)]
    assert desk.tab.composer.toPlainText() == ""


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("w.bin", b"PK\3\4\0\0pytorch_model/data.pkl", "its folder with safetensors"),
        ("w.pt", b"\x80\x02\x8a\x0al\xfc\x9cF\xf9", "its folder with safetensors"),
        ("firmware.bin", b"\0\1\2\xff", "is not a text file"),
        ("m.gguf", b"1", "drop it alone"),
        ("m.bin", b"GGUF\3\0", "drop it alone"),
    ],
)
def test_what_cannot_be_attached_says_why_and_the_rest_is(
    desk: Desk, tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    with desk.qtbot.waitSignal(desk.tab.save_failed) as told:
        desk.tab.composer.insertFromMimeData(given(tmp_path / name, tmp_path / "a.txt"))
    assert why in told.args[0]
    desk.qtbot.waitUntil(lambda: len(desk.tab.panel.attachments.cards) == 1)


def test_files_given_to_a_message_that_is_edited_are_refused_in_words(desk: Desk, tmp_path: Path) -> None:
    desk.finish(desk.send("hello"))
    view = desk.tab.transcript.views[0]
    view.edit()
    assert view.editor is not None
    desk.qtbot.waitUntil(view.editor.isVisible)
    assert not view.editor.refusal_label.isVisible()
    (tmp_path / "a.txt").write_text("a")
    view.editor.field.insertFromMimeData(given(tmp_path / "a.txt"))
    assert view.editor.refusal_label.isVisible()
    assert view.editor.text() == "hello"
