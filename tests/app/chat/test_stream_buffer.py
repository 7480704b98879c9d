"""Small pieces in, few and whole texts out."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.chat.stream_buffer import StreamBuffer


def test_pieces_of_one_interval_come_joined(qtbot: QtBot) -> None:
    buffer = StreamBuffer()
    texts: list[str] = []
    buffer.flushed.connect(texts.append)
    for piece in ("a", "b", "", "c"):
        buffer.append(piece)
    assert texts == []
    qtbot.waitUntil(lambda: bool(texts))
    assert texts == ["abc"]


def test_a_flush_emits_at_once_and_nothing_twice(qtbot: QtBot) -> None:
    buffer = StreamBuffer(interval_ms=10_000)
    texts: list[str] = []
    buffer.flushed.connect(texts.append)
    buffer.append("last words")
    buffer.flush()
    buffer.flush()
    assert texts == ["last words"]


def test_an_empty_piece_asks_for_nothing(qtbot: QtBot) -> None:
    buffer = StreamBuffer(interval_ms=10_000)
    texts: list[str] = []
    buffer.flushed.connect(texts.append)
    buffer.append("")
    buffer.flush()
    assert texts == []
