"""What a person types at the prompt of `chat` that is no message."""

from __future__ import annotations

import io

import pytest

from engine.commands.generation import _lines


class _Typed(io.StringIO):
    def __init__(self, text: str, is_terminal: bool) -> None:
        super().__init__(text)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


TYPED = "hello\n/help\n\n/etc/fstab is what?\n/quit\nmore\n"


def test_help_is_told_and_quit_leaves(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", _Typed(TYPED, is_terminal=True))
    assert list(_lines()) == ["hello", "/etc/fstab is what?"]
    assert "/quit" in capsys.readouterr().err


def test_lines_of_a_file_are_messages_whatever_they_begin_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", _Typed(TYPED, is_terminal=False))
    assert list(_lines()) == ["hello", "/help", "/etc/fstab is what?", "/quit", "more"]
