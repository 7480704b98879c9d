"""Owns the search while a person types: it runs beside the window, and only the newest answer is shown.

Does not know how the index works nor how hits are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.history.off_thread import off_thread
from app.history.sidebar import Sidebar
from app.state.history import History, HistoryError


class SearchController(QObject):
    """Connects the search field with the history's search."""

    failed = Signal(str)
    ended = Signal()
    """The field is empty: the chats are to be shown again."""

    def __init__(
        self,
        history: History,
        sidebar: Sidebar,
        run: Callable[[Coroutine[Any, Any, None]], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._history = history
        self._sidebar = sidebar
        self._run = run
        self.text = ""
        """What is searched; empty while the chats are shown."""
        sidebar.search_changed.connect(self.find)

    def find(self, text: str) -> None:
        self.text = text.strip()
        if self.text:
            self._run(self._find(self.text))
        else:
            self.ended.emit()

    def again(self) -> None:
        """The chats are others now."""
        if self.text:
            self._run(self._find(self.text))

    async def _find(self, text: str) -> None:
        try:
            hits = await off_thread(self._history, lambda: self._history.search.find(text))
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        # The person may have typed on meanwhile.
        if text == self.text:
            self._sidebar.show_hits(hits, text)
