"""Owns the row of open tabs: their marks, titles, order, and what closing one means for the row.

Does not know where chats come from; a tab is made for it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QTabBar, QTabWidget, QToolButton, QWidget

from app.chat.beside_pane import BesidePane, Placeholder
from app.chat.chat_words import mark_words, ordinal, title_words
from app.chat.tab import ChatTab
from app.chat.tab_bar import ChatTabBar, TabButtons
from app.chat.tab_mark import tab_mark
from app.i18n import translate
from app.state.session import Phase, Session
from app.theme import current_theme, icon_size_px, theme_signals
from app.widgets.elided_label import elided_title
from app.widgets.icons import show_icon
from app.widgets.screen_change import redraw_on_other_screen

_MAX_TITLE_CHARACTERS = 24


class ChatTabs(QTabWidget):
    """The open chats. Never empty: closing the last tab opens a new chat."""

    tabs_changed = Signal()
    """Which tabs are open, their order or the current one."""
    tab_closed = Signal(str)
    """chat id"""
    new_chat_requested = Signal()
    busy_changed = Signal(object)
    """The ids (a frozenset) of the chats that are answering."""
    chat_renamed = Signal(str, str)
    """chat id, title"""

    def __init__(
        self,
        make_tab: Callable[[Session], ChatTab],
        make_session: Callable[[], Session],
        owner_color_index: Callable[[str], int],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._make_tab = make_tab
        self._make_session = make_session
        self._owner_color_index = owner_color_index
        self._busy_ids: frozenset[str] = frozenset()
        self.beside = BesidePane()
        self.beside.closed.connect(self.end_split)
        self._last_page: QWidget | None = None
        """The page of the row that was the current one last and is no placeholder."""
        self._last_current: ChatTab | None = None
        self._is_beside_used = False
        """Whether of the two in sight the one beside had the focus last."""
        bar = self._bar = ChatTabBar()
        bar.middle_clicked.connect(self.close_tab)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        bar.customContextMenuRequested.connect(self._open_menu)
        self.setTabBar(bar)
        self.setProperty("kind", "tabs")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMovable(True)
        self.setUsesScrollButtons(True)
        self.tabBarDoubleClicked.connect(self.ask_for_title)
        self.tabBarClicked.connect(lambda _: self._focus_current())
        self.currentChanged.connect(self._on_current_changed)
        app = QApplication.instance()
        assert isinstance(app, QApplication), f"the application is {app!r}"
        app.focusChanged.connect(self._on_focus_changed)
        bar.tabMoved.connect(lambda *_: self.tabs_changed.emit())
        self.buttons = TabButtons(bar)
        self.buttons.new_button.clicked.connect(self.new_chat_requested)
        self.setCornerWidget(self.buttons, Qt.Corner.TopRightCorner)
        theme_signals().theme_changed.connect(self.show_marks)
        redraw_on_other_screen(self, self.show_marks)

    def tabs(self) -> list[ChatTab]:
        return [tab for index in range(self.count()) if isinstance(tab := self.widget(index), ChatTab)]

    def current_tab(self) -> ChatTab | None:
        """Of two side by side the one that was used last, wherever the focus is by now, else the one in front."""
        if self._is_beside_used and self.beside.tab is not None:
            return self.beside.tab
        tab = self.currentWidget()
        return tab if isinstance(tab, ChatTab) else None

    def widget(self, index: int) -> QWidget | None:
        page: QWidget | None = super().widget(index)
        return page.tab if isinstance(page, Placeholder) else page

    def indexOf(self, tab: QWidget) -> int:  # noqa: N802 - Qt's name
        pages = (super(ChatTabs, self).widget(index) for index in range(self.count()))
        return next((index for index, page in enumerate(pages) if _tab_on(page) is tab), -1)

    def setCurrentWidget(self, tab: QWidget) -> None:  # noqa: N802 - Qt's name
        # Also in a window that is not the active one, where nothing gets the focus.
        self._is_beside_used = tab is self.beside.tab
        if self._is_beside_used:
            tab.setFocus()
        else:
            super().setCurrentWidget(tab)

    def show_beside(self, tab: ChatTab) -> None:
        """Shows a chat right of the others, so that two are seen at the same time."""
        if tab is self.beside.tab:
            return
        self.end_split()
        if self.count() == 1:
            self.open_chat(self._make_session())
        elif self.currentWidget() is tab:
            self.step(1)
        self._put(self.indexOf(tab), Placeholder(tab))
        self.beside.show_tab(tab)
        tab.setFocus()

    def end_split(self) -> None:
        """The chat beside goes back into its tab."""
        if self.beside.tab is None:
            return
        index = self.indexOf(self.beside.tab)
        self._is_beside_used = False
        self._put(index, self.beside.take_tab())
        self._focus_current()

    def toggle_beside(self) -> None:
        tab = self.current_tab()
        if self.beside.tab is not None:
            self.end_split()
            if tab is not None:
                # The one that was used stays in sight.
                self.setCurrentWidget(tab)
                self._focus_current()
        elif tab is not None:
            self.show_beside(tab)

    def _put(self, index: int, page: ChatTab | Placeholder) -> None:
        """Puts another page in the place of one in the row."""
        former = super().widget(index)
        self.blockSignals(True)
        self.removeTab(index)
        self.insertTab(index, page, "")
        self.blockSignals(False)
        if isinstance(former, Placeholder):
            former.deleteLater()
        tab = _tab_on(page)
        self._add_close_button(tab)
        self._show_mark(tab)

    def _on_current_changed(self, index: int) -> None:
        page = super().widget(index)
        self._bar.lay_out()
        if not isinstance(page, Placeholder):
            self._last_page = page
            self._is_beside_used = False
        elif self.count() == 1:
            QTimer.singleShot(0, self, self.end_split)
        else:
            # The row shows one of the others, and the person goes to the chat beside.
            last = super().indexOf(self._last_page) if self._last_page is not None else -1
            self.setCurrentIndex(last if last >= 0 else (index + 1) % self.count())
            page.tab.setFocus()
            return
        self.tabs_changed.emit()

    def _on_focus_changed(self, _: QWidget | None, focus: QWidget | None) -> None:
        # Upwards from the focus: what is behind the row may be gone already when a window is closed.
        while focus is not None and not isinstance(focus, ChatTab):
            focus = focus.parentWidget()
        if focus is not None and self.indexOf(focus) >= 0:
            self._is_beside_used = focus is self.beside.tab
        if self.beside.tab is not None and self.current_tab() is not self._last_current:
            self._last_current = self.current_tab()
            self.tabs_changed.emit()

    def tab_of(self, chat_id: str) -> ChatTab | None:
        return next((tab for tab in self.tabs() if tab.session.id == chat_id), None)

    def new_chat(self) -> ChatTab:
        """Opens a new chat, or goes to one in which nothing has been said or written yet."""
        session = self._make_session()
        blank = next((tab for tab in self.tabs() if tab.is_blank), None)
        if blank is not None:
            blank.session.system_prompt = session.system_prompt
            session = blank.session
        return self.open_chat(session)

    def open_chat(self, session: Session) -> ChatTab:
        """Opens the chat in a new tab, or goes to the one it has."""
        tab = self.tab_of(session.id) or self.add_chat(session)
        self.setCurrentWidget(tab)
        tab.setFocus()
        self.tabs_changed.emit()
        return tab

    def add_chat(self, session: Session) -> ChatTab:
        """A new tab for the chat, behind the others; nobody goes there and nobody is told."""
        tab = self._make_tab(session)
        self.addTab(tab, "")
        self._add_close_button(tab)
        self._show_mark(tab)
        tab.changed.connect(lambda: self._show_mark(tab))
        tab.chat_made.connect(self.open_chat)
        return tab

    def move_to(self, chat_id: str, place: int) -> None:
        """Puts the chat's tab where it stood, or as far behind as the row reaches."""
        if (tab := self.tab_of(chat_id)) is not None:
            self._bar.moveTab(self.indexOf(tab), min(place, self.count() - 1))
            # Its page was taken out and put in again, and the focus went on meanwhile.
            self.focus_used()

    def close_tab(self, index: int) -> None:
        tab = self.widget(index)
        if not isinstance(tab, ChatTab):
            return
        if tab is self.beside.tab:
            self.end_split()
        tab.leave()
        self.removeTab(index)
        tab.deleteLater()
        if self.count() == 0:
            self.new_chat()
        self.focus_used()
        self.tab_closed.emit(tab.session.id)
        self.tabs_changed.emit()
        self._tell_busy()

    def close_current(self) -> None:
        tab = self.current_tab()
        if tab is not None:
            self.close_tab(self.indexOf(tab))

    def step(self, distance: int) -> None:
        """Goes to a neighbouring tab; the row is a ring."""
        tab = self.current_tab()
        index = self.currentIndex() if tab is None else self.indexOf(tab)
        target = self.widget((index + distance) % self.count())
        if target is not None:
            self.setCurrentWidget(target)
            if self.isVisible():
                target.setFocus()

    def close_others(self, kept: ChatTab) -> None:
        for tab in self.tabs():
            if tab is not kept:
                self.close_tab(self.indexOf(tab))

    def _focus_current(self) -> None:
        if self.isVisible():
            self.currentWidget().setFocus()

    def focus_used(self) -> None:
        """Puts the caret into the chat that was used last."""
        if self.isVisible() and (tab := self.current_tab()) is not None:
            tab.setFocus()

    def _tell_busy(self) -> None:
        busy_ids = frozenset(tab.session.id for tab in self.tabs() if tab.session.is_busy)
        if busy_ids != self._busy_ids:
            self._busy_ids = busy_ids
            self.busy_changed.emit(busy_ids)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # Another page of the window takes the whole room.
        self.beside.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_room()
        super().resizeEvent(event)

    def _show_room(self) -> None:
        self._bar.show_room(self.width() - self.buttons.sizeHint().width())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.beside.setVisible(self.beside.tab is not None)
        # Only now is it known how many pixels the screen has to a point.
        self.show_marks()

    def show_marks(self) -> None:
        for index in range(self.count()):
            # Of larger text: the row does not ask the buttons in its tabs again.
            self._bar.tabButton(index, QTabBar.ButtonPosition.RightSide).adjustSize()
        for tab in self.tabs():
            self._show_mark(tab)
        self._bar.lay_out()
        self._show_room()

    def _show_mark(self, tab: ChatTab) -> None:
        index = self.indexOf(tab)
        if index < 0:
            return
        session = tab.session
        mark = tab_mark(session.phase, current_theme(), self._owner_color_index(session.id), self.devicePixelRatioF())
        edge_px = icon_size_px()
        if self.iconSize().width() != edge_px:
            # Whatever the size was, all tabs are laid out again.
            self.setIconSize(QSize(edge_px, edge_px))
        self.setTabIcon(index, mark)
        metrics = self.fontMetrics()
        width_px = _MAX_TITLE_CHARACTERS * metrics.averageCharWidth()
        whole_title = title_words(session.title)
        title = elided_title(metrics, whole_title, width_px)
        # An ampersand would be taken as the mark of a shortcut.
        words = title.replace("&", "&&") + _suffix(session)
        self._bar.setTabData(index, _suffix(session))
        if words != self.tabText(index):
            # All tabs are laid out again.
            self.setTabText(index, words)
        # Of the mark too: it is a picture, and its numbers may have been cut away with the title's end.
        whole = " · ".join(part for part in (whole_title, mark_words(session)) if part)
        if whole != self.tabToolTip(index):
            self.setTabToolTip(index, whole)
            self._bar.setAccessibleTabName(index, whole)
        self._tell_busy()

    def _add_close_button(self, tab: ChatTab) -> None:
        button = QToolButton()
        button.setProperty("kind", "small")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip(translate("app", "Close tab (Ctrl+W)"))
        button.setAccessibleName(translate("app", "Close tab"))
        show_icon(button, "close", "muted")
        button.clicked.connect(lambda: self.close_tab(self.indexOf(tab)))
        self.tabBar().setTabButton(self.indexOf(tab), QTabBar.ButtonPosition.RightSide, button)

    def _open_menu(self, position: QPoint) -> None:
        tab = self.widget(self.tabBar().tabAt(position))
        if not isinstance(tab, ChatTab):
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # By tab: the row may be another when an entry is chosen.
        if tab is self.beside.tab:
            menu.addAction(translate("app", "End the split"), self.end_split)
        else:
            menu.addAction(translate("app", "Show beside"), lambda: self.show_beside(tab))
        menu.addSeparator()
        menu.addAction(translate("app", "Close"), lambda: self.close_tab(self.indexOf(tab)))
        menu.addAction(translate("app", "Close others"), lambda: self.close_others(tab)).setEnabled(self.count() > 1)
        menu.addSeparator()
        menu.addAction(translate("app", "Rename…"), lambda: self.ask_for_title(self.indexOf(tab)))
        menu.popup(self.tabBar().mapToGlobal(position))

    def ask_for_title(self, index: int) -> None:
        tab = self.widget(index)
        if not isinstance(tab, ChatTab):
            return
        dialog = QInputDialog(self)
        dialog.setWindowTitle(translate("app", "Rename chat"))
        dialog.setLabelText(translate("app", "Title"))
        dialog.setTextValue(tab.session.title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(lambda title: self.chat_renamed.emit(tab.session.id, title))
        dialog.finished.connect(lambda _: QTimer.singleShot(0, self, self.focus_used))
        dialog.open()


def _tab_on(page: QWidget | None) -> ChatTab:
    """The chat of a page in the row."""
    if isinstance(page, Placeholder):
        return page.tab
    assert isinstance(page, ChatTab), f"the page is {page!r}"
    return page


def _suffix(session: Session) -> str:
    match session.phase:
        case Phase.PREFILL:
            return f"  {session.prefill_percent} %"
        case Phase.WAITING:
            return f"  ({ordinal(session.queue_position + 1)})"
        case _:
            return ""
