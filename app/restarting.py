"""Owns starting the program anew, as a new language needs it: closing this one, and the next process.

Does not know what is restored; that is what every start restores.
"""

from __future__ import annotations

import logging
import sys

from PySide6.QtCore import QObject, QProcess
from PySide6.QtWidgets import QMessageBox

from app.i18n import translate
from app.leaving import LeavingWords, leave_or_ask
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
        words = LeavingWords(
            translate("app", "Restart DeepInfer"),
            translate("app", "A restart ends them. What is written by then stays, and can be continued."),
            translate("app", "Restart now"),
        )
        return leave_or_ask(self._window, self._window.tabs, words, self._close)

    def _close(self) -> None:
        self.is_wanted = True
        self._window.close()


def start_again() -> None:
    """Starts this program once more, as it was started; the data folder must be free by then."""
    # A frozen program is its own interpreter.
    arguments = sys.argv[1:] if getattr(sys, "frozen", False) else sys.orig_argv[1:]
    has_started, _ = QProcess.startDetached(sys.executable, arguments)
    if not has_started:
        _log.error("%s could not be started again", sys.executable)
