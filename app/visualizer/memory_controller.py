"""Owns the wires between the memory view and the engine, and what the view remembers.

Does not know what the view shows nor how the engine finds it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from app.actions import Actions
from app.bridge.engine_client import EngineClient
from app.i18n import translate
from app.state import options
from app.state.setting import Setting
from app.state.settings import Settings
from app.visualizer.memory_panel import MemoryPanel
from engine.messages import WatchBlocks


class MemoryController(QObject):
    """The engine is watched while the view is visible, and no longer."""

    def __init__(
        self,
        client: EngineClient,
        panel: MemoryPanel,
        settings: Settings,
        change: Callable[[Setting[Any], Any], None],
        actions: Actions,
        parent: QObject,
    ) -> None:
        """`change` keeps a setting, and says so where it cannot."""
        super().__init__(parent)
        self._client = client
        self._panel = panel
        self._settings = settings
        self._change = change
        panel.fold(settings.get(options.MEMORY_FOLDED))
        panel.remember_colors(settings.get(options.CHAT_COLORS))
        panel.colors_changed.connect(self._keep_colors)
        client.stats_changed.connect(panel.show_stats)
        client.snapshot_arrived.connect(panel.show_snapshot)
        client.memory_answered.connect(panel.show_event)
        panel.watch_changed.connect(self._watch)
        panel.command_wanted.connect(client.send)
        panel.folded_changed.connect(lambda keys: change(options.MEMORY_FOLDED, keys))
        actions.add(translate("app", "Copy the memory view as text"), panel.copy)

    def watch_again(self) -> None:
        """Tell a new engine what is in sight."""
        self._watch(self._panel.isVisible())

    def _keep_colors(self, text: str) -> None:
        if text != self._settings.get(options.CHAT_COLORS):
            self._change(options.CHAT_COLORS, text)

    def _watch(self, is_on: bool) -> None:
        self._client.send(WatchBlocks(is_on, with_tree=self._panel.wants_tree))
