"""Owns how wide the tabs of the row are: as their titles need while there is room, else shortened alike.

Does not know the chats.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStyle, QStyleOptionTab, QTabBar, QToolButton, QWidget

from app.i18n import translate
from app.widgets.elided_label import elided_title
from app.widgets.icons import show_icon

MIN_TITLE_CHARACTERS = 10
"""What is left of a title at any zoom; beyond that the row is scrolled."""


class ChatTabBar(QTabBar):
    """A tab bar that knows the middle button, and whose tabs give way alike before it scrolls.

    A tab's data is the end of its text that tells the chat's state: it stays whole where the title is shortened.
    """

    middle_clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._room_px = 0
        self._widths: list[int] = []
        self.setExpanding(False)
        self.setDrawBase(False)

    def show_room(self, room_px: int) -> None:
        """How wide the row may be without being scrolled."""
        if room_px != self._room_px:
            self._room_px = room_px
            self.lay_out()

    def lay_out(self) -> None:
        """Gives the tabs their widths again: what they have in them is another now."""
        # Qt has no call for it; of all that have it laid out this one changes nothing.
        self.setElideMode(Qt.TextElideMode.ElideRight)

    def initStyleOption(self, option: QStyleOptionTab, tab_index: int) -> None:  # noqa: N802 - Qt's name
        super().initStyleOption(option, tab_index)
        room = self.style().subElementRect(QStyle.SubElement.SE_TabBarTabText, option, self)
        words, state = self.tabText(tab_index).replace("&&", "&"), self.tabData(tab_index) or ""
        metrics = self.fontMetrics()
        title = elided_title(metrics, words.removesuffix(state), room.width() - metrics.horizontalAdvance(state))
        option.text = (title + state).replace("&", "&&")

    def tabSizeHint(self, index: int) -> QSize:  # noqa: N802 - Qt's name
        # Qt asks for all of them, from the first one on.
        if index == 0 or len(self._widths) != self.count():
            self._widths = self._fitted()
        return QSize(self._widths[index], super().tabSizeHint(index).height())

    def minimumTabSizeHint(self, index: int) -> QSize:  # noqa: N802 - Qt's name
        return self.tabSizeHint(index) if index else QSize(self._widths[0], super().tabSizeHint(0).height())

    def _fitted(self) -> list[int]:
        wanted = [super(ChatTabBar, self).tabSizeHint(index).width() for index in range(self.count())]
        if not self._room_px or sum(wanted) <= self._room_px:
            return wanted
        metrics = self.fontMetrics()
        title_px = MIN_TITLE_CHARACTERS * metrics.averageCharWidth()
        spare = [max(0, metrics.horizontalAdvance(self.tabText(index)) - title_px) for index in range(self.count())]
        least = max(width - more for width, more in zip(wanted, spare, strict=True))
        widest = max(least, _widest(wanted, self._room_px))
        widths = [min(width, widest) for width in wanted]
        if self.currentIndex() >= 0:
            # The one that is read is no narrower than the others, unless that alone would have the row scrolled.
            spare_px = self._room_px - sum(widths)
            own = widths[self.currentIndex()]
            widths[self.currentIndex()] = widest if spare_px < 0 else min(widest, own + spare_px)
        return widths

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.MiddleButton and index >= 0:
            self.middle_clicked.emit(index)
        else:
            super().mouseReleaseEvent(event)


class TabButtons(QWidget):
    """At the end of the row: a new chat, and a list of all tabs with their whole titles."""

    def __init__(self, bar: QTabBar) -> None:
        super().__init__()
        self._bar = bar
        self.list_button = QToolButton()
        words = translate("app", "All open tabs")
        self.list_button.setToolTip(f"{words} (Ctrl+Shift+A)")
        self.list_button.setAccessibleName(words)
        show_icon(self.list_button, "chevron-down")
        self.list_button.clicked.connect(self.open_list)
        self.new_button = QToolButton()
        self.new_button.setToolTip(translate("app", "New chat (Ctrl+T)"))
        self.new_button.setAccessibleName(translate("app", "New chat"))
        show_icon(self.new_button, "plus")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.list_button)
        row.addWidget(self.new_button)

    def open_list(self) -> QMenu:
        """A line for each tab, with its mark; the one in front is checked."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for index in range(self._bar.count()):
            # An ampersand would be taken as the mark of a shortcut.
            title = self._bar.tabToolTip(index).replace("&", "&&")
            action = QAction(self._bar.tabIcon(index), title, menu, checkable=True)
            action.setChecked(index == self._bar.currentIndex())
            action.triggered.connect(lambda _, index=index: self._bar.setCurrentIndex(index))
            menu.addAction(action)
            if index == self._bar.currentIndex():
                menu.setActiveAction(action)
        menu.popup(self.list_button.mapToGlobal(QPoint(0, self.list_button.height())))
        return menu


def _widest(wanted: list[int], room_px: int) -> int:
    """The width to which the widest ones are cut, so that all of them together fill the room."""
    left_px = room_px
    for number, width in enumerate(sorted(wanted)):
        share = left_px // (len(wanted) - number)
        if width > share:
            return share
        left_px -= width
    return max(wanted)
