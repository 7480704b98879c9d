"""Owns the row of open tabs: their marks, titles, order, and what closing one means for the row.

Does not know where chats come from; a tab is made for it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QShowEvent
from PySide6.QtWidgets import QInputDialog, QMenu, QTabBar, QTabWidget, QToolButton, QWidget

from app.chat.chat_words import ordinal
from app.chat.tab import ChatTab
from app.chat.tab_mark import tab_mark
from app.state.session import Phase, Session
from app.theme import current_theme, icon_size_px, theme_signals
from app.widgets.icons import show_icon

_MAX_TITLE_CHARACTERS = 18
_MIN_TAB_WIDTH_PX = 110


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
        bar = _TabBar()
        bar.middle_clicked.connect(self.close_tab)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        bar.customContextMenuRequested.connect(self._open_menu)
        self.setTabBar(bar)
        self.setProperty("kind", "tabs")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMovable(True)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabBarDoubleClicked.connect(self._ask_for_title)
        self.tabBarClicked.connect(lambda _: self._focus_current())
        self.currentChanged.connect(lambda _: self.tabs_changed.emit())
        bar.tabMoved.connect(lambda *_: self.tabs_changed.emit())
        plus = QToolButton()
        plus.setToolTip("New chat (Ctrl+T)")
        plus.setAccessibleName("New chat")
        show_icon(plus, "plus")
        plus.clicked.connect(self.new_chat_requested)
        self.setCornerWidget(plus, Qt.Corner.TopRightCorner)
        theme_signals().theme_changed.connect(self.show_marks)

    def tabs(self) -> list[ChatTab]:
        return [tab for index in range(self.count()) if isinstance(tab := self.widget(index), ChatTab)]

    def current_tab(self) -> ChatTab | None:
        tab = self.currentWidget()
        return tab if isinstance(tab, ChatTab) else None

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
        tab = self.tab_of(session.id)
        if tab is None:
            tab = self._make_tab(session)
            self.addTab(tab, "")
            self._add_close_button(tab)
            self._show_mark(tab)
            tab.changed.connect(lambda: self._show_mark(tab))
            tab.chat_made.connect(self.open_chat)
        self.setCurrentWidget(tab)
        tab.setFocus()
        self.tabs_changed.emit()
        return tab

    def close_tab(self, index: int) -> None:
        tab = self.widget(index)
        if not isinstance(tab, ChatTab):
            return
        tab.leave()
        self.removeTab(index)
        tab.deleteLater()
        if self.count() == 0:
            self.new_chat()
        self._focus_current()
        self.tab_closed.emit(tab.session.id)
        self.tabs_changed.emit()
        self._tell_busy()

    def close_current(self) -> None:
        self.close_tab(self.currentIndex())

    def step(self, distance: int) -> None:
        """Goes to a neighbouring tab; the row is a ring."""
        self.setCurrentIndex((self.currentIndex() + distance) % self.count())
        self._focus_current()

    def close_others(self, kept: ChatTab) -> None:
        for tab in self.tabs():
            if tab is not kept:
                self.close_tab(self.indexOf(tab))

    def _focus_current(self) -> None:
        if self.isVisible():
            self.currentWidget().setFocus()

    def _tell_busy(self) -> None:
        busy_ids = frozenset(tab.session.id for tab in self.tabs() if tab.session.is_busy)
        if busy_ids != self._busy_ids:
            self._busy_ids = busy_ids
            self.busy_changed.emit(busy_ids)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Only now is it known how many pixels the screen has to a point.
        self.show_marks()

    def show_marks(self) -> None:
        for tab in self.tabs():
            self._show_mark(tab)

    def _show_mark(self, tab: ChatTab) -> None:
        index = self.indexOf(tab)
        if index < 0:
            return
        session = tab.session
        theme = current_theme()
        chip = theme.owner_color(self._owner_color_index(session.id))
        edge_px = icon_size_px()
        mark = tab_mark(session.phase, chip, theme.color("muted"), edge_px, self.devicePixelRatioF())
        self.setIconSize(QSize(edge_px, edge_px))
        self.setTabIcon(index, mark)
        metrics = self.fontMetrics()
        width_px = _MAX_TITLE_CHARACTERS * metrics.averageCharWidth()
        title = metrics.elidedText(session.title, Qt.TextElideMode.ElideRight, width_px)
        # An ampersand would be taken as the mark of a shortcut.
        self.setTabText(index, title.replace("&", "&&") + _suffix(session))
        # The mark's words may have been cut away with the title's end.
        self.setTabToolTip(index, session.title + _suffix(session))
        self._tell_busy()

    def _add_close_button(self, tab: ChatTab) -> None:
        button = QToolButton()
        button.setProperty("kind", "small")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip("Close tab (Ctrl+W)")
        button.setAccessibleName("Close tab")
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
        menu.addAction("Close", lambda: self.close_tab(self.indexOf(tab)))
        menu.addAction("Close others", lambda: self.close_others(tab)).setEnabled(self.count() > 1)
        menu.addSeparator()
        menu.addAction("Rename…", lambda: self._ask_for_title(self.indexOf(tab)))
        menu.popup(self.tabBar().mapToGlobal(position))

    def _ask_for_title(self, index: int) -> None:
        tab = self.widget(index)
        if not isinstance(tab, ChatTab):
            return
        dialog = QInputDialog(self)
        dialog.setWindowTitle("Rename chat")
        dialog.setLabelText("Title")
        dialog.setTextValue(tab.session.title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(lambda title: self.chat_renamed.emit(tab.session.id, title))
        dialog.finished.connect(lambda _: QTimer.singleShot(0, self, self._focus_current))
        dialog.open()


def _suffix(session: Session) -> str:
    match session.phase:
        case Phase.PREFILL:
            return f"  {session.prefill_percent} %"
        case Phase.WAITING:
            return f"  ({ordinal(session.queue_position + 1)})"
        case _:
            return ""


class _TabBar(QTabBar):
    """A tab bar that knows the middle button, and whose tabs give way before it scrolls."""

    middle_clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setExpanding(False)
        self.setDrawBase(False)

    def minimumTabSizeHint(self, index: int) -> QSize:  # noqa: N802 - Qt's name
        wanted = self.tabSizeHint(index)
        return QSize(min(wanted.width(), _MIN_TAB_WIDTH_PX), wanted.height())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.MiddleButton and index >= 0:
            self.middle_clicked.emit(index)
        else:
            super().mouseReleaseEvent(event)
