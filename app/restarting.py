"""Owns starting the program anew, as a new language needs it: the question where answers run, and the next process.

Does not know what is restored; that is what every start restores.
"""

from __future__ import annotations

import logging
import sys
from functools import partial

from PySide6.QtCore import QObject, QProcess, Qt
from PySide6.QtWidgets import QMessageBox

from app.i18n import translate
from app.main_window import MainWindow

_log = logging.getLogger(__name__)


class ProgramRestart(QObject):
    """Closes the window; whoever ends the process starts the next one if `is_wanted`."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.is_wanted = False
        window.settings_page.program_restart_requested.connect(self.ask)

    def ask(self) -> QMessageBox | None:
        """Restarts at once, or where answers are being written asks first; returns the question if there is one."""
        num_busy = sum(tab.session.is_busy for tab in self._window.tabs.tabs())
        if not num_busy:
            self._close()
            return None
        title = translate("app", "Restart DeepInfer")
        question = QMessageBox(QMessageBox.Icon.Question, title, _busy_words(num_busy), parent=self._window)
        question.setInformativeText(
            translate("app", "A restart ends them. What is written by then stays, and each can be continued.")
        )
        question.addButton(translate("app", "Restart now"), QMessageBox.ButtonRole.AcceptRole)
        question.addButton(QMessageBox.StandardButton.Cancel)
        question.setDefaultButton(QMessageBox.StandardButton.Cancel)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.accepted.connect(self._close)
        tell = partial(_tell_anew, question)
        self._window.tabs.busy_changed.connect(tell)
        question.finished.connect(lambda _: self._window.tabs.busy_changed.disconnect(tell))
        question.open()
        return question

    def _close(self) -> None:
        self.is_wanted = True
        self._window.close()


def _busy_words(num_busy: int) -> str:
    return translate("app", "%n answer(s) are still being written.", None, num_busy)


def _tell_anew(question: QMessageBox, busy_ids: frozenset[str]) -> None:
    """Answers have ended while the person thinks about it; without one a restart ends nothing."""
    num_busy = len(busy_ids)
    question.setText(_busy_words(num_busy) if num_busy else translate("app", "All answers are complete by now."))
    if not num_busy:
        question.setInformativeText("")


def start_again() -> None:
    """Starts this program once more, as it was started; the data folder must be free by then."""
    # A frozen program is its own interpreter.
    arguments = sys.argv[1:] if getattr(sys, "frozen", False) else sys.orig_argv[1:]
    has_started, _ = QProcess.startDetached(sys.executable, arguments)
    if not has_started:
        _log.error("%s could not be started again", sys.executable)
