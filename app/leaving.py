"""Owns the question before the window goes while answers are being written.

Does not know what leaving is: a restart or the program's end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.chat.chat_tabs import ChatTabs
from app.i18n import translate


@dataclass(frozen=True, slots=True)
class LeavingWords:
    title: str
    note: str
    """What becomes of the answers."""
    button: str


def leave_or_ask(
    parent: QWidget, tabs: ChatTabs, words: LeavingWords, leave: Callable[[], object]
) -> QMessageBox | None:
    """Leaves at once, or where answers are being written asks first; returns the question if there is one."""
    num_busy = sum(tab.session.is_busy for tab in tabs.tabs())
    if not num_busy:
        leave()
        return None
    question = QMessageBox(QMessageBox.Icon.Question, words.title, _busy_words(num_busy), parent=parent)
    question.setInformativeText(words.note)
    question.addButton(words.button, QMessageBox.ButtonRole.AcceptRole)
    question.addButton(QMessageBox.StandardButton.Cancel)
    question.setDefaultButton(QMessageBox.StandardButton.Cancel)
    question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    question.accepted.connect(leave)
    tell = partial(_tell_anew, question)
    tabs.busy_changed.connect(tell)
    question.finished.connect(lambda _: tabs.busy_changed.disconnect(tell))
    question.open()
    return question


def quit_words() -> LeavingWords:
    return LeavingWords(
        translate("app", "Quit DeepInfer"),
        translate("app", "Quitting stops the writing. What is written by then stays, and can be continued."),
        translate("app", "Quit now"),
    )


def _busy_words(num_busy: int) -> str:
    return translate("app", "%n answer(s) are still being written.", None, num_busy)


def _tell_anew(question: QMessageBox, busy_ids: frozenset[str]) -> None:
    """Answers have ended while the person thinks about it; without one nothing is ended."""
    num_busy = len(busy_ids)
    question.setText(_busy_words(num_busy) if num_busy else translate("app", "All answers are complete by now."))
    if not num_busy:
        question.setInformativeText("")
