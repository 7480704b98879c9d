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
from app.chat.chat_controller import ChatController
from app.chat.chat_tabs import ChatTabs
from app.chat.presets import built_in_presets
from app.commands.chat_commands import chat_commands, model_commands
from app.commands.command_palette import Command, CommandPalette
from app.commands.shortcut_sheet import ShortcutSheet
from app.i18n import translate
from app.models.model_controller import ModelController
from app.preferences.settings_page import SettingsPage
from app.state.history import History, HistoryError
from app.state.options import LANGUAGE, THEME
from app.state.parameters import Preset


class _Window(Protocol):
    """What the commands need of the window."""

    settings_page: SettingsPage
    tabs: ChatTabs
    chats: ChatController
    models: ModelController

    def show_settings(self) -> None: ...

    def show_chats(self) -> None: ...


_CHOSEN_AT_ONCE = (THEME, LANGUAGE)
"""Settings of which each choice can be found and taken; a language is shown too, as it takes a restart."""

_ALSO = {"en": "english", "zh_CN": "chinese"}
"""What a choice may be called besides."""


class CommandsController(QObject):
    """Each time it is opened, the menu lists the window's actions, what can be done with the chat in sight and with
    models, the chats as they are then, the presets for the chat that is open, and the settings.
    """

    def __init__(self, actions: Actions, history: History, open_chat: Callable[[str], None], window: _Window) -> None:
        assert isinstance(window, QWidget), f"the window is {window!r}"
        super().__init__(window)
        self._show_settings, self._settings_page = window.show_settings, window.settings_page
        self._tabs, self._show_chats = window.tabs, window.show_chats
        self._chats, self._models = window.chats, window.models
        self._actions = actions
        self._history = history
        self._open_chat = open_chat
        self._window = window
        self.palette_action = actions.add(translate("app", "Find a command"), self.show_palette, ["Ctrl+K"])

    def show_palette(self) -> None:
        commands = [*self._from_actions(), *chat_commands(self._tabs, self._chats), *model_commands(self._models)]
        commands += [*self._from_chats(), *self._from_presets(), *self._from_choices(), *self._from_settings()]
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

    def _from_choices(self) -> list[Command]:
        kind = translate("app", "Setting")
        found = []
        for setting in _CHOSEN_AT_ONCE:
            row = self._settings_page.rows[setting.key]
            for value, words in setting.choices:
                words = translate("app", "{name}: {promise}").format(name=row.words, promise=translate("app", words))
                called = f"{setting.label} {value} {_ALSO.get(value, '')}".casefold()
                found.append(Command(words, kind, partial(self._choose, setting.key, value), called))
        return found

    def _choose(self, key: str, value: str) -> None:
        row = self._settings_page.rows[key]
        row.changed.emit(row.setting, value)
        if row.setting is LANGUAGE:
            self._open_setting(key)

    def _from_presets(self) -> list[Command]:
        try:
            presets = [*built_in_presets(), *self._history.presets.all()]
        except HistoryError:  # whoever opens the options is told so
            presets = built_in_presets()
        kind = translate("app", "For this chat")
        words = translate("app", "Preset: {name}")
        return [Command(words.format(name=one.name), kind, partial(self._use_preset, one)) for one in presets]

    def _use_preset(self, preset: Preset) -> None:
        tab = self._tabs.current_tab()
        if tab is not None:
            self._show_chats()
            tab.use_preset(preset)

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
