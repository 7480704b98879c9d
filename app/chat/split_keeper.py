"""Owns that two chats which were seen side by side are so again at the next start.

Does not know how a setting is kept, nor which tabs are restored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from app.chat.chat_tabs import ChatTabs
from app.chat.tab import ChatTab
from app.state.options import SPLIT_CHAT_IDS
from app.state.setting import Setting


class SplitKeeper(QObject):
    """Made once the tabs of last time are open. `change` keeps a setting."""

    def __init__(
        self, tabs: ChatTabs, last: str, change: Callable[[Setting[Any], Any], None], parent: QObject | None = None
    ) -> None:
        """`last` is what was kept last time."""
        super().__init__(parent)
        self._tabs = tabs
        self._change = change
        self._restore(last)
        tabs.beside.changed.connect(self._keep)
        tabs.tabs_changed.connect(self._keep)

    def _restore(self, last: str) -> None:
        front_id, _, beside_id = last.partition(" ")
        beside, current = self._tabs.tab_of(beside_id), self._tabs.current_tab()
        if beside is None:
            return
        front = self._tabs.tab_of(front_id)
        if front is not None:
            self._tabs.setCurrentWidget(front)
        self._tabs.show_beside(beside)
        if current is not beside and current is not None:
            current.setFocus()

    def _keep(self) -> None:
        beside, front = self._tabs.beside.tab, self._tabs.currentWidget()
        ids = ""
        if beside is not None and isinstance(front, ChatTab):
            ids = f"{front.session.id} {beside.session.id}"
        self._change(SPLIT_CHAT_IDS, ids)
