"""Owns the row of open tabs: their marks, titles, order, and what closing one means for the row.

Does not know where chats come from; a tab is made for it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QShowEvent
from PySide6.QtWidgets import QInputDialog, QTabBar, QTabWidget, QToolButton, QWidget

from app.chat.tab import ChatTab
from app.chat.tab_mark import tab_mark
from app.chat.transcript import ordinal
from app.state.session import Phase, Session
from app.theme import current_theme, icon_size_px, theme_signals
from app.widgets.icons import show_icon

_MAX_TITLE_CHARACTERS = 18


class ChatTabs(QTabWidget):
    """The open chats. Never empty: closing the last tab opens a new chat."""

    tabs_changed = Signal()
    """Which tabs are open, their order or the current one."""
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
        bar = _TabBar()
        bar.middle_clicked.connect(self.close_tab)
        self.setTabBar(bar)
        self.setProperty("kind", "tabs")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMovable(True)
        self.setUsesScrollButtons(True)
        # Titles are cut by hand: what a chat is doing stands behind them.
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.tabBarDoubleClicked.connect(self._ask_for_title)
        self.currentChanged.connect(lambda _: self.tabs_changed.emit())
        bar.tabMoved.connect(lambda *_: self.tabs_changed.emit())
        plus = QToolButton()
        plus.setToolTip("New chat (Ctrl+T)")
        plus.setAccessibleName("New chat")
        show_icon(plus, "plus")
        plus.clicked.connect(self.new_chat)
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
        return self.open_chat(self._make_session())

    def open_chat(self, session: Session) -> ChatTab:
        """Opens the chat in a new tab, or goes to the one it has."""
        tab = self.tab_of(session.id)
        if tab is None:
            tab = self._make_tab(session)
            self.addTab(tab, "")
            self._add_close_button(tab)
            self._show_mark(tab)
            tab.changed.connect(lambda: self._show_mark(tab))
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
        self.tabs_changed.emit()

    def close_current(self) -> None:
        self.close_tab(self.currentIndex())

    def step(self, distance: int) -> None:
        """Goes to a neighbouring tab; the row is a ring."""
        self.setCurrentIndex((self.currentIndex() + distance) % self.count())
        self.currentWidget().setFocus()

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
        self.setTabToolTip(index, session.title)

    def _add_close_button(self, tab: ChatTab) -> None:
        button = QToolButton()
        button.setProperty("kind", "small")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip("Close tab (Ctrl+W)")
        button.setAccessibleName("Close tab")
        show_icon(button, "close", "muted")
        button.clicked.connect(lambda: self.close_tab(self.indexOf(tab)))
        self.tabBar().setTabButton(self.indexOf(tab), QTabBar.ButtonPosition.RightSide, button)

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
    """A tab bar that knows the middle button."""

    middle_clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setExpanding(False)
        self.setDrawBase(False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.MiddleButton and index >= 0:
            self.middle_clicked.emit(index)
        else:
            super().mouseReleaseEvent(event)
