"""Owns the list of what can be done by a key or by name; the menu of commands and the sheet of keys are read off it.

Does not know what the actions do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


class Actions:
    """The actions of one window, in the order in which they were added."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._actions: list[QAction] = []

    def add(self, words: str, run: Callable[[], object], keys: Sequence[str] = ()) -> QAction:
        """An action of the window, which its `keys` (like "Ctrl+T") start wherever the focus is.

        `words` are what a person reads in the list of commands, in the language of the window.
        """
        action = QAction(words, self._window)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(lambda _: run())
        self.add_action(action)
        return action

    def add_action(self, action: QAction) -> None:
        """An action that exists already, such as the one that shows a dock."""
        self._window.addAction(action)
        self._actions.append(action)

    def __iter__(self) -> Iterator[QAction]:
        return iter(self._actions)
