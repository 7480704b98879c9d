"""Owns the two ways to find a command: the menu to type in, and the sheet of keys.

Does not know what a command does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.actions import Actions
from app.commands.command_palette import Command, CommandPalette
from app.commands.shortcut_sheet import ShortcutSheet
from app.i18n import translate
from app.preferences.settings_page import SettingsPage
from app.state.history import History, HistoryError


class _Window(Protocol):
    """What the commands need of the window."""

    settings_page: SettingsPage

    def show_settings(self) -> None: ...


class CommandsController(QObject):
    """Each time it is opened, the menu lists the window's actions, the chats as they are then, and the settings."""

    def __init__(self, actions: Actions, history: History, open_chat: Callable[[str], None], window: _Window) -> None:
        assert isinstance(window, QWidget), f"the window is {window!r}"
        super().__init__(window)
        self._show_settings, self._settings_page = window.show_settings, window.settings_page
        self._actions = actions
        self._history = history
        self._open_chat = open_chat
        self._window = window
        self.palette_action = actions.add(translate("app", "Find a command"), self.show_palette, ["Ctrl+K"])

    def show_palette(self) -> None:
        commands = [*self._from_actions(), *self._from_chats(), *self._from_settings()]
        CommandPalette(commands, self._window).show()

    def show_keys(self) -> None:
        ShortcutSheet(self._actions, self._window).show()

    def _from_actions(self) -> list[Command]:
        return [
            Command(action.text(), _keys(action), action.trigger)
            for action in self._actions
            if action.isEnabled() and action is not self.palette_action
        ]

    def _from_settings(self) -> list[Command]:
        kind = translate("app", "Setting")
        return [
            Command(row.words, kind, partial(self._open_setting, key), row.keywords)
            for key, row in self._settings_page.rows.items()
        ]

    def _open_setting(self, key: str) -> None:
        self._show_settings()
        self._settings_page.show_setting(key)

    def _from_chats(self) -> list[Command]:
        try:
            summaries = self._history.chats()
        except HistoryError:  # the list of chats has said so
            return []
        kind = translate("app", "Chat")
        return [Command(summary.title, kind, partial(self._open_chat, summary.id)) for summary in summaries]


def _keys(action: QAction) -> str:
    return ", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts())
