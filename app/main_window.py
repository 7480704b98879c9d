"""Owns the window: what stands where, its keys, and the order of starting and closing.

Does not know the engine's inside nor how a chat or a model page works; it puts them together.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from PySide6.QtCore import QByteArray, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from app.actions import Actions
from app.bridge.engine_client import EngineClient
from app.chat.chat_controller import ChatController
from app.chat.chat_tabs import ChatTabs
from app.chat.split_keeper import SplitKeeper
from app.chat.tab import ChatTab
from app.commands.commands_controller import CommandsController
from app.desktop.desktop_controller import DesktopController
from app.desktop.diagnostics_controller import DiagnosticsController
from app.history.sidebar import Sidebar
from app.i18n import translate
from app.leaving import leave_or_ask, quit_words
from app.models.chat_models import show_models_in
from app.models.first_run import FirstRunPage
from app.models.job_news import JobNews
from app.models.model_controller import ModelController
from app.models.model_page import ModelPage
from app.models.services import ModelServices
from app.models.window_drop import WindowDrop
from app.placement import DockWidths, LateDock, NarrowWindow, available_geometry, fitting
from app.preferences.about import About, home_origin
from app.preferences.preferences_controller import PreferencesController
from app.preferences.settings_page import SettingsPage
from app.problems import Problems
from app.state import options
from app.state.history import History
from app.state.new_chats import default_params
from app.state.session import Session
from app.state.setting import Setting
from app.state.settings import Settings
from app.theme import apply_theme, apply_zoom
from app.visualizer.memory_controller import MemoryController
from app.visualizer.memory_panel import MemoryPanel
from app.widgets.banner import Banner
from app.widgets.dock_title import DockTitle
from app.widgets.hover import HoverKeeper
from app.widgets.status_line import StatusLine
from app.window_actions import add_window_actions
from engine.messages import BringToFront, EngineDied, ModelLoaded

_log = logging.getLogger(__name__)
_FIRST_SIZE = QSize(1280, 800)
_MIN_SIZE = QSize(480, 320)
_MIN_WIDTH_WITH_MEMORY_PX = 1100
_LEAST_WIDTH_WITH_MEMORY_PX = 900
_LEAST_WIDTH_WITH_CHATS_PX = 650
_ZOOM_BURST_MS = 60
"""A key that is held repeats about every 30 ms."""


class MainWindow(QMainWindow):
    """Opens without torch: the engine is started once the window has been painted."""

    closed = Signal()
    first_painted = Signal()

    def __init__(
        self,
        client: EngineClient,
        history: History,
        settings: Settings,
        services: ModelServices,
    ) -> None:
        super().__init__()
        self._client = client
        self._history = history
        self.settings = settings
        self._front_chat_id: str | None = None
        self._is_painted = self._is_closing = self._is_restarting = False
        self._death: EngineDied | None = None
        self._zoom_timer = QTimer(self, singleShot=True, interval=_ZOOM_BURST_MS)
        self._zoom_timer.timeout.connect(lambda: apply_zoom(_application(), settings.get(options.ZOOM_PERCENT)))
        self.setWindowTitle("DeepInfer")
        self.setObjectName("main")
        self.action_list = Actions(self)
        self.banner = Banner()
        self.status_line = StatusLine()
        self.memory_panel = MemoryPanel()
        self.sidebar = Sidebar()
        self.model_page = ModelPage(services.read_host)
        self.first_run_page = FirstRunPage(services.read_host)
        self.settings_page = SettingsPage(settings, About(services.home, home_origin(services.home)))
        self.models = ModelController(client, services, self.model_page, self.first_run_page, settings, self)
        self.problems = Problems(self, client)
        self.tabs = ChatTabs(self._make_tab, self._make_session, self.memory_panel.owner_color_index)
        self.chats = ChatController(history, self.tabs, self.sidebar, client.run, self)
        self._build()
        self.desktop = DesktopController(client, self.tabs, settings, self)
        self.diagnostics = DiagnosticsController(services.home, client, self.banner.show_message, self)
        self.commands = CommandsController(self.action_list, history, self.chats.open, self)
        add_window_actions(self)
        self.memory = MemoryController(client, self.memory_panel, settings, self.change_setting, self.action_list, self)
        self._connect()
        self._restore()

    def _build(self) -> None:
        self.pages = QStackedWidget()
        for page in (self.tabs, self.first_run_page, self.model_page, self.settings_page):
            self.pages.addWidget(page)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.tabs.beside.beside(self.pages), 1)
        self.setCentralWidget(centre)
        self.setStatusBar(self.status_line)
        left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
        self.sidebar_dock = self._dock("chats", translate("app", "Chats"), self.sidebar, left)
        # Only what can be closed can be toggled.
        self.sidebar_dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetClosable)
        # An empty widget in the title bar's place takes the title bar away.
        self.sidebar_dock.setTitleBarWidget(QWidget())
        self.memory_dock = self._dock("memory", translate("app", "Memory"), self.memory_panel, right)
        self.memory_dock.setTitleBarWidget(DockTitle(self.memory_dock))
        widths = {dock: self.settings.get(setting) for dock, setting in self._width_settings()}
        usual = {dock: setting.default for dock, setting in self._width_settings()}
        self._dock_widths = DockWidths(self, widths, usual)
        least = {self.memory_dock: _LEAST_WIDTH_WITH_MEMORY_PX, self.sidebar_dock: _LEAST_WIDTH_WITH_CHATS_PX}
        self._narrow = NarrowWindow(self, least)
        HoverKeeper(self)

    def _width_settings(self) -> list[tuple[QDockWidget, Setting[int]]]:
        return [(self.sidebar_dock, options.SIDEBAR_WIDTH_PX), (self.memory_dock, options.MEMORY_WIDTH_PX)]

    def _dock(self, name: str, title: str, content: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(content)
        self.addDockWidget(area, dock)
        return dock

    def _make_session(self) -> Session:
        return Session(system_prompt=self.settings.get(options.SYSTEM_PROMPT))

    def _make_tab(self, session: Session) -> ChatTab:
        tab = ChatTab(session, self._client, self._history, partial(default_params, self.settings))
        show_models_in(tab, self.models, self.show_models)
        self.chats.keep_draft(tab)
        tab.turn_begun.connect(self.chats.show_change)
        tab.save_failed.connect(self.banner.show_message)
        tab.models_requested.connect(self.show_models)
        tab.model_missed.connect(partial(self._on_model_missed, tab))
        return tab

    def _connect(self) -> None:
        client = self._client
        client.engine_started.connect(self.status_line.show_started)
        client.engine_died.connect(self._on_engine_died)
        client.engine_missed.connect(self.problems.tell_death)
        client.stats_changed.connect(self.status_line.show_stats)
        client.model_changed.connect(self.status_line.show_model)
        self.models.loaded_changed.connect(self._on_loaded_changed)
        self.models.loading_changed.connect(self._show_loading)
        self.models.models_changed.connect(self._on_models_changed)
        self.chats.failed.connect(self.banner.show_message)
        self.chats.transfer.settled.connect(self.banner.take_back)
        self._history.on_recovered = self.banner.take_back
        self.chats.titles_changed.connect(self.memory_panel.set_owner_titles)
        self.tabs.tabs_changed.connect(self._on_tabs_changed)
        self.chats.chat_opened.connect(self.show_chats)
        for part in (self.tabs, self.sidebar, self.model_page):
            part.new_chat_requested.connect(self.new_chat)
        self.sidebar.list.rows.color_index = self.memory_panel.owner_color_index
        self.tabs.busy_changed.connect(self.sidebar.show_busy)
        self.sidebar.dialog_closed.connect(self.tabs.focus_used)
        self.sidebar.models_requested.connect(self.show_models)
        self.sidebar.settings_requested.connect(self.show_settings)
        entries = {self.model_page: self.sidebar.models_entry, self.settings_page: self.sidebar.settings_entry}
        for page, entry in entries.items():
            self.pages.currentChanged.connect(
                lambda _, page=page, entry=entry: entry.setChecked(self.pages.currentWidget() is page)
            )
        self.model_page.closed.connect(self.show_home)
        self.first_run_page.more_requested.connect(self.show_models)
        WindowDrop(self).dropped.connect(self._on_model_dropped)
        JobNews(self)
        self.settings_page.closed.connect(self.show_home)
        self.settings_page.changed.connect(self.change_setting)
        self.settings_page.restart_requested.connect(self.restart_engine)
        self.settings_page.about.diagnostics_requested.connect(self.diagnostics.ask)
        self.settings_page.about.shortcuts_requested.connect(self.commands.show_keys)
        self.desktop.notes.clicked.connect(self.bring_to_front)
        PreferencesController(self.settings_page, client, self.models, self)
        self.settings.listen(self._on_setting_changed)
        self.first_painted.connect(self._start_engine)

    def show_chats(self) -> None:
        # Before: the page gives the focus to what is its own, not to a chat beside.
        used = self.tabs.current_tab()
        self.pages.setCurrentWidget(self.tabs)
        if used is not None:
            used.setFocus()

    def new_chat(self) -> None:
        """A new chat, or the welcome to a person without a model: nothing could answer."""
        if self.models.models:
            self.chats.new_chat()
        else:
            self.show_home()
            self.first_run_page.ask_for_model()

    def show_models(self) -> None:
        self.pages.setCurrentWidget(self.model_page)
        self.model_page.setFocus()

    def _on_model_dropped(self, path: str) -> None:
        self.show_models()
        self.models.take_in(path)

    def show_settings(self) -> None:
        self.pages.setCurrentWidget(self.settings_page)
        self.settings_page.setFocus()

    def show_home(self) -> None:
        """The chats, or the welcome to a person who has no model yet."""
        if self.models.models:
            self.show_chats()
        else:
            self.pages.setCurrentWidget(self.first_run_page)
            self.first_run_page.setFocus()

    def bring_to_front(self) -> None:
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def change_setting(self, setting: Setting[Any], value: Any) -> None:
        try:
            self.settings.set(setting, value)
        except OSError as error:
            self.problems.tell_unsaved(error)
        else:
            self.problems.forget_unsaved()

    def zoom_by(self, percent: int) -> None:
        """Makes the text larger or smaller, as far as the settings allow."""
        setting = options.ZOOM_PERCENT
        zoom = self.settings.get(setting) + percent
        if setting.accepts(zoom):
            self.change_setting(setting, zoom)

    def reset_zoom(self) -> None:
        self.change_setting(options.ZOOM_PERCENT, options.ZOOM_PERCENT.default)

    def _on_setting_changed(self, setting: Setting[Any]) -> None:
        self.settings_page.show_value(setting)
        if setting is options.THEME:
            apply_theme(_application(), self.settings.get(options.THEME))
        elif setting is options.ZOOM_PERCENT:
            # Once for a burst of keys.
            self._zoom_timer.start()

    def _start_engine(self) -> None:
        self._client.start()
        self.models.load_first(self.settings.get(options.LAST_MODEL_ID))

    def _on_models_changed(self) -> None:
        self.sidebar.show_has_models(bool(self.models.models))
        if self.models.models and self.pages.currentWidget() is self.first_run_page:
            self.show_chats()

    def _on_model_missed(self, tab: ChatTab) -> None:
        if self._death is not None:
            self.problems.tell_death(self._death)
        elif not self.models.models:
            self.show_home()
        elif not self.models.is_loading:
            self.models.load_first(self.settings.get(options.LAST_MODEL_ID), tab.session.parameters.model_id)

    def _on_tabs_changed(self) -> None:
        self.memory_panel.set_open_owners(tab.session.id for tab in self.tabs.tabs())
        current = self.tabs.current_tab()
        if current is not None and current.session.id != self._front_chat_id:
            self._front_chat_id = current.session.id
            self._client.send(BringToFront(current.session.id))

    def _on_loaded_changed(self, model: ModelLoaded | None) -> None:
        self.memory_panel.show_model(model)
        for tab in self.tabs.tabs():
            tab.show_model(model, self.models.loading_name)
        if model is not None:
            self.change_setting(options.LAST_MODEL_ID, model.model_id)

    def _show_loading(self, name: str) -> None:
        self.memory_panel.show_loading(name)
        self.status_line.show_loading(name)
        for tab in self.tabs.tabs():
            tab.show_model(self.models.loaded, name)

    def _on_engine_died(self, death: EngineDied) -> None:
        self._death = death
        self.status_line.show_died(death)
        self.models.forget_loaded()
        self.problems.tell_death(death)

    def restart_engine(self) -> None:
        if self._is_restarting:
            return
        self._is_restarting, self._death = True, None
        self.problems.forget_engine()
        self.models.forget_loaded()
        self.status_line.show_restarting()
        self._client.run(self._restart())

    async def _restart(self) -> None:
        try:
            await self._client.restart()
        finally:
            self._is_restarting = False
        self.memory.watch_again()
        if self._front_chat_id is not None:
            self._client.send(BringToFront(self._front_chat_id))
        self.models.load_first(self.settings.get(options.LAST_MODEL_ID))

    def _restore(self) -> None:
        geometry = QByteArray.fromBase64(self.settings.get(options.WINDOW_GEOMETRY).encode())
        self.setMinimumSize(_MIN_SIZE)
        room = available_geometry(self)
        if geometry.isEmpty() or not self.restoreGeometry(geometry):
            first = QRect(room.topLeft(), _FIRST_SIZE)
            first.moveCenter(room.center())
            self.setGeometry(fitting(first, room))
        elif not self.isMaximized() and not self.isFullScreen():
            # The screen may be another one than last time.
            self.setGeometry(fitting(self.geometry(), available_geometry(self)))
        state = QByteArray.fromBase64(self.settings.get(options.WINDOW_STATE).encode())
        if not state.isEmpty():
            self.restoreState(state)
        elif room.width() < _MIN_WIDTH_WITH_MEMORY_PX:
            self.memory_dock.hide()
        self.models.refresh()
        if not self.models.models and not self.settings.get(options.LAST_MODEL_ID):
            LateDock(self.memory_dock, self.models.loaded_changed, _MIN_WIDTH_WITH_MEMORY_PX)
        self.chats.restore()
        SplitKeeper(self.tabs, self.settings.get(options.SPLIT_CHAT_IDS), self.change_setting, self)
        self.show_home()
        for notice in filter(None, (self.settings.notice, self._history.notice)):
            self.banner.add_message(notice)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self.first_painted.emit)

    def quit(self) -> None:
        """Closes the window; where answers are being written it asks before."""
        if QApplication.activeModalWidget() is None:
            leave_or_ask(self, self.tabs, quit_words(), self.close)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stops the views, closes the client, joins the engine and ends the loop, in this order."""
        if event.spontaneous() and not self._is_closing and any(tab.session.is_busy for tab in self.tabs.tabs()):
            # The person's own doing, and not the program's, which closes without a word.
            event.ignore()
            self.quit()
            return
        event.accept()
        if self._is_closing:
            return
        self._is_closing = True
        self.change_setting(options.WINDOW_GEOMETRY, self.saveGeometry().toBase64().toStdString())
        self._narrow.reopen()
        self.change_setting(options.WINDOW_STATE, self.saveState().toBase64().toStdString())
        for dock, setting in self._width_settings():
            self.change_setting(setting, self._dock_widths.wanted_px(dock))
        self.chats.close()
        self.desktop.close()
        self.hide()
        self._history.close()
        if not self._client.close():
            _log.error("The engine did not end in time")
        self.closed.emit()


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication), f"the application is {app!r}"
    return app
